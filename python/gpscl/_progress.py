"""What a person sees while runs go on: one live line on a terminal, a live table in a notebook, else plain lines."""

from __future__ import annotations

import html
import sys
import time
from typing import Any, Dict, List, Optional, TextIO, Tuple


def notebook_display() -> Optional[Any]:
    """IPython's display function if this is a notebook, else None. Never imports IPython itself."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


class _Html:
    def __init__(self, text: str, plain: str) -> None:
        self._text = text
        self._plain = plain

    def _repr_html_(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._plain


class Progress:
    """Listens to the events of the library and shows them. Is called on the thread that called gpscl."""

    SECONDS_BETWEEN = 0.1

    def __init__(self, stream: Optional[TextIO] = None, display: Any = "find") -> None:
        self._stream = sys.stderr if stream is None else stream
        self._display = notebook_display() if display == "find" else display
        self._handle: Any = None
        self._is_terminal = self._display is None and bool(getattr(self._stream, "isatty", lambda: False)())
        self._labels: List[str] = []
        self._now: Dict[int, Tuple[float, str]] = {}  # of the runs that go on: share done, text
        self._ended: Dict[int, str] = {}
        self._loading = ""
        self._lines: List[str] = []
        self._drawn = 0.0
        self._width = 0

    def __call__(self, event: Tuple[Any, ...]) -> None:
        getattr(self, "_on_" + event[0])(*event[1:])
        self._draw()

    def close(self) -> None:
        """Shows the last state and ends the live line."""
        self._loading = ""
        self._now.clear()
        self._draw(is_last=True)
        if self._is_terminal:
            self._write("\r" + " " * self._width + "\r")

    def say(self, line: str) -> None:
        """Shows a line that stays."""
        if self._display is not None:
            self._lines.append(line)
            self._draw(is_last=True)
            return
        if self._is_terminal:
            self._write("\r" + " " * self._width + "\r")
        self._write(line + "\n")

    # Events.

    def _on_plan(self, labels: List[str]) -> None:
        self._labels = list(labels)

    def _on_load(self, what: str, done: int, total: int) -> None:
        share = f" {100 * done // total} %" if total else ""
        self._loading = "" if total and done >= total else what + share

    def _on_tell(self, lines: str) -> None:
        self.say(lines)

    def _on_started(self, job: int) -> None:
        self._loading = ""
        self._now[job] = (0.0, "begins")

    def _on_progress(self, job: int, task: int, tasks: int, steps: int, expected: int, simulating: bool, futures: int,
                     accuracy: Optional[float]) -> None:
        if job in self._ended:
            return
        text = f"task {task} of {tasks}"
        if simulating:
            text += f", simulating ({futures} futures)"
        if accuracy is not None:
            text += f", accuracy {100 * accuracy:.1f} %"
        self._now[job] = (steps / expected if expected else 0.0, text)

    def _on_ended(self, job: int, state: str, accuracy: Optional[float], error: str) -> None:
        self._now.pop(job, None)
        if state == "open":
            return
        text = "failed: " + error if accuracy is None else f"accuracy {100 * accuracy:.2f} %"
        if state == "was done":
            text = "finished before: " + text
        self._ended[job] = text
        if self._display is None:
            self.say(f"{self._label(job)}: {text}")

    def _on_learn(self, steps: int, expected: int, is_choosing: bool) -> None:
        self._loading = "choosing examples to keep" if is_choosing else f"learning {100 * steps // max(1, expected)} %"

    def _on_tried(self, settings: int, seconds: float) -> None:
        self._loading = f"planning: {settings} settings tried, {seconds:.0f} s"

    # Drawing.

    def _label(self, job: int) -> str:
        return self._labels[job] if job < len(self._labels) else f"run {job + 1}"

    def _line(self) -> str:
        parts = []
        if self._labels:
            parts.append(f"{len(self._ended)} of {len(self._labels)} runs done")
        for job, (share, text) in sorted(self._now.items()):
            parts.append(f"{self._label(job)}: {100 * share:.0f} %, {text}")
        if self._loading:
            parts.append(self._loading)
        return "; ".join(parts)

    def _draw(self, is_last: bool = False) -> None:
        now = time.monotonic()
        if not is_last and now - self._drawn < self.SECONDS_BETWEEN:
            return
        self._drawn = now
        if self._display is not None:
            self._draw_table()
        elif self._is_terminal:
            columns = 79
            line = self._line()
            line = line if len(line) <= columns else line[: columns - 1] + "…"
            self._write("\r" + line.ljust(self._width))
            self._width = len(line)

    def _draw_table(self) -> None:
        rows = []
        for job, label in enumerate(self._labels):
            share, text = self._now.get(job, (1.0, self._ended[job]) if job in self._ended else (0.0, ""))
            rows.append(f"<tr><td>{html.escape(label)}</td><td><progress value='{share:.3f}' max='1'></progress></td>"
                        f"<td style='text-align:left'>{html.escape(text)}</td></tr>")
        lines = [self._loading] if self._loading else []
        text = "<table>" + "".join(rows) + "</table>" if rows else ""
        text += "".join(f"<div>{html.escape(line)}</div>" for line in lines + self._lines)
        shown = _Html(text, "\n".join([self._line()] + self._lines))
        if self._handle is None:
            self._handle = self._display(shown, display_id=True)
        else:
            self._handle.update(shown)

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # progress never ends the work
            pass
