"""Other threads go on while C++ works, and Ctrl-C ends a loop without harm."""
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import gpscl
from streams import contents, images, made_up_labels

HANG = 3600  # seconds; a guard against a hang, and nothing else


def filled(policy="gps", n=40, **options):
    labels = made_up_labels(1, n, 4)[0]
    memory = gpscl.Memory(12, policy, seed=2, **options)
    memory.observe(np.arange(n), labels, np.zeros((n, 3)))
    return memory


def interrupted_at(number, call):
    """Calls it, with a Ctrl-C before the number-th instruction of the package's Python code. Returns whether it came.

    Python looks for signals between instructions, after a call for example, and nowhere else.
    """
    left = number

    def trace(frame, event, argument):
        nonlocal left
        if not frame.f_globals.get("__name__", "").startswith("gpscl"):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def kept(memory):
    """All that a memory is, but for the time that has passed."""
    state = memory.state_dict()
    return {**state, "state": bytes(state["state"].tolist()), "times": None, "task_seconds": None}


class Threads(unittest.TestCase):
    def test_a_thread_that_waits_for_the_memory_leaves_the_others_running(self):
        # While a search asks its question, the memory is locked. A thread that uses it waits in C++; if it kept the GIL, the
        # question could never be answered.
        memory = filled()
        memory.end_task(simulation=lambda candidate: (1.0, 0.5))
        memory.observe(np.arange(40), made_up_labels(1, 40, 4)[0], np.zeros((40, 3)))
        drawn, about_to = [], threading.Event()

        def draw():
            about_to.set()
            drawn.append(memory.draw(3))

        thread = threading.Thread(target=draw)

        def simulate(candidate):
            if not about_to.is_set():
                thread.start()
                self.assertTrue(about_to.wait(HANG))
                for _ in range(20):  # the other thread has many chances to take the GIL and keep it
                    time.sleep(0.001)
                self.assertEqual(drawn, [])
            return 1.0, 0.5

        memory.end_task(simulation=simulate)
        thread.join(HANG)
        self.assertEqual(len(drawn), 1)

    def test_threads_that_observe_and_sample_at_once_do_no_harm(self):
        memory = gpscl.Memory(50, seed=1)
        memory.observe(np.arange(50) + 10**6, np.arange(50) % 5, np.arange(50.0)[:, None] * np.ones(8) + 10**6)

        def observe(first):
            for k in range(200):
                i = np.arange(10) + first + 10 * k
                memory.observe(i, i % 5, i[:, None] * np.ones(8))

        def sample():
            for _ in range(200):
                x, y = memory.sample(20)
                np.testing.assert_array_equal(x, x[:, :1] * np.ones(8))  # whole rows
                np.testing.assert_array_equal(x[:, 0].astype(int) % 5, y)

        errors = []

        def guarded(work, *arguments):
            try:
                work(*arguments)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=guarded, args=(observe, k * 10**5)) for k in range(3)]
        threads += [threading.Thread(target=guarded, args=(sample,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(HANG)
        self.assertEqual(errors, [])
        self.assertEqual(len(memory), 50)
        np.testing.assert_array_equal(memory.rows()[:, 0].astype(int), memory.indices)

    def test_a_simulation_may_look_at_the_memory_but_not_change_it(self):
        memory = filled()
        seen = []

        def simulate(candidate):
            seen.append(len(memory))
            for change in (lambda: memory.observe([0], [0], np.zeros((1, 3))), memory.end_epoch, memory.end_task,
                           memory.state_dict):
                with self.assertRaisesRegex(ValueError, "task 1 is about to end"):
                    change()
            return 1.0, 0.5

        memory.end_task(simulation=simulate)
        self.assertEqual(set(seen), {0})
        self.assertEqual(len(memory), 12)


class Interruptions(unittest.TestCase):
    def test_whatever_a_simulation_raises_leaves_the_memory_as_it_was(self):
        class Own(Exception):
            pass

        def interrupted(candidate):
            signal.raise_signal(signal.SIGINT)
            return 1.0, 0.5

        def own(candidate):
            if candidate.number == 3:
                raise Own
            return 1.0, candidate.number

        for simulate, error in ((interrupted, KeyboardInterrupt), (own, Own), (lambda c: 3, ValueError),
                                (lambda c: ("a", "b"), ValueError)):
            memory = filled()
            before = memory.state_dict()["state"]
            with self.assertRaises(error):
                memory.end_task(simulation=simulate)
            np.testing.assert_array_equal(memory.state_dict()["state"], before)
            choice = memory.end_task(simulation=lambda candidate: (1.0, 0.5))
            other = filled()
            self.assertEqual(other.end_task(simulation=lambda candidate: (1.0, 0.5)).trials, choice.trials)
            self.assertEqual(contents(memory), contents(other))

    def interrupt_everywhere(self, make, call):
        """A Ctrl-C at any instruction of a call comes before it or after it: nothing is half done."""
        before, after = make(), make()
        call(after)
        both = [kept(before), kept(after)]
        found, number = set(), 0
        while True:
            memory = make()
            if not interrupted_at(number, lambda: call(memory)):
                break
            found.add(both.index(kept(memory)))
            self.assertEqual(kept(gpscl.Memory.from_state_dict(memory.state_dict())), kept(memory))
            if kept(memory) == both[0]:
                call(memory)
            self.assertEqual(kept(memory), both[1], f"instruction {number}")
            number += 1
        self.assertEqual(found, {0, 1})

    def test_ctrl_c_anywhere_in_observe_comes_before_or_after_it(self):
        labels = made_up_labels(1, 20, 4)[0]
        x = images(1, labels)
        for policy in ("reservoir", "gps"):
            with self.subTest(policy=policy):
                self.interrupt_everywhere(lambda: gpscl.Memory(6, policy, seed=2),
                                          lambda memory: memory.observe(np.arange(20), labels, x))

    def test_ctrl_c_anywhere_in_end_task_comes_before_or_after_it(self):
        labels = made_up_labels(1, 20, 4)[0]
        x = images(1, labels)

        def observed(policy):
            memory = gpscl.Memory(6, policy, seed=2)
            memory.observe(np.arange(20), labels)  # the rows come at the end
            return memory

        for policy in ("mixed:0.5", "gps"):
            with self.subTest(policy=policy):
                self.interrupt_everywhere(
                    lambda: observed(policy),
                    lambda memory: memory.end_task(x, lambda candidate: (1.0, -abs(candidate.ring_size - 2))))

    def test_ctrl_c_anywhere_in_load_state_dict_comes_before_or_after_it(self):
        labels = made_up_labels(1, 20, 4)[0]
        other = gpscl.Memory(6, seed=2)
        other.observe(np.arange(20), labels, images(1, labels))
        state = other.state_dict()
        self.interrupt_everywhere(lambda: gpscl.Memory(6, seed=2), lambda memory: memory.load_state_dict(state))

    def test_ctrl_c_ends_a_loop(self):
        code = """
import numpy as np, gpscl
memory = gpscl.Memory(1000)
y, x = np.zeros(10, int), np.zeros((10, 100))
step = 0
try:
    print("ready", flush=True)
    while True:
        memory.observe(np.arange(10) + 10 * step, y, x)
        memory.sample(10)
        step = (step + 1) % 10**6
except KeyboardInterrupt:
    other = gpscl.Memory(1000)
    other.load_state_dict(memory.state_dict())
    print("interrupted", len(other) == len(memory), flush=True)
"""
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=HANG)[0], "interrupted True\n")
        self.assertEqual(child.returncode, 0)


if __name__ == "__main__":
    unittest.main()
