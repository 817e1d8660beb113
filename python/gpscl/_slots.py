"""Examples in the slots of a memory."""

from __future__ import annotations

from typing import Any

import numpy as np


class Slots:
    """What is stored, slot by slot, beside the rows. `_core` is the part in C++."""

    _core: Any

    @property
    def indices(self) -> np.ndarray:
        """The index of each example, slot by slot, as it was given to observe()."""
        return self._core.indices

    @property
    def labels(self) -> np.ndarray:
        """The label of each example, slot by slot."""
        return self._core.labels

    @property
    def tasks(self) -> np.ndarray:
        """The task of each example, slot by slot, from 1. Pseudo-tasks have the numbers after the real ones."""
        return self._core.tasks

    @property
    def is_ring(self) -> np.ndarray:
        """Whether each example is in the class-balanced part of its task, slot by slot."""
        return self._core.is_ring
