"""Our ResNet18 beside the same network in torch.nn, from the same weights: forward, loss, every gradient, the
statistics of batch normalisation after a step, and some steps of experience replay on 10 + 10 images.

Usage: resnet18_equality.py WRITE_REFERENCE WIDTH
Images are CIFAR-10's where $GPSCL_DATA has them, made up otherwise.
"""
import os
import random
import sys
import tarfile
import tempfile

from common import run, torch
import safetensors_file
from resnet18 import ResNet18
from torch.nn import functional as F

program, width = sys.argv[1], int(sys.argv[2])
ROWS, RATE = 20, 0.03
STEPS = 10 if width < 64 else 3  # the full width takes ten times as long


def images():
    count = ROWS * (STEPS + 1)
    archive = os.path.join(os.environ.get("GPSCL_DATA", ""), "cifar-10-binary.tar.gz")
    if os.path.exists(archive):
        with tarfile.open(archive) as tar:
            member = next(m for m in tar if m.name.endswith("data_batch_1.bin"))
            return "CIFAR-10", tar.extractfile(member).read(3073 * count)
    draw = random.Random(1)
    records = []
    for _ in range(count):
        label = draw.randrange(10)
        records.append(bytes([label]) + bytes((draw.randrange(200) + 5 * label) % 256 for _ in range(3072)))
    return "made-up", b"".join(records)


def worst(a, b):
    """|a - b| / max(1, largest |b|)"""
    return ((a - b).abs().max() / max(1.0, b.abs().max().item())).item()


def check(what, a, b, tolerance):
    error = worst(a, b)
    print(f"{what:24} {error:.2e} (at most {tolerance:.0e})")
    assert error <= tolerance, f"{what}: {error:.3e} is more than {tolerance:.0e}"


kind, records = images()
with tempfile.TemporaryDirectory() as folder:
    source, out = os.path.join(folder, "images"), os.path.join(folder, "reference.safetensors")
    with open(source, "wb") as file:
        file.write(records)
    run(program, width, 10, "fp32", STEPS, source, out)
    ours = safetensors_file.read(out)
print(f"width {width}, {kind} images")

mean = torch.tensor([0.4914, 0.4822, 0.4465]).reshape(1, 3, 1, 1)
deviation = torch.tensor([0.2470, 0.2435, 0.2615]).reshape(1, 3, 1, 1)
x = (ours["images"].float() / 255 - mean) / deviation
y = ours["labels"]


def state(prefix):
    return {name[len(prefix):]: tensor.clone() for name, tensor in ours.items() if name.startswith(prefix)}


def fresh():
    model = ResNet18(width=width)
    model.load_state_dict(state("first."))
    return model


def er_loss(model, first):
    logits = model(x[first:first + ROWS])
    labels = y[first:first + ROWS]
    half = ROWS // 2
    return F.cross_entropy(logits[:half], labels[:half]) + F.cross_entropy(logits[half:], labels[half:])


def compare_states(model, prefix, tolerance):
    expected = state(prefix)
    for kinds, what in ((("weight", "bias"), "weights"), (("running_mean", "running_var"), "statistics")):
        error = max(worst(expected[name], tensor) for name, tensor in model.state_dict().items()
                    if name.endswith(kinds))
        print(f"{prefix + what:24} {error:.2e} (at most {tolerance:.0e})")
        assert error <= tolerance, f"{prefix}{what}: {error:.3e}"


model = fresh().eval()
with torch.no_grad():
    check("logits, prediction mode", ours["eval_logits"], model(x[:ROWS]), 1e-5)
    model.train()
    check("logits, training mode", ours["train_logits"], model(x[:ROWS]), 1e-4)

model = fresh().train()
assert [name for name, _ in model.named_parameters()] == [n for n in state("first.") if "running" not in n]
loss = er_loss(model, 0)
loss.backward()
at = 0
errors = {}
for name, parameter in model.named_parameters():
    part = ours["gradient"][at:at + parameter.numel()].reshape(parameter.shape)
    errors[name] = ((part - parameter.grad).norm() / parameter.grad.norm()).item()
    at += parameter.numel()
name = max(errors, key=errors.get)
print(f"{'gradients':24} {errors[name]:.2e} relative, worst of {len(errors)} ({name}; at most 1e-03)")
assert errors[name] <= 1e-3
with torch.no_grad():
    for parameter in model.parameters():
        parameter -= RATE * parameter.grad
compare_states(model, "after_one.", 1e-5)

model = fresh().train()
optimiser = torch.optim.SGD(model.parameters(), lr=RATE)
losses = []
for step in range(STEPS):
    loss = er_loss(model, ROWS * (step + 1))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    losses.append(loss.item())
check("losses of all steps", ours["losses"], torch.tensor(losses), 1e-3)
compare_states(model, "after_all.", 2e-3)
model.eval()
with torch.no_grad():
    check("logits after all steps", ours["last_logits"], model(x[:ROWS]), 1e-2)
