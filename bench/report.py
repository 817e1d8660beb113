"""Measures how long a report of many runs takes, and how large it is.

Usage: report.py BUILD [--runs 500,1000] [--tasks 20,40] [--memories 5] [--page FILE]

Three real runs on Fashion-MNIST are copied until the store has the number of runs. The copies have other seeds, one of
--memories sizes of memory, and slightly changed accuracies, so that no two results are equal. The first number of runs
belongs to the first number of tasks, and so on. A page of 10 MB or more is an error.
"""
import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from common import say

COLUMNS = ("hash spec seed version status benchmark learner policy label host pid process_start heartbeat error result "
           "accuracy seconds started finished").split()


def spec_hash(spec):
    """Returns the hash in the name of a result's file: FNV-1a of the text of the spec."""
    value = 2166136261
    for byte in spec.encode():
        value = (value ^ byte) * 16777619 % 2**32
    return f"{value:08x}"


def varied(result, seed, memory, draw):
    result.pop("checksum", None)
    result["seed"] = seed
    result["spec"]["memory"] = memory
    for row in result["accuracy"]:
        row[:] = [min(1, max(0, round(value + draw.gauss(0, 0.01), 4))) for value in row]
    result["metrics"]["average_accuracy"] = sum(result["accuracy"][-1]) / len(result["accuracy"][-1])
    for after in result["memory"]:
        for share in after["tasks"]:
            share["reservoir"] = [max(0, count - draw.choice((0, 1))) for count in share["reservoir"]]
    return result


def fill(folder, runs, memories):
    """Copies the runs of the store, and the exported memories beside it."""
    draw = random.Random(0)
    store = sqlite3.connect(os.path.join(folder, "runs.sqlite"))
    rows = store.execute(f"SELECT {', '.join(COLUMNS)} FROM runs").fetchall()
    for k in range(runs - len(rows)):
        row = dict(zip(COLUMNS, rows[k % len(rows)]))
        name = f"{row['benchmark']}-{row['learner']}-{row['policy']}-seed"
        memory = f"{name}{row['seed']}-{row['hash']}.memory.safetensors"
        result = varied(json.loads(row["result"]), 100 + k, 200 + 50 * (k // len(rows) % memories), draw)
        row["spec"] = json.dumps(result["spec"], sort_keys=True, separators=(",", ":"))
        row.update(seed=result["seed"], hash=spec_hash(row["spec"]), result=json.dumps(result, separators=(",", ":")),
                   accuracy=result["metrics"]["average_accuracy"])
        store.execute(f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})",
                      [row[column] for column in COLUMNS])
        shutil.copy(os.path.join(folder, memory),
                    os.path.join(folder, f"{name}{row['seed']}-{row['hash']}.memory.safetensors"))
    store.commit()
    store.close()


def measure(gpscl, runs, tasks, memories, page):
    with tempfile.TemporaryDirectory() as folder:
        say("report: three runs to copy")
        out = os.path.join(folder, "out")
        subprocess.run([gpscl, "run", "p-fashion-mnist", "--policy", "reservoir,ring-full,gps", "--tasks", str(tasks),
                        "--memory", "200", "--examples-per-task", "200", "--epochs", "1", "--hidden", "16", "--out", out,
                        "--export", "memory"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        fill(out, runs, memories)
        page = page or os.path.join(folder, "report.html")
        begin = time.monotonic()
        subprocess.run([gpscl, "report", out, "-o", page], check=True, stdout=sys.stderr)
        seconds = time.monotonic() - begin
        megabytes = os.path.getsize(page) / 1e6
        print(f"`gpscl report`, {runs} runs of {tasks} tasks: {seconds:.1f} seconds, {megabytes:.1f} MB.")
        if megabytes >= 10:
            sys.exit("report: a page of 10 MB or more")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(number) for number in text.split(",")]
    parser.add_argument("build")
    parser.add_argument("--runs", type=numbers, default=[500, 1000])
    parser.add_argument("--tasks", type=numbers, default=[20, 40])
    parser.add_argument("--memories", type=int, default=5)
    parser.add_argument("--page", help="keep the (last) page under this name")
    options = parser.parse_args()
    for runs, tasks in zip(options.runs, options.tasks):
        measure(os.path.join(options.build, "gpscl"), runs, tasks, options.memories, options.page)


main()
