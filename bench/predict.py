"""Measures how many PNG files per second gpscl predict classifies on one core, including reading and decoding.

Usage: predict.py BUILD_FOLDER [--rounds N]
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from common import on_one_core, print_table, say, spread

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = {"mlp": [], "resnet18": ["--width", "20", "--precision", "bf16"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    gpscl = os.path.join(options.build, "gpscl")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        weeks = os.path.join(folder, "weeks")
        subprocess.run([sys.executable, os.path.join(HERE, "..", "examples", "python", "fashion_weeks.py"), weeks, "50"],
                       check=True, stdout=subprocess.DEVNULL)
        for model, extra in MODELS.items():
            state = os.path.join(folder, model)
            for week in range(1, 6):
                making = ["--model", model, "--memory", "100", "--epochs", "1", *extra] if week == 1 else []
                subprocess.run([gpscl, "learn", state, os.path.join(weeks, f"week{week}"), *making], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            command = on_one_core([gpscl, "predict", state, os.path.join(weeks, "test"), "--format", "csv", "--jobs", "1"])
            rates = []
            for k in range(options.rounds if model == "mlp" else 1):
                say(f"predict: {model}, round {k + 1}")
                start = time.monotonic()
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
                rates.append((done.stdout.count(b"\n") - 1) / (time.monotonic() - start))
            rows.append([f"`{model}`" + (" (`" + " ".join(extra) + "`)" if extra else ""),
                         f"{statistics.median(rates):.0f}", spread(rates, 0)])
    print(f"`gpscl predict STATE weeks/test --format csv --jobs 1`, 10,000 files of 28 x 28 pixels, one core, start of the "
          f"program included; median of {options.rounds} rounds (resnet18: one)\n")
    print_table(["network", "images a second", "range"], rows)


main()
