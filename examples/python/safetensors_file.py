"""Reads a safetensors file into a dict of tensors. The file has the length of the header (eight bytes), a JSON header, and
the numbers."""
import json

import torch

TYPES = {"U8": torch.uint8, "I64": torch.int64, "F16": torch.float16, "F32": torch.float32}


def read(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        numbers = bytearray(file.read())
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, end = entry["data_offsets"]
        flat = torch.frombuffer(numbers[first:end], dtype=TYPES[entry["dtype"]]) if end > first else torch.empty(0)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors
