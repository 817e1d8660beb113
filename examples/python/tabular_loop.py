"""A table whose columns drift, without PyTorch: softmax regression in numpy, with a memory that simulates the drift.

    python3 tabular_loop.py

Each month is a task: rows of twelve numbers and one of four labels, some of them rare. GPS asks a function of ours what
would happen: `simulate` trains a copy of the weights on months that drift further, with the candidate memory replayed.
"""
import numpy as np

import gpscl

COLUMNS, LABELS, MONTHS, ROWS, BATCH = 12, 4, 4, 600, 20
draw = np.random.default_rng(0)
centres = draw.normal(size=(LABELS, COLUMNS))
drifts = draw.normal(scale=1.2, size=(MONTHS, LABELS, COLUMNS)).cumsum(axis=0)


def make_month(month, count):
    y = draw.choice(LABELS, size=count, p=[0.55, 0.3, 0.1, 0.05])
    x = centres[y] + drifts[month][y] + draw.normal(size=(count, COLUMNS))
    return x.astype(np.float32), y


def probabilities(weights, x):
    scores = x @ weights[:-1] + weights[-1]
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def step(weights, x, y, rate=0.05):
    error = probabilities(weights, x)
    error[np.arange(len(y)), y] -= 1
    weights[:-1] -= rate * x.T @ error / len(y)
    weights[-1] -= rate * error.mean(axis=0)


def simulate(candidate):
    """Loss and accuracy of the month that just ended, if this candidate were the memory in the months to come."""
    scene = candidate.scene
    own = np.random.default_rng(scene.seed)  # the same numbers for every candidate
    copied = weights.copy()
    xm, ym = candidate.rows(), candidate.labels
    for k in range(1, scene.pseudo_tasks + 1):
        indices = scene.pseudo_task(k)
        y = scene.labels(indices)
        x = scene.rows(indices) + own.normal(scale=1.2, size=(LABELS, COLUMNS)).astype(np.float32)[y]
        order = own.permutation(len(y))
        for first in range(0, len(order), scene.batch):
            i = order[first:first + scene.batch]
            j = own.choice(len(ym), size=min(scene.batch, len(ym)), replace=False)
            step(copied, np.concatenate([x[i], xm[j]]), np.concatenate([y[i], ym[j]]))
        kept, added = candidate.advance()
        xm, ym = np.concatenate([xm[kept], x[added]]), np.concatenate([ym[kept], y[added]])
    y = scene.labels(scene.held_back)
    shares = probabilities(copied, scene.rows(scene.held_back))
    return -np.log(shares[np.arange(len(y)), y] + 1e-12).mean(), (shares.argmax(axis=1) == y).mean()


weights = np.zeros((COLUMNS + 1, LABELS))
memory = gpscl.Memory(budget=60, policy="gps", seed=0, tasks=MONTHS, batch=BATCH, score="balanced")
tested = []
for month in range(MONTHS):
    x, y = make_month(month, ROWS)
    tested.append(make_month(month, 1000))
    for i in np.split(draw.permutation(ROWS), ROWS // BATCH):
        inputs, labels = x[i], y[i]
        if len(memory):
            xm, ym = memory.sample(BATCH)
            inputs, labels = np.concatenate([inputs, xm]), np.concatenate([labels, ym])
        step(weights, inputs, labels)
        memory.observe(i, y[i])
    print(memory.end_task(x, simulate))
for month, (x, y) in enumerate(tested, 1):
    right = probabilities(weights, x).argmax(axis=1) == y
    by_label = [right[y == label].mean() for label in range(LABELS)]
    print(f"month {month}: {100 * right.mean():.1f} %, mean over labels {100 * np.mean(by_label):.1f} %")
