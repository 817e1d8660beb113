"""Measures how much time the simulation adds to training at full size, and how much memory a run takes.

Usage: ratio.py BUILD_FOLDER [--rounds N]
P-MNIST with GPS as in the paper, with all 60,000 examples per task, on one core: T = 10 in every round, T = 40 only in
the first.
"""
import argparse

from common import cost, default_set, medians, one_result, print_table, say, shown, spread


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    base = [f"p-{default_set()}", "--policy", "gps", "--seed", "0", "--jobs", "1"]
    costs = {10: [], 40: []}
    for k in range(options.rounds):
        for tasks, measured in costs.items():
            if tasks == 40 and k > 0:
                continue
            say(f"ratio: round {k + 1} of {options.rounds}, T = {tasks}")
            measured.append(cost(one_result(options.build, base + ["--tasks", str(tasks)])))

    print(f"`{shown(base + ['--tasks', '…'])}`, 60,000 examples a task, five epochs; one core, medians\n")
    rows = []
    for tasks, measured in costs.items():
        c = medians(measured)
        rows.append([str(tasks), str(len(measured)), f"{c['steps']:.0f}", f"{c['training']:.1f}", f"{c['step']:.1f}",
                     f"{c['simulation']:.1f}", f"{c['share']:.1f} %", spread([m["share"] for m in measured], 1),
                     f"{c['evaluation']:.1f}", f"{c['memory']:.0f}"])
    print_table(["T", "runs", "steps", "training s", "µs a step", "simulation s", "simulation / training", "range %",
                 "evaluation s", "peak MiB"], rows)


main()
