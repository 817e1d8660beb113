"""Rows of any kind, as the C++ part takes them: numpy arrays that share their memory with what the user has.

torch is never imported here. If somebody has a tensor, torch is among the loaded modules.
"""
import functools
import math
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
        return as_bytes(values, name)
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        raise ValueError(f"{name} must have one dimension, got lists within a list") from None
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype == object:
        raise ValueError(f"{name} must be whole numbers of at most 64 bits, got {shown(values)}")
    return array


def shown(value):
    """The value as text for one line of a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:59] + "…"


class Format:
    """What a row is: torch or numpy, its type and its shape."""

    def __init__(self, kind, dtype, shape):
        self.kind = kind  # "torch" or "numpy"
        self.dtype = dtype  # as torch or numpy has it
        self.shape = tuple(shape)

    @functools.cached_property
    def row_bytes(self):
        is_torch = self.kind == "torch"
        each = torch_or_none().empty(0, dtype=self.dtype).element_size() if is_torch else self.dtype.itemsize
        return each * math.prod(self.shape)

    @staticmethod
    def of(rows):
        return Format("torch" if is_tensor(rows) else "numpy", rows.dtype, rows.shape[1:])

    def matches(self, rows):
        is_torch = self.kind == "torch"
        return is_tensor(rows) == is_torch and rows.dtype == self.dtype and rows.shape[1:] == self.shape

    def can_be_read_in_place(self, i, y, x):
        """Whether a batch of this format can be read at its addresses: dense tensors on the CPU, contiguous, with at
        least one row, numbers of 64 bits, and all of it in their memory. Otherwise each needs an array, which takes
        most of the time of a call."""
        torch = sys.modules.get("torch")
        if self.kind != "torch" or not (type(x) is type(y) is type(i) is torch.Tensor):
            return False
        count = x.shape[:1]
        return (len(count) == 1 and count[0] > 0 and x.dtype is self.dtype and x.shape[1:] == self.shape
                and y.dtype is torch.int64 and y.shape == count and i.dtype is torch.int64 and i.shape == count
                and x.layout is y.layout is i.layout is torch.strided and not x.is_complex()
                and x.is_cpu and y.is_cpu and i.is_cpu
                and x.is_contiguous() and y.is_contiguous() and i.is_contiguous()
                and not (x.is_neg() or y.is_neg() or i.is_neg())
                and is_in_memory(x, count[0] * self.row_bytes)
                and is_in_memory(y, 8 * count[0]) and is_in_memory(i, 8 * count[0]))

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
        """Raises ValueError, TypeError or KeyError for what is no format."""
        shape = tuple(int(side) for side in values["shape"])
        if any(side < 0 for side in shape):
            raise ValueError(f"rows cannot have the shape {shape}")
        name = str(values["dtype"])
        if values["kind"] == "numpy":
            dtype = np.dtype(name)
            if dtype.hasobject:
                raise ValueError("rows cannot be Python objects")
            return Format("numpy", dtype, shape)
        if values["kind"] != "torch":
            raise ValueError(f"rows are of torch or numpy, not of {shown(values['kind'])}")
        import torch

        dtype = getattr(torch, name, None)
        if not isinstance(dtype, torch.dtype):
            raise ValueError(f"torch has no type {shown(name)}")
        return Format("torch", dtype, shape)


def is_in_memory(tensor, size):
    """Whether a tensor has its first `size` bytes in memory. One whose storage was resized may not, and one that only
    stands for zeros does not. REQUIRES: on the CPU."""
    if tensor.data_ptr() == 0:
        return False
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor._storage()
    return storage.nbytes() >= tensor.storage_offset() * tensor.element_size() + size


def _is_whole(tensor):
    """The same for a tensor of any strides."""
    if tensor.numel() == 0:
        return True
    last = sum(stride * (side - 1) for stride, side in zip(tensor.stride(), tensor.shape))
    return is_in_memory(tensor, (last + 1) * tensor.element_size())


def as_bytes(rows, name="x"):
    """A numpy array that shares the memory of these rows. Types that numpy does not have (bfloat16) appear as whole
    numbers of the same size. Rows on another device, and views with another sign or the conjugate, are copied."""
    if not is_tensor(rows):
        return rows
    torch = torch_or_none()
    if rows.layout is not torch.strided:
        raise ValueError(f"{name} must be a dense tensor, got one of the layout {rows.layout}")
    if rows.device.type == "meta":
        raise ValueError(f"{name} must be a tensor with values, got one of the device meta")
    if rows.device.type == "cpu" and not _is_whole(rows):
        raise ValueError(f"{name} must be a tensor with values, got one whose memory is missing or too small")
    try:
        return rows.numpy()  # nearly always
    except (RuntimeError, TypeError):
        pass
    rows = rows.detach().cpu().resolve_conj().resolve_neg()
    try:
        return rows.numpy()
    except TypeError:
        sizes = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        if rows.is_quantized or rows.element_size() not in sizes:
            raise ValueError(f"rows of {rows.dtype} cannot be stored") from None
        return rows.view(sizes[rows.element_size()]).numpy()


def as_room(out, name="out"):
    """A numpy array through which a buffer of the user is filled."""
    if is_tensor(out) and (out.is_neg() or out.is_conj()):
        raise ValueError(f"{name} must be a tensor that can be filled, got a view with another sign or the conjugate")
    return as_bytes(out, name)


def contiguous(rows):
    """Rows as contiguous bytes; copied only if they are not."""
    array = as_bytes(rows)
    if array.dtype == object:
        raise ValueError("x must be an array or a tensor of numbers, got one of Python objects")
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def as_rows(rows, name="x"):
    """An array or a tensor; lists become arrays."""
    return rows if isinstance(rows, np.ndarray) or is_tensor(rows) else np.asarray(rows)
