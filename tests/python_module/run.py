"""Runs the tests of the Python package with the package that is found first: in PYTHONPATH, or installed.

Usage: run.py [PATTERN]     # of files, such as test_memory.py
Needs numpy; says what it did not check without PyTorch. Exit code 77 if nothing can be checked.
"""
import os
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
os.environ.setdefault("GPSCL_SOURCE_DIR", str(FOLDER.parents[1]))


def main():
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("not checked: the module for Python; to check: install python3-numpy (make python does)")
        return 77
    pattern = sys.argv[1] if len(sys.argv) > 1 else "test_*.py"
    tests = unittest.defaultTestLoader.discover(str(FOLDER), pattern=pattern)
    result = unittest.TextTestRunner(verbosity=int(os.environ.get("GPSCL_VERBOSITY", "1"))).run(tests)
    for reason in sorted({reason for _, reason in result.skipped}):
        print(reason)
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
