"""The library's memories for Avalanche: a storage policy for its ReplayPlugin.

    from avalanche.training.plugins import ReplayPlugin
    plugin = ReplayPlugin(mem_size=500, storage_policy=gpscl.avalanche.Buffer(500, policy="gps"))

The buffer is updated at the end of each experience, as Avalanche's own are. With ``policy="gps"`` a copy of the
strategy's model is trained, with its loss and an optimiser of its kind, to find out which examples to keep.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, List, Optional, Tuple, Union

import numpy as np

try:
    from avalanche.training.storage_policy import ExemplarsBuffer
except ImportError as error:
    raise ImportError(f"gpscl.avalanche needs Avalanche (pip install avalanche-lib): {error}") from None

from .decision import Decision
from .memory import Memory

__all__ = ["Buffer"]


class Buffer(ExemplarsBuffer):
    """Keeps exemplars of past experiences as a gpscl.Memory chooses them.

    max_size: the number of exemplars, or a budget in bytes ("2MB") together with row_bytes, the bytes of one exemplar.
        ReplayPlugin wants the number as its mem_size: ``buffer.max_size``.
    policy: "reservoir", "ring-full", "mixed:0.5", "gps", ... (``gpscl.catalog("policies")``).
    seed: of all choices; the same seed and experiences give the same buffer.
    simulation: for gps, what end_task() of gpscl.Memory takes; None: copies of strategy.model are trained.
    future: how gps makes pseudo-tasks: "permutation", "rotation", "blurring", or a callable (gpscl.torch.Simulation).
    tasks: the number of experiences, if it is known. options: those of the policy (gpscl.Memory).

    One head is simulated: for models that need task labels give a simulation of your own. The buffer can be pickled with the
    strategy, and then goes on as if nothing had happened.
    """

    def __init__(self, max_size: Union[int, str], policy: str = "gps", seed: int = 0, *,
                 row_bytes: Optional[int] = None, tasks: Optional[int] = None, future: Any = None,
                 simulation: Optional[Callable[[Any], Tuple[float, float]]] = None, **options: Any) -> None:
        if isinstance(max_size, str):
            if row_bytes is None:
                raise ValueError(f"a budget in bytes ({max_size}) needs row_bytes, the bytes of one exemplar")
            tried = Memory(max_size, row_bytes=row_bytes)  # knows its capacity once it has seen an example
            tried.observe([0], [0])
            max_size = tried.capacity or 0
        self.memory = Memory(max_size, policy=policy, seed=seed, tasks=tasks, **options)
        super().__init__(max_size)
        self._future = future
        self._simulation = simulation
        self._is_simulated = policy.split(":")[0] == "gps"

    @property
    def decisions(self) -> List[Decision]:
        """What the policy decided after each experience (mixed, gps). Their times are those of the update alone: a buffer
        does not see the training."""
        return self.memory.decisions

    def update(self, strategy: Any, **kwargs: Any) -> None:
        """Called by ReplayPlugin at the end of each experience."""
        self.post_adapt(strategy, strategy.experience)

    def post_adapt(self, agent_state: Any, exp: Any) -> None:
        """Chooses among the examples of the buffer and of the experience that was just learnt. If anything is raised,
        Ctrl-C for example, the buffer is as it was."""
        if len(exp.dataset) == 0:
            return
        before, buffer = self.memory.state_dict(), self._buffer
        try:
            self.buffer = self._chosen(agent_state, exp.dataset)
        except BaseException:
            self.memory, self.buffer = Memory.from_state_dict(before), buffer
            raise

    def _chosen(self, agent_state: Any, data: Any) -> Any:
        labels = np.fromiter((int(each) for each in data.targets), np.int64, len(data))
        before = {where: at for at, where in enumerate(self._places())}
        self.memory.begin_task(labels)
        order = self.memory.order(len(data))
        self.memory.observe(order, labels[order])
        task = self.memory.task
        if self._is_simulated:
            rows = _Rows(data.eval() if hasattr(data, "eval") else data)
            self.memory.end_task(rows, self._simulation or self._copies_of(agent_state))
        else:
            self.memory.end_task()
        # The new data first, then the old buffer, in the order of the memory's slots.
        chosen = [index if of == task else len(data) + before[(of, index)] for of, index in self._places()]
        return data.concat(self.buffer).subset(chosen)

    def resize(self, strategy: Any, new_size: int) -> None:
        """A memory keeps its budget: only the same size is possible."""
        if new_size != self.max_size:
            raise ValueError(f"a gpscl buffer keeps its size of {self.max_size}, got {new_size}; make a new Buffer")

    def _places(self) -> List[Tuple[int, int]]:
        """Task and index within it of each slot."""
        return list(zip(self.memory.tasks.tolist(), self.memory.indices.tolist()))

    def _copies_of(self, strategy: Any) -> Any:
        from .torch import Simulation

        optimizer = strategy.optimizer
        criterion = getattr(strategy, "_criterion", None) or strategy.criterion
        batch = getattr(strategy, "train_mb_size", None)
        from_memory = batch
        for plugin in getattr(strategy, "plugins", []):
            if getattr(plugin, "storage_policy", None) is self:  # a ReplayPlugin
                batch, from_memory = plugin.batch_size or batch, plugin.batch_size_mem or batch
        return Simulation(strategy.model, lambda parameters: _same_kind(optimizer, parameters), criterion,
                          future=self._future, batch=batch, memory_batch=from_memory, er_loss="concat")


class _Rows:
    """The images of an Avalanche dataset, whose items are (image, label, task label)."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, index: int) -> Any:
        return self._data[int(index)][0]


def _same_kind(optimizer: Any, parameters: Any) -> Any:
    """A new optimiser of the same class with the settings that it has now."""
    known = inspect.signature(type(optimizer).__init__).parameters
    settings = {key: value for key, value in optimizer.param_groups[0].items() if key != "params" and key in known}
    return type(optimizer)(parameters, **settings)
