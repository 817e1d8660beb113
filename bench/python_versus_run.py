"""A model trained by PyTorch in a bare loop under gpscl.Memory, beside `gpscl run`: accuracy, time, share of GPS.

Usage: python_versus_run.py BUILD_FOLDER [--policy reservoir,mixed:1,gps] [--seeds 5] [--tasks 5] [--examples 2000]
                            [--model mlp|resnet] [--lr 0.1]
Needs the package gpscl and the program with LibTorch, which exports the first weights (make build python; then
build/venv/bin/python bench/python_versus_run.py build/release).

Permuted Fashion-MNIST (or MNIST), ER with the loss `sum`, 1000 stored examples, batches of 10 and 10, one epoch. The
loop has the tasks of the run with the same seed, in the same order, and an MLP has the first weights of the run. So for
all policies but gps, whose simulations draw other random numbers, the two differ only in rounding. The difference is
that of the same seeds, with its 95 % interval if there are at least two.

With --model resnet, the loop has a small convolutional network with skips, and `gpscl run` its own resnet18 with 8
channels. These are different networks: the row shows how long each takes, how accurate it is, and the share of the
simulation. It has no difference.
"""
import argparse
import glob
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch import nn

import gpscl
from common import default_set, read_idx, run_gpscl, say

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "python"))
import safetensors_file  # noqa: E402

STORED, BATCH = 1000, 10
T_975 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23, 12: 2.18,
         15: 2.13, 20: 2.09, 30: 2.04, 60: 2.00}


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return torch.relu(x + self.body(x))


def make_model(name):
    if name == "resnet":
        return nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), Block(8), Block(8),
                             nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(128, 10))
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(),
                         nn.Linear(100, 10))


def read(data_set):
    def images(name):
        return torch.frombuffer(bytearray(read_idx(data_set, f"{name}-images-idx3-ubyte", 16)), dtype=torch.uint8)

    def labels(name):
        return torch.frombuffer(bytearray(read_idx(data_set, f"{name}-labels-idx1-ubyte", 8)), dtype=torch.uint8).long()

    return [(images(name).view(-1, 1, 28, 28), labels(name)) for name in ("train", "t10k")]


def beginning(data_set, train, seed, arguments):
    """What the run with this seed begins with: the first weights of its MLP, and for each task its examples as the run
    presents them and its order of pixels. The memory of this run has room for all examples, and its learning rate
    changes no weight."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([
            os.path.join(arguments.build, "gpscl"), "run", f"p-{data_set}", "--policy", "reservoir", "--lr", "1e-30",
            "--tasks", str(arguments.tasks), "--examples-per-task", str(arguments.examples), "--epochs", "1", "--seed",
            str(seed), "--memory", str(arguments.tasks * arguments.examples), "--jobs", "1", "--evaluate", "last",
            "--export", "model,memory", "--out", out], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        weights, memory = (safetensors_file.read(glob.glob(os.path.join(out, f"*.{what}.safetensors"))[0])
                           for what in ("model", "memory"))
    tasks = []
    for number in range(1, arguments.tasks + 1):
        of_task = memory["tasks"] == number
        x = memory["images"][of_task]
        tasks.append((x, memory["labels"][of_task], order_of_pixels(train[memory["ids"][of_task]], x)))
    return list(weights.values()), tasks


def order_of_pixels(images, rearranged):
    """Finds it by the values that a pixel has in all images. Pixels that are always the same cannot be told apart."""
    places = {}
    for place, column in enumerate(images.flatten(1).T):
        places.setdefault(column.numpy().tobytes(), []).append(place)
    return torch.tensor([places[column.numpy().tobytes()].pop() for column in rearranged.flatten(1).T])


def permuted(images, order):
    return images.flatten(1)[:, order].view(images.shape)


def scale(x):
    return x.float() / 255


def run(data, data_set, policy, seed, arguments):
    """Returns the accuracy after the last task, seconds, and the share of the simulation in the time of training."""
    (train_x, _), (test_x, test_y) = data
    weights, tasks = beginning(data_set, train_x, seed, arguments)
    torch.manual_seed(seed)
    model = make_model(arguments.model)
    if arguments.model == "mlp":
        with torch.no_grad():
            for parameter, value in zip(model.parameters(), weights):
                parameter.copy_(value)
    optimizer = torch.optim.SGD(model.parameters(), lr=arguments.lr)
    criterion = nn.CrossEntropyLoss()
    memory = gpscl.Memory(STORED, policy, seed, classes=10, tasks=arguments.tasks, batch=BATCH)
    simulation = gpscl.torch.Simulation(model, lambda p: torch.optim.SGD(p, lr=arguments.lr), criterion,
                                        transform=scale)
    buffer = torch.empty(BATCH, 1, 28, 28, dtype=torch.uint8)
    began = time.perf_counter()
    for x, y, _ in tasks:
        order = torch.from_numpy(memory.order(len(y)))
        x, y = x[order.argsort()], y[order.argsort()]  # in the order of the task
        memory.begin_task(y)
        for i in order.split(BATCH):
            optimizer.zero_grad()
            if len(memory):
                xm, ym = memory.sample(BATCH, out=buffer)
                logits = model(scale(torch.cat([x[i], xm])))
                loss = criterion(logits[:len(i)], y[i]) + criterion(logits[len(i):], ym)
            else:
                loss = criterion(model(scale(x[i])), y[i])
            loss.backward()
            optimizer.step()
            memory.observe(i, y[i], x[i])
        choice = memory.end_task(x, simulation if policy.startswith("gps") else None)
        if choice is not None and choice.trials:
            say(f"  {choice}")
    seconds = time.perf_counter() - began
    model.eval()
    with torch.no_grad():
        right = [float((model(scale(permuted(test_x, order))).argmax(1) == test_y).float().mean())
                 for _, _, order in tasks]
    return 100 * statistics.mean(right), seconds, sum(each.seconds for each in memory.decisions) / seconds


def mean(values):
    deviation = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.mean(values):.2f} ± {deviation:.2f}"


def difference(a, b):
    """Returns the mean of b - a, seed by seed, as text, with its 95 % interval if there are at least two."""
    each = [after - before for before, after in zip(a, b)]
    centre = statistics.mean(each)
    if len(each) < 2:
        return f"{centre:+.2f}"
    t = T_975[max(known for known in T_975 if known <= len(each) - 1)]
    half = t * statistics.stdev(each) / math.sqrt(len(each))
    return f"{centre:+.2f} [{centre - half:+.2f}, {centre + half:+.2f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--policy", default="reservoir,mixed:1,gps")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tasks", type=int, default=5)
    parser.add_argument("--examples", type=int, default=2000)
    parser.add_argument("--model", choices=["mlp", "resnet"], default="mlp")
    parser.add_argument("--lr", type=float, default=0.1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    data_set = default_set()
    data = read(data_set)
    print(f"p-{data_set}, {arguments.tasks} tasks of {arguments.examples} examples, {arguments.seeds} seeds, "
          f"lr {arguments.lr}, er-loss sum, {arguments.model}\n")
    print("| policy | loop in PyTorch, accuracy % | seconds a run | simulation "
          "| gpscl run, accuracy % | seconds a run | simulation | difference |")
    print("|---|---|---|---|---|---|---|---|")
    for policy in arguments.policy.split(","):
        say(policy)
        ours = [run(data, data_set, policy, seed, arguments) for seed in range(arguments.seeds)]
        row = [policy, mean([a for a, _, _ in ours]), f"{statistics.mean(s for _, s, _ in ours):.2f}",
               f"{statistics.mean(share for *_, share in ours):.0%}"]
        model = ["resnet18", "--width", "8"] if arguments.model == "resnet" else ["mlp"]
        results = run_gpscl(arguments.build, [
            f"p-{data_set}", "--policy", policy, "--model", *model, "--tasks", str(arguments.tasks),
            "--examples-per-task", str(arguments.examples), "--epochs", "1", "--lr", str(arguments.lr),
            "--memory", str(STORED), "--er-loss", "sum", "--seeds", str(arguments.seeds), "--jobs", "1",
            "--evaluate", "last"]).values()
        results = sorted(results, key=lambda each: each["seed"])
        times = [each["seconds"] for each in results]
        all_seconds = [each["training"] + each["simulation"] for each in times]
        accuracies = [100 * each["metrics"]["average_accuracy"] for each in results]
        row += [mean(accuracies), f"{statistics.mean(all_seconds):.2f}",
                f"{statistics.mean(t['simulation'] / s for t, s in zip(times, all_seconds)):.0%}",
                difference(accuracies, [a for a, _, _ in ours]) if arguments.model == "mlp" else "-"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
