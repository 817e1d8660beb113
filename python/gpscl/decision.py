"""What a policy decided when a task ended."""
from __future__ import annotations

import dataclasses
from typing import Dict, List


@dataclasses.dataclass(frozen=True)
class Trial:
    """A plan that a simulation tried, and how well the task was remembered."""

    plan: Dict[str, int]
    loss: float
    accuracy: float

    @property
    def ring_size(self) -> int:
        """How many of the task's examples were class-balanced."""
        return self.plan["ring_size"]


@dataclasses.dataclass(frozen=True)
class Decision:
    """What a policy decided when a task ended."""

    task: int
    plan: Dict[str, int]
    quota: int
    """How many examples of the task are stored."""
    trials: List[Trial]
    """What was tried, in its order; empty if nothing was searched."""
    seconds: float = 0.0
    """Time that the simulation took."""
    task_seconds: float = 0.0
    """Time since the task began, simulation included."""

    @property
    def ring_size(self) -> int:
        """How many of them are class-balanced; the rest is random."""
        return self.plan["ring_size"]

    @property
    def simulation_share(self) -> float:
        """The share of the simulation in the time of the task, from 0 to 1."""
        return self.seconds / self.task_seconds if self.task_seconds > 0 else 0.0

    def __str__(self) -> str:
        text = f"task {self.task}: {self.ring_size} of {self.quota} examples class-balanced, the rest random"
        for knob, value in self.plan.items():
            if knob != "ring_size":
                text += f", {knob.replace('_', ' ')} {value}"
        if not self.trials:
            return text
        return (f"{text}; best of {len(self.trials)} simulated memories, {self.seconds:.2f} s, "
                f"{self.simulation_share:.0%} of the task's time")
