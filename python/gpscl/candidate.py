"""What a simulation of GPS sees: a candidate memory, and the scene that all candidates of a search share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

import numpy as np

from . import _rows
from ._slots import Slots

if TYPE_CHECKING:
    from .memory import Memory


class Scene:
    """What all candidates of a search share: the current task, the examples held back for scoring, the pseudo-tasks."""

    def __init__(self, core: Any, fetch: Fetch) -> None:
        self._core = core
        self._fetch = fetch
        self._labels: Optional[Dict[int, int]] = None
        self.task: int = core.task
        """Number of the task that ends, from 1."""
        self.pseudo_tasks: int = core.pseudo_tasks
        """How many tasks are simulated."""
        self.epochs: int = core.epochs
        """Passes over each pseudo-task."""
        self.batch: int = core.batch
        """Examples in a step."""
        self.seed: int = core.seed
        """For your random numbers: the same for all candidates of this search."""
        self.score: str = "balanced" if core.is_balanced else "natural"
        """Whether to average over classes or over examples."""

    @property
    def held_back(self) -> np.ndarray:
        """The indices of the examples to score on. No candidate memory and no pseudo-task has them."""
        return self._core.held_back

    def pseudo_task(self, k: int) -> np.ndarray:
        """The indices of the examples of the current task that the k-th pseudo-task is made of, from 1."""
        return self._core.pseudo_task(k)

    @property
    def indices(self) -> np.ndarray:
        """The indices of all examples of the current task."""
        return self._core.task_indices

    def labels(self, indices: Any) -> np.ndarray:
        """The labels of these examples of the current task."""
        if self._labels is None:
            self._labels = dict(zip(self._core.task_indices.tolist(), self._core.task_labels.tolist()))
        return np.array([self._labels[int(index)] for index in indices], dtype=np.int64)

    def rows(self, indices: Any) -> Any:
        """The rows of these examples of the current task."""
        return self._fetch(_rows.as_numbers(indices, "indices"))


class Candidate(Slots):
    """A memory that GPS considers: a function simulate(candidate) says how well the current task would be remembered.

    A simulation copies the model, trains the copy on scene.pseudo_tasks tasks that might follow while it replays this
    memory, and scores the copy on scene.held_back. To be fair to all candidates it takes its random numbers from scene.seed.
    """

    def __init__(self, core: Any, fetch: Fetch) -> None:
        self._core = core
        self.scene = fetch.scene(core)
        self.plan: Dict[str, int] = core.plan
        """The decision that is tried: {"ring_size": 12}."""
        self.number: int = core.number
        """Number of the candidate in this search, from 1."""

    @property
    def ring_size(self) -> int:
        """How many examples of the current task are class-balanced; the rest is random."""
        return self.plan["ring_size"]

    def __len__(self) -> int:
        return len(self._core.indices)

    def rows(self, slots: Any = None) -> Any:
        """The rows of these slots; None: of all. For examples of real tasks only."""
        fetch = self.scene._fetch
        tasks = self._core.tasks
        slots = np.arange(len(tasks)) if slots is None else _rows.as_numbers(slots, "slots")
        if (tasks[slots] > self.scene.task).any():
            raise ValueError("rows of pseudo-tasks are yours: keep them when advance() says that they are added")
        if fetch.format is None:
            raise ValueError("this memory holds no rows")
        out = fetch.format.empty(len(slots))
        missing = self._core.gather(slots, _rows.as_bytes(out))
        if len(missing):
            fetched = self.scene.rows(self._core.indices[slots[missing]])
            _rows.as_bytes(out)[missing] = _rows.as_bytes(fetched)
        return out

    def advance(self) -> Tuple[np.ndarray, np.ndarray]:
        """Ends the next pseudo-task. Its memory is random and has an equal share, as in the paper.

        Returns (kept, added): the slots whose examples stay, and the positions in scene.pseudo_task(k) of the examples
        that come behind them.
        """
        return self._core.advance()

    def again(self) -> Candidate:
        """The same candidate before its first pseudo-task, for whoever simulates more than once."""
        return Candidate(self._core.again(), self.scene._fetch)


class Fetch:
    """Rows of the current task: of what the user gave to end_task(), or of what was given to observe()."""

    def __init__(self, memory: Memory, task: Any) -> None:
        self._memory = memory
        self._task = task
        self._scene: Optional[Scene] = None

    @property
    def format(self) -> Optional[_rows.Format]:
        return self._memory._format

    def scene(self, core: Any) -> Scene:
        if self._scene is None:
            self._scene = Scene(core, self)
        return self._scene

    def format_of(self, index: int) -> _rows.Format:
        return _rows.Format.of(self._fetched(np.array([index])))

    def __call__(self, indices: np.ndarray) -> Any:
        if self.format is None:
            raise ValueError("this memory holds no rows: give end_task() the examples of the task, "
                             "or observe() the rows x")
        if self._task is not None:
            rows = self._fetched(indices)
            if not self.format.matches(rows):
                raise ValueError(f"the examples given to end_task() must have {self.format}, "
                                 f"got {_rows.Format.of(rows)}")
            return rows
        out = self.format.empty(len(indices))
        self._memory._core.gather_staged(indices, _rows.as_bytes(out))
        return out

    def _fetched(self, indices: np.ndarray) -> Any:
        task = self._task
        if isinstance(task, np.ndarray):
            self._check(indices, len(task))
            return task[indices]
        if _rows.is_tensor(task):
            self._check(indices, len(task))
            return task[_rows.torch_or_none().from_numpy(indices).to(task.device)].cpu()
        rows = [self._row(int(index)) for index in indices]
        if rows and _rows.is_tensor(rows[0]):
            return _rows.torch_or_none().stack([row.cpu() for row in rows])
        return np.stack([np.asarray(row) for row in rows])

    @staticmethod
    def _check(indices: np.ndarray, count: int) -> None:
        if len(indices) and int(indices.max()) >= count:
            raise ValueError(f"end_task() got {count} examples, index {int(indices.max())} is not among them")

    def _row(self, index: int) -> Any:
        if hasattr(self._task, "__getitem__"):
            item = self._task[index]
        elif callable(self._task):
            item = self._task(index)
        else:
            raise ValueError("task must be an array, a tensor, a dataset or a function, "
                             f"got {type(self._task).__name__}")
        return item[0] if isinstance(item, (tuple, list)) else item
