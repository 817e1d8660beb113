"""Measures what checkpoints cost a full-size run: one core, runs with and without them alternate, ratios per round.

Usage: checkpoints.py BUILD_FOLDER [--rounds N]
"""
import argparse
import shutil
import statistics
import subprocess
import tempfile
import time

from common import on_one_core, print_table, say, spread

# Values of --checkpoint-every: none, the default (5 minutes, and at the end of each task), and every five seconds.
SETTINGS = {"off": "none", "5": "as it comes", "0.0833": "every 5 s"}


def seconds_of(build, setting):
    folder = tempfile.mkdtemp(prefix="gpscl-checkpoints-")
    try:
        command = [f"{build}/gpscl", "run", "p-mnist", "--policy", "gps", "--seed", "0", "--jobs", "1",
                   "--checkpoint-every", setting, "--out", folder]
        start = time.monotonic()
        subprocess.run(on_one_core(command), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - start
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    times = {setting: [] for setting in SETTINGS}
    for k in range(options.rounds):
        for setting in SETTINGS:
            say(f"checkpoints: round {k + 1} of {options.rounds}, {SETTINGS[setting]}")
            times[setting].append(seconds_of(options.build, setting))
    print(f"`gpscl run p-mnist --policy gps --seed 0 --jobs 1 --checkpoint-every …`, one core, seconds on the clock, "
          f"median of {options.rounds} rounds\n")
    rows = []
    for setting, name in SETTINGS.items():
        ratio = statistics.median(a / b for a, b in zip(times[setting], times["off"]))
        rows.append([f"{name} (`{setting}`)", f"{statistics.median(times[setting]):.2f}", spread(times[setting], 2),
                     f"{100 * (ratio - 1):+.1f} %"])
    print_table(["checkpoints", "seconds", "range", "over none, round by round"], rows)


main()
