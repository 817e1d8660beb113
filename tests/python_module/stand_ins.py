"""Small stand-ins for the parts of Avalanche and Mammoth that gpscl's adapters meet. They follow the interfaces of Avalanche
(commit eb075be) and Mammoth (commit e75a491); docs/python.md says how the adapters were tried with the real ones."""
import argparse
import sys
import types
from abc import ABC, abstractmethod

import torch
from torch import nn


def _module(name, **members):
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        path = ".".join(parts[:end])
        if path not in sys.modules:
            sys.modules[path] = types.ModuleType(path)
            sys.modules[path].__path__ = []
            if end > 1:
                setattr(sys.modules[".".join(parts[:end - 1])], parts[end - 1], sys.modules[path])
    for key, value in members.items():
        setattr(sys.modules[name], key, value)


# Avalanche.


class Data:
    """An AvalancheDataset: items are (image, label, task label); concat, subset and eval return new ones."""

    def __init__(self, items):
        self.items = list(items)

    @property
    def targets(self):
        return [item[1] for item in self.items]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def concat(self, other):
        return Data(self.items + other.items)

    def subset(self, indices):
        return Data(self.items[index] for index in indices)

    def eval(self):
        return Data(self.items)


class ExemplarsBuffer(ABC):
    def __init__(self, max_size):
        self.max_size = max_size
        self._buffer = Data([])

    @property
    def buffer(self):
        return self._buffer

    @buffer.setter
    def buffer(self, new_buffer):
        self._buffer = new_buffer

    def update(self, strategy, **kwargs):
        self.post_adapt(strategy, strategy.experience)

    def post_adapt(self, agent_state, exp):
        pass

    @abstractmethod
    def resize(self, strategy, new_size):
        ...


class Experience:
    def __init__(self, dataset):
        self.dataset = dataset


class Strategy:
    """Trains on an experience together with the buffer, and updates it at the end, as ReplayPlugin lets it."""

    def __init__(self, model, optimizer, criterion, train_mb_size, storage_policy):
        self.model, self.optimizer, self._criterion = model, optimizer, criterion
        self.train_mb_size = train_mb_size
        self.storage_policy = storage_policy
        self.experience = None

    def train(self, experience):
        self.experience = experience
        data = experience.dataset
        for i in torch.randperm(len(data)).split(self.train_mb_size):
            batch = [data[int(k)] for k in i]
            old = self.storage_policy.buffer
            batch += [old[int(k)] for k in torch.randperm(len(old))[:self.train_mb_size]]
            x, y = torch.stack([item[0] for item in batch]), torch.tensor([item[1] for item in batch])
            self.optimizer.zero_grad()
            self._criterion(self.model(x), y).backward()
            self.optimizer.step()
        self.storage_policy.update(self)


def install_avalanche():
    _module("avalanche.training.storage_policy", ExemplarsBuffer=ExemplarsBuffer)


# Mammoth.


class ContinualModel(nn.Module):
    def __init__(self, backbone, loss, args, transform, dataset=None):
        super().__init__()
        self.net, self.loss, self.args, self.transform, self.dataset = backbone, loss, args, transform, dataset
        self.num_classes, self.n_tasks = dataset.N_CLASSES, dataset.N_TASKS
        self.device = torch.device("cpu")
        self._current_task = 0
        self.opt = self.get_optimizer()

    def get_optimizer(self, params=None, lr=None):
        params = list(self.net.parameters() if params is None else params)
        return torch.optim.SGD(params, lr=self.args.lr if lr is None else lr)

    def forward(self, x):
        return self.net(x)

    def begin_task(self, dataset):
        pass

    def end_task(self, dataset):
        pass

    def meta_begin_task(self, dataset):
        self.opt = self.get_optimizer()
        self.begin_task(dataset)

    def meta_observe(self, *args, **kwargs):
        return self.observe(*args, **kwargs)

    def meta_end_task(self, dataset):
        self.end_task(dataset)
        self._current_task += 1


def add_rehearsal_args(parser):
    group = parser.add_argument_group("Rehearsal arguments")
    group.add_argument("--buffer_size", type=int, required=True)
    group.add_argument("--minibatch_size", type=int)


def apply_transform(x, transform, autosqueeze=False):
    return x if transform is None else torch.stack([transform(each) for each in x])


def install_mammoth():
    _module("models.utils.continual_model", ContinualModel=ContinualModel)
    _module("utils.args", add_rehearsal_args=add_rehearsal_args, ArgumentParser=argparse.ArgumentParser)
    _module("utils.augmentations", apply_transform=apply_transform)
