"""Does a plain PyTorch loop with gpscl.Memory reach what `gpscl run` reaches? Final average accuracy over the same seeds.

    PYTHONPATH=build/release/python python3 bench/python_parity.py [--tasks 5] [--examples 2000] [--seeds 5] [--policy P,..]

Both learn permuted Fashion-MNIST (or MNIST, if it is there) with ER: an MLP of two hidden layers of 100 units, SGD, batches
of 10 + 10, one epoch, the loss of Eqn. 2. The PyTorch loop has permutations, first weights (Xavier, as the program's) and
an order of examples of its own, so results agree within the noise of seeds, not to the bit. The last columns are the difference of means,
and the half width of its 95 % interval (Welch).
"""
import argparse
import math
import os
import statistics
import sys
import time
import warnings

import numpy as np
import torch

import gpscl

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import default_set, read_idx, say  # noqa: E402

BATCH, RATE = 10, 0.1
T_975 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23, 12: 2.18, 15: 2.13, 20: 2.09,
         30: 2.04, 60: 2.00}


def read_set(name):
    def images(which):
        return np.frombuffer(read_idx(name, f"{which}-images-idx3-ubyte", 16), np.uint8).reshape(-1, 784)

    def labels(which):
        return np.frombuffer(read_idx(name, f"{which}-labels-idx1-ubyte", 8), np.uint8).astype(np.int64)

    return [torch.from_numpy(part.copy()) for part in (images("train"), labels("train"), images("t10k"), labels("t10k"))]


def make_model():
    model = torch.nn.Sequential(torch.nn.Linear(784, 100), torch.nn.ReLU(), torch.nn.Linear(100, 100), torch.nn.ReLU(),
                                torch.nn.Linear(100, 10))
    for layer in model:
        if isinstance(layer, torch.nn.Linear):
            torch.nn.init.xavier_uniform_(layer.weight)
            torch.nn.init.zeros_(layer.bias)
    return model


def as_floats(x):
    return x.float() / 255


def make_optimizer(parameters):
    return torch.optim.SGD(parameters, lr=RATE)


def loop(data, policy, seed, tasks, examples, slots):
    """Returns the final average accuracy, and the seconds of the loop and of its simulations."""
    train_x, train_y, test_x, test_y = data
    torch.manual_seed(seed)
    model = make_model()
    optimizer = make_optimizer(model.parameters())
    criterion = torch.nn.functional.cross_entropy
    memory = gpscl.Memory(slots, policy=policy, seed=seed, classes=10, tasks=tasks, batch=BATCH)
    simulation = gpscl.torch.Simulation(model, make_optimizer, criterion, transform=as_floats)
    orders = []
    began = time.perf_counter()
    for task in range(tasks):
        order = torch.arange(784) if task == 0 else torch.randperm(784)
        orders.append(order)
        chosen = torch.randperm(len(train_x))[:examples]
        x, y = train_x[chosen][:, order], train_y[chosen]
        memory.begin_task(y)
        for i in torch.randperm(examples).split(BATCH):
            loss = criterion(model(as_floats(x[i])), y[i])
            if len(memory):
                xm, ym = memory.sample(BATCH)
                loss = loss + criterion(model(as_floats(xm)), ym)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            memory.observe(i, y[i], x[i])
        memory.end_task(x, simulation if policy.startswith("gps") else None)
    seconds = time.perf_counter() - began
    with torch.no_grad():
        right = [(model(as_floats(test_x[:, order])).argmax(1) == test_y).float().mean().item() for order in orders]
    return statistics.mean(right), seconds, sum(each.seconds for each in memory.decisions)


def difference(a, b):
    """Returns mean(b) - mean(a) and the half width of its 95 % interval."""
    va, vb = statistics.variance(a) / len(a), statistics.variance(b) / len(b)
    if va + vb == 0:
        return statistics.mean(b) - statistics.mean(a), 0.0
    freedom = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
    t = T_975[max(each for each in T_975 if each <= max(1, freedom))]
    return statistics.mean(b) - statistics.mean(a), t * math.sqrt(va + vb)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=5)
    parser.add_argument("--examples", type=int, default=2000)
    parser.add_argument("--memory", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--policy", default="reservoir,mixed:1,gps")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    name = default_set()
    data = read_set(name)
    print(f"p-{name}, {asked.tasks} tasks of {asked.examples} examples, memory {asked.memory}, {asked.seeds} seeds, er, "
          f"batches of {BATCH} + {BATCH}, learning rate {RATE}, one epoch; torch {torch.__version__}, one thread\n")
    print("| policy | gpscl run | PyTorch loop with gpscl.Memory | difference | loop, of it simulation |")
    print("|---|---|---|---|---|")
    for policy in asked.policy.split(","):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            runs = gpscl.run(f"p-{name}", policy=policy, seeds=asked.seeds, tasks=asked.tasks, epochs=1, lr=RATE, batch=BATCH,
                             examples_per_task=asked.examples, memory=asked.memory, hidden=[100, 100], out=None,
                             progress=False)
        program = [100 * run.accuracy for run in runs]
        own, seconds, simulated = [], 0.0, 0.0
        for seed in range(asked.seeds):
            accuracy, took, simulating = loop(data, policy, seed, asked.tasks, asked.examples, asked.memory)
            say(f"{policy} seed {seed}: {100 * accuracy:.2f} %, {took:.1f} s")
            own.append(100 * accuracy)
            seconds += took / asked.seeds
            simulated += simulating / asked.seeds
        mean, half = difference(program, own)
        print(f"| `{policy}` | {statistics.mean(program):.2f} ± {statistics.stdev(program):.2f} | {statistics.mean(own):.2f} ± "
              f"{statistics.stdev(own):.2f} | {mean:+.2f} [{mean - half:+.2f}, {mean + half:+.2f}] | {seconds:.1f} s, "
              f"{simulated:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
