"""Measures how the cost of `gpscl run` grows with the stream, the memory and the network.

Usage: scaling.py BUILD_FOLDER [--rounds N]
Runs the real program with GPS on one core, on few examples per task, and reads times and peak memory from its results.
Every round runs every line once, so that other load on the machine affects all of them. Numbers are medians.
"""
import argparse

from common import cost, default_set, medians, one_result, print_table, say, shown

EXAMPLES = 5000
# Title, the option that grows, its values, how a value is shown, and fixed options. All tables except the first use 5
# tasks.
TABLES = [
    ("Tasks, T", "--tasks", ["4", "8", "16", "32"], str, []),
    ("Memory, |M|", "--memory", ["250", "500", "1000", "2000"], str, ["--tasks", "5"]),
    ("Hidden layers of 100 units", "--hidden", ["100", "100,100", "100,100,100", "100,100,100,100"],
     lambda value: str(value.count(",") + 1), ["--tasks", "5"]),
    ("Units of two hidden layers", "--hidden", ["50,50", "100,100", "200,200", "400,400"],
     lambda value: value.split(",")[0], ["--tasks", "5"]),
]
HEAD = ["steps", "training s", "µs a step", "candidates simulated", "simulation s", "evaluation s", "peak MiB"]


def cells(c):
    return [f"{c['steps']:.0f}", f"{c['training']:.2f}", f"{c['step']:.1f}", f"{c['candidates']:.0f}",
            f"{c['simulation']:.2f}", f"{c['evaluation']:.2f}", f"{c['memory']:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    base = [f"p-{default_set()}", "--policy", "gps", "--seed", "0", "--jobs", "1", "--examples-per-task", str(EXAMPLES)]
    costs = {}  # keyed by arguments, so that a line in several tables is run once per round
    lines = [tuple(fixed + [option, value]) for _, option, values, _, fixed in TABLES for value in values]
    for k in range(options.rounds):
        for line in dict.fromkeys(lines):
            say(f"scaling: round {k + 1} of {options.rounds}, {' '.join(line)}")
            costs.setdefault(line, []).append(cost(one_result(options.build, base + list(line))))

    print(f"One core, median of {options.rounds} rounds. {EXAMPLES} training examples a task, five epochs; every "
          f"evaluation is on 10,000 test images a task.\n")
    for title, option, values, show, fixed in TABLES:
        print(f"`{shown(base + fixed + [option, '…'])}`\n")
        rows = [[show(value)] + cells(medians(costs[tuple(fixed + [option, value])])) for value in values]
        print_table([title.replace("|", "\\|")] + HEAD, rows)


main()
