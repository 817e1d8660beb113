"""Measures how much faster a sweep is with several ranks than with one, each on its own core, and checks that the results
are the same.

Usage: ranks.py BUILD_FOLDER [--ranks N] [--rounds N] [--seeds N]
The sweep has two policies x ten seeds and takes a few seconds per run. It is run by `mpirun -n N gpscl sweep`. Rounds
alternate between one rank and N, so that other load on the machine affects both.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from common import default_set, print_table, say, spread

SWEEP = """
[defaults]
benchmark = "p-{data_set}"
examples-per-task = 10000
seeds = {seeds}
[[grid]]
policy = ["reservoir", "gps"]
"""


def measure(build, ranks, sweep):
    """Returns the seconds, and the results by file name, without times and memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ranks.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(sweep)
        out = os.path.join(folder, "out")
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        command = ["mpirun", "-n", str(ranks), "--bind-to", "core", os.path.join(build, "gpscl"), "sweep", path,
                   "--jobs", "1", "--out", out]
        start = time.perf_counter()
        done = subprocess.run(command, env=dict(os.environ, **root), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        seconds = time.perf_counter() - start
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        results = {}
        for name in glob.glob(os.path.join(out, "*.json")):
            with open(name, encoding="utf-8") as file:
                result = json.load(file)
            for key in ("seconds", "peak_memory_bytes", "checksum"):
                result.pop(key, None)
            results[os.path.basename(name)] = result
        return seconds, results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()

    sweep = SWEEP.format(data_set=default_set(), seeds=options.seeds)
    seconds = {1: [], options.ranks: []}
    reference = None
    for k in range(options.rounds):
        for ranks, measured in seconds.items():
            say(f"ranks: round {k + 1} of {options.rounds}, ranks: {ranks}")
            taken, results = measure(options.build, ranks, sweep)
            measured.append(taken)
            reference = reference or results
            if results != reference:
                sys.exit(f"ranks.py: the results with {ranks} ranks differ from the first ones")

    ratios = [one / several for one, several in zip(seconds[1], seconds[options.ranks])]
    ratio = statistics.median(ratios)
    print(f"`mpirun -n … --bind-to core gpscl sweep ranks.toml --jobs 1`, {len(reference)} runs: p-{default_set()}, "
          f"10,000 examples a task, policies reservoir and gps, {options.seeds} seeds; median of {options.rounds} rounds. "
          f"The results of all {2 * options.rounds} commands are the same but for times and memory.\n")
    print_table(["ranks", "seconds", "range"],
                [[str(ranks), f"{statistics.median(s):.1f}", spread(s, 1)] for ranks, s in seconds.items()])
    print(f"{options.ranks} ranks are {ratio:.2f} times as fast as one ({spread(ratios, 2)} in the rounds): "
          f"{100 * ratio / options.ranks:.0f} % parallel efficiency.\n")


main()
