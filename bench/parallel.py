"""Measures how much faster two workers are than one, and checks that the results are the same.

Usage: parallel.py BUILD_FOLDER [--workers N] [--rounds N]
The same eight runs (four seeds of two policies) alternate between one worker and several. Times are those of the whole
command, including reading the data. The ratio is computed per round. Processor time shows whether the machine was
quiet: on a quiet machine, one worker uses as many processor seconds as seconds pass.
Exits with 1 if the results differ in anything except times and memory.
"""
import argparse
import resource
import statistics
import sys
import time

from common import default_set, print_table, run_gpscl, say, shown, spread


def measure(build, arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    results = run_gpscl(build, arguments, one_core=False)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    for result in results.values():
        for key in ("seconds", "peak_memory_bytes", "checksum"):
            result.pop(key, None)
    return results, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    base = [f"p-{default_set()}", "--policy", "reservoir,gps", "--seeds", "4", "--examples-per-task", "5000", "--jobs"]
    seconds = {1: [], options.workers: []}
    processor = {1: [], options.workers: []}
    reference = None
    for k in range(options.rounds):
        for workers, measured in seconds.items():
            say(f"parallel: round {k + 1} of {options.rounds}, workers: {workers}")
            results, wall, cpu = measure(options.build, base + [str(workers)])
            measured.append(wall)
            processor[workers].append(cpu)
            reference = reference or results
            if results != reference:
                sys.exit(f"parallel.py: the results with {workers} workers differ from the first ones")

    ratios = [one / several for one, several in zip(seconds[1], seconds[options.workers])]
    ratio = statistics.median(ratios)
    print(f"`{shown(base + ['…'])}`, {len(reference)} runs, median of {options.rounds} rounds. The result files of all "
          f"{2 * options.rounds} commands are the same but for times and memory.\n")
    rows = [[str(w), f"{statistics.median(s):.1f}", spread(s, 1), f"{statistics.median(processor[w]):.1f}"]
            for w, s in seconds.items()]
    print_table(["workers", "seconds", "range", "processor seconds"], rows)
    print(f"{options.workers} workers are {ratio:.2f} times as fast as one ({spread(ratios, 2)} in the rounds): "
          f"{100 * ratio / options.workers:.0f} % parallel efficiency.\n")


main()
