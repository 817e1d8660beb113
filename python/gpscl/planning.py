"""Plans: how to learn a stream, without having learnt it.

    plan = gpscl.plan("p-fashion-mnist", memory="200kB", tasks=10)
    print(plan)                         # what was chosen, what it should reach, the runners-up
    results = plan.run(seeds=3)
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import _gpscl
from ._options import called, given_texts, names_of
from ._progress import Progress
from .experiments import Names, Path, Results, Rows, checked_jobs, run, whole_seeds

__all__ = ["plan", "StreamPlan"]


class StreamPlan:
    """What a planner chose for a stream. ``print`` shows it."""

    def __init__(self, values: Mapping[str, Any], text: str, arguments: List[str], seed: int,
                 how: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self._choice = values["choices"][0]
        self._text = text
        self._arguments = list(arguments)
        self._how = dict(how)  # of run(): where the data is
        self.seed = seed

    @property
    def settings(self) -> Dict[str, Any]:
        """What was chosen: learner, learning rate, steps a task, and so on."""
        return dict(self._choice["recipe"])

    @property
    def expected(self) -> Optional[Tuple[float, float, float]]:
        """The accuracy after the last task that the plan expects, as a share, and an interval; None: not predicted."""
        found = self._choice.get("expected")
        return None if found is None else (found["accuracy"], found["low"], found["high"])

    @property
    def trials(self) -> Rows:
        """What was tried, the best first: the settings, with ``accuracy``, and ``complete`` unless stopped early."""
        return Rows({"accuracy": each["accuracy"], "complete": each["complete"], **each["recipe"]}
                    for each in self._choice["trials"])

    @property
    def seconds(self) -> float:
        """The time that planning took."""
        return self._values["seconds"]

    @property
    def command(self) -> str:
        """The command that follows the plan."""
        return self._values["command"]

    @property
    def keywords(self) -> Dict[str, Any]:
        """The keyword arguments of ``gpscl.run`` that follow the plan."""
        flags = {row["flag"] for row in _gpscl.run_options() if row["kind"] == "flag"}
        words = iter(self._arguments)
        keywords: Dict[str, Any] = {"benchmark": next(words)}
        for word in words:
            name = word[2:]
            keywords[name.replace("-", "_")] = True if name in flags else next(words)
        return keywords

    def run(self, seeds: Union[int, List[int], None] = None, **options: Any) -> Results:
        """Follows the plan with ``gpscl.run``: with the seed of the plan, or with these seeds.

        Options are those of ``run``.
        """
        which: Dict[str, Any] = {"seed": self.seed} if seeds is None else {"seeds": seeds}
        return run(**{**self.keywords, **self._how, **which, **options})

    def to_dict(self) -> Dict[str, Any]:
        """The whole plan, as ``gpscl plan --json`` prints it."""
        return json.loads(json.dumps(self._values))

    def __repr__(self) -> str:
        return f"{self._text}\nTo follow this plan: plan.run(), or\n  {self.command}"


def plan(benchmark: Path, knobs: Optional[Names] = None, *, budget: str = "", policy: Optional[str] = None,
         learner: Optional[str] = None, seed: int = 0, preset: str = "paper", jobs: int = 0,
         data: Optional[Path] = None, progress: bool = True, **options: Any) -> StreamPlan:
    """Chooses how to learn a stream, without learning it, as ``gpscl plan`` does. Keeps nothing on disk.

    The stream is imagined from its first task, and settings are tried on it. No test data and no later task is read.

    benchmark: a name (``gpscl.catalog("benchmarks")``), or the path of your own images.
    knobs: what may be chosen, some of "learner", "lr", "length", "weights", "memory-batch", "policy", "codec"; None:
        all.
    budget: work of planning, in percent of the steps of the run without a plan ("50%"), or in seconds ("60s").
    policy, learner, options: as of ``run``. What is given is not chosen.

    ``gpscl.run(benchmark, plan="all")`` plans and runs at once; on a stream whose tasks bring new classes it also plans
    before each later task. Ctrl-C raises KeyboardInterrupt. Raises ValueError for what is impossible, and OSError for
    files.
    """
    for name, instead in (("plan", "knobs"), ("plan_budget", "budget")):
        if name in options:
            raise TypeError(f"{name} is an option of gpscl.run; gpscl.plan takes {instead}")
    if not isinstance(budget, str):
        raise ValueError(f"budget must be text, percent or seconds, such as \"10%\" or \"60s\", got {budget!r}")
    request = _gpscl.RunRequest()
    request.preset = preset
    request.seeds = whole_seeds([seed], None)
    request.jobs = checked_jobs(jobs)
    request.data = "" if data is None else os.fspath(data)
    given = given_texts(options, _gpscl.run_options())
    given["plan"] = ",".join(names_of(knobs, "knobs")) or "all"
    shown = Progress() if progress else None
    try:
        values, text, arguments = called(_gpscl.plan_experiment, os.fspath(benchmark), names_of(learner, "learner"),
                                         names_of(policy, "policy"), given, budget, request, shown)
    finally:
        if shown is not None:
            shown.close()
    how = {} if data is None else {"data": data}
    return StreamPlan(json.loads(values), text, arguments, request.seeds[0], how)
