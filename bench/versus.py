"""Compares a whole P-MNIST step with PyTorch: one core, competitors alternate, ratios per round.

Usage: versus.py BUILD_FOLDER [SET] [--step er|der++] [--simd avx3|avx2|sse4] [--rounds N] [--seconds S]
The default SET is mnist if it is found, and fashion-mnist otherwise. Each round measures every competitor, one after
another, so that other load on the machine affects all of them. The other programs run with the best settings of their
BLAS: OpenBLAS is told the CPU if it does not recognise it, and ATen uses AVX-512. With --simd, all of them are held to
that instruction set. A missing competitor is named and left out.
"""
import argparse
import json
import os
import re
import statistics
import subprocess

from common import INSTRUCTION_SETS, default_set, density, hold_to, on_one_core, print_table, say, spread

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # Debian's Python, which has python3-torch


class Ours:
    """One benchmark of gpscl_bench."""

    def __init__(self, benchmark):
        self.name = "gps-cl"
        self.benchmark = benchmark

    def missing(self, build):
        listed = subprocess.run([f"{build}/bench/gpscl_bench", "--benchmark_list_tests"], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        return None if self.benchmark in listed.split() else f"gpscl_bench has no {self.benchmark}"

    def measure(self, build, data_set, seconds):
        command = [f"{build}/bench/gpscl_bench", f"--benchmark_filter=^{re.escape(self.benchmark)}$", "--benchmark_format=json",
                   f"--benchmark_min_time={seconds}"]
        return json.loads(run(command, dict(os.environ, GPSCL_BENCH_SET=data_set)))["benchmarks"][0]["real_time"]


class PyTorch:
    """One variant of pytorch_step.py."""

    def __init__(self, name, variant):
        self.name = name
        self.variant = variant

    def missing(self, _):
        found = subprocess.run([PYTHON, "-c", "import torch"], check=False, stderr=subprocess.DEVNULL).returncode == 0
        return None if found else "python3-torch is not installed"

    def measure(self, _, data_set, seconds):
        script = os.path.join(HERE, "pytorch_step.py")
        return float(run([PYTHON, script, self.variant, data_set, str(seconds)], peer_environment()))


class LibTorch:
    """libtorch_step, which is built only if LibTorch is installed."""

    name = "LibTorch C++, autograd"

    def missing(self, build):
        return None if os.path.exists(f"{build}/bench/libtorch_step") else "libtorch_step was not built"

    def measure(self, build, data_set, seconds):
        return float(run([f"{build}/bench/libtorch_step", data_set, str(seconds)], peer_environment()))


# The name of each step and its competitors; gps-cl comes first.
STEPS = {
    "er": ("ER step (10 + 10 examples)", [
        Ours("er_step/100"),
        PyTorch("PyTorch, bare eager loop", "eager"),
        LibTorch(),
        PyTorch("PyTorch, hand-derived TorchScript", "scripted"),
    ]),
    "der++": ("DER++ step (10 + 10 + 10 examples)", [
        Ours("learner_step/der++"),
        PyTorch("PyTorch, bare eager loop", "eager-derpp"),
    ]),
}


def peer_environment():
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with open("/proc/cpuinfo", encoding="ascii") as file:
        if "avx512f" in file.read():
            env.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
            env.setdefault("ATEN_CPU_CAPABILITY", "avx512")
    return env


def run(command, env):
    return subprocess.run(on_one_core(command), env=env, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("set", nargs="?", default=default_set())
    parser.add_argument("--step", choices=STEPS, default="er")
    parser.add_argument("--simd", choices=INSTRUCTION_SETS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    hold_to(options.simd)

    title, competitors = STEPS[options.step]
    absent = {c.name: c.missing(options.build) for c in competitors}
    times = {c.name: [] for c in competitors}
    for k in range(options.rounds):
        for competitor in competitors:
            if absent[competitor.name]:
                continue
            say(f"versus {options.step}: round {k + 1} of {options.rounds}, {competitor.name}")
            times[competitor.name].append(competitor.measure(options.build, options.set, options.seconds))

    limit = f", all held to {options.simd}" if options.simd else ""
    print(f"P-MNIST {title}, 784-100-100-10, {options.set} ({100 * density(options.set):.1f} % of the pixels are not "
          f"zero), one core{limit}, median of {options.rounds} rounds of {options.seconds:g} s each\n")
    ours = times["gps-cl"]
    rows = []
    for name, values in times.items():
        if values:
            median = statistics.median(values)
            ratio = statistics.median(value / our for value, our in zip(values, ours)) if ours else None
            rows.append([name, f"{median:.1f}", spread(values, 1), f"{ratio:.1f}" if ratio else "–"])
        else:
            say(f"versus {options.step}: {name} is left out: {absent[name]}")
            rows.append([f"{name}: {absent[name]}", "–", "–", "–"])
    print_table(["", "µs a step", "range", "times ours, round by round"], rows)


main()
