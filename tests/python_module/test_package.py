"""The wheel, and what a type checker sees."""
import ast
import base64
import csv
import hashlib
import importlib.util
import os
import pathlib
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import zipfile

import gpscl
from gpscl import _gpscl

SOURCE = pathlib.Path(os.environ["GPSCL_SOURCE_DIR"])
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def backend():
    spec = importlib.util.spec_from_file_location("gpscl_build", SOURCE / "python" / "backend" / "gpscl_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wheel(unittest.TestCase):
    """The wheel is made around a stand-in for the compiled module: compiling takes minutes."""

    def setUp(self):
        self.build = backend()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "gpscl").mkdir()
        (self.folder / "gpscl" / f"_gpscl{SUFFIX}").write_bytes(b"compiled")
        self.build.build_module = lambda: self.folder

    def test_it_has_the_package_with_its_types_and_a_true_list_of_files(self):
        self.assertEqual(self.build.get_requires_for_build_wheel(), [])
        name = self.build.build_wheel(str(self.folder))
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        self.assertEqual(name, f"gpscl-{gpscl.__version__}-{python}-{python}-{platform}.whl")
        with zipfile.ZipFile(self.folder / name) as wheel:
            self.assertIsNone(wheel.testzip())
            files = {file: wheel.read(file) for file in wheel.namelist()}
        info = f"gpscl-{gpscl.__version__}.dist-info"
        for file in ("gpscl/__init__.py", "gpscl/memory.py", "gpscl/torch.py", "gpscl/py.typed", "gpscl/_gpscl.pyi",
                     f"gpscl/_gpscl{SUFFIX}", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/RECORD", f"{info}/LICENSE"):
            self.assertIn(file, files)
        self.assertFalse([file for file in files if "__pycache__" in file or "backend" in file])
        records = {row[0]: row[1:] for row in csv.reader(files[f"{info}/RECORD"].decode().splitlines())}
        self.assertEqual(set(records), set(files))
        for file, (digest, size) in records.items():
            if file != f"{info}/RECORD":
                kind, _, value = digest.partition("=")
                self.assertEqual(kind, "sha256")
                self.assertEqual(base64.urlsafe_b64decode(value + "="), hashlib.sha256(files[file]).digest(), file)
                self.assertEqual(int(size), len(files[file]))
        self.assertIn(f"Tag: {python}-{python}-{platform}\n", files[f"{info}/WHEEL"].decode())
        metadata = files[f"{info}/METADATA"].decode()
        for line in ("Name: gpscl", f"Version: {gpscl.__version__}", "Requires-Dist: numpy", "Requires-Python: >=3.9"):
            self.assertIn(f"\n{line}\n", metadata)

    def test_the_same_files_make_the_same_wheel(self):
        first = (self.folder / self.build.build_wheel(str(self.folder))).read_bytes()
        self.assertEqual((self.folder / self.build.build_wheel(str(self.folder))).read_bytes(), first)

    def test_metadata_alone_is_that_of_the_wheel(self):
        info = self.folder / self.build.prepare_metadata_for_build_wheel(str(self.folder))
        with zipfile.ZipFile(self.folder / self.build.build_wheel(str(self.folder))) as wheel:
            for name in ("METADATA", "WHEEL", "LICENSE"):
                self.assertEqual((info / name).read_bytes(), wheel.read(f"{info.name}/{name}"))

    def test_an_editable_wheel_points_to_the_built_folder(self):
        with zipfile.ZipFile(self.folder / self.build.build_editable(str(self.folder))) as wheel:
            self.assertEqual(wheel.read("gpscl.pth").decode(), f"{self.folder}\n")

    def test_the_source_archive_has_what_a_build_needs(self):
        self.build.build_folder = lambda: self.folder
        name = self.build.build_sdist(str(self.folder))
        with tarfile.open(self.folder / name) as archive:
            files = set(archive.getnames())
        base = name.removesuffix(".tar.gz")
        for file in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt", "python/backend/gpscl_build.py", "python/src/module.cpp",
                     "src/gps/gps.h", "LICENSE"):
            self.assertIn(f"{base}/{file}", files)
        self.assertFalse([file for file in files if file.startswith((f"{base}/build/", f"{base}/.git/"))])


class Stubs(unittest.TestCase):
    def test_the_stubs_of_the_compiled_module_name_what_it_has(self):
        stubs = ast.parse((SOURCE / "python" / "gpscl" / "_gpscl.pyi").read_text(encoding="utf-8"))
        for node in stubs.body:
            if isinstance(node, ast.ClassDef):
                told = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
                told |= {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
                there = {name for name in vars(getattr(_gpscl, node.name)) if not name.startswith("_")}
                self.assertEqual({name for name in told if not name.startswith("_")}, there, node.name)
            elif isinstance(node, ast.FunctionDef):
                self.assertTrue(callable(getattr(_gpscl, node.name)), node.name)
            elif isinstance(node, ast.AnnAssign):
                self.assertTrue(hasattr(_gpscl, node.target.id), node.target.id)

    def test_everything_public_has_a_docstring(self):
        for name in gpscl.__all__:
            value = getattr(gpscl, name)
            if callable(value):
                self.assertTrue(value.__doc__, name)


if __name__ == "__main__":
    unittest.main()
