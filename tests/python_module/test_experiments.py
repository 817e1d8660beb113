"""gpscl.run, stores of runs and reports: the same results as the program's, refusals, Ctrl-C, data frames."""
import _thread
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import gpscl
from gpscl import _options, _progress, experiments

try:
    import pandas
except ImportError:
    pandas = None

FASHION = "/usr/share/datasets/fashion-mnist"
SMALL = {"tasks": 2, "examples_per_task": 200, "memory": 20, "epochs": 1, "hidden": [16], "progress": False}


def without_times(result):
    """A result without what differs from run to run."""
    return {key: value for key, value in result.items() if key not in ("seconds", "peak_memory_bytes", "checksum")}


class Keywords(unittest.TestCase):
    ROWS = [{"flag": "lr", "key": "learning_rate", "kind": "real", "default": "0.1", "names": []},
            {"flag": "examples-per-task", "key": "examples_per_task", "kind": "whole", "default": "0", "names": []},
            {"flag": "no-augment", "key": "augment", "kind": "flag", "default": True, "names": []}]

    def given(self, **keywords):
        return _options.given_texts(keywords, self.ROWS)

    def test_are_flags_with_underscores_or_keys_of_results(self):
        self.assertEqual(self.given(lr=0.03, examples_per_task=10), {"lr": "0.03", "examples-per-task": "10"})
        self.assertEqual(self.given(learning_rate=1e-5), {"lr": "1e-05"})

    def test_that_are_none_stand_for_the_default(self):
        self.assertEqual(self.given(lr=None), {})

    def test_of_flags_are_truth_values(self):
        self.assertEqual(self.given(no_augment=True), {"no-augment": "true"})
        self.assertEqual(self.given(no_augment=False), {})
        self.assertEqual(self.given(augment=False), {"no-augment": "true"})
        self.assertEqual(self.given(augment=True), {})

    def test_that_are_unknown_or_said_twice_are_refused(self):
        with self.assertRaisesRegex(TypeError, "unknown option example_per_task; did you mean examples_per_task"):
            self.given(example_per_task=1)
        with self.assertRaisesRegex(TypeError, "lr and learning_rate are the same option"):
            self.given(lr=1, learning_rate=1)

    def test_have_lists_and_numbers_as_the_command_line_writes_them(self):
        self.assertEqual(_options.text_of([100, 100]), "100,100")
        self.assertEqual(_options.text_of([]), "none")
        self.assertEqual(_options.text_of(2.0), "2")
        self.assertEqual(_options.text_of("784kB"), "784kB")

    def test_are_named_as_in_python_in_messages(self):
        self.assertEqual(_options.in_python("`memory-batch` must be at least 1, got 0; see --er-loss"),
                         "memory_batch must be at least 1, got 0; see er_loss")

    def test_are_all_options_of_the_program(self):
        keywords = {row["keyword"] for row in gpscl.options()}
        self.assertLessEqual({"tasks", "memory", "lr", "epochs", "er_loss", "future", "image_size"}, keywords)


class Catalogs(unittest.TestCase):
    def test_name_what_there_is(self):
        self.assertIn("gps", [row["name"] for row in gpscl.catalog("policies")])
        self.assertIn("p-fashion-mnist", [row["name"] for row in gpscl.catalog("benchmarks")])

    def test_of_another_name_are_refused(self):
        with self.assertRaisesRegex(ValueError, "unknown family 'policy'"):
            gpscl.catalog("policy")


class Screen(io.StringIO):
    def isatty(self):
        return True


class Handle:
    def __init__(self, shown):
        self.shown = shown

    def update(self, what):
        self.shown.append(what)


class ProgressOf(unittest.TestCase):
    EVENTS = [("plan", ["gps seed 0", "gps seed 1"]), ("load", "reading", 1, 2), ("started", 0),
              ("progress", 0, 1, 2, 50, 100, True, 3, None), ("ended", 0, "done", 0.5, ""),
              ("ended", 1, "failed", None, "diverged")]

    def show(self, progress):
        for event in self.EVENTS:
            progress(event)
        progress.close()

    def test_a_file_is_one_line_for_each_run_that_ends(self):
        stream = io.StringIO()
        self.show(_progress.Progress(stream, display=None))
        self.assertEqual(stream.getvalue(), "gps seed 0: accuracy 50.00 %\ngps seed 1: failed: diverged\n")

    def test_a_terminal_is_a_live_line_that_goes_away(self):
        stream = Screen()
        progress = _progress.Progress(stream, display=None)
        progress.SECONDS_BETWEEN = 0
        self.show(progress)
        self.assertIn("0 of 2 runs done; gps seed 0: 50 %, task 1 of 2, simulating (3 futures)", stream.getvalue())
        self.assertTrue(stream.getvalue().endswith("\r"))

    def test_a_notebook_is_one_output_that_is_updated(self):
        shown = []

        def display(what, display_id):
            shown.append(what)
            return Handle(shown)

        progress = _progress.Progress(io.StringIO(), display=display)
        progress.SECONDS_BETWEEN = 0
        self.show(progress)
        self.assertIn("<progress value='0.500'", "".join(each._repr_html_() for each in shown))
        self.assertIn("accuracy 50.00 %", shown[-1]._repr_html_())


class WithoutLibTorch(unittest.TestCase):
    def test_the_message_says_what_the_package_has_and_not_how_to_build_another(self):
        with open(os.path.join(os.environ["GPSCL_SOURCE_DIR"], "src", "gps", "nn", "torch", "torch_backend.cpp"),
                  encoding="utf-8") as file:
            self.assertIn(f'"{_options.BUILT_WITHOUT};', file.read())
        shown = _options.in_python(_options.BUILT_WITHOUT + "; make build installs LibTorch")
        self.assertIn("the package for Python has no LibTorch", shown)
        self.assertNotIn("installs", shown)


@unittest.skipUnless(os.path.isdir(FASHION), "not checked: gpscl.run; to check: scripts/setup installs Fashion-MNIST")
class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = os.path.join(cls.folder.name, "results")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # small networks may be near chance
            cls.results = gpscl.run("p-fashion-mnist", policy=["reservoir", "gps"], seeds=2, out=cls.out, **SMALL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_quietly(self, *arguments, **keywords):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return gpscl.run(*arguments, **keywords)

    def test_come_seed_by_seed_with_what_was_asked_for(self):
        self.assertEqual([(run.spec["policy"], run.seed) for run in self.results],
                         [("reservoir", 0), ("gps", 0), ("reservoir", 1), ("gps", 1)])
        self.assertEqual(self.results[0].spec["memory"], 20)
        self.assertEqual(self.results[0].spec["hidden"], [16])
        self.assertEqual(self.results[0].label, "er reservoir")

    def test_have_metrics_and_a_matrix_that_agree(self):
        for run in self.results:
            self.assertEqual(run.accuracy_matrix.shape, (2, 2))
            self.assertAlmostEqual(run.accuracy, run.accuracy_matrix[-1].mean())
            self.assertEqual(run.accuracy, run.metrics["average_accuracy"])
            self.assertIsNone(run.accuracy_among_all)

    def test_have_the_decisions_of_gps(self):
        self.assertEqual(self.results[0].decisions, [])
        decisions = self.results[1].decisions
        self.assertEqual([decision["task"] for decision in decisions], [1, 2])
        self.assertGreater(len(decisions[0]["probes"]), 1)

    def test_are_the_same_bits_as_those_of_the_program(self):
        program = os.environ.get("GPSCL_PROGRAM")
        if not program:
            self.skipTest("not checked: the program beside the module; to check: set GPSCL_PROGRAM")
        done = subprocess.run(
            [program, "run", "p-fashion-mnist", "--policy", "gps", "--seed", "1", "--tasks", "2", "--examples-per-task",
             "200", "--memory", "20", "--epochs", "1", "--hidden", "16", "--json", "--out",
             self.folder.name + "/program"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        self.assertEqual(without_times(json.loads(done.stdout)[0]), without_times(self.results[3].to_dict()))

    def test_print_the_table_of_the_program(self):
        self.assertIn("vs reservoir", repr(self.results))
        self.assertIn("<pre>", self.results._repr_html_())

    def test_are_kept_as_json_and_in_a_store(self):
        names = [name for name in os.listdir(self.out) if name.endswith(".json")]
        self.assertEqual(len(names), 4)
        stored = gpscl.runs(self.out)
        self.assertEqual(len(stored), 4)
        self.assertEqual({run.status for run in stored}, {"done"})
        self.assertEqual(sorted(each.accuracy for each in stored.results),
                         sorted(each.accuracy for each in self.results))
        self.assertEqual(len(gpscl.runs(os.path.join(self.out, "runs.sqlite"), policy="gps")), 2)

    def test_that_are_finished_are_not_done_again_with_resume(self):
        names = {name: os.stat(os.path.join(self.out, name)).st_mtime_ns for name in os.listdir(self.out)
                 if name.endswith(".json")}
        again = self.run_quietly("p-fashion-mnist", policy="gps", seeds=2, out=self.out, resume=True, **SMALL)
        self.assertEqual(again[0].to_dict(), self.results[1].to_dict())
        self.assertEqual(names, {name: os.stat(os.path.join(self.out, name)).st_mtime_ns for name in names})

    def test_leave_nothing_behind_without_a_folder(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                results = self.run_quietly("p-fashion-mnist", policy="reservoir", out=None, **SMALL)
                self.assertEqual(os.listdir("."), [])
            finally:
                os.chdir(before)
        self.assertEqual(without_times(results[0].to_dict()), without_times(self.results[0].to_dict()))
        with self.assertRaisesRegex(ValueError, "in no store"):
            gpscl.report(results)

    def test_can_have_several_learners(self):
        results = self.run_quietly("p-fashion-mnist", policy="reservoir", learner=["er", "sgd"], out=None, **SMALL)
        self.assertEqual([(run.spec["learner"], run.spec["policy"]) for run in results],
                         [("er", "reservoir"), ("sgd", "none")])

    def test_that_are_impossible_are_refused_before_any_work(self):
        def refused(*arguments, **keywords):
            with self.assertRaises((ValueError, TypeError)) as caught:
                gpscl.run(*arguments, out=None, progress=False, **keywords)
            return str(caught.exception)

        self.assertIn("unknown policy 'gsp'", refused("p-fashion-mnist", policy="gsp"))
        self.assertIn("unknown benchmark", refused("p-fasion"))
        self.assertIn("memory must be", refused("p-fashion-mnist", memory=0))
        self.assertIn("ring works only with policy mixed", refused("p-fashion-mnist", policy="gps", ring=0.5))
        self.assertIn("unknown option memroy", refused("p-fashion-mnist", memroy=5))
        self.assertIn("seeds must be at least 1", refused("p-fashion-mnist", seeds=0))
        self.assertIn("seeds must differ", refused("p-fashion-mnist", seeds=[1, 1]))
        self.assertIn("seeds must be a whole number, or a list", refused("p-fashion-mnist", seeds="ab"))
        self.assertIn("seeds must be a whole number, or a list", refused("p-fashion-mnist", seeds=1.5))
        self.assertIn("a seed must be a whole number from 0 to 2147483647, got 'a'",
                      refused("p-fashion-mnist", seed="a"))
        self.assertIn("a seed must be", refused("p-fashion-mnist", seeds=[0, None]))
        self.assertIn("jobs must be", refused("p-fashion-mnist", jobs="all"))

    def test_that_all_fail_are_a_runtime_error(self):
        with self.assertRaisesRegex(RuntimeError, "^reservoir seed 0: the loss is no longer a finite number"):
            self.run_quietly("p-fashion-mnist", policy="reservoir", out=None, lr=1e30, **SMALL)

    def test_without_data_are_an_os_error(self):
        with tempfile.TemporaryDirectory() as empty:
            broken = os.path.join(empty, "fashion-mnist")
            os.mkdir(broken)
            with open(os.path.join(broken, "train-images-idx3-ubyte"), "wb") as file:
                file.write(b"not a data set")
            with self.assertRaises(OSError):
                gpscl.run("p-fashion-mnist", data=empty, out=None, progress=False)

    def test_release_the_interpreter(self):
        """Another thread works while a run goes on. The run is so long that only that thread ends it."""
        begun = threading.Event()
        is_listening = False

        class Watch(_progress.Progress):
            def __call__(self, event):
                nonlocal is_listening
                is_listening = True
                if event[0] == "started":
                    begun.set()
                is_listening = False

        def work():
            begun.wait()
            worked = 0
            while worked < 100:
                worked += not is_listening
                time.sleep(0)
            _thread.interrupt_main()

        thread = threading.Thread(target=work, daemon=True)
        real, experiments.Progress = experiments.Progress, Watch
        try:
            with self.assertRaises(KeyboardInterrupt):
                thread.start()
                self.run_quietly("p-fashion-mnist", policy="reservoir", out=None, jobs=1,
                                 **{**SMALL, "epochs": 10**6, "progress": True})
        finally:
            experiments.Progress = real
        thread.join()

    def test_end_at_an_interrupt_and_continue_with_resume(self):
        """A signal that comes while the run goes on: as soon as the first task's progress is shown."""
        script = """
import os, signal, sys
import gpscl
from gpscl import _progress, experiments
class Watch(_progress.Progress):
    def __call__(self, event):
        if event[0] == "progress":
            os.kill(os.getpid(), signal.SIGINT)
        super().__call__(event)
experiments.Progress = Watch
try:
    gpscl.run("p-fashion-mnist", policy="reservoir", tasks=2, hidden=[16], memory=20, epochs=10**6, out=sys.argv[1],
              jobs=1)
except KeyboardInterrupt:
    print("interrupted")
"""
        out = os.path.join(self.folder.name, "interrupted")
        done = subprocess.run([sys.executable, "-B", "-c", script, out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", check=False)
        self.assertEqual(done.stdout, "interrupted\n", done.stderr)
        self.assertIn("0 of 1 runs were finished and are kept in", done.stderr)
        self.assertTrue(any(name.endswith(".ckpt") for name in os.listdir(out)), os.listdir(out))
        with self.assertRaisesRegex(ValueError, "this run was interrupted; resume=True continues it"):
            gpscl.run("p-fashion-mnist", policy="reservoir", tasks=2, hidden=[16], memory=20, epochs=10**6, out=out,
                      progress=False)

    def test_become_data_frames(self):
        if pandas is None:
            self.skipTest("not checked: data frames; to check: apt install python3-pandas")
        frame = self.results.to_pandas()
        self.assertEqual(list(frame["seed"]), [0, 0, 1, 1])
        self.assertEqual(list(frame["average_accuracy"]), [run.accuracy for run in self.results])
        accuracy = self.results.to_pandas("accuracy")
        self.assertEqual(len(accuracy), 4 * 4)
        last = accuracy[(accuracy.after_task == 2) & (accuracy.label == "er reservoir") & (accuracy.seed == 0)]
        self.assertAlmostEqual(last["accuracy"].mean(), self.results[0].accuracy)
        decisions = self.results.to_pandas("decisions")
        self.assertEqual(list(decisions.groupby(["label", "seed", "task"])["is_chosen"].sum()), [1, 1, 1, 1])
        stored = gpscl.runs(self.out).to_pandas()
        self.assertEqual(sorted(stored["average_accuracy"]), sorted(frame["average_accuracy"]))
        self.assertEqual(set(stored["status"]), {"done"})

    def test_without_pandas_say_how_to_get_it(self):
        hidden = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "pandas"}
        for name in hidden:
            del sys.modules[name]
        sys.modules["pandas"] = None
        try:
            with self.assertRaisesRegex(ImportError, "apt install python3-pandas"):
                self.results.to_pandas()
        finally:
            del sys.modules["pandas"]
            sys.modules.update(hidden)

    def test_become_a_report(self):
        try:
            report = gpscl.report(self.out)
        except ValueError as error:
            self.assertIn("built without the page", str(error))
            self.skipTest("not checked: the report's page; to check: a build with npm")
        self.assertEqual(report.runs, 4)
        path = report.save(os.path.join(self.folder.name, "report.html"))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), report.html)
        inline = report._repr_html_()
        self.assertTrue(inline.startswith('<iframe srcdoc="'))
        self.assertNotIn("<script", inline)  # escaped
        self.assertEqual(gpscl.report(self.results, policy="gps").runs, 2)

    def test_of_a_store_that_is_missing_are_an_os_error(self):
        for read in (gpscl.runs, gpscl.report):
            with self.assertRaises((OSError, ValueError)):
                read(os.path.join(self.folder.name, "nothing.sqlite"))


if __name__ == "__main__":
    unittest.main()
