"""gpscl.plan: what it chooses, what it leaves alone, the run that follows it, refusals."""
import json
import os
import shlex
import subprocess
import sys
import unittest
import warnings

import gpscl
from gpscl import _progress, planning

FASHION = "/usr/share/datasets/fashion-mnist"

SMALL = {"tasks": 3, "examples_per_task": 200, "memory": 30, "hidden": [16], "progress": False}


def plan(*arguments, **keywords):
    return gpscl.plan("p-fashion-mnist", *arguments, **{**SMALL, "budget": "20%", **keywords})


@unittest.skipUnless(os.path.isdir(FASHION), "not checked: gpscl.plan; to check: scripts/setup installs Fashion-MNIST")
class Plans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plan = plan()

    def test_say_what_was_chosen_and_what_to_expect(self):
        accuracy, low, high = self.plan.expected
        self.assertTrue(0 <= low <= accuracy <= high <= 1)
        self.assertIn("learning_rate", self.plan.settings)
        best = [trial for trial in self.plan.trials if trial["complete"]]
        self.assertGreater(len(best), 1)
        self.assertIn("plan for task 1", repr(self.plan))
        self.assertIn("expected accuracy", repr(self.plan))
        self.assertIn(self.plan.command, repr(self.plan))

    def test_are_the_same_for_the_same_seed(self):
        again = plan(jobs=1)
        self.assertEqual((again.settings, again.trials, again.command),
                         (self.plan.settings, self.plan.trials, self.plan.command))

    def test_are_followed_by_a_run_with_the_same_settings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            results = self.plan.run(out=None, progress=False)
            planned = gpscl.run("p-fashion-mnist", plan="all", plan_budget=20, out=None, **SMALL)
        self.assertEqual((len(results), results[0].seed), (1, 0))
        for key in ("learner", "learning_rate", "steps"):
            self.assertEqual(results[0].spec[key], self.plan.settings[key])
        self.assertEqual(results[0].to_dict()["accuracy"], planned[0].to_dict()["accuracy"])

    def test_are_those_of_the_program(self):
        program = os.environ.get("GPSCL_PROGRAM")
        if not program:
            self.skipTest("not checked: the program beside the module; to check: set GPSCL_PROGRAM")
        done = subprocess.run(
            [program, *shlex.split("plan p-fashion-mnist --tasks 3 --examples-per-task 200 --memory 30 --hidden 16"),
             "--budget", "20%", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        expected = {**json.loads(done.stdout), "seconds": None}
        self.assertEqual({**self.plan.to_dict(), "seconds": None}, expected)

    def test_print_what_the_program_prints(self):
        program = os.environ.get("GPSCL_PROGRAM")
        if not program:
            self.skipTest("not checked: the program beside the module; to check: set GPSCL_PROGRAM")

        def lines(text):
            return [line for line in text.splitlines() if not line.startswith(("planning took", "To follow"))]

        for benchmark, classes_are_new in (("p-fashion-mnist", False), ("s-fashion-mnist", True)):
            with self.subTest(benchmark=benchmark):
                options = {**SMALL, "tasks": 2, "budget": "20%"}
                shown = repr(gpscl.plan(benchmark, **options))
                arguments = shlex.split("--tasks 2 --examples-per-task 200 --memory 30 --hidden 16 --budget 20%")
                done = subprocess.run([program, "plan", benchmark, *arguments], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, encoding="utf-8", check=True)
                self.assertEqual(lines(shown), lines(done.stdout))
                self.assertEqual("bring new classes" in shown, classes_are_new)
                self.assertIn("To follow this plan: plan.run(), or", shown)

    def test_can_be_limited_to_seconds(self):
        # The search ends after its first trials: with a budget of percent it has more of them.
        short = plan(budget="0.000001s", jobs=1)
        self.assertLess(len(short.trials), len(self.plan.trials))
        self.assertIn("gpscl run p-fashion-mnist", short.command)

    def test_are_followed_with_several_seeds(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            results = self.plan.run(seeds=2, out=None, progress=False)
        self.assertEqual([run.seed for run in results], [0, 1])
        self.assertEqual({run.spec["learning_rate"] for run in results}, {self.plan.settings["learning_rate"]})

    def test_tell_how_many_settings_were_tried(self):
        events = []

        class Watch(_progress.Progress):
            def __call__(self, event):
                events.append(event)

        real, planning.Progress = planning.Progress, Watch
        try:
            plan(progress=True)
        finally:
            planning.Progress = real
        tried = [(settings, seconds) for kind, *rest in events if kind == "tried" for settings, seconds in [rest]]
        self.assertGreater(len(tried), 0)
        self.assertEqual(tried, sorted(tried))
        self.assertGreaterEqual(tried[0][0], 1)
        # The best settings are tried twice, so there may be more trials than settings.
        self.assertLessEqual(tried[-1][0], 2 * len(self.plan.trials))

    def test_end_at_an_interrupt(self):
        """A signal that comes when the first settings have been tried."""
        script = """
import os, signal
import gpscl
from gpscl import _progress, planning
class Watch(_progress.Progress):
    def __call__(self, event):
        if event[0] == "tried":
            os.kill(os.getpid(), signal.SIGINT)
planning.Progress = Watch
try:
    gpscl.plan("p-fashion-mnist", tasks=3, examples_per_task=200, memory=30, hidden=[16])
except KeyboardInterrupt:
    print("interrupted")
"""
        done = subprocess.run([sys.executable, "-B", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", check=False)
        self.assertEqual(done.stdout, "interrupted\n", done.stderr)

    def test_leave_alone_what_is_given(self):
        for trial in plan(learner="er", lr=0.07).trials:
            self.assertEqual((trial["learner"], trial["learning_rate"]), ("er", 0.07))
        some = plan(["lr", "length"])
        self.assertEqual(len({trial["learner"] for trial in some.trials}), 1)
        self.assertGreater(len({trial["learning_rate"] for trial in some.trials}), 1)

    def test_that_are_impossible_are_refused(self):
        for message, keywords in {
            "budget must be percent or seconds": {"budget": "10"},
            "plan does not know 'speed'": {"knobs": "speed"},
            "plan must not name lr if `?lr`? is given": {"knobs": "lr", "lr": 0.1},
            "plan works with the learners": {"learner": "sgd"},
            "one plan": {"policy": "reservoir,ring-full"},
            "budget must be text.*got 60": {"budget": 60},
            "a seed must be": {"seed": -1},
            "a seed must be a whole number from 0 to 2147483647, got 'a'": {"seed": "a"},
            "jobs must be": {"jobs": -1},
        }.items():
            with self.subTest(message=message):
                with self.assertRaisesRegex(ValueError, message):
                    plan(**keywords)

    def test_have_names_of_their_own_for_what_run_calls_plan(self):
        with self.assertRaisesRegex(TypeError, "plan is an option of gpscl.run; gpscl.plan takes knobs"):
            plan(plan="lr")
        with self.assertRaisesRegex(TypeError, "plan_budget is an option of gpscl.run; gpscl.plan takes budget"):
            plan(plan_budget=20)
