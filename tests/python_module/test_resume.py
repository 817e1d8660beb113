"""A memory that is saved and loaded goes on as if nothing had happened, to the bit."""
import copy
import io
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import gpscl
from streams import contents, images, made_up_labels, torch_or_skip

POLICIES = ["reservoir", "ring-full", "hybrid", "mixed:0.5", "one-batch", "gps"]
LOOP = pathlib.Path(__file__).resolve().parent / "killed_loop.py"


def simulate(candidate):
    return 1.0, -abs(candidate.ring_size - 3)


def steps(labels, batch=7):
    """All steps of a loop: (task, rows, is the last one)."""
    for number, task in enumerate(labels, start=1):
        order = np.random.default_rng(number).permutation(len(task))
        for first in range(0, len(order), batch):
            yield number, order[first:first + batch], first + batch >= len(order)


def take(memory, labels, step, convert=lambda x: x, rows=True):
    number, i, is_last = step
    x = convert(images(number, labels[number - 1])[i]) if rows else None
    seen = memory.sample(4)[1].tolist() if len(memory) else []
    memory.observe(i, labels[number - 1][i], x)
    if is_last:
        memory.end_task(simulation=simulate)
    return seen


class Resume(unittest.TestCase):
    def go_on_everywhere(self, policy, keep, convert=lambda x: x, rows=True):
        labels = made_up_labels(3, 31, 4)
        whole = gpscl.Memory(15, policy, seed=8)
        saved = gpscl.Memory(15, policy, seed=8)
        for step in steps(labels):
            expected = take(whole, labels, step, convert, rows)
            fresh = gpscl.Memory(15, policy, seed=8)
            fresh.load_state_dict(keep(saved.state_dict()))
            saved = fresh
            self.assertEqual(take(saved, labels, step, convert, rows), expected)
            self.assertEqual(contents(saved), contents(whole))
            self.assertEqual(bytes(saved.state_dict()["state"].tolist()), bytes(whole.state_dict()["state"].tolist()))
        self.assertEqual([(d.task, d.ring_size, d.trials) for d in saved.decisions],
                         [(d.task, d.ring_size, d.trials) for d in whole.decisions])
        self.assertGreater(len(whole), 0)

    def test_after_every_step_with_pickle(self):
        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.go_on_everywhere(policy, lambda state: pickle.loads(pickle.dumps(state)))

    def test_memories_of_indices(self):
        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.go_on_everywhere(policy, copy.deepcopy, rows=False)

    def test_after_every_step_with_torch(self):
        torch = torch_or_skip()

        def through_file(state):
            file = io.BytesIO()
            torch.save(state, file)
            file.seek(0)
            return torch.load(file)

        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.go_on_everywhere(policy, through_file, torch.from_numpy)

    def test_states_of_a_loop_of_torch_have_no_arrays(self):
        torch = torch_or_skip()
        memory = gpscl.Memory(9, "gps", seed=1)
        for rows in (None, torch.ones(8, 3)):  # of indices alone, which have no rows before the task ends
            memory.observe(torch.arange(8), torch.arange(8) % 4, rows)
            self.assertIsInstance(memory.state_dict()["state"], torch.Tensor)
        other = gpscl.Memory.from_state_dict(memory.state_dict())
        self.assertTrue(torch.equal(other.state_dict()["state"], memory.state_dict()["state"]))

    def test_a_memory_can_be_pickled_and_copied_itself(self):
        memory = gpscl.Memory("1kB", "mixed:0.5", seed=3, in_task="strict")
        labels = made_up_labels(2, 31, 4)
        for step in list(steps(labels))[:7]:
            take(memory, labels, step)
        for other in (pickle.loads(pickle.dumps(memory)), copy.deepcopy(memory),
                      gpscl.Memory.from_state_dict(memory.state_dict())):
            self.assertEqual(contents(other), contents(memory))
            self.assertEqual(repr(other), repr(memory))
            np.testing.assert_array_equal(other.state_dict()["state"], memory.state_dict()["state"])
            np.testing.assert_array_equal(other.rows(), memory.rows())

    def test_states_of_other_memories_are_refused(self):
        state = gpscl.Memory(9, "mixed:0.5", seed=1).state_dict()
        for other, message in ((gpscl.Memory(8, "mixed:0.5", seed=1), "budget 9, this memory has budget 8"),
                               (gpscl.Memory(9, "mixed:1", seed=1), "policy 'mixed:0.5'"),
                               (gpscl.Memory(9, "mixed:0.5", seed=2), "seed 1, this memory has seed 2"),
                               (gpscl.Memory(9, "mixed:0.5", seed=1, in_task="running"), "no options")):
            with self.assertRaisesRegex(ValueError, message):
                other.load_state_dict(state)
        for bad in ({}, {**state, "format": 99}, [], {**state, "config": None}):
            with self.assertRaises(ValueError):
                gpscl.Memory(9, "mixed:0.5", seed=1).load_state_dict(bad)

    def test_states_that_say_something_wrong_of_themselves_are_refused_and_change_nothing(self):
        labels = made_up_labels(2, 31, 4)
        memory = gpscl.Memory(9, "ring-full", seed=1)
        indices = gpscl.Memory(9, "ring-full", seed=1)
        for step in list(steps(labels))[:7]:
            take(memory, labels, step)
            take(indices, labels, step, rows=False)
        state, of_indices = memory.state_dict(), indices.state_dict()
        rows = state["rows"]
        self.assertEqual(rows, {"kind": "numpy", "dtype": "|u1", "shape": [4, 4]})
        for name, bad in {
            "more bytes": {**state, "rows": {**rows, "dtype": "<f8"}},
            "other shape": {**state, "rows": {**rows, "shape": [4, 5]}},
            "negative shape": {**state, "rows": {**rows, "shape": [-4, -4]}},
            "huge shape": {**state, "rows": {**rows, "shape": [2**62, 4]}},
            "no bytes": {**state, "rows": {**rows, "shape": [0]}},
            "objects": {**state, "rows": {**rows, "dtype": "|O"}},
            "no type": {**state, "rows": {**rows, "dtype": "number"}},
            "no kind": {**state, "rows": {**rows, "kind": "list"}},
            "text as rows": {**state, "rows": "numpy"},
            "no rows": {**state, "rows": None},
            "rows of indices": {**of_indices, "rows": rows},
            "labels": {**state, "labels": "list"},
            "times": {**state, "times": [1]},
            "seconds": {**state, "task_seconds": "soon"},
            "text": {**state, "state": "abc"},
            "nothing": {**state, "state": None},
            "wrong type": {**state, "state": state["state"].astype(np.float32)},
            "two dimensions": {**state, "state": state["state"][None]},
        }.items():
            for one in (memory, indices):
                with self.subTest(state=name):
                    before, held = one.state_dict()["state"], one.state_dict()["rows"]
                    with self.assertRaises(ValueError) as caught:
                        one.load_state_dict(bad)
                    self.assertNotIn("\n", str(caught.exception))
                    np.testing.assert_array_equal(one.state_dict()["state"], before)
                    self.assertEqual(one.state_dict()["rows"], held)
        memory.load_state_dict(of_indices)
        self.assertEqual(contents(memory), contents(indices))

    def test_damaged_states_are_refused_and_change_nothing(self):
        labels = made_up_labels(2, 31, 4)
        memory = gpscl.Memory(9, "ring-full", seed=1)
        for step in list(steps(labels))[:7]:
            take(memory, labels, step)
        state = memory.state_dict()
        for at in range(0, len(state["state"]), 3):
            damaged = {**state, "state": state["state"].copy()}
            damaged["state"][at] ^= 0x10
            with self.assertRaises(OSError):
                memory.load_state_dict(damaged)
        for length in range(0, len(state["state"]), 5):
            with self.assertRaises(OSError):
                memory.load_state_dict({**state, "state": state["state"][:length]})
        np.testing.assert_array_equal(memory.state_dict()["state"], state["state"])


class Killed(unittest.TestCase):
    def run_loop(self, *arguments):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(LOOP.parent), *sys.path])}
        return subprocess.run([sys.executable, "-B", str(LOOP), *arguments], env=environment, capture_output=True,
                              text=True, check=False)

    def test_a_loop_that_is_killed_while_a_task_ends_goes_on_like_one_that_is_not(self):
        for policy, moment in (("gps", "simulation"), ("mixed:0.5", "end_task")):
            with self.subTest(policy=policy), tempfile.TemporaryDirectory() as folder:
                whole = self.run_loop(policy, os.path.join(folder, "whole"))
                self.assertEqual(whole.returncode, 0, whole.stderr)
                file = os.path.join(folder, "state")
                # Tasks end in the steps 15, 31 and 47. A later call begins with the step in which it was killed.
                for step, when in ((15, moment), (0, moment), (0, "0"), (16, moment), (0, moment)):
                    killed = self.run_loop(policy, file, str(step), when)
                    self.assertEqual(killed.returncode, -signal.SIGKILL, killed.stderr)
                rest = self.run_loop(policy, file)
                self.assertEqual(rest.returncode, 0, rest.stderr)
                self.assertEqual(rest.stdout, whole.stdout)

    def test_a_loop_that_is_killed_20_times_ends_like_one_that_is_not(self):
        choose = random.Random(5)
        for policy in ("reservoir", "gps"):
            with self.subTest(policy=policy), tempfile.TemporaryDirectory() as folder:
                whole = self.run_loop(policy, os.path.join(folder, "whole"))
                self.assertEqual(whole.returncode, 0, whole.stderr)
                file = os.path.join(folder, "state")
                kills = 0
                while kills < 10:  # 10 for each of the two policies
                    # At most three steps are gained by each call, so that there are always some left of 48.
                    killed = self.run_loop(policy, file, str(choose.randrange(3)), str(choose.randrange(3)))
                    if killed.returncode == 0:
                        self.fail("the loop ended before it was killed often enough")
                    self.assertEqual(killed.returncode, -signal.SIGKILL, killed.stderr)
                    kills += 1
                rest = self.run_loop(policy, file)
                self.assertEqual(rest.returncode, 0, rest.stderr)
                self.assertEqual(rest.stdout, whole.stdout)


if __name__ == "__main__":
    unittest.main()
