"""Compares a step of ResNet18 with PyTorch: one core, competitors alternate, ratios per round.

Usage: resnet_versus.py BUILD_FOLDER [--width W] [--simd avx3|avx2|sse4] [--rounds N] [--seconds S]
Each round measures every competitor, one after another, so that other load on the machine affects all of them. Times
are processor time, which is close to the time on a quiet core. bf16 runs with libgps_tiles.so preloaded; without it,
Debian's oneDNN 2.6 ends with an illegal instruction on some virtual machines. With --simd, all competitors are held to
that instruction set.
"""
import argparse
import os
import statistics
import subprocess

from common import INSTRUCTION_SETS, hold_to, on_one_core, print_table, say, spread

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # Debian's Python, which has python3-torch
IMAGES = 20  # images per step


def competitors(build):
    script = os.path.join(HERE, "resnet_pytorch.py")
    return {
        "gps-cl, own kernels, bf16": [f"{build}/bench/resnet_step", "own", "bf16"],
        "gps-cl, own kernels, fp32": [f"{build}/bench/resnet_step", "own", "fp32"],
        "gps-cl, LibTorch, bf16": [f"{build}/bench/resnet_step", "libtorch", "bf16"],
        "gps-cl, LibTorch, fp32": [f"{build}/bench/resnet_step", "libtorch", "fp32"],
        "PyTorch, fp32": [PYTHON, "-B", script, "fp32"],
        "PyTorch, autocast to bf16": [PYTHON, "-B", script, "bf16"],
    }


def measure(command, seconds, width, build):
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if "bf16" in command:  # has an effect only on virtual machines that hide AMX's tiles (docs/networks.md)
        env["LD_PRELOAD"] = f"{build}/libgps_tiles.so"
    done = subprocess.run(on_one_core(command + [str(seconds), str(width)]), env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return float(done.stdout) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--simd", choices=INSTRUCTION_SETS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    hold_to(options.simd)

    times = {name: [] for name in competitors(options.build)}
    for k in range(options.rounds):
        for name, command in competitors(options.build).items():
            say(f"resnet_versus: round {k + 1} of {options.rounds}, {name}")
            times[name].append(measure(command, options.seconds, options.width, os.path.abspath(options.build)))

    limit = f", all held to {options.simd}" if options.simd else ""
    print(f"ER step (10 + 10 images of 3 x 32 x 32, augmented one by one), ResNet18 of width {options.width}, one core"
          f"{limit}, processor time, median of {options.rounds} rounds of {options.seconds:g} s each\n")
    def times_those_of(peer, values):
        return "–" if None in peer else f"{statistics.median(p / v for p, v in zip(peer, values)):.2f}"

    rows = []
    for name, values in times.items():
        if None in values:
            say(f"resnet_versus: {name} does not run here")
            rows.append([f"{name}: does not run here", "–", "–", "–", "–"])
            continue
        speeds = [1e6 * IMAGES / value for value in values]
        libtorch = times["gps-cl, LibTorch, " + ("bf16" if "bf16" in name else "fp32")]
        rows.append([name, f"{statistics.median(speeds):.0f}", spread(speeds, 0),
                     times_those_of(times["PyTorch, fp32"], values), times_those_of(libtorch, values)])
    print_table(["", "images/s", "range", "times PyTorch's fp32, round by round", "times LibTorch's in the same precision"], rows)


main()
