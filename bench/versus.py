"""The whole P-MNIST ER step side by side with PyTorch: one core, one interleaved run, ratios of medians.

Usage: versus.py BUILD_FOLDER [SET] [ROUNDS]
Each round measures every competitor for two seconds, one after another, so that what the machine does in the meantime
hits all of them. Peers run with their BLAS at its best: OpenBLAS told the CPU it does not recognise, ATen with AVX-512.
"""
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = "2"
PYTHON = "/usr/bin/python3"  # Debian's own, which has python3-torch


def peer_environment():
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with open("/proc/cpuinfo", encoding="ascii") as file:
        if "avx512f" in file.read():
            env.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
            env.setdefault("ATEN_CPU_CAPABILITY", "avx512")
    return env


def run(command, env):
    command = ["taskset", "-c", os.environ.get("GPSCL_BENCH_CORE", "0")] + command
    return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def ours(build, data_set):
    env = dict(os.environ, GPSCL_BENCH_SET=data_set)
    command = [f"{build}/bench/gpscl_bench", "--benchmark_filter=^er_step/100$", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}"]
    return json.loads(run(command, env))["benchmarks"][0]["real_time"]


def main():
    build = sys.argv[1]
    data_set = sys.argv[2] if len(sys.argv) > 2 else "fashion-mnist"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    env = peer_environment()
    script = os.path.join(HERE, "pytorch_step.py")
    competitors = {
        "gps-cl": lambda: ours(build, data_set),
        "PyTorch, bare eager loop": lambda: float(run([PYTHON, script, "eager", data_set, SECONDS], env)),
        "LibTorch C++, autograd": lambda: float(run([f"{build}/bench/libtorch_step", data_set, SECONDS], env)),
        "PyTorch, hand-derived TorchScript": lambda: float(run([PYTHON, script, "scripted", data_set, SECONDS], env)),
    }
    times = {name: [] for name in competitors}
    for _ in range(rounds):
        for name, measure in competitors.items():
            times[name].append(measure())
    base = statistics.median(times["gps-cl"])
    print(f"P-MNIST ER step (10 + 10 examples, 784-100-100-10), {data_set}, one core, median of {rounds} rounds\n")
    print(f"{'':36}{'µs a step':>10}  {'range':>17}  {'times ours':>10}")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:36}{median:10.1f}  {min(values):7.1f} - {max(values):7.1f}  {median / base:10.1f}")


main()
