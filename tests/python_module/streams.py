"""What the tests of gpscl.Memory share: made-up tasks, and loops over them."""
import json
import os
import subprocess
import unittest

import numpy as np

SIDE = 4
NO_TORCH = "not checked: the module for Python with PyTorch; to check: install python3-torch (make python does)"
NO_REFERENCE = "not checked: gpscl.Memory against the loop in C++; to check: make python"


def torch_or_skip():
    try:
        import torch
    except ImportError:
        raise unittest.SkipTest(NO_TORCH) from None
    torch.set_num_threads(1)
    return torch


def made_up_labels(tasks, examples, classes, seed=3):
    """Labels of several tasks, with classes of different sizes."""
    rng = np.random.default_rng(seed)
    weights = np.arange(1, classes + 1) / np.arange(1, classes + 1).sum()
    return [rng.choice(classes, size=examples, p=weights) for _ in range(tasks)]


def images(task, labels):
    """The images of reference_run.cpp."""
    row = np.arange(len(labels))[:, None]
    pixel = np.arange(SIDE * SIDE)[None, :]
    values = (31 * row + 17 * task + 7 * pixel) % 97 + 150 * (pixel % 5 == np.asarray(labels)[:, None])
    return values.astype(np.uint8).reshape(len(labels), SIDE, SIDE)


def reference_run(**request):
    """What a run in C++ does with the same tasks."""
    program = os.environ.get("GPSCL_REFERENCE_RUN")
    if not program:
        raise unittest.SkipTest(NO_REFERENCE)
    request["tasks"] = [[int(label) for label in labels] for labels in request["tasks"]]
    answer = subprocess.run([program], input=json.dumps(request), capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise AssertionError(answer.stderr)
    return json.loads(answer.stdout)


def contents(memory):
    """The examples of a memory as plain values, slot by slot."""
    return list(zip(memory.tasks.tolist(), memory.indices.tolist(), memory.labels.tolist(), memory.is_ring.tolist()))


def feed(memory, labels, task, *, batch=10, epochs=1, rows=True, knows=True, drawn=None):
    """Shows a task to a memory in the order of `gpscl run`."""
    x = images(task, labels)
    if knows:
        memory.begin_task(labels)
    for epoch in range(epochs):
        order = memory.order(len(labels))
        for first in range(0, len(order), batch):
            i = order[first:first + batch]
            if drawn is not None:
                drawn.append(memory.draw(batch).tolist() if len(memory) else [])
            memory.observe(i, labels[i], x[i] if rows else None)
        memory.end_epoch()
    return x
