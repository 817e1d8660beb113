"""Measures every table of docs/performance.md and prints it as Markdown, each between two comments that name it, so that
fill.py can put it into the document.

Usage: tables.py BUILD_FOLDER [--out FILE] [PART ...]
Measures the given parts one after another, or all of PARTS below (about ten minutes) if none is given. FILE grows part
by part, so that an interrupted command leaves the finished parts.
"""
import argparse
import json
import os
import subprocess
import sys
import time

from common import CORE, default_set, on_one_core, say

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"


def output(command):
    # gpscl_bench and roofline take the set from this variable; the scripts find the same one.
    env = dict(os.environ, GPSCL_BENCH_SET=default_set())
    return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


def script(name, *arguments):
    return lambda build: (f"python3 bench/{name} {' '.join(('build/bench',) + arguments)}",
                          output([PYTHON, os.path.join(HERE, name), build, *arguments]))


def machine(build):
    fields = {}
    for line in output(["lscpu"]).splitlines():
        key, _, value = line.partition(":")
        fields[key.strip()] = value.strip()
    version = output([os.path.join(build, "gpscl"), "--version"]).strip()
    return "lscpu", (f"machine: {fields.get('Model name', 'unknown CPU')} (family {fields.get('CPU family', '?')}, "
                     f"model {fields.get('Model', '?')}), cores: {os.cpu_count()}; {version}\n")


def pieces(build):
    options = ["--benchmark_repetitions=3", "--benchmark_enable_random_interleaving=true"]
    say("pieces: about half a minute")
    text = output(on_one_core([f"{build}/bench/gpscl_bench", *options, "--benchmark_format=json"]))
    rows = [b for b in json.loads(text)["benchmarks"] if b.get("aggregate_name") == "median"]
    rows.sort(key=lambda row: (row["family_index"], row["per_family_instance_index"]))
    lines = ["One core, median of three repetitions, in random order.\n", "| piece | time | |", "|---|---|---|"]
    for row in rows:
        unit = {"us": "µs"}.get(row["time_unit"], row["time_unit"])
        lines.append(f"| `{row['run_name']}` | {row['real_time']:.1f} {unit} | {row.get('label', '')} |")
    return f"taskset -c {CORE} build/bench/bench/gpscl_bench {' '.join(options)}", "\n".join(lines) + "\n"


def roofline(build):
    return (f"taskset -c {CORE} build/bench/bench/roofline", output(on_one_core([f"{build}/bench/roofline"])))


PARTS = {
    "machine": machine,
    "pieces": pieces,
    "roofline": roofline,
    "versus-er": script("versus.py"),
    "versus-derpp": script("versus.py", "--step", "der++"),
    "versus-resnet": script("resnet_versus.py"),
    "ratio": script("ratio.py"),
    "scaling": script("scaling.py"),
    "parallel": script("parallel.py"),
    "ranks": script("ranks.py"),
    "checkpoints": script("checkpoints.py"),
    "predict": script("predict.py"),
    "report": script("report.py"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--out")
    options = parser.parse_intermixed_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part '{unknown[0]}'; known: {', '.join(PARTS)}")

    if options.out:
        open(options.out, "w", encoding="utf-8").close()
    start = time.monotonic()
    for name in options.parts or PARTS:
        say(f"tables: {name}, {time.monotonic() - start:.0f} s since the start")
        before = os.getloadavg()[0]
        try:
            command, text = PARTS[name](options.build)
        except subprocess.CalledProcessError as error:
            sys.exit(f"tables.py: {name} failed: {error}")
        load = f"load average before and after: {before:.1f}, {os.getloadavg()[0]:.1f}"
        block = f"<!-- begin: {name} -->\n`{command}` ({load})\n\n{text.strip()}\n<!-- end: {name} -->\n"
        print(block, flush=True)
        if options.out:
            with open(options.out, "a", encoding="utf-8") as file:
                file.write(block + "\n")
    say(f"tables: done after {time.monotonic() - start:.0f} s")


main()
