"""Keyword arguments as options of the library's tables.

An option is named by its flag with underscores for dashes (``examples_per_task`` is ``--examples-per-task``), or by its
key in results (``learning_rate`` is ``--lr``). What options there are is data of the library: a new one needs no change
here.
"""

from __future__ import annotations

import difflib
import os
import re
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, TypeVar

Result = TypeVar("Result")

BUILT_WITHOUT = "this gpscl was built without LibTorch"  # how the library begins that message


def in_python(message: str) -> str:
    """The library's message with options as Python names them: `memory-batch` and --memory-batch are memory_batch."""

    def name(found: "re.Match[str]") -> str:
        return found.group(1).replace("-", "_")

    if message.startswith(BUILT_WITHOUT):
        return ("the package for Python has no LibTorch: its models are mlp and, with backend own, resnet18, and it exports no "
                "networks; the program that `make build` builds has the others")
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])\b", name, re.sub(r"`([a-z-]+)`", name, message))


def called(function: Callable[..., Result], *arguments: Any) -> Result:
    """Calls a function of the library. The messages of its errors name options as Python does."""
    try:
        return function(*arguments)
    except (ValueError, OSError, ArithmeticError) as error:
        if not error.args or not isinstance(error.args[0], str):
            raise
        error.args = (in_python(error.args[0]),) + error.args[1:]
        raise


def text_of(value: Any) -> str:
    """A value as on the command line: 0.1, "100,100", "none" for an empty list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, Iterable):
        return ",".join(text_of(each) for each in value) or "none"
    if isinstance(value, int) or (hasattr(value, "__index__") and not hasattr(value, "ndim")):
        return str(int(value))
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"an option cannot have the value {value!r}") from None
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def names_of(value: Any, what: str) -> List[str]:
    """One name, several with commas between them, or a list of names."""
    if value is None:
        return []
    names = value.split(",") if isinstance(value, str) else list(value)
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"{what} must be a name or a list of names, got {value!r}")
    return names


def keyword(row: Mapping[str, Any]) -> str:
    """The keyword of an option: its flag with underscores."""
    return str(row["flag"]).replace("-", "_")


def given_texts(keywords: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Dict[str, str]:
    """Texts by flag, for the library. None stands for the default. Raises TypeError for an unknown keyword."""
    by_flag = {keyword(row): row for row in rows}
    by_key = {row["key"]: row for row in rows}
    given: Dict[str, str] = {}
    said: Dict[str, str] = {}
    for name, value in keywords.items():
        row = by_flag.get(name) or by_key.get(name)
        if row is None:
            near = difflib.get_close_matches(name, [*by_flag, *by_key], n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"unknown option {name}{meant} (gpscl.options() lists them)")
        if value is None:
            continue
        flag = row["flag"]
        if flag in said:
            raise TypeError(f"{said[flag]} and {name} are the same option; give one of them")
        said[flag] = name
        if row["kind"] == "flag":
            # A flag is the opposite of the default; a key has the value itself (no_augment=True, augment=False).
            if bool(value) if name in by_flag else bool(value) != row["default"]:
                given[flag] = "true"
        else:
            given[flag] = text_of(value)
    return given
