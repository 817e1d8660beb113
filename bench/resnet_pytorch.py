"""One step of experience replay (10 + 10 images) on a ResNet18 in plain PyTorch. Prints the mean
microseconds of processor time per step.

Usage: resnet_pytorch.py fp32|bf16 SECONDS [WIDTH]
Each image is augmented separately, as data loaders do it: zero padding by 4, a crop, a flip, normalisation. bf16 is
PyTorch's autocast.
"""
import contextlib
import os
import random
import sys
import time

import torch
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "python"))
from resnet18 import ResNet18  # noqa: E402, the tests compare gps-cl with the same network

BATCH = 10


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
    network = ResNet18(width=int(sys.argv[3]) if len(sys.argv) > 3 else 64)
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
