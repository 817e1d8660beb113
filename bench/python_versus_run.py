"""The MLP trained by PyTorch in a bare loop under gpscl.Memory, beside `gpscl run`: accuracy by seed, time, share of GPS.

Usage: python_versus_run.py BUILD_FOLDER [--policy reservoir,mixed:1,gps] [--seeds 5] [--tasks 5] [--examples 2000]
                            [--model mlp|resnet] [--lr 0.1]
Needs the package gpscl (make python; then build/venv/bin/python bench/python_versus_run.py build/release).

Permuted Fashion-MNIST (or MNIST), ER with the loss `sum`, 1000 stored examples, batches of 10 and 10, one epoch. The loop
presents examples in the order of `gpscl run` (Memory.order), but its permutations and first weights are drawn by PyTorch: the
two agree within the noise of seeds. With --model resnet the model is a small convolutional network with skips in PyTorch,
which `gpscl run` does not have; only the loop is measured.
"""
import argparse
import statistics
import time

import torch
from torch import nn

import gpscl
from common import default_set, read_idx, run_gpscl, say

STORED, BATCH = 1000, 10


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
                                  nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return torch.relu(x + self.body(x))


def make_model(name):
    if name == "resnet":
        return nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), Block(8), Block(8),
                             nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(128, 10))
    layers = [nn.Flatten(), nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10)]
    for layer in layers:
        if isinstance(layer, nn.Linear):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


def read(data_set):
    def images(name):
        return torch.frombuffer(bytearray(read_idx(data_set, f"{name}-images-idx3-ubyte", 16)), dtype=torch.uint8)

    def labels(name):
        return torch.frombuffer(bytearray(read_idx(data_set, f"{name}-labels-idx1-ubyte", 8)), dtype=torch.uint8).long()

    return [(images(name).view(-1, 1, 28, 28), labels(name)) for name in ("train", "t10k")]


def permuted(images, order):
    return images.flatten(1)[:, order].view(images.shape)


def scale(x):
    return x.float() / 255


def run(data, policy, seed, arguments):
    """Returns the accuracy after the last task, seconds, and the share of the simulation in the time of training."""
    (train_x, train_y), (test_x, test_y) = data
    torch.manual_seed(seed)
    orders = [torch.arange(784)] + [torch.randperm(784) for _ in range(arguments.tasks - 1)]
    model = make_model(arguments.model)
    optimizer = torch.optim.SGD(model.parameters(), lr=arguments.lr)
    criterion = nn.CrossEntropyLoss()
    memory = gpscl.Memory(STORED, policy, seed, classes=10, tasks=arguments.tasks, batch=BATCH)
    simulation = gpscl.torch.Simulation(model, lambda p: torch.optim.SGD(p, lr=arguments.lr), criterion, transform=scale)
    buffer = torch.empty(BATCH, 1, 28, 28, dtype=torch.uint8)
    began = time.perf_counter()
    for order in orders:
        chosen = torch.randperm(len(train_y))[:arguments.examples]
        x, y = permuted(train_x[chosen], order), train_y[chosen]
        memory.begin_task(y)
        for i in torch.from_numpy(memory.order(len(y))).split(BATCH):
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
        right = [float((model(scale(permuted(test_x, order))).argmax(1) == test_y).float().mean()) for order in orders]
    return 100 * statistics.mean(right), seconds, sum(each.seconds for each in memory.decisions) / seconds


def mean(values):
    deviation = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.mean(values):.2f} ± {deviation:.2f}"


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
    print(f"p-{data_set}, {arguments.tasks} tasks of {arguments.examples} examples, {arguments.seeds} seeds, lr {arguments.lr}, "
          f"er-loss sum, {arguments.model}\n")
    print("| policy | loop in PyTorch, accuracy % | seconds a run | simulation | gpscl run, accuracy % | seconds a run | simulation |")
    print("|---|---|---|---|---|---|---|")
    for policy in arguments.policy.split(","):
        say(policy)
        ours = [run(data, policy, seed, arguments) for seed in range(arguments.seeds)]
        row = [policy, mean([a for a, _, _ in ours]), f"{statistics.mean(s for _, s, _ in ours):.2f}",
               f"{statistics.mean(share for *_, share in ours):.0%}"]
        if arguments.model == "mlp":
            results = run_gpscl(arguments.build, [f"p-{data_set}", "--policy", policy, "--tasks", str(arguments.tasks),
                                                  "--examples-per-task", str(arguments.examples), "--epochs", "1", "--lr",
                                                  str(arguments.lr), "--seeds", str(arguments.seeds), "--jobs", "1"]).values()
            times = [each["seconds"] for each in results]
            all_seconds = [each["training"] + each["simulation"] for each in times]
            row += [mean([100 * each["metrics"]["average_accuracy"] for each in results]),
                    f"{statistics.mean(all_seconds):.2f}",
                    f"{statistics.mean(t['simulation'] / s for t, s in zip(times, all_seconds)):.0%}"]
        else:
            row += ["-", "-", "-"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
