"""What a memory costs in a bare PyTorch loop: P-MNIST with ER, gpscl.Memory beside other ways to keep a memory.

Usage: python_memory.py [--steps 2000] [--rounds 5] [--policy reservoir]
Needs the package gpscl (make python; then build/venv/bin/python bench/python_memory.py) and PyTorch.

A step: 10 current and 10 stored examples as floats, MLP 784-100-100-10, mean cross entropy of each, SGD. 1000 examples
are stored. All ways do the same steps on the same batches, one way after the other, round after round, on one thread.
The first task fills the memory and is not timed. "memory" is the time in calls of the memory (taking a batch from it,
showing it a batch, the end of a task); "step" is the whole loop.

  gpscl      gpscl.Memory: sample() into one buffer, observe()
  torch      a tensor, and a reservoir in a few tensor operations for a whole batch
  mammoth    as Mammoth's Buffer does it: a draw and an assignment for each example; numpy draws the batch, and its rows
             are passed through a transform one by one and stacked
  avalanche  as Avalanche's ReplayPlugin does it: when a task ends, random weights choose among its examples and those
             stored; a DataLoader takes examples from that subset one by one and collates them
  none       no memory: the same step on a second batch that never changes
"""
import argparse
import statistics
import time

import numpy as np
import torch
from torch import nn

import gpscl
from common import default_set, read_idx, say

STORED = 1000
BATCH = 10


class Gpscl:
    def __init__(self, policy):
        self.memory = gpscl.Memory(STORED, policy, seed=1, classes=10)
        self.buffer = torch.empty(BATCH, 784), torch.empty(BATCH, dtype=torch.int64)

    def take(self):
        return self.memory.sample(BATCH, out=self.buffer)

    def show(self, i, y, x):
        self.memory.observe(i, y, x)

    def end(self, x, y):
        self.memory.end_task()


class Torch:
    def __init__(self, _):
        self.x, self.y, self.seen = torch.zeros(STORED, 784), torch.zeros(STORED, dtype=torch.int64), 0

    def take(self):
        drawn = torch.randperm(min(self.seen, STORED))[:BATCH]
        return self.x[drawn], self.y[drawn]

    def show(self, i, y, x):
        count = torch.arange(self.seen, self.seen + len(y))
        slots = torch.where(count < STORED, count, (torch.rand(len(y)) * (count + 1)).long())
        kept = slots < STORED
        self.x[slots[kept]] = x[kept]
        self.y[slots[kept]] = y[kept]
        self.seen += len(y)

    def end(self, x, y):
        pass


class Mammoth:
    def __init__(self, _):
        self.x, self.y, self.seen = torch.zeros(STORED, 784), torch.zeros(STORED, dtype=torch.int64), 0

    def take(self):
        chosen = np.random.choice(min(self.seen, STORED), size=BATCH, replace=False)
        return torch.stack([self.transform(row) for row in self.x[chosen]]), self.y[chosen]

    @staticmethod
    def transform(row):
        return row

    def show(self, i, y, x):
        for k in range(len(y)):
            slot = self.seen if self.seen < STORED else np.random.randint(0, self.seen + 1)
            self.seen += 1
            if slot < STORED:
                self.x[slot] = x[k]
                self.y[slot] = y[k]

    def end(self, x, y):
        pass


class Avalanche:
    def __init__(self, _):
        self.data, self.weights, self.batches = [], torch.zeros(0), None

    def take(self):
        try:
            return next(self.batches)
        except StopIteration:
            self.batches = iter(self.loader)
            return next(self.batches)

    def show(self, i, y, x):
        pass

    def end(self, x, y):
        new = torch.utils.data.TensorDataset(x, y)
        both = torch.utils.data.ConcatDataset([new, *self.data])
        weights, order = torch.cat([torch.rand(len(new)), self.weights]).sort(descending=True)
        self.data, self.weights = [torch.utils.data.Subset(both, order[:STORED].tolist())], weights[:STORED]
        self.loader = torch.utils.data.DataLoader(self.data[0], batch_size=BATCH, shuffle=True, drop_last=True)
        self.batches = iter(self.loader)


class Nothing:
    def __init__(self, _):
        self.x, self.y = torch.rand(BATCH, 784), torch.arange(BATCH)

    def take(self):
        return self.x, self.y

    def show(self, i, y, x):
        pass

    def end(self, x, y):
        pass


WAYS = {"gpscl": Gpscl, "torch": Torch, "mammoth": Mammoth, "avalanche": Avalanche, "none": Nothing}


def run(way, tasks, steps, policy):
    """Returns microseconds a step: in the memory, and altogether."""
    torch.manual_seed(1)
    np.random.seed(1)
    model = nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    memory = WAYS[way](policy)
    clock = time.perf_counter
    in_memory = 0.0
    for number, (images, labels) in enumerate(tasks):
        order = torch.randperm(len(labels))[:steps * BATCH]
        if number == 1:
            in_memory, began = 0.0, clock()
        for i in order.split(BATCH):
            x, y = images[i], labels[i]
            start = clock()
            replayed = memory.take() if number > 0 else None
            in_memory += clock() - start
            optimizer.zero_grad()
            if replayed is None:
                loss = criterion(model(x), y)
            else:
                logits = model(torch.cat([x, replayed[0]]))
                loss = criterion(logits[:BATCH], y) + criterion(logits[BATCH:], replayed[1])
            loss.backward()
            optimizer.step()
            start = clock()
            memory.show(i, y, x)
            in_memory += clock() - start
        x, y = images[order], labels[order]
        start = clock()
        memory.end(x, y)
        in_memory += clock() - start
    count = steps * (len(tasks) - 1)
    return 1e6 * in_memory / count, 1e6 * (clock() - began) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=2000, help="steps of a task")
    parser.add_argument("--tasks", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--policy", default="reservoir", help="of gpscl.Memory")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    data_set = default_set()
    pixels = bytearray(read_idx(data_set, "train-images-idx3-ubyte", 16))
    images = torch.frombuffer(pixels, dtype=torch.uint8).view(-1, 784)
    labels = torch.frombuffer(bytearray(read_idx(data_set, "train-labels-idx1-ubyte", 8)), dtype=torch.uint8).long()
    generator = torch.Generator().manual_seed(1)
    orders = [torch.randperm(784, generator=generator) for _ in range(arguments.tasks)]
    tasks = [(images[:, order].float() / 255, labels) for order in orders]
    found = {way: [] for way in WAYS}
    for number in range(arguments.rounds):
        say(f"round {number + 1} of {arguments.rounds}")
        for way in WAYS:
            found[way].append(run(way, tasks, arguments.steps, arguments.policy))
    print(f"{data_set}, policy {arguments.policy}, {arguments.rounds} rounds of {arguments.tasks - 1} x "
          f"{arguments.steps} steps; medians (smallest to largest)\n")
    print("| memory | memory µs | step µs | share of the step |")
    print("|---|---|---|---|")
    for way, times in found.items():
        memory, step = zip(*times)
        share = statistics.median(m / s for m, s in times)
        print(f"| {way} | {statistics.median(memory):.1f} ({min(memory):.1f} to {max(memory):.1f}) "
              f"| {statistics.median(step):.0f} ({min(step):.0f} to {max(step):.0f}) | {share:.1%} |")


if __name__ == "__main__":
    main()
