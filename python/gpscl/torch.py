"""GPS with your own PyTorch model: gpscl.torch.Simulation."""
from __future__ import annotations

import copy
import math
from typing import Any, Callable, List, Optional, Tuple, Union

import numpy as np
import torch

from .candidate import Candidate, Scene

__all__ = ["Simulation", "blurred", "permuted", "rotated"]

_DEGREES_PER_TASK = 15
_SIGMA_PER_TASK = 0.5
_FEWEST_FOR_DEATH = 20  # a network is not called dead for its answers on fewer examples
_WORST = (math.inf, 0.0)

Future = Callable[[torch.Tensor, int, torch.Generator], torch.Tensor]


class Simulation:
    """Says how well the current task would be remembered with a candidate memory, by training copies of your own model.

        choice = memory.end_task(dataset, gpscl.torch.Simulation(model, make_optimizer, criterion))

    For each candidate it copies the model, trains the copy on pseudo-tasks that are made from the current task, replays the
    candidate memory meanwhile, and scores the copy on examples of the current task that were held back. All candidates see the
    same pseudo-tasks, batches and draws: each has a torch.Generator with the same seed, and torch's own generators are set to
    the same seed for it and put back afterwards. Your model is not changed.

    model           a module that gives a row of logits for each row
    make_optimizer  make_optimizer(parameters) returns an optimiser, such as lambda p: torch.optim.SGD(p, lr=0.1)
    criterion       criterion(logits, labels) returns the mean loss
    future          how pseudo-tasks are made: "permutation" (new orders of pixels or columns), "rotation", "blurring" (images
                    only), or a function future(x, k, generator) that returns the rows x, changed for the k-th pseudo-task.
                    None: the option `future` of the memory, which is "permutation" unless it says otherwise
    step            step(model, optimizer, x, y, xm, ym): your own update on a batch and a batch from memory, which is None, None
                    while the memory is empty. None: a step of experience replay
    transform       transform(x): what your loop does to rows before the model sees them, such as a normalisation
    device          where to train; None: where the model is
    epochs, batch   passes over a pseudo-task, examples in a step; None: those of the memory
    memory_batch    examples from memory in a step; None: as many as in a batch
    er_loss         of the default step: "sum" (the mean loss of the batch plus that of the memory's batch) or "concat" (the mean
                    over both)
    mask_labels     whether scores look at the logits of the current task's labels alone (task-incremental learning)
    """

    def __init__(self, model: torch.nn.Module, make_optimizer: Callable[[Any], Any],
                 criterion: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
                 future: Union[None, str, Future] = None, *, step: Optional[Callable[..., Any]] = None,
                 transform: Optional[Callable[[torch.Tensor], torch.Tensor]] = None, device: Any = None,
                 epochs: Optional[int] = None, batch: Optional[int] = None, memory_batch: Optional[int] = None,
                 er_loss: str = "sum", mask_labels: bool = False) -> None:
        if er_loss not in ("sum", "concat"):
            raise ValueError(f"er_loss must be 'sum' or 'concat', got {er_loss!r}")
        for name, value in (("epochs", epochs), ("batch", batch), ("memory_batch", memory_batch)):
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if future is not None:
            _future_of(future)
        self.model = model
        self.make_optimizer = make_optimizer
        self.criterion = criterion
        self.future = future
        self.step: Any = self._replay_step if step is None else step
        self.transform = transform if transform is not None else lambda x: x
        self.device = device
        self.epochs = epochs
        self.batch = batch
        self.memory_batch = memory_batch
        self.er_loss = er_loss
        self.mask_labels = mask_labels
        self._usual_future: Union[str, Future] = "permutation"
        self._prepared: Optional[_Prepared] = None

    def begin_search(self, memory: Any) -> None:
        """Called by Memory.end_task() before the first candidate."""
        self._usual_future = memory._core.future
        self._prepared = None

    def __call__(self, candidate: Candidate) -> Tuple[float, float]:
        """Returns the loss and the accuracy on the examples held back; the worst there is if training diverges or the network
        dies."""
        scene = candidate.scene
        device = self._device()
        prepared = self._prepare(scene, device)
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed(scene.seed)
            model = copy.deepcopy(self.model).to(device)
            model.train()
            if not self._live(model, candidate, prepared, device):
                return _WORST
            model.eval()
            with torch.no_grad():
                return self._score(model, scene, prepared)

    def _device(self) -> torch.device:
        if self.device is not None:
            return torch.device(self.device)
        for tensor in [*self.model.parameters(), *self.model.buffers()]:
            return tensor.device
        return torch.device("cpu")

    def _prepare(self, scene: Scene, device: torch.device) -> "_Prepared":
        """What all candidates share. Made once for a search."""
        if self._prepared is not None and self._prepared.scene is scene:
            return self._prepared
        change = _future_of(self.future if self.future is not None else self._usual_future)
        tasks = []
        for k in range(1, scene.pseudo_tasks + 1):
            indices = scene.pseudo_task(k)
            generator = torch.Generator().manual_seed((scene.seed + k) % 2**63)
            x = change(_tensor(scene.rows(indices)), k, generator)
            tasks.append((x.to(device), torch.from_numpy(scene.labels(indices)).to(device)))
        held_back = scene.held_back
        self._prepared = _Prepared(scene, tasks, _tensor(scene.rows(held_back)).to(device),
                                   torch.from_numpy(scene.labels(held_back)).to(device),
                                   np.unique(scene.labels(scene.indices)))
        return self._prepared

    def _live(self, model: torch.nn.Module, candidate: Candidate, prepared: "_Prepared", device: torch.device) -> bool:
        """Trains the copy on the pseudo-tasks. Returns whether it is still alive."""
        scene = candidate.scene
        batch = self.batch if self.batch is not None else scene.batch
        from_memory = self.memory_batch if self.memory_batch is not None else batch
        generator = torch.Generator().manual_seed(scene.seed % 2**63)
        optimizer = self.make_optimizer(model.parameters())
        xm = _tensor(candidate.rows()).to(device)
        ym = torch.from_numpy(candidate.labels).to(device)
        for x, y in prepared.tasks:
            for _ in range(self.epochs if self.epochs is not None else scene.epochs):
                for rows in torch.randperm(len(x), generator=generator).to(device).split(batch):
                    drawn = torch.randperm(len(xm), generator=generator)[:from_memory].to(device)
                    replayed = (self.transform(xm[drawn]), ym[drawn]) if len(xm) else (None, None)
                    self.step(model, optimizer, self.transform(x[rows]), y[rows], *replayed)
            kept, added = (torch.from_numpy(slots).to(device) for slots in candidate.advance())
            xm, ym = torch.cat([xm[kept], x[added]]), torch.cat([ym[kept], y[added]])
        return all(bool(torch.isfinite(parameter).all()) for parameter in model.parameters())

    def _replay_step(self, model: Any, optimizer: Any, x: torch.Tensor, y: torch.Tensor, xm: Optional[torch.Tensor],
                     ym: Optional[torch.Tensor]) -> None:
        optimizer.zero_grad()
        if xm is None or ym is None:
            loss = self.criterion(model(x), y)
        else:
            logits = model(torch.cat([x, xm]))
            if self.er_loss == "concat":
                loss = self.criterion(logits, torch.cat([y, ym]))
            else:
                loss = self.criterion(logits[:len(y)], y) + self.criterion(logits[len(y):], ym)
        loss.backward()
        optimizer.step()

    def _score(self, model: torch.nn.Module, scene: Scene, prepared: "_Prepared") -> Tuple[float, float]:
        logits, y = self._logits(model, prepared, prepared.x), prepared.y
        predicted = logits.argmax(dim=1)
        if not bool(torch.isfinite(self.criterion(logits, y))) or self._is_dead(model, prepared, predicted):
            return _WORST
        if scene.score == "natural":
            return float(self.criterion(logits, y)), float((predicted == y).double().mean())
        losses, accuracies = [], []
        for label in torch.unique(y):
            of_class = y == label
            losses.append(float(self.criterion(logits[of_class], y[of_class])))
            accuracies.append(float((predicted[of_class] == label).double().mean()))
        return sum(losses) / len(losses), sum(accuracies) / len(accuracies)

    def _logits(self, model: torch.nn.Module, prepared: "_Prepared", x: torch.Tensor) -> torch.Tensor:
        logits = torch.cat([model(self.transform(part)) for part in x.split(256)])
        if self.mask_labels:
            outside = torch.ones(logits.shape[1], dtype=torch.bool, device=logits.device)
            outside[torch.from_numpy(prepared.labels).to(logits.device)] = False
            logits = logits.masked_fill(outside, -math.inf)
        return logits

    def _is_dead(self, model: torch.nn.Module, prepared: "_Prepared", predicted: torch.Tensor) -> bool:
        """Whether it gives one answer for all examples held back, and for all of the last pseudo-task too. A task that is
        merely forgotten may get one answer as well."""
        if len(predicted) < _FEWEST_FOR_DEATH or not prepared.tasks or len(torch.unique(predicted)) > 1:
            return False
        x, y = prepared.tasks[-1]
        answers = self._logits(model, prepared, x).argmax(dim=1)
        return len(torch.unique(y)) > 1 and len(torch.unique(answers)) == 1


class _Prepared:
    def __init__(self, scene: Scene, tasks: List[Tuple[torch.Tensor, torch.Tensor]], x: torch.Tensor, y: torch.Tensor,
                 labels: np.ndarray) -> None:
        self.scene = scene
        self.tasks = tasks  # pseudo-tasks
        self.x = x  # held back
        self.y = y
        self.labels = labels  # of the current task


def permuted(x: torch.Tensor, k: int, generator: torch.Generator) -> torch.Tensor:
    """The rows with their pixels in a new random order, the same for all rows and channels; or their columns."""
    if x.dim() < 2:
        return x
    flat = x.flatten(2) if x.dim() == 4 else x.flatten(1)
    return flat[..., torch.randperm(flat.shape[-1], generator=generator)].reshape(x.shape)


def rotated(x: torch.Tensor, k: int, generator: torch.Generator) -> torch.Tensor:
    """The images, rotated by 15 k degrees around their centre. What comes from outside is 0."""
    height, width = _sides(x, "rotation")
    angle = math.radians(_DEGREES_PER_TASK * k)
    cosine, sine = math.cos(angle), math.sin(angle)
    down = torch.arange(height, dtype=torch.float64).sub((height - 1) / 2)[:, None]
    right = torch.arange(width, dtype=torch.float64).sub((width - 1) / 2)[None, :]
    from_x = cosine * right - sine * down
    from_y = sine * right + cosine * down
    # grid_sample takes places between -1 and 1, the centres of the outermost pixels.
    grid = torch.stack([from_x / max((width - 1) / 2, 0.5), from_y / max((height - 1) / 2, 0.5)], dim=-1)

    def rotate(planes: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.grid_sample(planes, grid.expand(len(planes), -1, -1, -1), mode="bilinear",
                                               padding_mode="zeros", align_corners=True)

    return _on_planes(x, rotate)


def blurred(x: torch.Tensor, k: int, generator: torch.Generator) -> torch.Tensor:
    """The images, blurred by a 5 x 5 Gaussian with a standard deviation of 0.5 k pixels; borders are mirrored."""
    height, width = _sides(x, "blurring")
    sigma = _SIGMA_PER_TASK * k
    weights = [math.exp(-t * t / (2 * sigma * sigma)) for t in range(-2, 3)]
    weights = [weight / sum(weights) for weight in weights]

    def along(planes: torch.Tensor, dim: int, side: int) -> torch.Tensor:
        places = torch.arange(side)
        taps = (planes.index_select(dim, _mirrored(places + t, side)) for t in range(-2, 3))
        return sum(weight * tap for weight, tap in zip(weights, taps))  # type: ignore[return-value]

    return _on_planes(x, lambda planes: along(along(planes, 3, width), 2, height))


def _mirrored(places: torch.Tensor, side: int) -> torch.Tensor:
    if side == 1:
        return torch.zeros_like(places)
    places = places.abs() % (2 * (side - 1))
    return torch.where(places < side, places, 2 * (side - 1) - places)


def _sides(x: torch.Tensor, future: str) -> Tuple[int, int]:
    if x.dim() not in (3, 4):
        raise ValueError(f"the future '{future}' needs images (height x width, or channels x height x width), got rows with "
                         f"shape {tuple(x.shape[1:])}")
    return x.shape[-2], x.shape[-1]


def _on_planes(x: torch.Tensor, change: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Calls it with images x channels x height x width in double precision. The result has the type of x."""
    planes = x.to(torch.float64).reshape(len(x), -1, *x.shape[-2:])
    changed = change(planes).reshape(x.shape)
    if x.dtype.is_floating_point:
        return changed.to(x.dtype)
    limits = torch.iinfo(x.dtype)
    return changed.round().clamp(limits.min, limits.max).to(x.dtype)


_FUTURES = {"permutation": permuted, "rotation": rotated, "blurring": blurred}


def _future_of(future: Union[str, Future]) -> Future:
    if callable(future):
        return future
    if future not in _FUTURES:
        raise ValueError(f"unknown future {future!r}; known: {', '.join(_FUTURES)}, or a function future(x, k, generator)")
    return _FUTURES[future]


def _tensor(rows: Any) -> torch.Tensor:
    return rows if isinstance(rows, torch.Tensor) else torch.from_numpy(np.ascontiguousarray(rows))
