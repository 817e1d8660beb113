"""The paper's P-MNIST step in PyTorch, as its users write it, for comparison with ours.

Usage: pytorch_step.py VARIANT SET SECONDS    prints microseconds a step
  eager      a bare loop: autograd, torch.optim.SGD, a reservoir in Python
  scripted   gradients derived by hand, the whole update one TorchScript function

A step is: 10 current and 10 memory examples, forward, mean cross entropy of each, backward, SGD, reservoir update.
"""
import gzip
import os
import random
import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)


def read_idx(name, header):
    for folder in (os.environ.get("GPSCL_DATA", ""), os.path.expanduser("~/.cache/gpscl"), "/usr/share/datasets"):
        for ending, opener in (("", open), (".gz", gzip.open)):
            path = os.path.join(folder, name + ending)
            if os.path.exists(path):
                with opener(path, "rb") as file:
                    return torch.frombuffer(bytearray(file.read()[header:]), dtype=torch.uint8)
    sys.exit(f"pytorch_step.py: {name} not found; set GPSCL_DATA")


class Stream:
    """Permuted images as floats, a memory of 1000, and the reservoir that fills it."""

    def __init__(self, data_set):
        images = read_idx(f"{data_set}/train-images-idx3-ubyte", 16).view(-1, 784)
        self.images = images[:, torch.randperm(784)].float() / 255
        self.labels = read_idx(f"{data_set}/train-labels-idx1-ubyte", 8).long()
        self.order = torch.randperm(len(self.labels))
        self.at = 0
        self.memory_images = torch.zeros(1000, 784)
        self.memory_labels = torch.zeros(1000, dtype=torch.long)
        self.seen = 0
        while self.seen < 1000:
            self.remember(*self.batch())

    def batch(self):
        if self.at + 10 > len(self.order):
            self.at = 0
        rows = self.order[self.at:self.at + 10]
        self.at += 10
        return self.images[rows], self.labels[rows]

    def replay(self):
        rows = torch.tensor(random.sample(range(1000), 10))
        return self.memory_images[rows], self.memory_labels[rows]

    def remember(self, images, labels):
        for k in range(len(labels)):
            slot = self.seen if self.seen < 1000 else random.randint(0, self.seen)
            if slot < 1000:
                self.memory_images[slot] = images[k]
                self.memory_labels[slot] = labels[k]
            self.seen += 1


def eager(stream):
    model = nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_of = nn.CrossEntropyLoss()

    def step():
        images, labels = stream.batch()
        old_images, old_labels = stream.replay()
        optimizer.zero_grad()
        logits = model(torch.cat((images, old_images)))
        loss = loss_of(logits[:10], labels) + loss_of(logits[10:], old_labels)
        loss.backward()
        optimizer.step()
        stream.remember(images, labels)

    return step


@torch.jit.script
def update(x, y, w1, b1, w2, b2, w3, b3, lr: float):
    h1 = torch.relu(torch.addmm(b1, x, w1))
    h2 = torch.relu(torch.addmm(b2, h1, w2))
    error = torch.softmax(torch.addmm(b3, h2, w3), 1)
    error.scatter_add_(1, y.unsqueeze(1), torch.full([y.size(0), 1], -1.0))
    error *= 0.1
    e2 = torch.mm(error, w3.t()) * (h2 > 0)
    e1 = torch.mm(e2, w2.t()) * (h1 > 0)
    w3.addmm_(h2.t(), error, alpha=-lr)
    b3.sub_(error.sum(0), alpha=lr)
    w2.addmm_(h1.t(), e2, alpha=-lr)
    b2.sub_(e2.sum(0), alpha=lr)
    w1.addmm_(x.t(), e1, alpha=-lr)
    b1.sub_(e1.sum(0), alpha=lr)


def scripted(stream):
    sizes = (784, 100, 100, 10)
    weights = []
    for i, o in zip(sizes, sizes[1:]):
        weights += [(torch.rand(i, o) * 2 - 1) * (6 / (i + o)) ** 0.5, torch.zeros(o)]

    def step():
        images, labels = stream.batch()
        old_images, old_labels = stream.replay()
        with torch.no_grad():
            update(torch.cat((images, old_images)), torch.cat((labels, old_labels)), *weights, 0.1)
        stream.remember(images, labels)

    return step


def main():
    variant, data_set, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    step = {"eager": eager, "scripted": scripted}[variant](Stream(data_set))
    for _ in range(200):
        step()
    start = time.perf_counter()
    steps = 0
    while time.perf_counter() - start < seconds:
        for _ in range(50):
            step()
        steps += 50
    print(f"{1e6 * (time.perf_counter() - start) / steps:.2f}")


main()
