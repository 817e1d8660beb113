"""A backbone of the user's own: scripted in Python, its features learnt by gpscl run and gpscl learn, exported with it.

Usage: backbone_test.py GPSCL
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

from common import fails, run, torch
from png_weeks import SIDE, write_weeks
from tiny_mnist import write_tiny_mnist
from torch import nn

import safetensors_file

gpscl = sys.argv[1]


class Features(nn.Module):
    """Maps images of any size to 96 features, of which some are zero."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        return self.dropout(nn.functional.adaptive_avg_pool2d(x, [4, 4]).flatten(1))


class Classifier(nn.Module):
    """Has logits, and features that a backbone takes instead."""

    def __init__(self):
        super().__init__()
        self.inner = Features()
        self.head = nn.Linear(96, 5)

    @torch.jit.export
    def features(self, x):
        return self.inner(x)

    def forward(self, x):
        return self.head(self.features(x))


class Maps(nn.Module):
    def forward(self, x):
        return x


class Broken(nn.Module):
    """Gives a feature that is no number for bright images, but not for a black one."""

    def forward(self, x):
        y = x.flatten(1)[:, :4]
        return y / (1 - (x.mean(dim=[1, 2, 3], keepdim=True).flatten(1) > 0.1).float())


class Growing(nn.Module):
    """Gives more features for bright images."""

    def forward(self, x):
        return x.flatten(1)[:, :4 + int(x.mean() > 0.1)]


def files(folder, ending):
    return sorted(glob.glob(os.path.join(folder, "*" + ending)))


def result(folder):
    (name,) = [name for name in files(folder, ".json") if not name.endswith(".model.json")]
    with open(name, encoding="utf-8") as file:
        return json.load(file)


with tempfile.TemporaryDirectory() as folder:
    def path(name):
        return os.path.join(folder, name)

    os.environ["XDG_CACHE_HOME"] = path("cache")
    torch.manual_seed(0)
    for name, module in {"features": Features(), "classifier": Classifier(), "maps": Maps(), "broken": Broken(),
                         "growing": Growing()}.items():
        torch.jit.script(module).save(path(name + ".pt"))
    with open(path("text.pt"), "w", encoding="ascii") as file:
        file.write("hello")
    backbone = ["--backbone", path("features.pt")]

    # gpscl run: on the stream of a benchmark. The result does not depend on workers or on the cache.
    write_tiny_mnist(os.path.join(path("data"), "mnist"))
    common = ["--data", path("data"), "--tasks", "5", "--epochs", "20", "--memory", "40", "--policy", "reservoir"]
    base = [gpscl, "run", "s-mnist", *common, *backbone]
    run(*base, "--out", path("one"), "--jobs", "1", "--export", "model,memory")
    first = result(path("one"))
    assert first["metrics"]["average_accuracy"] > 0.8, first["metrics"]
    assert first["spec"]["backbone_fingerprint"].startswith(str(os.path.getsize(path("features.pt"))) + "-")
    assert glob.glob(os.path.join(path("cache"), "gpscl", "decoded", "features-*.images"))
    run(*base, "--out", path("two"), "--jobs", "2")
    assert result(path("two"))["accuracy"] == first["accuracy"]
    os.environ["XDG_CACHE_HOME"] = path("another cache")
    run(*base, "--out", path("three"), "--jobs", "2")
    assert result(path("three"))["accuracy"] == first["accuracy"]

    # The memory has features in float16, the model both networks.
    (memory,) = files(path("one"), ".memory.safetensors")
    stored = safetensors_file.read(memory)
    assert stored["features"].shape == (40, 96) and stored["features"].dtype == torch.float16
    (model,) = files(path("one"), ".model.pt")
    both = torch.jit.load(model)
    own = torch.jit.load(path("features.pt")).eval()
    for key, tensor in own.state_dict().items():
        assert torch.equal(both.state_dict()["backbone." + key], tensor), key
    (weights,) = files(path("one"), ".model.safetensors")
    names = set(safetensors_file.read(weights))
    assert {"layers.0.weight", "backbone.first.weight", "backbone.norm.running_mean"} <= names, names

    # Killed in the middle, it goes on to the same bits.
    killed = subprocess.run([*base, "--out", path("killed")], env={**os.environ, "GPSCL_HALT": "kill@40"},
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert killed.returncode != 0
    stopped = subprocess.run([*base, "--out", path("killed"), "--restart"],
                             env={**os.environ, "GPSCL_HALT": "stop@40"}, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
    assert stopped.returncode == 130, stopped
    run(*base, "--out", path("killed"), "--resume")
    assert result(path("killed"))["accuracy"] == first["accuracy"]

    # GPS imagines a future of permuted features. Learners and policies that look at the network work too.
    run(*base[:-4], *backbone, "--out", path("gps"), "--policy", "gps,gradient,herding")
    for name in files(path("gps"), ".json"):
        with open(name, encoding="utf-8") as file:
            assert json.load(file)["metrics"]["average_accuracy"] > 0.7, name
    run(gpscl, "run", "s-mnist", "--data", path("data"), *backbone, "--epochs", "1", "--memory", "40", "--learner",
        "der++,gss,icarl,agem,oewc,joint", "--out", path("learners"))

    # What needs pixels is refused in one line.
    wrong = [gpscl, "run", "s-mnist", *common, "--out", path("wrong")]
    assert "--codec must be raw with --backbone" in fails(*wrong, *backbone, "--codec", "bits:4")
    assert "--future must be permutation or offline" in fails(*wrong[:-4], "--out", path("wrong"), *backbone, "--policy",
                                                              "gps:rotation")
    assert "--backbone cannot be used with learner 'hal'" in fails(*wrong, *backbone, "--learner", "hal")
    assert "works only with model mlp" in fails(*wrong, *backbone, "--model", "convnet")
    assert "p-mnist permute" in fails(gpscl, "run", "p-mnist", "--data", path("data"), *backbone, "--out", path("wrong"))
    assert "--backbone-input has no effect without --backbone" in fails(*wrong, "--backbone-input", "imagenet")
    assert "imagenet needs images in colour" in fails(*wrong, *backbone, "--backbone-input", "imagenet")

    # Bad backbones.
    wrong.append("--backbone")
    assert "text.pt: not a TorchScript file" in fails(*wrong, path("text.pt"))
    assert "no-such.pt" in fails(*wrong, path("no-such.pt"))
    assert "must map [1, 1, 8, 8] to [1, features], but gives [1, 1, 8, 8]" in fails(*wrong, path("maps.pt"))
    assert "gives a feature that is not finite" in fails(*wrong, path("broken.pt"))
    assert "gives [1, 5] for one image and [1, 4] for another" in fails(*wrong, path("growing.pt"))

    # gpscl learn: a state of its own, with a copy of the backbone.
    images = write_weeks(folder, 3)
    week = [os.path.join(folder, f"week{k}") for k in (1, 2, 3)]
    state = path("state")
    said = subprocess.run([gpscl, "learn", state, week[0], *backbone, "--memory", "30", "--epochs", "20"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert said.returncode == 0 and "mlp on 96 features of" in said.stderr, said
    assert os.path.getsize(os.path.join(state, "backbone.pt")) == os.path.getsize(path("features.pt"))
    run(gpscl, "learn", state, week[1], *backbone)  # the same file may be named again
    assert "differs from the backbone" in fails(gpscl, "learn", state, week[2], "--backbone", path("classifier.pt"))
    assert "96 features of each image" in run(gpscl, "learn", state, "--status")
    assert json.loads(run(gpscl, "learn", state, "--status", "--json"))["features"] == 96
    repeated = subprocess.run([gpscl, "learn", state, week[1]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", check=False)
    assert repeated.returncode == 2 and "already learnt as task 2" in repeated.stderr, repeated

    # The same call again makes the same state, to the bit, on any number of workers.
    again = path("again")
    run(gpscl, "learn", again, week[0], *backbone, "--memory", "30", "--epochs", "20", "--jobs", "1")
    first_state = run(gpscl, "predict", again, week[0], "--format", "csv")
    os.rename(path("features.pt"), path("elsewhere.pt"))  # the state has a copy
    assert run(gpscl, "predict", again, week[0], "--format", "csv") == first_state
    run(gpscl, "learn", again, week[1], "--jobs", "2")

    # What predict answers is what the exported module answers.
    known = {name: pixels for name, pixels in images.items() if "week3" not in name}
    answers = json.loads(run(gpscl, "predict", state, *known, "--format", "json", "--top", "99"))
    assert answers == json.loads(run(gpscl, "predict", again, *known, "--format", "json", "--top", "99"))
    run(gpscl, "export", state, "--format", "torchscript", "-o", path("export.pt"))
    with open(path("export.pt.json"), encoding="utf-8") as file:
        meaning = json.load(file)
    assert meaning["shape"] == [1, SIDE, SIDE] and meaning["backbone"]["features"] == 96, meaning
    batch = torch.tensor(list(known.values())).float().reshape(-1, 1, SIDE, SIDE) / 255
    with torch.no_grad():
        found = torch.softmax(torch.jit.load(path("export.pt"))(batch), 1)
    right = 0
    for row, entry in enumerate(answers):
        right += os.path.basename(os.path.dirname(entry["image"])) == entry["guesses"][0]["label"]
        for guess in entry["guesses"]:
            expected = found[row, meaning["classes"].index(guess["label"])].item()
            assert abs(guess["probability"] - expected) < 1e-3, (entry["image"], guess, expected)
    assert right > 0.8 * len(answers), f"{right} of {len(answers)}"
    run(gpscl, "export", state, "--format", "safetensors", "-o", path("export.safetensors"))
    weights = safetensors_file.read(path("export.safetensors"))
    for key, tensor in torch.jit.load(path("export.pt")).state_dict().items():
        if not key.endswith("num_batches_tracked"):
            assert torch.equal(tensor, weights[key]), key

    # The rest of the life of a state.
    evaluated = json.loads(run(gpscl, "learn", state, "--evaluate", week[0], "--json"))
    assert evaluated[0]["images"] == 24 and evaluated[0]["accuracy"] > 0.8, evaluated
    assert "6 classes in all" in run(gpscl, "learn", state, week[2])
    run(gpscl, "learn", state, "--rollback")
    os.remove(os.path.join(again, "backbone.pt"))
    assert "backbone.pt: the backbone is missing" in fails(gpscl, "predict", again, week[0])
    with open(os.path.join(state, "backbone.pt"), "ab") as file:
        file.write(b"more")
    assert "is another backbone than at the beginning" in fails(gpscl, "predict", state, week[0])

    # A budget in bytes counts features: two bytes each, and what a memory keeps beside them.
    os.rename(path("elsewhere.pt"), path("features.pt"))
    small = path("small")
    run(gpscl, "learn", small, week[0], *backbone, "--memory", "1MB", "--policy", "reservoir")
    memory = json.loads(run(gpscl, "learn", small, "--status", "--json"))["memory"]
    assert memory["bytes"] < 24 * (2 * 96 + 64), memory
    assert "not a TorchScript file" in fails(gpscl, "learn", path("bad"), week[0], "--backbone", path("text.pt"))
    assert not os.path.exists(path("bad")) or not files(path("bad"), ".state")

    # A network that gpscl exported is a backbone: its features are those before its last layer.
    run(gpscl, "learn", path("source"), week[0], "--model", "convnet", "--width", "4", "--accept")
    run(gpscl, "export", path("source"), "--format", "torchscript", "-o", path("convnet.pt"))
    run(gpscl, "learn", path("on convnet"), week[1], "--backbone", path("convnet.pt"), "--accept")
    run(gpscl, "run", path("week1"), "--classes-per-task", "1", "--backbone", path("classifier.pt"), "--epochs", "1",
        "--out", path("own"))
print("ok")
