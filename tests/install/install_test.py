#!/usr/bin/python3
"""Installs the build into a folder of its own and uses what is there, as somebody would who has nothing else: every
public header alone, find_package(gps) with the examples, pkg-config, the program with its LibTorch module.

Usage: install_test.py BUILD SOURCE CXX headers|examples|program|pages|subproject
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE, CXX, WHAT = sys.argv[1:5]
sys.path.insert(0, os.path.join(SOURCE, "tests", "python"))
from tiny_mnist import write_tiny_mnist  # noqa: E402


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", check=False, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def skip(what, how):
    print(f"not checked: {what}; to check: {how}")
    sys.exit(77)


def install(prefix):
    """`cmake --install` also writes a list of files into the build folder. A user who may only read that folder gets the list
    beside the installed files."""
    if os.access(BUILD, os.W_OK):
        run("cmake", "--install", BUILD, "--prefix", prefix)
        return
    with open(os.path.join(BUILD, "cmake_install.cmake"), encoding="utf-8") as file:
        script = file.read().replace(f'file(WRITE "{BUILD}/', f'file(WRITE "{prefix}/')
    os.makedirs(prefix)
    own = os.path.join(prefix, "install.cmake")
    with open(own, "w", encoding="utf-8") as file:
        file.write(script)
    run("cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", own)
    os.remove(own)


def find(folder, name):
    """The one file of this name below the folder."""
    found = [os.path.join(where, name) for where, _, files in os.walk(folder) if name in files]
    assert len(found) == 1, f"{name} in {folder}: {found}"
    return found[0]


def environment(folder, **more):
    """Without data, libraries and settings of this machine's user."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("GPSCL_", "OPENBLAS_", "ONEDNN_", "XDG_"))}
    return {**kept, "HOME": folder, **more}


def with_data(folder):
    write_tiny_mnist(os.path.join(folder, "data", "fashion-mnist"), per_class=40)
    return environment(folder, GPSCL_DATA=os.path.join(folder, "data"))


def check_headers(folder):
    """gps/gps.h compiles where only installed headers are; it includes those that docs/library.md explains. That each of
    them compiles alone is checked while the tests are built (public_headers)."""
    prefix = os.path.join(folder, "usr")
    install(prefix)
    root = os.path.join(prefix, "include")
    with open(os.path.join(root, "gps", "gps.h"), encoding="utf-8") as file:
        public = set(re.findall(r'#include "(gps/[^"]+)"', file.read()))
    assert len(public) > 30, public
    with open(os.path.join(SOURCE, "docs", "library.md"), encoding="utf-8") as file:
        explained = set(re.findall(r"^\| `(gps/[^`]+)` \|", file.read(), re.MULTILINE))
    assert public | {"gps/gps.h"} == explained, f"gps/gps.h and docs/library.md differ: {public ^ explained}"
    flags = run("pkg-config", "--cflags", "fmt", "nlohmann_json", "libhwy").split()
    run(CXX, "-std=c++20", "-fsyntax-only", "-x", "c++", "-Wall", "-Wextra", "-Werror", "-I", root, *flags, "-",
        input='#include "gps/gps.h"\n')


def check_examples(folder):
    """examples/cpp, built with find_package(gps) and with pkg-config, and run."""
    prefix = os.path.join(folder, "usr")
    install(prefix)
    built = os.path.join(folder, "examples")
    run("cmake", "-S", os.path.join(SOURCE, "examples", "cpp"), "-B", built, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={CXX}")
    run("cmake", "--build", built)
    env = with_data(folder)
    for example, expected in (("run", "gps:permutation"), ("own_policy", "after task 3, 150 examples kept"),
                              ("own_learner", "after task 3, accuracy of task 1: ")):
        told = run(os.path.join(built, example), cwd=folder, env=env)
        assert expected in told, f"{example} says:\n{told}"
    if shutil.which("pkg-config"):
        path = os.path.dirname(find(prefix, "gps-report.pc"))
        flags = run("pkg-config", "--cflags", "--libs", "gps-report", env={**env, "PKG_CONFIG_PATH": path}).split()
        program = os.path.join(folder, "by_pkg_config")
        run(CXX, "-x", "c++", "-", "-o", program, *flags, input="""
#include "gps/core/version.h"
#include "gps/report/picture.h"
#include <cstdio>
int main() { std::puts(gps::kVersion); return gps::switching_points_picture({}).empty() ? 0 : 1; }
""")
        run(program, cwd=folder, env=env)


def check_program(folder):
    """The installed program runs, finds its LibTorch module below any prefix, and says so where there is none."""
    prefix = os.path.join(folder, "anywhere")
    install(prefix)
    gpscl = os.path.join(prefix, "bin", "gpscl")
    env = with_data(folder)
    small = ["run", "p-fashion-mnist", "--tasks", "2", "--examples-per-task", "100", "--epochs", "1", "--memory", "20"]
    told = run(gpscl, *small, "--policy", "gps", cwd=folder, env=env)
    assert "gps:permutation" in told, told
    if not any("libgps_torch.so" in files for _, _, files in os.walk(prefix)):
        return
    moved = os.path.join(folder, "moved")
    os.rename(prefix, moved)
    gpscl = os.path.join(moved, "bin", "gpscl")
    with open(f"{folder}/maps", "w", encoding="utf-8") as maps:
        subprocess.run([gpscl, *small, "--model", "convnet", "--restart"], cwd=folder, check=True, stdout=maps,
                       stderr=subprocess.STDOUT, env={**env, "LD_DEBUG": "files"})
    with open(f"{folder}/maps", encoding="utf-8") as maps:
        loaded = re.findall(r"calling init: (\S*libgps_torch\.so)", maps.read())
    assert loaded and os.path.realpath(loaded[0]).startswith(os.path.realpath(moved)), loaded


def options_in(help_text):
    return set(re.findall(r"--[a-z][a-z-]*[a-z]", help_text))


def check_pages(folder):
    """The man page has every option of the help, and groff finds nothing wrong with it."""
    prefix = os.path.join(folder, "usr")
    install(prefix)
    page = find(prefix, "gpscl.1")
    gpscl = os.path.join(prefix, "bin", "gpscl")
    with open(page, encoding="utf-8") as file:
        text = file.read().replace("\\-", "-")
    for command in ("run", "plan", "sweep", "reproduce", "probe", "runs", "report", "learn", "predict", "export", "data", "list"):
        missing = options_in(run(gpscl, command, "--help")) - options_in(text)
        assert not missing, f"the man page lacks {missing} of {command}"
        assert f'.SS "gpscl {command}"' in text
    for shell, name in (("zsh", "_gpscl"), ("fish", "gpscl.fish"), ("bash", "gpscl")):
        script = next(os.path.join(where, name) for where, _, files in os.walk(os.path.join(prefix, "share"))
                      if name in files)
        if shutil.which(shell):
            run(shell, "-n", script)
        else:
            print(f"{shell} is not installed")
    if shutil.which("groff"):
        told = run("groff", "-man", "-Tutf8", "-ww", "-z", "-K", "utf8", page)
        assert not told, told
    lacking = [tool for tool in ("zsh", "fish", "groff") if not shutil.which(tool)]
    if lacking:
        skip(f"completion files and man page by {', '.join(lacking)} (all else is checked)",
             f"apt-get install {' '.join(lacking)}")


def check_subproject(folder):
    """add_subdirectory brings the libraries and nothing else, and forces no build type on its host. One file of the library
    is compiled and linked; make tidy reads all of them without precompiled headers."""
    with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
        file.write(f"""cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES CXX)
add_subdirectory({SOURCE} gps-cl)
add_library(host OBJECT host.cpp)
target_link_libraries(host PRIVATE gps::core)
if(CMAKE_BUILD_TYPE)
  message(FATAL_ERROR "the build type is ${{CMAKE_BUILD_TYPE}}")
endif()
foreach(other gpscl test_core gps_test_support)
  if(TARGET ${{other}})
    message(FATAL_ERROR "${{other}} is made")
  endif()
endforeach()
get_target_property(sources gps_experiments SOURCES)
if(sources MATCHES "cluster_mpi")
  message(FATAL_ERROR "MPI is used where it was not found")
endif()
get_target_property(options gps_warnings INTERFACE_COMPILE_OPTIONS)
if(options)
  message(FATAL_ERROR "warnings: ${{options}}")
endif()
""")
    with open(os.path.join(folder, "host.cpp"), "w", encoding="utf-8") as file:
        file.write('#include "gps/core/rng.h"\nint main() { return gps::Rng(1).index(1) == 0 ? 0 : 1; }\n')
    built = os.path.join(folder, "build")
    run("cmake", "-S", folder, "-B", built, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={CXX}", "-DGPSCL_TORCH=OFF",
        # As on a machine without MPI.
        "-DMPI_SKIP_COMPILER_WRAPPER=ON", "-DMPI_SKIP_GUESSING=ON", "-DPKG_CONFIG_EXECUTABLE=/bin/false")
    assert not os.path.exists(os.path.join(built, "gps-cl", "report-ui")), "npm was asked"
    ours = "gps-cl/src/gps/CMakeFiles/gps_core.dir/core/"
    run("cmake", "--build", built, "--target", "host", ours + "rng.cpp.o")
    assert not [where for where, _, files in os.walk(built) if "cmake_pch.hxx" in files], "headers are precompiled"
    program = os.path.join(built, "host")
    run(CXX, *(find(built, name + ".cpp.o") for name in ("host", "rng")), "-o", program)
    run(program)


def main():
    with tempfile.TemporaryDirectory(prefix="gpscl-install-") as folder:
        {"headers": check_headers, "examples": check_examples, "program": check_program, "pages": check_pages,
         "subproject": check_subproject}[WHAT](folder)


main()
