"""Rows of any kind, as the C++ part takes them: numpy arrays that share their memory with what the user has.

torch is never imported here. If somebody has a tensor, torch is among the loaded modules.
"""
import sys

import numpy as np


def torch_or_none():
    return sys.modules.get("torch")


def is_tensor(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def as_numbers(values, name):
    """Whole numbers in one dimension: an array, a tensor or a list."""
    if isinstance(values, np.ndarray):
        return values
    if is_tensor(values):
        try:
            return values.numpy()
        except (RuntimeError, TypeError):  # with a gradient, or on another device
            return as_bytes(values)
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype == object:
        raise ValueError(f"{name} must be whole numbers, got a list of {type(values[0]).__name__}")
    return array


class Format:
    """What a row is: torch or numpy, its type and its shape."""

    def __init__(self, kind, dtype, shape):
        self.kind = kind  # "torch" or "numpy"
        self.dtype = dtype  # as torch or numpy has it
        self.shape = tuple(shape)

    @staticmethod
    def of(rows):
        return Format("torch" if is_tensor(rows) else "numpy", rows.dtype, rows.shape[1:])

    def matches(self, rows):
        return is_tensor(rows) == (self.kind == "torch") and rows.dtype == self.dtype and rows.shape[1:] == self.shape

    def __eq__(self, other):
        return isinstance(other, Format) and self.to_dict() == other.to_dict()

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        return f"{self.kind} rows of {self.dtype_name()} with shape {self.shape}"

    def dtype_name(self):
        return str(self.dtype).removeprefix("torch.") if self.kind == "torch" else self.dtype.str

    def empty(self, count):
        """Room for so many rows."""
        if self.kind == "torch":
            return torch_or_none().empty((count, *self.shape), dtype=self.dtype)
        return np.empty((count, *self.shape), dtype=self.dtype)

    def to_dict(self):
        return {"kind": self.kind, "dtype": self.dtype_name(), "shape": list(self.shape)}

    @staticmethod
    def from_dict(values):
        shape = tuple(int(side) for side in values["shape"])
        if values["kind"] != "torch":
            return Format("numpy", np.dtype(values["dtype"]), shape)
        import torch

        return Format("torch", getattr(torch, values["dtype"]), shape)


def as_bytes(rows):
    """A numpy array that shares the memory of these rows. Types that numpy does not have (bfloat16) appear as whole numbers of
    the same size. Rows on another device are copied."""
    if not is_tensor(rows):
        return rows
    try:
        return rows.numpy()  # nearly always
    except (RuntimeError, TypeError):
        pass
    rows = rows.detach()
    if rows.device.type != "cpu":
        rows = rows.cpu()
    try:
        return rows.numpy()
    except TypeError:
        torch = torch_or_none()
        sizes = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        if rows.is_quantized or rows.element_size() not in sizes:
            raise ValueError(f"rows of {rows.dtype} cannot be stored") from None
        return rows.view(sizes[rows.element_size()]).numpy()


def contiguous(rows):
    """Rows as contiguous bytes; copied only if they are not."""
    array = as_bytes(rows)
    if array.dtype == object:
        raise ValueError("x must be an array or a tensor of numbers, got one of Python objects")
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def as_rows(rows, name="x"):
    """An array or a tensor; lists become arrays."""
    return rows if isinstance(rows, np.ndarray) or is_tensor(rows) else np.asarray(rows)
