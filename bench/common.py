"""The common part of the scripts in this folder: finding data, running gpscl on one core, medians and Markdown tables.

Progress goes to standard error, tables to standard output.
"""
import glob
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile

CORE = os.environ.get("GPSCL_BENCH_CORE", "0")


def say(text):
    print(text, file=sys.stderr, flush=True)


def data_folders():
    """Returns the folders that the program searches (src/gps/data/locate.cpp), except --data."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return [f for f in (os.environ.get("GPSCL_DATA"), os.path.join(cache, "gpscl"), "/usr/share/datasets") if f]


def find_idx(data_set, name):
    """Returns the path of one file of a set, plain or gzipped, or None if it is not found."""
    for folder in data_folders():
        for ending in ("", ".gz"):
            path = os.path.join(folder, data_set, name + ending)
            if os.path.exists(path):
                return path
    return None


def read_idx(data_set, name, header):
    """Returns the bytes after the header of one file of a set."""
    path = find_idx(data_set, name)
    if path is None:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {data_set}/{name} not found; set GPSCL_DATA")
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()[header:]


def default_set():
    """Returns $GPSCL_BENCH_SET, or MNIST if it is found, or Fashion-MNIST, which is a Debian package."""
    chosen = os.environ.get("GPSCL_BENCH_SET")
    return chosen or ("mnist" if find_idx("mnist", "train-images-idx3-ubyte") else "fashion-mnist")


def density(data_set):
    """Returns the share of the training set's pixels that are not zero."""
    pixels = read_idx(data_set, "train-images-idx3-ubyte", 16)
    return 1 - pixels.count(0) / len(pixels)


# The instruction sets that gps-cl, ATen, oneDNN and OpenBLAS can all be held to.
INSTRUCTION_SETS = {
    "avx3": {"ATEN_CPU_CAPABILITY": "avx512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE", "OPENBLAS_CORETYPE": "SkylakeX"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell"},
    "sse4": {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41", "OPENBLAS_CORETYPE": "Nehalem"},
}


def hold_to(instruction_set):
    """Limits gps-cl and its competitors in the following measurements; None leaves each its best."""
    if instruction_set:
        os.environ.update(INSTRUCTION_SETS[instruction_set], GPSCL_SIMD=instruction_set)


def on_one_core(command):
    return ["taskset", "-c", CORE] + command


def shown(arguments):
    """Returns the command as a reader would type it."""
    return "gpscl run " + " ".join(arguments)


def run_gpscl(build, arguments, one_core=True):
    """Runs `gpscl run` and returns its results, by file name."""
    with tempfile.TemporaryDirectory() as folder:
        command = [os.path.join(build, "gpscl"), "run"] + arguments + ["--out", folder]
        done = subprocess.run(on_one_core(command) if one_core else command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{shown(arguments)}: exit code {done.returncode}\n{done.stderr}")
        results = {}
        for path in glob.glob(os.path.join(folder, "*.json")):
            with open(path, encoding="utf-8") as file:
                results[os.path.basename(path)] = json.load(file)
        return results


def one_result(build, arguments):
    (result,) = run_gpscl(build, arguments).values()
    return result


def cost(result):
    """Returns the numbers of a result that the tables use."""
    seconds = result["seconds"]
    return {
        "steps": result["steps"],
        "training": seconds["training"],
        "step": 1e6 * seconds["training"] / result["steps"],
        "candidates": sum(len(point["probes"]) for point in result["switching_points"]),
        "simulation": seconds["simulation"],
        "share": 100 * seconds["simulation"] / seconds["training"],
        "evaluation": seconds["evaluation"],
        "memory": result["peak_memory_bytes"] / 2**20,
    }


def medians(costs):
    return {key: statistics.median(c[key] for c in costs) for key in costs[0]}


def spread(values, digits):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)
