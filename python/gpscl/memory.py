"""gpscl.Memory: a replay memory for any training loop and any data."""
from __future__ import annotations

import json
import math
import time
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _gpscl, _rows
from ._room import Room, empty_labels
from ._slots import Slots
from .candidate import Candidate, Fetch
from .decision import Decision, Trial

Simulate = Callable[[Candidate], Tuple[float, float]]

_FORMAT = 1


class Memory(Slots):
    """A memory of earlier examples, for replay in your own training loop.

    budget   how much it holds: a number of examples, or bytes as text ("784kB", "2MB", "64MiB"). In bytes, an example
             takes the bytes of its row, and 8 for its label, task and index. The budget is never exceeded.
    policy   who stays: "reservoir" (each example with the same probability), "ring-full" (every class of every task has
             the same number of slots), "hybrid" (a reservoir first, then ring-full), "mixed:R" (each task has the same
             share, of which the part R is class-balanced), "gps" (the same, with a part found by simulation),
             "one-batch".
    seed     all choices follow from it and from the order of calls.
    classes  number of classes of the whole stream; None: as many as were seen.
    tasks    number of tasks of the whole stream, for "gps"; None: unknown.
    batch    examples in one of your steps, for "one-batch" and for simulations.
    row_bytes  bytes of the rows that your indices stand for: for a memory of indices with a budget in bytes.
    options  options of the policy by name, such as in_task="running", objective="loss", score="balanced" or stride=10.
             `gpscl list policies` explains them.

    Rows may be anything in numpy arrays or torch tensors, of any type and shape: selection looks at labels alone.
    Without rows (`observe(i, y)`), the memory holds indices, and you fetch the rows yourself.

    The same seed and the same order of examples lead to the same choices, to the bit, as in `gpscl run`. For that, tell
    begin_task() the labels of a task, and call end_epoch() after each epoch. state_dict() has all that the next call
    depends on.
    """

    def __init__(self, budget: Union[int, str], policy: str = "reservoir", seed: int = 0, *,
                 classes: Optional[int] = None, tasks: Optional[int] = None, batch: int = 10,
                 row_bytes: Optional[int] = None, **options: Any) -> None:
        self._config: Dict[str, Any] = {
            "budget": _whole(budget, "budget", 1, 2**32 - 1) if not isinstance(budget, str) else budget,
            "policy": str(policy),
            "seed": _whole(seed, "seed", 0, 2**64 - 1),
            "classes": 0 if classes is None else _whole(classes, "classes", 1, 65536),
            "tasks": 0 if tasks is None else _whole(tasks, "tasks", 1, 2**31 - 1),
            "batch": _whole(batch, "batch", 1, 2**31 - 1),
            "row_bytes": 0 if row_bytes is None else _whole(row_bytes, "row_bytes", 1, 2**40),
            "options": options,
        }
        self._core = _made(self._config)
        self._format: Optional[_rows.Format] = None
        self._labels_kind = "numpy"
        self._room = Room()
        self._begun_at: Optional[float] = None
        self._times: Dict[int, Tuple[float, float]] = {}  # by task: of its simulation, of all of it

    # What it is made of.

    def __len__(self) -> int:
        return len(self._core)

    @property
    def budget(self) -> Union[int, str]:
        return self._config["budget"]

    @property
    def policy(self) -> str:
        return self._core.policy

    @property
    def seed(self) -> int:
        return self._config["seed"]

    @property
    def capacity(self) -> Optional[int]:
        """The most examples that it holds; None as long as a budget in bytes has not seen a row."""
        return self._core.capacity

    @property
    def nbytes(self) -> int:
        """The bytes of all stored examples: rows, and 8 for the label, task and index of each."""
        return self._core.nbytes

    @property
    def staged_bytes(self) -> int:
        """The bytes of rows of the current task that are kept until it ends, outside of the budget: for policies that
        choose when a task ends, if observe() got rows."""
        return self._core.staged_bytes

    @property
    def task(self) -> int:
        """The number of the current task, from 1."""
        return self._core.task

    @property
    def epoch(self) -> int:
        """The number of the current epoch of the task, from 1."""
        return self._core.epoch

    @property
    def decisions(self) -> List[Decision]:
        """What was decided at the end of each task so far."""
        return [self._decision(each) for each in self._core.decisions]

    def __repr__(self) -> str:
        capacity = "?" if self.capacity is None else self.capacity
        return (f"gpscl.Memory(budget={self.budget!r}, policy={self.policy!r}, seed={self.seed}): "
                f"{len(self)} of {capacity} examples, task {self.task}")

    # What a loop calls.

    def begin_task(self, y: Any = None, i: Any = None) -> None:
        """Begins a task. Optional: otherwise a task begins with its first observe().

        y   the labels of all examples of the task, if they are known. Then all choices are those of `gpscl run`.
            "ring-full:floor" and in_task="running" must know them.
        i   their indices; None: 0, 1, 2, ...
        """
        if y is None:
            if i is not None:
                raise ValueError("begin_task() got indices without labels")
            if self._core.has_begun:
                raise ValueError(f"task {self.task} has begun: call end_task() before begin_task()")
        else:
            self._core.begin_task(_rows.as_numbers(y, "y"), None if i is None else _rows.as_numbers(i, "i"))
        self._begun_at = time.perf_counter()

    def observe(self, i: Any, y: Any, x: Any = None) -> None:
        """Shows the memory a batch, after the step on it.

        i   its indices, which tell examples of one task apart; None: they are numbered on
        y   its labels
        x   its rows: an array or a tensor whose first dimension is the batch. Rows that are stored are copied.
        """
        if self._begun_at is None:
            self._begun_at = time.perf_counter()
        if self._format is not None and self._labels_kind == "torch" and self._format.can_be_read_in_place(i, y, x):
            if self._core.observe_at(i.data_ptr(), y.data_ptr(), x.data_ptr(), x.shape[0], self._format.row_bytes):
                return
        if x is None:
            rows = None
        else:
            x = _rows.as_rows(x)
            if x.ndim == 0:
                raise ValueError("x must have a row for each label, got a single number")
            if self._format is not None and not self._format.matches(x):
                raise ValueError(f"x must have {self._format}, got {_rows.Format.of(x)}")
            rows = _rows.contiguous(x)
        labels = _rows.as_numbers(y, "y")
        indices = None if i is None else _rows.as_numbers(i, "i")
        if labels is not y and self._labels_kind != "torch" and _rows.is_tensor(y):
            self._labels_kind = "torch"
        try:
            if x is not None and self._format is None and len(labels) > 0:
                self._format = _rows.Format.of(x)
            self._core.observe(indices, labels, rows)
        except BaseException:  # Ctrl-C comes before or after the call
            self._forget_format_without_rows()
            raise

    def end_epoch(self) -> None:
        """Says that an epoch has ended. Only for the same bits as in `gpscl run` with several epochs."""
        self._core.end_epoch()

    def end_task(self, task: Any = None, simulation: Optional[Simulate] = None) -> Optional[Decision]:
        """Ends the current task. Returns what the policy decided; None for policies that decide nothing.

        task        the examples of the task, for policies that choose among them now ("mixed", "gps", "one-batch"), if
                    observe() got no rows: an array or tensor of rows, a map-style dataset whose items are a row or
                    begin with one, or a function from an index to a row. It is asked for the indices that were given to
                    observe(), and only for those that are needed.
        simulation  for "gps": gpscl.torch.Simulation, or any function simulate(candidate) that returns the loss and the
                    accuracy on the current task after a simulated future (see gpscl.Candidate).

        If anything is raised, by the simulation for example, the memory is as it was before the call. Only Ctrl-C may
        also come right after the task has ended; then `task` is the number of the next one.
        """
        number = self._core.task
        fetch = Fetch(self, task)
        seconds = 0.0

        def score(core_candidate: Any) -> Tuple[float, float]:
            nonlocal seconds
            assert simulation is not None
            began = time.perf_counter()
            try:
                return _outcome(simulation(Candidate(core_candidate, fetch)))
            finally:
                seconds += time.perf_counter() - began

        try:
            if self._core.chooses_at_end and task is not None:
                if self._core.holds == "indices":
                    raise ValueError("this memory holds indices: its earlier tasks ended without rows, "
                                     "so `task` must be left out")
                if self._format is None:
                    self._format = fetch.format_of(self._core.first_id)
            if simulation is not None and hasattr(simulation, "begin_search"):
                simulation.begin_search(self)
            self._core.end_task(0 if self._format is None else self._format.row_bytes,
                                None if simulation is None else score,
                                lambda missing: _rows.contiguous(fetch(missing)))
        except BaseException:  # Ctrl-C comes before or after the call
            self._forget_format_without_rows()
            raise
        now = time.perf_counter()
        self._times[number] = (seconds, now - (self._begun_at if self._begun_at is not None else now))
        self._begun_at = None
        found = [each for each in self.decisions if each.task == number]
        return found[-1] if found else None

    def sample(self, n: int, out: Any = None) -> Tuple[Any, Any]:
        """Draws n examples without replacement, or all if there are fewer. Returns their rows and labels; of a memory
        of indices, their indices and labels. They are torch tensors if the rows (or labels) came as such, otherwise
        numpy arrays.

        out   where the rows go: an array or tensor (pinned, for example) of the type and shape of the rows, with room
              for n of them; or a pair of such a buffer and one for the labels (int64). The result is a view of what was
              filled.
        """
        if out is not None and out is self._room.out and self._room.is_for(n, out):
            x, y, rows, labels = self._room.buffers()
            count = self._core.sample(n, rows, labels)
            return (x, y) if count == n else (x[:count], y[:count])
        n = _whole(n, "n", 0, 2**32 - 1)
        count = min(n, len(self._core))
        if self._format is None:  # no row was ever given
            slots = self._core.draw(n)
            return self._indices_and_labels(slots, out)
        x, y = out if isinstance(out, (tuple, list)) and len(out) == 2 else (out, None)
        kind = self._format.kind if x is None else ("torch" if _rows.is_tensor(x) else "numpy")
        if x is None:
            x = self._format.empty(count)
        else:
            self._check_room(x, count)
        if y is None:
            y = empty_labels(count, kind)
        elif len(y) < count:
            raise ValueError(f"out has room for {len(y)} labels, must have room for {count}")
        if _is_elsewhere(x) or _is_elsewhere(y):
            rows, labels = self.sample(n)
            x[:count].copy_(rows)
            y[:count] = labels
        else:
            rows, labels = _rows.as_room(x), _rows.as_room(y, "the labels of out")
            self._core.sample(n, rows, labels)
            if out is not None and count == n == len(x) == len(y):
                self._room = Room(out, x, y, rows, labels)
        return (x, y) if len(x) == count and len(y) == count else (x[:count], y[:count])

    def draw(self, n: int) -> np.ndarray:
        """Draws as sample() does, and returns the slots alone."""
        return self._core.draw(_whole(n, "n", 0, 2**32 - 1))

    def rows(self, slots: Any = None, out: Any = None) -> Any:
        """Returns the rows of these slots; None: of all, slot by slot. `out` is as in sample()."""
        if self._core.holds != "rows" or self._format is None:
            raise ValueError("this memory holds no rows" if len(self) else "the memory is empty")
        slots = np.arange(len(self)) if slots is None else _rows.as_numbers(slots, "slots")
        count = len(slots)
        if out is None:
            out = self._format.empty(count)
        else:
            self._check_room(out, count)
        if _is_elsewhere(out):
            out[:count].copy_(self.rows(slots))
        else:
            self._core.gather(slots, _rows.as_room(out))
        return out if len(out) == count else out[:count]

    def order(self, n: int) -> np.ndarray:
        """The order in which `gpscl run` presents n examples in the current epoch of the task, with this seed."""
        return self._core.order(_whole(n, "n", 0, 2**32 - 1))

    # What outlives the process.

    def state_dict(self) -> Dict[str, Any]:
        """All that the next call depends on, for torch.save or pickle: also in the middle of a task.

        It has numbers, texts, and the state as bytes: a uint8 tensor if rows or labels are tensors, otherwise an array.
        So torch.load can read what torch.save wrote of it with weights_only=True.
        """
        state: Any = np.frombuffer(bytearray(self._core.save()), dtype=np.uint8)
        if self._labels_kind == "torch" or (self._format is not None and self._format.kind == "torch"):
            state = _rows.torch_or_none().from_numpy(state)
        now = time.perf_counter()
        return {
            "format": _FORMAT,
            "version": _gpscl.version,
            "config": {**self._config, "options": dict(self._config["options"])},
            "rows": None if self._format is None else self._format.to_dict(),
            "labels": self._labels_kind,
            "state": state,
            "times": {task: list(times) for task, times in self._times.items()},
            "task_seconds": None if self._begun_at is None else now - self._begun_at,
        }

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Goes on from a state. The memory must have been made with the same arguments as the one that was saved.

        Raises ValueError for what is no state of such a memory, and OSError for a damaged one; nothing has changed then.
        """
        try:
            if state["format"] != _FORMAT:
                raise ValueError(f"the state has format {state['format']}, this gpscl reads {_FORMAT}")
            config = state["config"]
            for name, value in self._config.items():
                if config[name] != value:
                    raise ValueError(f"the state is one of {_named(name, config)}, "
                                     f"this memory has {_named(name, self._config)}")
            rows = None if state["rows"] is None else _rows.Format.from_dict(state["rows"])
            bytes_ = _state_bytes(state["state"])
            times = {int(task): (float(a), float(b)) for task, (a, b) in state["times"].items()}
            kind, task_seconds = state["labels"], state["task_seconds"]
            if kind not in ("numpy", "torch"):
                raise ValueError(f"labels are of torch or numpy, not of {_rows.shown(kind)}")
            begun_at = None if task_seconds is None else time.perf_counter() - float(task_seconds)
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"this is no state of a gpscl.Memory: {type(error).__name__} {error}") from error
        if kind == "torch":
            import torch  # noqa: F401 (sample() returns its tensors)
        if rows is not None and not 0 < rows.row_bytes < 2**63:
            raise ValueError(f"this is no state of a gpscl.Memory: it has {rows}")
        core = _made(self._config)
        core.load(bytes_, 0 if rows is None else rows.row_bytes)
        self._core.check_can_change()
        self.__dict__.update(_core=core, _format=rows, _room=Room(), _labels_kind=kind, _times=times,
                             _begun_at=begun_at)  # all at once, or nothing if Ctrl-C comes

    @classmethod
    def from_state_dict(cls, state: Dict[str, Any]) -> "Memory":
        """Makes a memory from a state, with the arguments of the one that was saved."""
        try:
            config = dict(state["config"])
            options = config.pop("options")
            for name in ("classes", "tasks", "row_bytes"):
                config[name] = config[name] or None
            memory = cls(config.pop("budget"), config.pop("policy"), config.pop("seed"), **config, **options)
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is no state of a gpscl.Memory: {type(error).__name__} {error}") from error
        memory.load_state_dict(state)
        return memory

    def __getstate__(self) -> Dict[str, Any]:
        return self.state_dict()

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(Memory.from_state_dict(state).__dict__)

    def _decision(self, values: Dict[str, Any]) -> Decision:
        trials = [Trial(plan, loss, accuracy) for plan, loss, accuracy in values["trials"]]
        seconds, task_seconds = self._times.get(values["task"], (0.0, 0.0))
        return Decision(values["task"], values["plan"], values["quota"], trials, seconds, task_seconds)

    def _forget_format_without_rows(self) -> None:
        if self._core.holds != "rows":
            self._format = None

    def _check_room(self, out: Any, count: int) -> None:
        if not (isinstance(out, np.ndarray) or _rows.is_tensor(out)):
            raise ValueError(f"out must be an array or a tensor, got {type(out).__name__}")
        own = self._format
        assert own is not None
        given = _rows.Format.of(out) if out.ndim else None
        fits = given is not None and given.shape == own.shape
        if fits and given.kind == own.kind:
            fits = given.dtype == own.dtype
        elif fits:  # numpy for torch, or the other way round
            fits = _rows.as_bytes(out[:0]).dtype == _rows.as_bytes(own.empty(0)).dtype
        if not fits:
            raise ValueError(f"out must have {own}, got {given or 'a single number'}")
        if len(out) < count:
            raise ValueError(f"out has room for {len(out)} rows, must have room for {count}")
        if not (out.is_contiguous() if given.kind == "torch" else out.flags.c_contiguous):
            raise ValueError("out must be contiguous")

    def _indices_and_labels(self, slots: np.ndarray, out: Any) -> Tuple[Any, Any]:
        indices, labels = self._core.indices[slots], self._core.labels[slots]
        if out is not None:
            if not isinstance(out, (tuple, list)) or len(out) != 2:
                raise ValueError("out of a memory of indices must be a pair of buffers: for indices and for labels")
            for buffer, values in zip(out, (indices, labels)):
                if len(buffer) < len(values):
                    raise ValueError(f"out has room for {len(buffer)} examples, must have room for {len(values)}")
                buffer[:len(values)] = _like(buffer, values)
            return out[0][:len(slots)], out[1][:len(slots)]
        if self._labels_kind == "torch":
            torch = _rows.torch_or_none()
            return torch.from_numpy(indices), torch.from_numpy(labels)
        return indices, labels


def _made(config: Dict[str, Any]) -> Any:
    budget = config["budget"]
    in_bytes = isinstance(budget, str)
    for name, value in config["options"].items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise ValueError(f"option {name} cannot have the value {_rows.shown(value)}") from None
    return _gpscl.LoopMemory(0 if in_bytes else budget, budget if in_bytes else "", config["policy"],
                             json.dumps(config["options"]), config["seed"], config["classes"],
                             config["tasks"], config["batch"], config["row_bytes"])


def _state_bytes(state: Any) -> np.ndarray:
    if isinstance(state, (bytes, bytearray)):
        return np.frombuffer(state, dtype=np.uint8)
    if not (isinstance(state, np.ndarray) or _rows.is_tensor(state)):
        raise ValueError(f"the bytes of a state must be an array or a tensor of uint8, got {type(state).__name__}")
    array = _rows.contiguous(state)
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"the bytes of a state must be uint8 in one dimension, got {array.dtype} in {array.ndim}")
    return array


def _whole(value: Any, name: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ValueError(f"{name} must be a whole number, got {_rows.shown(value)}")
    value = value.__index__()
    if not least <= value <= most:
        raise ValueError(f"{name} must be between {least} and {most}, got {value}")
    return value


def _named(name: str, config: Dict[str, Any]) -> str:
    return f"{name} {config[name]!r}" if config[name] or name == "seed" else f"no {name}"


def _is_elsewhere(buffer: Any) -> bool:
    return _rows.is_tensor(buffer) and buffer.device.type != "cpu"


def _like(buffer: Any, values: np.ndarray) -> Any:
    return _rows.torch_or_none().from_numpy(values) if _rows.is_tensor(buffer) else values


def _outcome(result: Any) -> Tuple[float, float]:
    try:
        loss, accuracy = result
        loss, accuracy = float(loss), float(accuracy)
    except (TypeError, ValueError):
        raise ValueError(f"a simulation must return a pair, loss and accuracy, got {result!r}") from None
    if not (math.isfinite(loss) and math.isfinite(accuracy)):  # dead or diverged: the worst there is
        return math.inf, 0.0
    return loss, accuracy
