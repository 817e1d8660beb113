"""Builds the wheel of gpscl (PEP 517 and 660). Needs CMake, Ninja, a compiler and pybind11-dev, and no Python package.
Called as a program, it only compiles.

CMake builds in build/python, or in the folder that GPSCL_BUILD_DIR names, so that a second call compiles only what has
changed. GPSCL_CMAKE_ARGS is added to the call of CMake.
"""
import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = SOURCE / "python" / "gpscl"
NAME = "gpscl"
# No tests, no program. LibTorch would clash with the torch of the user, and MPI is not for a notebook.
CMAKE_OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DGPSCL_PYTHON=ON", "-DGPSCL_PROGRAM=OFF", "-DGPSCL_TESTS=OFF",
                 "-DGPSCL_INSTALL=OFF", "-DGPSCL_TORCH=OFF", "-DGPSCL_MPI=OFF"]
TIME = (1980, 1, 1, 0, 0, 0)  # of all files in a wheel, so that the same files make the same wheel


def version():
    found = re.search(r"^project\(gpscl VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
    return found.group(1)


def summary():
    return re.search(r'^description = "(.*)"$', (SOURCE / "pyproject.toml").read_text(), re.MULTILINE).group(1)


def metadata():
    readme = (SOURCE / "README.md").read_text()
    return "\n".join(["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {version()}", f"Summary: {summary()}",
                      "License-File: LICENSE", "Requires-Python: >=3.9", "Requires-Dist: numpy",
                      "Description-Content-Type: text/markdown", "", readme])


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: gpscl_build {version()}\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def dist_info():
    return f"{NAME}-{version()}.dist-info"


def build_folder():
    return pathlib.Path(os.environ.get("GPSCL_BUILD_DIR") or SOURCE / "build" / "python").resolve()


def run(command):
    print("+", shlex.join(str(part) for part in command), flush=True)
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit("gpscl: the build failed; the lines above say why. `scripts/setup python` installs what it needs")


def build_module():
    """Returns the folder that holds the package with its compiled module."""
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            raise SystemExit(f"gpscl: {tool} is not installed; `scripts/setup python` installs what the build needs")
    folder = build_folder()
    run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder, *CMAKE_OPTIONS, f"-DGPSCL_PYTHON_EXECUTABLE={sys.executable}",
         *shlex.split(os.environ.get("GPSCL_CMAKE_ARGS", ""))])
    run(["cmake", "--build", folder, "--target", "_gpscl"])
    return folder / "python"


def write_wheel(path, files):
    """Writes the files, by their names in the wheel, and the list of them with their checksums."""
    records = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data)

        for name in sorted(files):
            digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(files[name])}")
            add(name, files[name])
        record = f"{dist_info()}/RECORD"
        add(record, "\n".join([*records, f"{record},,", ""]))


def dist_files():
    return {f"{dist_info()}/METADATA": metadata().encode(), f"{dist_info()}/WHEEL": wheel_text().encode(),
            f"{dist_info()}/LICENSE": (SOURCE / "LICENSE").read_bytes()}


def wheel_name():
    return f"{NAME}-{version()}-{tag()}.whl"


# What pip calls.

def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    for name, data in dist_files().items():
        file = pathlib.Path(metadata_directory) / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
    return dist_info()


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    built = build_module() / NAME
    files = dist_files()
    for file in PACKAGE.rglob("*"):
        if file.suffix in (".py", ".pyi") or file.name == "py.typed":
            files[f"{NAME}/{file.relative_to(PACKAGE).as_posix()}"] = file.read_bytes()
    module = built / f"_gpscl{sysconfig.get_config_var('EXT_SUFFIX')}"
    files[f"{NAME}/{module.name}"] = module.read_bytes()
    write_wheel(pathlib.Path(wheel_directory) / wheel_name(), files)
    return wheel_name()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The built folder has links to the sources: a change there needs no new installation."""
    files = {**dist_files(), f"{NAME}.pth": f"{build_module()}\n".encode()}
    write_wheel(pathlib.Path(wheel_directory) / wheel_name(), files)
    return wheel_name()


def source_files():
    """What git knows; without git, everything but what is built."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return sorted(name for name in listed.stdout.split("\0") if name and (SOURCE / name).is_file())
    kept = (file.relative_to(SOURCE) for file in SOURCE.rglob("*") if file.is_file())
    return sorted(str(file) for file in kept if file.parts[0] not in ("build", ".git", "results", "venv"))


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{version()}"
    info = build_folder() / "PKG-INFO"
    info.parent.mkdir(parents=True, exist_ok=True)
    info.write_text(metadata())
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in source_files():
            archive.add(SOURCE / name, f"{base}/{name}", recursive=False)
        archive.add(info, f"{base}/PKG-INFO")
    return f"{base}.tar.gz"


if __name__ == "__main__":
    build_module()
