"""One step of experience replay (10 + 10 images) on a ResNet18 of full width in bare PyTorch: prints the mean
microseconds of processor time of a step.

Usage: resnet_pytorch.py fp32|bf16 SECONDS
Each image is augmented by itself, as data loaders do it: zero padding by 4, a crop, a flip, normalisation. bf16 is
PyTorch's autocast.
"""
import contextlib
import random
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self, classes=10, width=64):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        blocks, inputs = [], width
        for stage in range(4):
            for k in range(2):
                blocks.append(Block(inputs, width << stage, 2 if stage > 0 and k == 0 else 1))
                inputs = width << stage
        self.blocks = nn.Sequential(*blocks)
        self.linear = nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.blocks(F.relu(self.bn1(self.conv1(x))))
        return self.linear(F.adaptive_avg_pool2d(x, 1).flatten(1))


MEAN = torch.tensor([0.4914, 0.4822, 0.4465]).view(3, 1, 1)
DEVIATION = torch.tensor([0.2470, 0.2435, 0.2615]).view(3, 1, 1)


def augmented(image):
    padded = F.pad(image, (4, 4, 4, 4))
    y, x = random.randrange(9), random.randrange(9)
    crop = padded[:, y:y + 32, x:x + 32]
    if random.random() < 0.5:
        crop = crop.flip(2)
    return (crop.float() / 255 - MEAN) / DEVIATION


def main():
    precision, seconds = sys.argv[1], float(sys.argv[2])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    network = ResNet18()
    assert sum(p.numel() for p in network.parameters()) == 11173962
    optimiser = torch.optim.SGD(network.parameters(), lr=0.01)
    images = torch.randint(0, 256, (1000, 3, 32, 32), dtype=torch.uint8)
    labels = torch.arange(1000) % 10

    def lower():
        return torch.autocast("cpu", torch.bfloat16) if precision == "bf16" else contextlib.nullcontext()

    def step():
        rows = torch.randint(0, 1000, (2 * BATCH,))
        x = torch.stack([augmented(images[row]) for row in rows.tolist()])
        y = labels[rows]
        optimiser.zero_grad()
        with lower():
            logits = network(x)
        logits = logits.float()
        loss = F.cross_entropy(logits[:BATCH], y[:BATCH]) + F.cross_entropy(logits[BATCH:], y[BATCH:])
        loss.backward()
        optimiser.step()

    for _ in range(2):
        step()
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds or steps == 0:
        step()
        steps += 1
    print(1e6 * (time.process_time() - start) / steps)


main()
