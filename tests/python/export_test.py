"""What `gpscl run --export` leaves is what PyTorch loads, and examples/python/take_over.py goes on from it.

Usage: export_test.py GPSCL
"""
import glob
import os
import sys
import tempfile

from common import SOURCE, run, torch
import safetensors_file
from tiny_mnist import write_tiny_mnist

gpscl = sys.argv[1]


def check_model(name):
    """The TorchScript and the safetensors say the same, under the same names."""
    model = torch.jit.load(name + ".model.pt")
    weights = safetensors_file.read(name + ".model.safetensors")
    state = model.state_dict()
    assert list(weights) and set(weights) == set(state), (set(weights) ^ set(state))
    for key, tensor in state.items():
        assert torch.equal(tensor, weights[key]), key
    assert not model.training
    assert all(parameter.requires_grad for parameter in model.parameters())
    return model


def check_memory(name, has_logits):
    memory = safetensors_file.read(name + ".memory.safetensors")
    count = len(memory["labels"])
    assert 0 < count <= 40
    assert memory["images"].shape == (count, 1, 8, 8) and memory["images"].dtype == torch.uint8
    assert set(memory["tasks"].tolist()) == {1, 2}
    assert set(memory["parts"].tolist()) <= {0, 1}
    assert memory["ids"].shape == (count,)
    assert ("logits" in memory) == has_logits
    return memory


with tempfile.TemporaryDirectory() as folder:
    data = os.path.join(folder, "data")
    write_tiny_mnist(os.path.join(data, "mnist"))
    for model_name, learner in (("mlp", "er"), ("convnet", "der++"), ("resnet18", "er")):
        out = os.path.join(folder, model_name)
        options = ["--width", "4"] if model_name != "mlp" else ["--hidden", "16"]
        run(gpscl, "run", "p-mnist", "--data", data, "--out", out, "--model", model_name, "--learner", learner,
            "--policy", "mixed", "--tasks", "2", "--epochs", "1", "--memory", "40", "--lr", "0.05", "--export", "model,memory",
            *options)
        (result,) = glob.glob(os.path.join(out, "*.json"))
        name = result[:-len(".json")]
        model = check_model(name)
        memory = check_memory(name, has_logits=learner == "der++")
        with torch.no_grad():
            assert model(memory["images"].float() / 255).shape == (len(memory["labels"]), 10)
            assert model.features(memory["images"].float() / 255).dim() == 2
        if learner == "er":
            continue
        said = run("/usr/bin/python3", "-B", os.path.join(SOURCE, "examples", "python", "take_over.py"), name)
        assert "step 10: loss" in said, said
        taken = torch.jit.load(name + ".taken_over.pt")
        assert not torch.equal(taken.state_dict()["linear.weight"], model.state_dict()["linear.weight"])
        # And back: what Python has trained is a model, and weights, for gpscl.
        run(gpscl, "run", "p-mnist", "--data", data, "--out", out, "--model", name + ".taken_over.pt", "--tasks", "2",
            "--epochs", "1", "--memory", "40")
print("ok")
