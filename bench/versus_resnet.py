"""An ER step of ResNet18 beside a bare PyTorch loop: one core, one interleaved run, ratios round by round.

Usage: versus_resnet.py BUILD_FOLDER [--width N] [--rounds N] [--seconds S]
"""
import argparse
import os
import statistics
import subprocess

from common import on_one_core, print_table, say, spread

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # Debian's own, which has python3-torch


def images_a_second(command, build):
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if "bf16" in command:  # does nothing but on virtual machines that hide AMX's tiles (docs/networks.md)
        env["LD_PRELOAD"] = f"{build}/libgps_tiles.so"
    return float(subprocess.run(on_one_core(command), env=env, check=True, stdout=subprocess.PIPE).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    seconds, width = str(options.seconds), str(options.width)
    peer = "PyTorch, bare eager loop, fp32"
    competitors = {
        peer: [PYTHON, "-B", os.path.join(HERE, "pytorch_resnet.py"), seconds, width],
        "gps-cl, fp32": [f"{options.build}/bench/resnet_step", "fp32", seconds, width],
        "gps-cl, bf16": [f"{options.build}/bench/resnet_step", "bf16", seconds, width],
    }
    rates = {name: [] for name in competitors}
    for k in range(options.rounds):
        for name, command in competitors.items():
            say(f"versus resnet: round {k + 1} of {options.rounds}, {name}")
            rates[name].append(images_a_second(command, os.path.abspath(options.build)))
    print(f"ER step (10 + 10 images of 3 x 32 x 32), ResNet18 of width {width}, one core, median of {options.rounds} "
          f"rounds of {options.seconds:g} s each\n")
    rows = []
    for name, values in rates.items():
        ratio = statistics.median(value / theirs for value, theirs in zip(values, rates[peer]))
        rows.append([name, f"{statistics.median(values):.1f}", spread(values, 1), f"{ratio:.2f}"])
    print_table(["", "images/s", "range", "times PyTorch's, round by round"], rows)


main()
