"""Class-incremental learning of images like CIFAR's in a PyTorch loop of your own, with a memory of gpscl.

    python3 image_loop.py [gps|reservoir|ring-full|mixed:1|...]

Made-up images of 32 x 32 pixels in colour, so that it runs anywhere: six classes, two new ones in each task. Replace
`make_images` with your own data. The memory has a budget in bytes and keeps the images as bytes; augmentation is applied
to what it gives back. After each task its state is saved, and the loop could go on from it in another process.
"""
import os
import sys
import tempfile

import torch
from torch import nn

import gpscl

POLICY = sys.argv[1] if len(sys.argv) > 1 else "gps"
BATCH = 16
torch.manual_seed(0)
patterns = torch.randint(256, (6, 3, 8, 8)).float()


def make_images(label, count):
    """Images of one class: a coarse pattern with much noise, in bytes."""
    coarse = patterns[label] + 60 * torch.randn(count, 3, 8, 8)
    return nn.functional.interpolate(coarse, size=32).clamp(0, 255).to(torch.uint8)


def make_task(labels, count):
    x = torch.cat([make_images(label, count) for label in labels])
    return x, torch.tensor(labels).repeat_interleave(count)


def augmented(x):
    """Bytes as the network takes them, in training: half of the images are flipped."""
    x = x.float() / 255
    flipped = torch.rand(len(x)) < 0.5
    x[flipped] = x[flipped].flip(-1)
    return x


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(),
                                    nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
                                    nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(256, 6))

    def forward(self, x):
        return self.layers(x)


def make_optimizer(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)


model = SmallNet()
optimizer = make_optimizer(model.parameters())
criterion = nn.CrossEntropyLoss()
memory = gpscl.Memory(budget="100kB", policy=POLICY, seed=0, classes=6, tasks=3, batch=BATCH)
simulation = gpscl.torch.Simulation(model, make_optimizer, criterion, future="rotation", transform=augmented)
buffer = torch.empty(BATCH, 3, 32, 32, dtype=torch.uint8)  # with a GPU: pin_memory=True
tested = []
with tempfile.TemporaryDirectory() as folder:
    for task, labels in enumerate(([0, 1], [2, 3], [4, 5]), 1):
        x, y = make_task(labels, 100)
        tested.append(make_task(labels, 50))
        for epoch in range(2):
            for i in torch.randperm(len(x)).split(BATCH):
                inputs, targets = augmented(x[i]), y[i]
                if len(memory):
                    xm, ym = memory.sample(BATCH, out=buffer)
                    inputs, targets = torch.cat([inputs, augmented(xm)]), torch.cat([targets, ym])
                optimizer.zero_grad()
                criterion(model(inputs), targets).backward()
                optimizer.step()
                if epoch == 0:
                    memory.observe(i, y[i], x[i])
        choice = memory.end_task(x, simulation if POLICY.startswith("gps") else None)
        if choice is not None:
            print(choice)
        torch.save(memory.state_dict(), os.path.join(folder, "memory.pt"))
    resumed = gpscl.Memory.from_state_dict(torch.load(os.path.join(folder, "memory.pt")))
assert (resumed.indices == memory.indices).all()

print(f"{len(memory)} images in {memory.nbytes} bytes")
with torch.no_grad():
    for task, (x, y) in enumerate(tested, 1):
        right = (model(x.float() / 255).argmax(1) == y).float().mean().item()
        print(f"task {task}: {100 * right:.1f} % among six classes")
