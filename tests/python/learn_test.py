"""gpscl learn and export with networks of LibTorch and of the user's own: PyTorch says the same as gpscl predict.

Usage: learn_test.py GPSCL
"""
import json
import os
import sys
import tempfile

from common import fails, run, torch
from png_weeks import SIDE, write_weeks
from torch import nn

import safetensors_file

gpscl = sys.argv[1]


class Own(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, padding=1)
        self.last = nn.Linear(256, outputs)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)).flatten(1))


def check_export(state, images, module):
    """The exported module and gpscl predict agree on every image and class."""
    run(gpscl, "export", state, "--format", "torchscript", "-o", module)
    with open(module + ".json", encoding="utf-8") as file:
        classes = json.load(file)["classes"]
    said = json.loads(run(gpscl, "predict", state, *images, "--format", "json", "--top", "99"))
    batch = torch.tensor(list(images.values())).float().reshape(-1, 1, SIDE, SIDE) / 255
    with torch.no_grad():
        model = torch.jit.load(module)
        found = torch.softmax(model(batch)[:, :len(classes)], 1)
    for row, entry in enumerate(said):
        for guess in entry["guesses"]:
            expected = found[row, classes.index(guess["label"])].item()
            assert abs(guess["probability"] - expected) < 1e-4, (entry["image"], guess, expected)
    run(gpscl, "export", state, "--format", "safetensors", "-o", module + ".safetensors")
    weights = safetensors_file.read(module + ".safetensors")
    tensors = model.state_dict()
    assert set(weights) == set(tensors)
    for key, tensor in tensors.items():
        assert torch.equal(tensor, weights[key]), key


with tempfile.TemporaryDirectory() as folder:
    images = write_weeks(folder, 3)
    torch.manual_seed(0)
    torch.jit.script(Own(4)).save(os.path.join(folder, "own.pt"))
    cases = {"mlp": ["--hidden", "16"], "convnet": ["--width", "4"], "resnet18": ["--width", "4"]}
    for model, options in {**cases, os.path.join(folder, "own.pt"): []}.items():
        state = os.path.join(folder, os.path.basename(model) + ".state-folder")
        week = [os.path.join(folder, f"week{k}") for k in (1, 2, 3)]
        run(gpscl, "learn", state, week[0], "--model", model, "--memory", "20", "--lr", "0.05", "--epochs", "3",
            "--learner", "der++", *options)
        run(gpscl, "learn", state, week[1])
        known = {path: pixels for path, pixels in images.items() if "week3" not in path}
        check_export(state, known, os.path.join(folder, os.path.basename(model) + ".export.pt"))
        if model in cases:
            assert "6 classes in all" in run(gpscl, "learn", state, week[2])
        else:
            said = fails(gpscl, "learn", state, week[2])
            assert "4 outputs and uses 4" in said and "class4, class5" in said, said
            os.remove(model)  # the state has a copy
            assert "version 2" in run(gpscl, "learn", state, "--status")
print("ok")
