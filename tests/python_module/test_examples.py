"""The examples and the page docs/python.md: they run, and the page shows the file that is run."""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import gpscl
from gpscl import _gpscl

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from notebook import interrupted_in_kernel, make_kernel, run_in_kernel, run_notebook  # noqa: E402

try:
    import torch
except ImportError:
    torch = None
try:
    import pandas
except ImportError:
    pandas = None

SOURCE = os.environ.get("GPSCL_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLES = os.path.join(SOURCE, "examples", "python")
needs_torch = unittest.skipIf(torch is None, "not checked: loops of PyTorch; to check: scripts/setup test")


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_example(self, name, *arguments):
        done = subprocess.run([sys.executable, "-B", os.path.abspath(os.path.join(EXAMPLES, name)), *arguments],
                              cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @needs_torch
    def test_the_first_loop_remembers_its_tasks(self):
        output = self.run_example("first_loop.py")
        found = [float(each) for each in re.findall(r"([\d.]+) %", output.splitlines()[-1])]
        self.assertEqual(len(found), 4)
        self.assertGreater(min(found), 30, output)  # guessing: 10
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "memory.pt")))

    @needs_torch
    def test_the_loop_of_images_keeps_its_budget(self):
        for policy in ("gps", "reservoir"):
            output = self.run_example("image_loop.py", policy)
            stored = re.search(r"(\d+) images in (\d+) bytes", output)
            self.assertLessEqual(int(stored.group(2)), 100000)
            self.assertEqual(int(stored.group(1)), 100000 // (3 * 32 * 32 + 8))
            self.assertEqual(len(re.findall(r"^task \d: .*among six classes$", output, re.M)), 3, output)

    def test_the_loop_over_a_table_needs_no_torch(self):
        output = self.run_example("tabular_loop.py")
        self.assertEqual(len(re.findall(r"^month \d: ", output, re.M)), 4, output)

    def left_out(self):
        """The tags of the notebook's cells that need what is not here."""
        tags = [tag for tag, is_there in (("pandas", pandas is not None), ("report", self.has_page())) if not is_there]
        if tags:
            print(f"not checked: cells of the notebook that need {' and '.join(tags)}; to check: python3-pandas, npm")
        return tags

    def test_the_notebook_shows_tables_and_the_report(self):
        left_out = self.left_out()
        before = os.getcwd()
        os.chdir(self.folder.name)
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as said, \
                    contextlib.redirect_stderr(io.StringIO()):
                warnings.simplefilter("ignore", RuntimeWarning)
                outputs = run_notebook(os.path.join(os.path.abspath(os.path.join(before, EXAMPLES)), "experiments.ipynb"),
                                       left_out)
        finally:
            os.chdir(before)
        self.assertIn("vs reservoir", outputs[1])
        self.assertIn(" of ", said.getvalue())
        if "report" not in left_out:
            self.assertIn("<iframe", outputs[-1])

    def test_the_notebook_shows_the_same_in_a_kernel_of_jupyter_and_live_progress(self):
        make_kernel(self, self.folder.name, "the notebook")
        left_out = self.left_out()
        outputs = run_in_kernel(os.path.join(EXAMPLES, "experiments.ipynb"), self.folder.name, left_out)
        shown = [[(each.output_type, dict(each.get("data", {}))) for each in cell] for cell in outputs]
        progress, table = shown[1][0], shown[1][-1]
        self.assertEqual(progress[0], "display_data")
        self.assertEqual(progress[1]["text/html"].count("<progress value='1.000'"), 4)  # two policies, two seeds
        self.assertEqual(table[0], "execute_result")
        self.assertIn("vs reservoir", table[1]["text/html"])
        if "pandas" not in left_out:
            self.assertTrue(any("dataframe" in data.get("text/html", "") for cell in shown for _, data in cell))
        if "report" not in left_out:
            self.assertIn("<iframe", shown[-1][-1][1]["text/html"])

    def test_the_stop_button_of_a_notebook_ends_a_run_and_the_kernel_goes_on(self):
        make_kernel(self, self.folder.name, "the stop button")
        stopped, after = interrupted_in_kernel(
            "import gpscl; gpscl.run('p-fashion-mnist', seeds=1000, tasks=20)", self.folder.name)
        self.assertEqual((stopped["status"], stopped["ename"]), ("error", "KeyboardInterrupt"))
        self.assertEqual(after["status"], "ok")

    @staticmethod
    def has_page():
        try:
            gpscl.report(os.devnull)
        except ValueError as error:
            return "built without the page" not in str(error)
        except OSError:
            pass
        return True


class ThePage(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(SOURCE, "docs", "python.md"), encoding="utf-8") as file:
            self.page = file.read()

    def test_shows_the_first_loop_word_for_word(self):
        with open(os.path.join(EXAMPLES, "first_loop.py"), encoding="utf-8") as file:
            self.assertIn("```python\n" + file.read() + "```", self.page)

    def test_has_python_that_can_be_parsed(self):
        blocks = re.findall(r"^```python\n(.*?)^```", self.page, re.M | re.S)
        self.assertGreater(len(blocks), 5)
        for block in blocks:
            compile(block, "docs/python.md", "exec")

    def test_names_only_what_there_is(self):
        for name in sorted(set(re.findall(r"\bgpscl\.([A-Za-z]\w*)", self.page))):
            if name in ("avalanche", "mammoth", "torch"):
                continue  # need Avalanche, Mammoth, PyTorch
            self.assertTrue(hasattr(gpscl, name), f"docs/python.md names gpscl.{name}")
        self.assertTrue(hasattr(_gpscl, "run_experiments"))


if __name__ == "__main__":
    unittest.main()
