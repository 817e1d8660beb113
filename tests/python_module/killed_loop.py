"""A loop that keeps its state after every step, and can be killed at any of five moments of a step. For test_resume.py.

Usage: killed_loop.py POLICY FILE [STEP MOMENT]
  FILE    where the state is kept; the loop goes on from it
  STEP    kill the process in this step of this call, counted from 0
  MOMENT  0: before the step is kept, 1: while it is being written, 2: after it;
          simulation: while the second candidate of gps is simulated;
          end_task: while the rows that mixed chose are fetched
Prints the memory when all tasks have ended.
"""
import os
import pickle
import signal
import sys

import numpy as np

import gpscl
from streams import contents, images, made_up_labels

BATCH = 6
LABELS = made_up_labels(3, 96, 4)


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def simulate(candidate):
    """Any function of the candidate, so that gps has something to compare."""
    return 1 / (1 + abs(candidate.ring_size - 5)), float(np.mean(candidate.labels == 1))


def simulate_and_kill(candidate):
    if candidate.number == 2:
        kill()
    return simulate(candidate)


class KillingRows:
    """The rows of a task, for a policy that asks for those that it chose."""

    def __init__(self, rows):
        self._rows = rows
        self._asked = 0

    def __getitem__(self, index):
        self._asked += 1
        if self._asked == 2:
            kill()
        return self._rows[index]


def main():
    policy, file = sys.argv[1:3]
    step, moment = (int(sys.argv[3]), sys.argv[4]) if len(sys.argv) > 3 else (-1, "")
    memory = gpscl.Memory("500B", policy, seed=9, classes=4, tasks=3)
    is_fetched = policy.startswith("mixed")  # the rows come when a task ends
    at, drawn = 0, []
    if os.path.exists(file):
        with open(file, "rb") as stream:
            saved = pickle.load(stream)
        memory.load_state_dict(saved["memory"])
        at, drawn = saved["at"], saved["drawn"]
    steps = len(LABELS[0]) // BATCH
    for count, now in enumerate(range(at, len(LABELS) * steps)):
        task, within = divmod(now, steps)
        labels = LABELS[task]
        i = memory.order(len(labels))[within * BATCH:(within + 1) * BATCH]
        if len(memory):
            drawn.append(memory.sample(3)[0].sum(axis=(1, 2)).tolist())
        memory.observe(i, labels[i], None if is_fetched else images(task + 1, labels)[i])
        if within == steps - 1:
            is_now = count == step
            rows = images(task + 1, labels) if is_fetched else None
            if is_now and moment == "end_task":
                rows = KillingRows(rows)
            memory.end_task(rows, simulate_and_kill if is_now and moment == "simulation" else simulate)
        if count == step and moment == "0":
            kill()
        with open(file + ".new", "wb") as stream:
            bytes_ = pickle.dumps({"memory": memory.state_dict(), "at": now + 1, "drawn": drawn})
            stream.write(bytes_[:len(bytes_) // 2])
            stream.flush()
            if count == step and moment == "1":
                kill()
            stream.write(bytes_[len(bytes_) // 2:])
        os.replace(file + ".new", file)
        if count == step and moment == "2":
            kill()
    print(contents(memory), memory.rows().tolist(), drawn, [(d.ring_size, len(d.trials)) for d in memory.decisions],
          memory.state_dict()["state"].tolist())


if __name__ == "__main__":
    main()
