"""An ER step of ResNet18 on 10 + 10 images of 3 x 32 x 32 in PyTorch, as its users write it: a bare loop, autograd,
torch.optim.SGD, a reservoir in Python, random crops and flips image by image.

Usage: pytorch_resnet.py SECONDS [WIDTH]    prints images a second
"""
import os
import random
import sys
import time

import torch
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "python"))
from resnet18 import ResNet18  # noqa: E402

torch.set_num_threads(1)
MEAN = torch.tensor([0.4914, 0.4822, 0.4465]).reshape(3, 1, 1)
DEVIATION = torch.tensor([0.2470, 0.2435, 0.2615]).reshape(3, 1, 1)


def augmented(image):
    padded = F.pad(image, (4, 4, 4, 4))
    top, left = random.randrange(9), random.randrange(9)
    crop = padded[:, top:top + 32, left:left + 32]
    if random.random() < 0.5:
        crop = crop.flip(2)
    return (crop.float() / 255 - MEAN) / DEVIATION


def main():
    seconds = float(sys.argv[1])
    width = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    images = torch.randint(0, 256, (500, 3, 32, 32), dtype=torch.uint8)
    labels = torch.randint(0, 10, (500,))
    model = ResNet18(width=width).train()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.03)
    memory, seen = [], 0
    count, start, step = 0, time.perf_counter(), 0
    while step < 3 or time.perf_counter() - start < seconds:
        now = random.sample(range(500), 10)
        old = random.sample(memory, min(10, len(memory)))
        x = torch.stack([augmented(images[k]) for k in now + old])
        logits = model(x)
        loss = F.cross_entropy(logits[:10], labels[now])
        if old:
            loss = loss + F.cross_entropy(logits[10:], labels[old])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        for k in now:
            seen += 1
            if len(memory) < 200:
                memory.append(k)
            elif (at := random.randrange(seen)) < 200:
                memory[at] = k
        count, step = count + 20, step + 1
        if step == 3:  # the first ones find out which kernels to use, and fill the memory
            count, start = 0, time.perf_counter()
    print(count / (time.perf_counter() - start))


main()
