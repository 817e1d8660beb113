#!/usr/bin/python3
"""Planned runs beside the best fixed settings in hindsight: the table of docs/planning.md.

Usage: bench/regret.py [--gpscl PROGRAM] [--out FOLDER] [--seeds N] [--jobs J] STREAM...
  STREAM    one of the names below, or all

For each stream: 60 fixed settings or more are raced on the seeds 100, 101 and 102 (all, then the best third, then the best
eight). The winner, the plan, the defaults and tuning on the first task alone are then run on the seeds 0 to N - 1. Regret
is hindsight minus the other, seed by seed. Finished runs are kept in FOLDER and not repeated.
"""
import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

PERMUTED = {"learner": ["er", "der", "der++"], "lr": [0.003, 0.01, 0.03, 0.1], "steps": [100, 300, 1000, 3000, 10000]}
LONG = {**PERMUTED, "steps": [100, 300, 1000, 3000, 5000]}
SPLIT = {"learner": ["er", "der", "der++"], "lr": [0.001, 0.003, 0.01, 0.03, 0.1], "epochs": [1, 3, 5, 10]}
STREAMS = {
    "p-fashion-mnist": (["p-fashion-mnist"], PERMUTED, "domain"),
    "p-fashion-mnist-50": (["p-fashion-mnist", "--imbalance", "50", "--memory", "500", "--examples-per-task", "20000"], PERMUTED,
                           "domain"),
    "p-mnist-10": (["p-mnist"], PERMUTED, "domain"),
    "p-mnist-20": (["p-mnist", "--tasks", "20"], LONG, "domain"),
    "p-mnist-40": (["p-mnist", "--tasks", "40"], LONG, "domain"),
    "p-mnist-10-small": (["p-mnist", "--memory", "100"], PERMUTED, "domain"),
    "s-fashion-mnist": (["s-fashion-mnist", "--memory", "200"], SPLIT, "class"),
    "s-fashion-mnist-task": (["s-fashion-mnist", "--memory", "200"], SPLIT, "task"),
    "s-mnist": (["s-mnist", "--memory", "200"], SPLIT, "class"),
    "s-mnist-task": (["s-mnist", "--memory", "200"], SPLIT, "task"),
}
T95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}


class Program:
    """Runs gpscl and reads its results. A run that is in the folder is not repeated."""

    def __init__(self, path, out, jobs, scenario):
        self.path, self.out, self.jobs, self.scenario = path, out, jobs, scenario

    def accuracy(self, arguments, seed):
        command = [self.path, "run", *arguments, "--seed", str(seed), "--jobs", str(self.jobs), "--resume", "--json",
                   "--out", self.out]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
        if done.returncode != 0:
            if "no longer a finite number" in done.stderr:
                return 0.0, {}
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        result = json.loads(done.stdout)[0]
        among_all = result.get("class_incremental")
        metrics = among_all["metrics"] if self.scenario == "class" and among_all else result["metrics"]
        return 100 * metrics["average_accuracy"], result


def words_of(setting):
    words = []
    for key, value in setting.items():
        words += [f"--{key}", str(value)]
    return words


def race(program, stream, grid):
    """The setting with the highest mean over three seeds, of those that were not far behind after one or two."""
    settings = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    scores = {k: [] for k in range(len(settings))}
    left = list(scores)
    for round_, (seed, kept) in enumerate([(100, len(settings) // 3), (101, 8), (102, 1)]):
        for k in left:
            scores[k].append(program.accuracy([*stream, "--policy", "mixed:1", *words_of(settings[k])], seed)[0])
        left = sorted(left, key=lambda k: -statistics.mean(scores[k]))[:kept]
        print(f"  race, round {round_ + 1}: {words_of(settings[left[0]])} {statistics.mean(scores[left[0]]):.2f}", flush=True)
    return settings[left[0]], len(settings)


def mean_text(values):
    return f"{statistics.mean(values):.2f} ± {statistics.stdev(values):.2f}" if len(values) > 1 else f"{values[0]:.2f}"


def regret_text(best, other):
    differences = [a - b for a, b in zip(best, other)]
    mean = statistics.mean(differences)
    if len(differences) < 2:
        return f"{mean:+.2f}"
    half = T95.get(len(differences), 2.26) * statistics.stdev(differences) / math.sqrt(len(differences))
    return f"{mean:+.2f} [{mean - half:+.2f}, {mean + half:+.2f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("streams", nargs="+", choices=[*STREAMS, "all"])
    parser.add_argument("--gpscl", default=os.path.join(SOURCE, "build/release/gpscl"))
    parser.add_argument("--out", default="regret-results")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    names = list(STREAMS) if "all" in given.streams else given.streams
    rows = []
    for name in names:
        stream, grid, scenario = STREAMS[name]
        print(name, flush=True)
        program = Program(given.gpscl, os.path.join(given.out, name), given.jobs, scenario)
        best, count = race(program, stream, grid)
        judged = ["--for", scenario] if scenario in ("class", "task") else []
        ways = {
            "hindsight": [*stream, "--policy", "mixed:1", *words_of(best)],
            "plan": [*stream, "--plan", *judged],
            "defaults": stream,
        }
        if scenario == "domain":
            ways["first task"] = [*stream, "--plan", "--plan-tasks", "1"]
        reached, inside = {}, []
        for way, arguments in ways.items():
            reached[way] = []
            for seed in range(given.seeds):
                accuracy, result = program.accuracy(arguments, seed)
                reached[way].append(accuracy)
                expected = result.get("plan", {}).get("choices", [{}])[0].get("expected")
                if way == "plan" and expected:
                    inside.append(100 * expected["low"] <= accuracy <= 100 * expected["high"])
            print(f"  {way}: {mean_text(reached[way])}", flush=True)
        within = f"{sum(inside)} of {len(inside)}" if inside else "-"
        rows.append([name, f"{mean_text(reached['hindsight'])} ({' '.join(words_of(best)).replace('--', '')}, of {count})",
                     mean_text(reached["plan"]), regret_text(reached["hindsight"], reached["plan"]), within,
                     mean_text(reached["defaults"]), mean_text(reached["first task"]) if "first task" in reached else "-"])
    print("\n| stream | hindsight | planned | regret | within its interval | defaults | first task |\n|---|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


main()
