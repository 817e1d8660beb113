"""A model of the user's own: scripted in Python, trained by gpscl under every learner and policy, saved back.

Usage: own_model_test.py GPSCL
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

from common import fails, run, torch
from tiny_mnist import write_tiny_mnist
from torch import nn

gpscl = sys.argv[1]


class Own(nn.Module):
    """With batch normalisation, a frozen layer, and features of its own."""

    def __init__(self, outputs=10):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.frozen = nn.Linear(256, 32)
        self.frozen.requires_grad_(False)
        self.last = nn.Linear(32, outputs)

    @torch.jit.export
    def features(self, x):
        return torch.relu(self.frozen(torch.relu(self.norm(self.first(x))).flatten(1)))

    def forward(self, x):
        return self.last(self.features(x))


class Wrong(nn.Module):
    """Maps an image to one number."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return (x * self.weight).sum()


class Nothing(nn.Module):
    def forward(self, x):
        return x.flatten(1)[:, :10]


class Deaf(nn.Module):
    """Says the same of every image."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(10))

    def forward(self, x):
        return torch.zeros(x.size(0), 10) + self.bias


class Tied(nn.Module):
    """One weight under two names."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(64, 64)
        self.b = nn.Linear(64, 64)
        self.b.weight = self.a.weight
        self.last = nn.Linear(64, 10)

    def forward(self, x):
        return self.last(torch.relu(self.b(torch.relu(self.a(x.flatten(1))))))


class Moody(nn.Module):
    """Gives more values while it is trained."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 10)

    def forward(self, x):
        y = self.layer(x.flatten(1))
        if self.training:
            return torch.cat([y, y, y, y], 1)
        return y


with tempfile.TemporaryDirectory() as folder:
    def path(name):
        return os.path.join(folder, name)

    def accuracy(out):
        (result,) = glob.glob(os.path.join(path(out), "*.json"))
        with open(result, encoding="utf-8") as file:
            return result[:-len(".json")], json.load(file)

    data = path("data")
    write_tiny_mnist(os.path.join(data, "mnist"))
    torch.manual_seed(0)
    own = Own()
    torch.jit.script(own).save(path("own.pt"))
    torch.jit.script(Wrong()).save(path("wrong.pt"))
    torch.jit.script(Nothing()).save(path("nothing.pt"))
    torch.jit.script(Own(7)).save(path("seven.pt"))
    torch.jit.script(nn.Sequential(nn.Flatten(), nn.Linear(100, 10))).save(path("hundred.pt"))
    torch.save(dict(own.state_dict()), path("state.pt"))
    with open(path("text.pt"), "w", encoding="ascii") as file:
        file.write("hello")
    common = ["--data", data, "--tasks", "5", "--epochs", "2", "--memory", "40"]

    # One learner and one policy after another, and one result the same on two workers.
    base = [gpscl, "run", "s-mnist", *common, "--model", path("own.pt"), "--lr", "0.05"]
    policies = "reservoir,ring-full,hybrid,mixed,cur-res,cur-ring-full,gradient,herding,one-batch,gps:permutation,gps:cur"
    run(*base, "--policy", policies, "--out", path("policies"), "--score-examples", "10")
    for result in glob.glob(os.path.join(path("policies"), "*.json")):
        with open(result, encoding="utf-8") as file:
            assert json.load(file)["metrics"]["average_accuracy"] > 0.6, result
    learners = "der,der++,hal,agem,gss,icarl,gdumb,oewc,ogd,sgd"
    run(*base, "--learner", learners, "--out", path("learners"), "--directions", "4", "--anchor-steps", "2")
    assert len(glob.glob(os.path.join(path("learners"), "*.json"))) == 10

    run(*base, "--out", path("one"), "--jobs", "1", "--export", "model")
    name, result = accuracy("one")
    run(*base, "--out", path("two"), "--jobs", "2", "--policy", "reservoir")
    assert accuracy("two")[1]["accuracy"] == result["accuracy"]
    assert result["spec"]["model_fingerprint"].startswith(str(os.path.getsize(path("own.pt"))) + "-")

    # Saved back: PyTorch loads it, the frozen layer is as it was, the others and the statistics are not.
    back = torch.jit.load(name + ".model.pt").state_dict()
    before = own.state_dict()
    assert set(back) == set(before)
    for key in ("frozen.weight", "frozen.bias"):
        assert torch.equal(back[key], before[key]), key
    for key in ("first.weight", "norm.running_mean", "last.bias"):
        assert not torch.equal(back[key], before[key]), key

    # Weights by --init: a state dict, TorchScript, safetensors.
    for weights in (path("state.pt"), path("own.pt"), name + ".model.safetensors"):
        run(*base, "--init", weights, "--out", path("init"))

    # hal asks for gradients of images, which this model does not have.
    torch.jit.script(Deaf()).save(path("deaf.pt"))
    run(gpscl, "run", "s-mnist", *common, "--model", path("deaf.pt"), "--learner", "hal", "--anchor-steps", "2",
        "--out", path("deaf"))

    torch.jit.script(Tied()).save(path("tied.pt"))
    run(gpscl, "run", "s-mnist", *common, "--model", path("tied.pt"), "--out", path("tied"), "--export", "model")
    tied = torch.jit.load(accuracy("tied")[0] + ".model.pt")
    assert torch.equal(tied.a.weight, tied.b.weight), "one weight became two"
    assert not torch.equal(tied.a.bias, tied.b.bias)

    torch.jit.script(Moody()).save(path("moody.pt"))
    moody = subprocess.run([gpscl, "run", "s-mnist", *common, "--model", path("moody.pt"), "--out", path("moody")],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert moody.returncode == 1, moody
    assert "moody.pt: forward gives [" in moody.stderr and "in training mode, not [" in moody.stderr, moody.stderr

    wrong = [gpscl, "run", "s-mnist", *common, "--out", path("wrong"), "--model"]
    assert "not a TorchScript file" in fails(*wrong, path("text.pt"))
    assert "no-such.pt" in fails(*wrong, path("no-such.pt"))
    assert "must map [1, 1, 8, 8] to [1, classes], but gives []" in fails(*wrong, path("wrong.pt"))
    assert "has no parameters" in fails(*wrong, path("nothing.pt"))
    assert "7 outputs" in fails(*wrong, path("seven.pt")) and "10 classes" in fails(*wrong, path("seven.pt"))
    assert "does not take images of shape [1, 1, 8, 8]" in fails(*wrong, path("hundred.pt"))
    said = fails(*wrong, path("own.pt"), "--init", path("seven.pt"))
    assert "last.weight is [7, 32] instead of [10, 32]" in said and "last.bias is [7] instead of [10]" in said, said
    assert "neither TorchScript nor a plain dict" in fails(*wrong, path("own.pt"), "--init", path("text.pt"))
    assert "--device cuda:77: LibTorch finds" in fails(*wrong, path("own.pt"), "--device", "cuda:77")
print("ok")
