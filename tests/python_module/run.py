"""Runs the tests of the Python package with the package that is found first: in PYTHONPATH, or installed.

Usage: run.py [PATTERN]     # of files, such as test_memory.py
Needs numpy; says what it did not check without PyTorch. Exit code 77 if nothing can be checked.

For each skipped test there are two lines that scripts/test reads: the reason, and `[  SKIPPED ] NAME (0 ms)`.
"""
import os
import pathlib
import signal
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
os.environ.setdefault("GPSCL_SOURCE_DIR", str(FOLDER.parents[1]))


def hide_this_machine(home):
    """The tests find no data, cache or settings of whoever runs them."""
    for name in ("GPSCL_DATA", "GPSCL_MIRROR", "GPSCL_HALT"):
        os.environ.pop(name, None)
    os.environ["HOME"] = home
    os.environ["XDG_CACHE_HOME"] = os.path.join(home, "cache")


def name_of(test):
    """The name of a test without blanks: module.Class.test_name, or module.Class if all of it was skipped."""
    name = test.id()
    return name[name.index("(") + 1:-1] if name.endswith(")") else name


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let what runs in the background ignore it
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("not checked: the module for Python; to check: install python3-numpy (make python does)")
        return 77
    pattern = sys.argv[1] if len(sys.argv) > 1 else "test_*.py"
    with tempfile.TemporaryDirectory(prefix="gpscl-test-") as home:
        hide_this_machine(home)
        tests = unittest.defaultTestLoader.discover(str(FOLDER), pattern=pattern)
        result = unittest.TextTestRunner(verbosity=int(os.environ.get("GPSCL_VERBOSITY", "1"))).run(tests)
    sys.stderr.flush()
    for test, reason in result.skipped:
        print(f"{reason}\n[  SKIPPED ] {name_of(test)} (0 ms)")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
