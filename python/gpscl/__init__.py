"""Continual learning with replay memories, and Global Pseudo-task Simulation (GPS), inside your own training loop.

    import gpscl

    memory = gpscl.Memory(budget="2MB", policy="reservoir", seed=0)
    for task in tasks:
        for x, y, i in loader(task):
            if len(memory):
                xm, ym = memory.sample(32)      # rows and labels of earlier examples
            ...                                 # your loss, your optimiser, your device
            memory.observe(i, y, x)
        memory.end_task()

gpscl.Memory     a memory for any loop and any data
gpscl.run        experiments; gpscl.plan chooses how to learn a stream
gpscl.torch      Simulation: GPS with your own PyTorch model
gpscl.avalanche  a storage policy for Avalanche
gpscl.mammoth    a model for Mammoth

It needs numpy. PyTorch is used if you use it, and never imported by `import gpscl`.
"""
import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import experiments as _experiments
from ._gpscl import version as __version__
from .candidate import Candidate, Scene
from .experiments import *  # noqa: F403 (experiments.__all__)
from .decision import Decision, Trial
from .memory import Memory
from .planning import StreamPlan, plan

if _TYPE_CHECKING:
    from . import avalanche, mammoth, torch

# Imported when they are first used, because they import what not everybody has.
_LAZY = ("avalanche", "mammoth", "torch")

__all__ = ["Candidate", "Decision", "Memory", "Scene", "StreamPlan", "Trial", "__version__", "plan",
           *_experiments.__all__]


def __getattr__(name):
    if name in _LAZY:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    return sorted([*globals(), *_LAZY])
