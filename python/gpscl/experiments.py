"""Experiments: runs of the library's benchmarks, stores of runs, reports.

    results = gpscl.run("p-fashion-mnist", policy=["reservoir", "gps"], seeds=5)
    print(results)                      # the table of `gpscl run`
    results.to_pandas()                 # one row a run
    gpscl.runs("results").to_pandas()   # all runs that are recorded in results/runs.sqlite
    gpscl.report("results")             # the page of `gpscl report`, inline in a notebook
"""

from __future__ import annotations

import html
import json
import os
import tempfile
import warnings
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union, overload

import numpy as np

from . import _gpscl
from ._options import called, given_texts, in_python, keyword, names_of, text_of
from ._progress import Progress
from .learner import Learner, LearnReport, Prediction

__all__ = [
    "run", "runs", "report", "options", "catalog",
    "Run", "Results", "StoredRun", "Runs", "Report", "Rows",
    "Learner", "LearnReport", "Prediction",
]

Names = Union[str, Sequence[str]]
Path = Union[str, "os.PathLike[str]"]


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas() needs pandas, which is not installed: apt install python3-pandas, "
                          "or pip install pandas") from None
    return pandas


class Rows(List[Dict[str, Any]]):
    """A list of dicts that people can read: one line for each."""

    def __repr__(self) -> str:
        return "\n".join("  ".join(f"{key}={value!r}" for key, value in row.items() if value not in ("", []))
                         for row in self)

    def to_pandas(self) -> Any:
        """One row for each dict, as a pandas.DataFrame."""
        return _pandas().DataFrame(list(self))


def options(of: str = "run") -> Rows:
    """The keyword arguments that ``run`` (or, with of="learner", ``Learner``) takes besides those in its signature.

    Each row has the keyword, the key in results, the kind, the default, the possible names and the meaning.
    """
    if of not in ("run", "learner"):
        raise ValueError(f"options are those of 'run' or 'learner', got {of!r}")
    rows = _gpscl.run_options() if of == "run" else _gpscl.learner_options()
    return Rows({"keyword": keyword(row), "key": row["key"], "kind": row["kind"], "default": row["default"],
                 "names": row["names"], "help": in_python(row["help"])} for row in rows)


def catalog(family: str) -> Rows:
    """The names of a family, with what they mean and their names in the paper.

    Families: benchmarks, models, learners, policies, codecs, presets, futures, metrics.
    """
    return Rows({**row, "summary": in_python(row["summary"]),
                 "options": [flag.replace("-", "_") for flag in row["options"]]}
                for row in called(_gpscl.catalog, family))


class Run:
    """One finished run: what was asked (``spec``, ``seed``) and what came out."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        self._result = dict(result)

    @property
    def spec(self) -> Dict[str, Any]:
        """Everything that the result depends on, except the seed (docs/result-format.md)."""
        return self._result["spec"]

    @property
    def seed(self) -> int:
        return self._result["seed"]

    @property
    def label(self) -> str:
        """Learner and policy: "er gps:permutation"."""
        return called(_gpscl.label_of, json.dumps(self.spec), True)

    @property
    def accuracy(self) -> float:
        """Average accuracy over all tasks after the last one, as a share. Among the classes of each task, if tasks
        have their own."""
        return self._result["metrics"]["average_accuracy"]

    @property
    def accuracy_among_all(self) -> Optional[float]:
        """The same among all classes, as a network answers that is not told the task; None if every task has all."""
        among_all = self._result.get("class_incremental")
        return among_all["metrics"]["average_accuracy"] if among_all else None

    @property
    def metrics(self) -> Dict[str, Optional[float]]:
        """All metrics by name (``gpscl.catalog("metrics")``); None if one has no value here."""
        return self._result["metrics"]

    @property
    def accuracy_matrix(self) -> "np.ndarray":
        """R[i, j]: accuracy on task j after task i, counted from 0. One row for a learner of all tasks at once."""
        return np.array(self._result["accuracy"], dtype=float)

    @property
    def decisions(self) -> List[Dict[str, Any]]:
        """What the policy decided at the end of each task, with the candidates that it tried (mixed, gps)."""
        return self._result["switching_points"]

    @property
    def memory(self) -> List[Dict[str, Any]]:
        """What the memory held after each task."""
        return self._result["memory"]

    @property
    def seconds(self) -> Dict[str, float]:
        """Times of training, simulation and evaluation."""
        return self._result["seconds"]

    @property
    def warnings(self) -> List[str]:
        """What a person should know about the result."""
        return [in_python(line) for line in self._result.get("warnings", [])]

    def to_dict(self) -> Dict[str, Any]:
        """The whole result, as in its JSON file."""
        return json.loads(json.dumps(self._result))

    def _row(self) -> Dict[str, Any]:
        spec = {key: value for key, value in self.spec.items()}
        row = {"benchmark": spec.pop("benchmark"), "learner": spec.pop("learner"), "policy": spec.pop("policy"),
               "label": self.label, "seed": self.seed}
        row.update(self.metrics)
        if self.accuracy_among_all is not None:
            row["class_incremental_accuracy"] = self.accuracy_among_all
        row.update({"seconds_" + key: value for key, value in self.seconds.items()})
        row["steps"] = self._result["steps"]
        row["collapsed"] = self._result.get("collapsed", False)
        row.update({"spec_" + key if key in row else key: value for key, value in spec.items()})
        return row

    def __repr__(self) -> str:
        among_all = self.accuracy_among_all
        shown = (f"{100 * self.accuracy:.2f} %" if among_all is None else
                 f"{100 * among_all:.2f} % among all classes, {100 * self.accuracy:.2f} % among those of each task")
        return f"<gpscl.Run {self.spec['benchmark']} {self.label} seed {self.seed}: accuracy {shown}>"


def _shown(run: Run) -> float:
    """The accuracy that comes first where people read it."""
    return run.accuracy if run.accuracy_among_all is None else run.accuracy_among_all


class Results(Sequence[Run]):
    """Finished runs. ``print`` shows the table of ``gpscl run``."""

    def __init__(self, results: Sequence[Run], store: Optional[str] = None,
                 failed: Sequence[Mapping[str, str]] = ()) -> None:
        self._results = list(results)
        self.store = store  # the file that records them, or None
        self.failed = [dict(each) for each in failed]  # {"label", "error"} of each run that failed

    @overload
    def __getitem__(self, at: int) -> Run: ...
    @overload
    def __getitem__(self, at: slice) -> "Results": ...

    def __getitem__(self, at: Union[int, slice]) -> Union[Run, "Results"]:
        return Results(self._results[at], self.store) if isinstance(at, slice) else self._results[at]

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._results)

    @property
    def accuracy(self) -> Dict[str, float]:
        """Mean average accuracy over seeds, by label."""
        values: Dict[str, List[float]] = {}
        for each in self._results:
            values.setdefault(each.label, []).append(each.accuracy)
        return {label: sum(of) / len(of) for label, of in values.items()}

    def to_dict(self) -> List[Dict[str, Any]]:
        """The whole results, as in their JSON files."""
        return [each.to_dict() for each in self._results]

    def to_pandas(self, what: str = "runs") -> Any:
        """A pandas.DataFrame.

        "runs": one row a run, with metrics, times and the options of its spec. "accuracy": one row for each run,
        ``after_task`` and ``task`` (from 1). "decisions": one row for each candidate that a policy tried, with
        ``is_chosen``; a decision without a search has one row.
        """
        return _pandas().DataFrame(self._rows(what))

    def _rows(self, what: str) -> List[Dict[str, Any]]:
        if what == "runs":
            return [each._row() for each in self._results]
        if what not in ("accuracy", "decisions"):
            raise ValueError(f"what must be 'runs', 'accuracy' or 'decisions', got {what!r}")
        rows = []
        for each in self._results:
            head = {"benchmark": each.spec["benchmark"], "label": each.label, "seed": each.seed}
            if what == "accuracy":
                matrix = each.accuracy_matrix
                first = matrix.shape[1] - matrix.shape[0]  # all tasks at once: one row, after the last
                for i, line in enumerate(matrix):
                    for j, value in enumerate(line):
                        rows.append({**head, "after_task": first + i + 1, "task": j + 1, "accuracy": float(value)})
            else:
                for decision in each.decisions:
                    chosen = {key: value for key, value in decision.items() if key not in ("probes", "task", "quota")}
                    at = {**head, "task": decision["task"], "quota": decision["quota"]}
                    tried = decision["probes"] or [{**chosen, "loss": None, "accuracy": None}]
                    for probe in tried:
                        is_chosen = all(probe.get(key) == value for key, value in chosen.items())
                        rows.append({**at, **probe, "is_chosen": is_chosen})
        return rows

    def __repr__(self) -> str:
        if not self._results:
            return "<gpscl.Results: no run>"
        benchmarks: Dict[str, List[str]] = {}
        for each in self._results:
            benchmarks.setdefault(each.spec["benchmark"], []).append(json.dumps(each._result))
        tables = []
        for name, results in benchmarks.items():
            head = f"{name}\n" if len(benchmarks) > 1 else ""
            tables.append(head + called(_gpscl.comparison, results).rstrip("\n"))
        return "\n\n".join(tables)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def whole_seeds(seeds: Union[int, Sequence[int]], seed: Optional[int]) -> List[int]:
    if seed is not None:
        seeds = [seed]
    is_count = hasattr(seeds, "__index__") and not isinstance(seeds, bool)
    if not is_count and (isinstance(seeds, (bool, str, bytes)) or not hasattr(seeds, "__iter__")):
        raise ValueError(f"seeds must be a whole number, or a list of seeds, got {seeds!r}")
    wanted = list(range(int(seeds)) if is_count else seeds)  # type: ignore[arg-type]
    for each in wanted:
        is_whole = float(each).is_integer() if isinstance(each, float) else hasattr(each, "__index__")
        if not is_whole or isinstance(each, bool) or not 0 <= each < 2**31:
            raise ValueError(f"a seed must be a whole number from 0 to {2**31 - 1}, got {each!r}")
    if not wanted:
        raise ValueError(f"seeds must be at least 1, or a list of seeds, got {seeds!r}")
    if len(set(wanted)) < len(wanted):
        raise ValueError(f"seeds must differ, got {seeds!r}")
    return [int(each) for each in wanted]


def checked_jobs(jobs: int) -> int:
    if not hasattr(jobs, "__index__") or isinstance(jobs, bool) or not 0 <= jobs < 2**31:
        raise ValueError(f"jobs must be at least 1, or 0 for one a core, got {jobs!r}")
    return int(jobs)


def run(benchmark: Path, policy: Optional[Names] = None, seeds: Union[int, Sequence[int]] = 1, *,
        learner: Optional[Names] = None, seed: Optional[int] = None, preset: str = "paper", jobs: int = 0,
        data: Optional[Path] = None, out: Optional[Path] = "results", store: Optional[Path] = None,
        resume: bool = False, restart: bool = False, checkpoint_every: Union[str, float] = 5,
        export: Optional[Names] = None, tensorboard: Optional[Path] = None, progress: bool = True,
        **options: Any) -> Results:
    """Does what ``gpscl run`` does: learns a stream of tasks with each learner, policy and seed.

    benchmark: a name (``gpscl.catalog("benchmarks")``), or the path of your own images.
    policy, learner: one name or several; each policy is combined with each learner. Learner "er" unless given.
    seeds: the number of seeds (0, 1, ...), or a list of seeds. seed: one seed instead.
    preset: source of the default hyper-parameters ("paper" or "mammoth").
    jobs: runs or simulations at the same time; 0: one a core.
    data: folder of the data sets. out: folder for the results and their store; None keeps nothing on disk.
    resume: skip finished runs and continue interrupted ones; restart: start interrupted runs from the beginning.
    checkpoint_every: minutes between checkpoints; 0: only at the ends of tasks; "50steps"; "off".
    export: "memory", for PyTorch, beside the results ("model" needs the program). tensorboard: folder for event files.
    progress: show progress, live on a terminal and in a notebook.
    options: every option of ``gpscl run`` (``gpscl.options()``), with underscores: tasks=5, memory="784kB", lr=0.03,
        examples_per_task=1000. plan="all" chooses what is not given (``gpscl.plan``).

    The same spec and seed give the same bits as ``gpscl run`` with the same build. Ctrl-C raises KeyboardInterrupt;
    runs that were finished are kept, and ``resume=True`` continues the others. Raises ValueError for what is
    impossible, before any work starts, and OSError for files. If some runs fail, because they diverge for example, the
    others are returned with a RuntimeWarning, and ``failed`` of the results says why. Raises RuntimeError if all of
    them fail.
    """
    request = _gpscl.RunRequest()
    request.preset = preset
    request.seeds = whole_seeds(seeds, seed)
    request.jobs = checked_jobs(jobs)
    request.data = "" if data is None else os.fspath(data)
    request.resume = resume
    request.restart = restart
    request.checkpoint_every = text_of(checkpoint_every)
    request.exported = ",".join(names_of(export, "export"))
    request.tensorboard = "" if tensorboard is None else os.fspath(tensorboard)
    given = given_texts(options, _gpscl.run_options())
    learners = names_of(learner, "learner")
    policies = names_of(policy, "policy")
    if out is None:
        if resume or restart or store is not None:
            raise ValueError("resume, restart and store need a folder: give out")
        with tempfile.TemporaryDirectory(prefix="gpscl-") as folder:
            return _done(os.fspath(benchmark), learners, policies, given, request, folder, None, progress)
    os.makedirs(out, exist_ok=True)
    file = os.path.join(out, "runs.sqlite") if store is None else os.fspath(store)
    return _done(os.fspath(benchmark), learners, policies, given, request, os.fspath(out), file, progress)


def _done(benchmark: str, learners: List[str], policies: List[str], given: Dict[str, str], request: Any, out: str,
          store: Optional[str], progress: bool) -> Results:
    request.out = out
    request.store = store or os.path.join(out, "runs.sqlite")
    shown = Progress() if progress else None
    labels: List[str] = []
    failed: List[Dict[str, str]] = []
    done = 0

    def listen(event: Any) -> None:
        nonlocal done
        if event[0] == "plan":
            labels.extend(event[1])
        elif event[0] == "ended":
            done += event[3] is not None
            if event[2] == "failed":
                failed.append({"label": labels[event[1]], "error": in_python(event[4])})
        if shown is not None:
            shown(event)

    try:
        texts = called(_gpscl.run_experiments, benchmark, learners, policies, given, request, listen)
    except KeyboardInterrupt:
        if shown is not None and labels:
            kept = f" and are kept in {out}; resume=True continues the others" if store else ""
            shown.say(f"interrupted; {done} of {len(labels)} runs were finished{kept}")
        raise
    finally:
        if shown is not None:
            shown.close()
    results = Results([Run(json.loads(text)) for text in texts if text is not None], store, failed)
    if failed and not len(results):
        raise RuntimeError(f"{failed[0]['label']}: {failed[0]['error']}")
    for each in failed:
        warnings.warn(f"{each['label']} failed: {each['error']}", RuntimeWarning, stacklevel=3)
    for result in results:
        for line in result.warnings:
            warnings.warn(f"{result.label} seed {result.seed}: {line}", RuntimeWarning, stacklevel=3)
    return results


class StoredRun:
    """A run that a store records: finished, running, interrupted or failed."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self._row_of_store = dict(row)

    id: int = property(lambda self: self._row_of_store["id"])  # type: ignore[assignment]
    status: str = property(lambda self: self._row_of_store["status"])  # type: ignore[assignment]
    seed: int = property(lambda self: self._row_of_store["seed"])  # type: ignore[assignment]
    spec: Dict[str, Any] = property(lambda self: self._row_of_store["spec"])  # type: ignore[assignment]
    error: Optional[str] = property(lambda self: self._row_of_store["error"])  # type: ignore[assignment]

    @property
    def result(self) -> Optional[Run]:
        """The result of a finished run, else None."""
        found = self._row_of_store["result"]
        return None if found is None else Run(found)

    def to_dict(self) -> Dict[str, Any]:
        return json.loads(json.dumps(self._row_of_store))

    def _row(self) -> Dict[str, Any]:
        row = {key: value for key, value in self._row_of_store.items() if key not in ("spec", "result")}
        result = self.result
        of_run = result._row() if result is not None else dict(self.spec)
        row.update({key: value for key, value in of_run.items() if key not in row})
        return row

    def __repr__(self) -> str:
        row = self._row_of_store
        return (f"<gpscl.StoredRun {row['id']} {row['benchmark']} {row['learner']} {row['policy']} seed {row['seed']}: "
                f"{row['status']}>")


class Runs(Sequence[StoredRun]):
    """The runs of a store, the latest first."""

    def __init__(self, path: str, rows: Sequence[StoredRun]) -> None:
        self.path = path
        self._runs = list(rows)

    @overload
    def __getitem__(self, at: int) -> StoredRun: ...
    @overload
    def __getitem__(self, at: slice) -> "Runs": ...

    def __getitem__(self, at: Union[int, slice]) -> Union[StoredRun, "Runs"]:
        return Runs(self.path, self._runs[at]) if isinstance(at, slice) else self._runs[at]

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def results(self) -> Results:
        """The results of the finished runs."""
        found = [each.result for each in self._runs]
        return Results([each for each in found if each is not None], self.path)

    def to_pandas(self, what: str = "runs") -> Any:
        """A pandas.DataFrame. "runs": one row a run, finished or not; "accuracy", "decisions": as Results.to_pandas."""
        if what != "runs":
            return self.results.to_pandas(what)
        return _pandas().DataFrame([each._row() for each in self._runs])

    def __repr__(self) -> str:
        lines = [f"{self.path}: {len(self._runs)} runs"]
        for each in self._runs[:20]:
            result = each.result
            value = each.error or "" if result is None else f"{100 * _shown(result):.2f} %"
            row = each._row_of_store
            lines.append(f"{row['id']:>5}  {row['status']:<11}  {row['benchmark']}  {row['learner']}  {row['policy']}  "
                         f"seed {row['seed']}  {value}")
        if len(self._runs) > 20:
            lines.append(f"… and {len(self._runs) - 20} more")
        return "\n".join(lines)


def runs(store: Path = "results", *, benchmark: str = "", learner: str = "", policy: str = "",
         status: str = "") -> Runs:
    """The runs that a store records (``results/runs.sqlite``, or its folder), the latest first.

    benchmark, learner, policy, status ("running", "done", "failed", "interrupted"): only those.
    Damaged rows are left out with a warning. Raises OSError if the file is missing or is no store.
    """
    path, rows, lines = called(_gpscl.read_store, os.fspath(store), benchmark, learner, policy, status)
    for line in lines:
        warnings.warn(line, RuntimeWarning, stacklevel=2)
    return Runs(path, [StoredRun(json.loads(row)) for row in rows])


class Report:
    """The page of ``gpscl report``: shown inline in a notebook, or saved."""

    HEIGHT = 800  # pixels, in a notebook

    def __init__(self, page: str, count: int) -> None:
        self.html = page
        self.runs = count

    def save(self, path: Path) -> str:
        """Writes the page, which opens in any browser without a network. Returns the path."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)
        return os.fspath(path)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html, quote=True)}" width="100%" height="{self.HEIGHT}" '
                'style="border: 1px solid #ccc"></iframe>')

    def __repr__(self) -> str:
        return f"<gpscl.Report of {self.runs} runs, {len(self.html) / 1e6:.1f} MB; save(path) writes it>"


def report(source: Union[Path, Results, Runs] = "results", *, benchmark: str = "", learner: str = "", policy: str = "",
           images: float = 2, details: float = 3) -> Report:
    """All runs and analyses of a store on one page.

    source: a store or its folder, or what ``run`` or ``runs`` returned (then all runs of its store).
    benchmark, learner, policy: only those. images, details: most MB for images of memories (of runs with
    export="memory"), and for matrices, searches and memories of single runs.
    """
    if isinstance(source, Results):
        if source.store is None:
            raise ValueError("these results are in no store: call run with out, then report(out)")
        source = source.store
    elif isinstance(source, Runs):
        source = source.path
    page, count, lines = called(_gpscl.report_page, os.fspath(source), benchmark, learner, policy, images, details)
    for line in lines:
        warnings.warn(line, RuntimeWarning, stacklevel=2)
    return Report(page, count)
