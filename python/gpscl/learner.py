"""A classifier that keeps learning: ``gpscl learn``, ``predict`` and ``export`` (docs/learn.md) from Python.

    learner = gpscl.Learner("state", memory=200)
    print(learner.learn("week1"))              # a folder CLASS/IMAGE; the first call makes the state
    print(learner.learn(images, labels))       # or uint8 arrays
    learner.predict("inbox/photo.png")
    learner.status()
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _gpscl
from ._options import called, given_texts
from ._progress import Progress

__all__ = ["Learner", "LearnReport", "Prediction"]

Path = Union[str, "os.PathLike[str]"]


class LearnReport(Dict[str, Any]):
    """What was learnt, forgotten and kept: a dict (as ``gpscl learn --json``); print shows it for people."""

    @property
    def is_kept(self) -> bool:
        """Whether the new version was kept."""
        return bool(self["committed"])

    def __str__(self) -> str:
        return str(self["text"]).rstrip("\n")


class Prediction:
    """The likeliest classes of an image, the likeliest first. An image that cannot be read has an ``error`` instead."""

    def __init__(self, classes: Sequence[Tuple[str, float]] = (), error: Optional[str] = None) -> None:
        self.classes = list(classes)  # [("cat", 0.93), ("dog", 0.05)]
        self.error = error

    @property
    def label(self) -> Optional[str]:
        return self.classes[0][0] if self.classes else None

    @property
    def probability(self) -> float:
        return self.classes[0][1] if self.classes else 0.0

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<gpscl.Prediction: {self.error}>"
        return "<gpscl.Prediction " + ", ".join(f"{name} {100 * share:.1f} %" for name, share in self.classes) + ">"


def _rows(images: Any, what: str = "images") -> "np.ndarray":
    """Images as n x channels x height x width, in bytes."""
    if hasattr(images, "detach"):  # a tensor
        images = images.detach().cpu().numpy()
    rows = np.asarray(images)
    if rows.dtype != np.uint8:
        raise ValueError(f"{what} must be bytes (uint8, 0 to 255), got {rows.dtype}")
    if rows.ndim == 3:
        rows = rows[:, None]
    if rows.ndim != 4:
        raise ValueError(f"{what} must have the shape (n, h, w), (n, h, w, channels) or (n, channels, h, w), got {rows.shape}")
    if rows.shape[1] not in (1, 3):
        if rows.shape[3] not in (1, 3):
            raise ValueError(f"{what} must have 1 or 3 channels, got the shape {rows.shape}")
        rows = rows.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(rows)


def _names(labels: Any, count: int, what: str = "labels") -> List[str]:
    if hasattr(labels, "tolist"):
        labels = labels.tolist()
    names = [each if isinstance(each, str) else str(int(each)) for each in labels]
    if len(names) != count:
        raise ValueError(f"{what} must be one for each image: {count} images, {len(names)} labels")
    return names


class Learner:
    """A classifier in a folder, which learns one task after another within a memory budget.

    state: the folder. It is made by the first call of ``learn``; until then nothing is written.
    options: those of ``gpscl learn`` (``gpscl.options("learner")``), such as model="mlp", memory=200 or memory="2MB",
        learner="er", policy="gps", epochs=5, lr=0.03, keep=1. In a state that there is already, those of the network
        and the images may only be repeated. The others change it from the next call of ``learn`` on.
    progress: show progress, live on a terminal and in a notebook.
    """

    def __init__(self, state: Path, *, progress: bool = True, **options: Any) -> None:
        self._handle = _gpscl.LearnerHandle(os.fspath(state))
        self._given = given_texts(options, _gpscl.learner_options())
        self._progress = progress

    @property
    def state(self) -> str:
        """The folder."""
        return self._handle.name

    @property
    def exists(self) -> bool:
        """Whether something was learnt already."""
        return self._handle.has_state()

    @property
    def classes(self) -> List[str]:
        """The classes that it knows."""
        return self.status()["classes"] if self.exists else []

    def learn(self, images: Any, labels: Any = None, *, test: Optional[Tuple[Any, Any]] = None,
              name: Optional[str] = None, image_size: Union[str, int, None] = None, colour: str = "auto",
              skip_bad: bool = False, again: bool = False, accept: bool = False, new_classes: bool = True,
              wait: bool = True, jobs: int = 0) -> LearnReport:
        """Learns one more task: new classes, or new examples of known ones.

        images: a folder CLASS/IMAGE or a manifest (.csv); or, with labels, bytes of the shape (n, h, w),
            (n, h, w, channels) or (n, channels, h, w). labels: names, or numbers, which become names.
        test: (images, labels) to test on; without it, some of the images are held out (for arrays; a folder may have test/).
        name: the name of the task. image_size, colour ("auto", "grey", "rgb"): how files are read, for a new state.
        skip_bad: leave out files that cannot be read. again: learn data again that was learnt already.
        accept: keep the new version even if it guesses or forgot too much. new_classes=False: refuse new classes.
        wait=False: fail if another process is changing the state. jobs: workers; 0: one a core.

        After a crash or Ctrl-C the state is either the old one or the new one. If the new version is no better than
        guessing or forgot too much, it is not kept: ``report.is_kept`` is False and ``report["problems"]`` says why.
        """
        call = _gpscl.LearnCall()
        call.given = self._given
        call.image_size = "" if image_size is None else str(image_size)
        if colour not in ("auto", "grey", "rgb"):
            raise ValueError(f"colour must be auto, grey or rgb, got {colour!r}")
        call.colour = colour
        call.skip_bad, call.again, call.accept = skip_bad, again, accept
        call.new_classes, call.wait, call.jobs = new_classes, wait, jobs
        is_path = isinstance(images, (str, os.PathLike))
        if is_path and (labels is not None or test is not None):
            raise ValueError("a folder or manifest has its own labels and test images; leave labels and test out")
        if not is_path and labels is None:
            raise ValueError("images in memory need labels")
        if not is_path and (image_size is not None or colour != "auto"):
            raise ValueError("image_size and colour are for files; resize the images yourself")
        shown = Progress() if self._progress else None
        try:
            if is_path:
                path = os.fspath(images)
                base = os.path.basename(os.path.normpath(path))
                call.name = name or (base[:-4] if base.endswith(".csv") else base)
                text = called(self._handle.learn_files, path, call, shown)
            else:
                rows = _rows(images)
                names = _names(labels, len(rows))
                held, held_names = np.zeros((0, *rows.shape[1:]), np.uint8), []
                if test is not None:
                    held = _rows(test[0], "test images")
                    held_names = _names(test[1], len(held), "test labels")
                    if held.shape[1:] != rows.shape[1:]:
                        raise ValueError(f"test images must have the shape of the images, {rows.shape[1:]}, got {held.shape[1:]}")
                call.name = name or f"task {len(self.history()) + 1 if self.exists else 1}"
                text = called(self._handle.learn_rows, rows, names, held, held_names, call, shown)
        finally:
            if shown is not None:
                shown.close()
        return LearnReport(json.loads(text))

    def predict(self, images: Any, top: int = 1, jobs: int = 0) -> Any:
        """The ``top`` likeliest classes of images: files (a path or a list of paths) or bytes as in ``learn``.

        Returns a Prediction for one path, else a list with one for each image.
        """
        if top < 1:
            raise ValueError(f"top must be at least 1, got {top}")
        is_one = isinstance(images, (str, os.PathLike))
        if is_one or (isinstance(images, (list, tuple)) and all(isinstance(each, (str, os.PathLike)) for each in images)):
            paths = [os.fspath(each) for each in ([images] if is_one else images)]
            found = called(self._handle.predict_files, paths, top, jobs, None)
        else:
            found = called(self._handle.predict_rows, _rows(images), top)
        answers = [Prediction(error=each) if isinstance(each, str) else Prediction(each) for each in found]
        return answers[0] if is_one else answers

    def evaluate(self, images: Any, labels: Any) -> Dict[str, float]:
        """The accuracy on labelled images: among their own classes, and ``among_all`` classes. Changes nothing."""
        rows = _rows(images)
        if not len(rows):
            raise ValueError("there is no image to test on")
        own, among_all = called(self._handle.test_rows, rows, _names(labels, len(rows)))
        return {"accuracy": own, "among_all": among_all}

    def status(self) -> Dict[str, Any]:
        """How the state was made, what it knows and what its memory holds (``gpscl learn --status --json``)."""
        return json.loads(called(self._handle.status))

    def history(self) -> List[Dict[str, Any]]:
        """What was learnt, and when: one dict a task."""
        return json.loads(called(self._handle.history))

    def rollback(self, wait: bool = True) -> int:
        """Goes back to the version before, and removes the newest for good. Returns its number."""
        return called(self._handle.rollback, wait)

    def export(self, path: Path, format: str = "safetensors") -> str:
        """Writes the network for PyTorch: "safetensors", or "torchscript" (needs LibTorch). Returns the path."""
        called(self._handle.save, os.fspath(path), format)
        return os.fspath(path)

    def __repr__(self) -> str:
        if not self.exists:
            return f"<gpscl.Learner {self.state}: nothing learnt yet>"
        status = self.status()
        return f"<gpscl.Learner {self.state}: version {status['version']}, {status['tasks']} tasks, {len(status['classes'])} classes>"
