"""Buffers for what gpscl.Memory.sample draws."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from . import _rows


class Room:
    """Buffers of the user that were filled last, exactly as large as what was asked for. They need not be looked at
    again when the next call has the same ones: the time of that is most of the time of a call."""

    def __init__(self, out: Any = None, x: Any = None, y: Any = None, rows: Any = None, labels: Any = None) -> None:
        self.out = out
        if out is None:
            return
        self._n = len(labels)
        self._x, self._rows = x, rows
        self._x_at = rows.ctypes.data
        self._kind = "torch" if _rows.is_tensor(y) else "numpy"
        self._has_labels = isinstance(out, (tuple, list))
        if self._has_labels:
            self._y, self._labels = y, labels
            self._y_at = labels.ctypes.data

    def is_for(self, n: int, out: Any) -> bool:
        """Whether n examples fill them, `out` still has them, and they are where they were."""
        return (n == self._n and (self._x is self._rows or self._x.data_ptr() == self._x_at)
                and (not self._has_labels or (out[0] is self._x and out[1] is self._y and (
                    self._y is self._labels or self._y.data_ptr() == self._y_at))))

    def buffers(self) -> Tuple[Any, Any, Any, Any]:
        if self._has_labels:
            return self._x, self._y, self._rows, self._labels
        y = empty_labels(self._n, self._kind)
        return self._x, y, self._rows, _rows.as_bytes(y)


def empty_labels(count: int, kind: str) -> Any:
    if kind == "torch":
        torch = _rows.torch_or_none()
        return torch.empty(count, dtype=torch.int64)
    return np.empty(count, dtype=np.int64)
