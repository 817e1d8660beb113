"""Continues to train the network of a gpscl run, with its memory, in a plain PyTorch loop with replay.

    gpscl run s-mnist --policy gps --out results --export model,memory
    python3 take_over.py results/NAME

Loads NAME.model.pt (TorchScript; images are [N, C, H, W] floats in [0, 1], and the module normalises them itself) and
NAME.memory.safetensors (images, labels, tasks, parts; part 1 is the ring part). Trains ten steps on made-up images of
the memory's classes, and replays the memory. Replace the made-up images with your own.
"""
import sys

import torch
from torch.nn import functional

import safetensors_file

torch.manual_seed(0)
name = sys.argv[1]
model = torch.jit.load(name + ".model.pt")
memory = safetensors_file.read(name + ".memory.safetensors")
images, labels = memory["images"].float() / 255, memory["labels"]


def remembered():
    """The share of the memory that the network still classifies correctly."""
    model.eval()
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


print(f"{len(labels)} examples of tasks {sorted(set(memory['tasks'].tolist()))}, "
      f"{int(memory['parts'].sum())} of them in the ring part; {100 * remembered():.1f} % right")
model.train()
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(10):
    new_images, new_labels = torch.rand(10, *images.shape[1:]), labels[torch.randint(len(labels), (10,))]
    old = torch.randint(len(labels), (10,))
    logits = model(torch.cat([new_images, images[old]]))
    loss = functional.cross_entropy(logits[:10], new_labels) + functional.cross_entropy(logits[10:], labels[old])
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    print(f"step {step + 1}: loss {loss.item():.4f}")
model.eval()
print(f"{100 * remembered():.1f} % right after it")
model.save(name + ".taken_over.pt")
