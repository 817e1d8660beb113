"""The paper's P-MNIST step in PyTorch, as PyTorch users write it, for comparison with gps-cl.

Usage: pytorch_step.py VARIANT SET SECONDS    prints microseconds per step
  eager        ER in a plain loop: autograd, torch.optim.SGD, a reservoir in Python
  scripted     ER with gradients derived by hand, the whole update one TorchScript function
  eager-derpp  DER++ in a plain loop

A step of ER is: 10 current and 10 memory examples, forward, mean cross entropy of each, backward, SGD, reservoir
update. A step of DER++ (Buzzega et al. 2020) has three parts: cross entropy on 10 current examples, alpha = 1 times the
mean squared error of the logits on 10 memory examples against the logits stored with them, and beta = 0.5 times the
cross entropy on another 10; the reservoir stores the logits of the current examples too.
"""
import random
import sys
import time

import torch
from torch import nn

from common import read_idx

torch.set_num_threads(1)


def read(data_set, name, header):
    return torch.frombuffer(bytearray(read_idx(data_set, name, header)), dtype=torch.uint8)


class Stream:
    """Permuted images as floats, and a memory of 1000 that is filled by a reservoir."""

    def __init__(self, data_set):
        images = read(data_set, "train-images-idx3-ubyte", 16).view(-1, 784)
        self.images = images[:, torch.randperm(784)].float() / 255
        self.labels = read(data_set, "train-labels-idx1-ubyte", 8).long()
        self.order = torch.randperm(len(self.labels))
        self.at = 0
        self.memory_images = torch.zeros(1000, 784)
        self.memory_labels = torch.zeros(1000, dtype=torch.long)
        self.memory_logits = torch.zeros(1000, 10)
        self.seen = 0
        while self.seen < 1000:
            self.remember(*self.batch())

    def batch(self):
        if self.at + 10 > len(self.order):
            self.at = 0
        rows = self.order[self.at:self.at + 10]
        self.at += 10
        return self.images[rows], self.labels[rows]

    def draw(self):
        return torch.tensor(random.sample(range(1000), 10))

    def replay(self):
        rows = self.draw()
        return self.memory_images[rows], self.memory_labels[rows]

    def replay_logits(self):
        rows = self.draw()
        return self.memory_images[rows], self.memory_logits[rows]

    def remember(self, images, labels, logits=None):
        for k in range(len(labels)):
            slot = self.seen if self.seen < 1000 else random.randint(0, self.seen)
            if slot < 1000:
                self.memory_images[slot] = images[k]
                self.memory_labels[slot] = labels[k]
                if logits is not None:
                    self.memory_logits[slot] = logits[k]
            self.seen += 1


def mlp():
    return nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10))


def eager(stream):
    model = mlp()
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


def eager_derpp(stream):
    alpha, beta = 1.0, 0.5
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_of = nn.CrossEntropyLoss()
    distance = nn.MSELoss()
    with torch.no_grad():
        stream.memory_logits = model(stream.memory_images)

    def step():
        images, labels = stream.batch()
        first_images, old_logits = stream.replay_logits()
        second_images, old_labels = stream.replay()
        optimizer.zero_grad()
        logits = model(torch.cat((images, first_images, second_images)))
        loss = loss_of(logits[:10], labels) + alpha * distance(logits[10:20], old_logits)
        loss = loss + beta * loss_of(logits[20:], old_labels)
        loss.backward()
        optimizer.step()
        stream.remember(images, labels, logits[:10].detach())

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
    step = {"eager": eager, "scripted": scripted, "eager-derpp": eager_derpp}[variant](Stream(data_set))
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
