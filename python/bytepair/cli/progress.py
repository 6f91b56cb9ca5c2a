"""Progress of a training: a bar on a terminal, a line now and then in a log, and every n-th merge with `-v`.

The idea: the trainer calls back with what it did; this turns the calls into drawings on stderr. The bar is drawn only
where a person sees it, within 80 columns; elsewhere one line each half minute says the same. The merges are lines like
any other log. Cost: one comparison a call; drawings at most ten times a second.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from bytepair.cli import output
from bytepair.render.merges import merge_line
from bytepair.render.spans import Block

if TYPE_CHECKING:
    from bytepair.progress import LearnedMerge, Progress

_LABELS = {
    "count": "counting pretokens",
    "add up": "adding up counts",
    "lay out": "laying out pairs",
    "merge": "learning merges",
    "shard": "making shards",
}
_DRAWN = 0.1
_LOGGED, _FIRST = 30.0, 5.0


class Progressed:
    """The callback for `bytepair.train`; a context manager, since a bar must be taken away at the end."""

    def __init__(self, *, bar: bool, every: int | None) -> None:
        """A callback.

        Args:
            bar: draw a bar where stderr is a terminal, and log a line now and then where it is none.
            every: log each merge whose number is a multiple of it; None: none.
        """
        self._every = every
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}
        self._running = False
        self._drawn = 0.0
        self._logs = bar
        self._next_log = time.monotonic() + _FIRST
        if bar and output.is_terminal(sys.stderr):
            self._bar = _rich_bar()

    def __enter__(self) -> Self:
        """The callback itself; the bar appears with the first call."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self.pause()

    def pause(self) -> None:
        """Take the bar away; the next call brings it back. What is written to stdout meanwhile stays whole."""
        if self._running:
            self._bar.stop()
            self._running = False

    def __call__(self, progress: Progress) -> None:
        """Take note of what the trainer did."""
        now = time.monotonic()
        if self._bar is not None:
            if now - self._drawn >= _DRAWN or progress.phase not in self._tasks or not self._running:
                self._draw(progress)
                self._drawn = now
        elif self._logs and now >= self._next_log:
            output.note(f"{_LABELS[progress.phase]}: {said(progress)}")
            self._next_log = now + _LOGGED
        if self._every is not None and progress.merge is not None and (progress.merge.rank + 1) % self._every == 0:
            self._log(progress.merge)

    def _draw(self, progress: Progress) -> None:
        told = {"total": progress.total, "completed": progress.done, "said": said(progress)}
        if progress.phase in self._tasks:
            self._bar.update(self._tasks[progress.phase], **told)
        else:
            for task in self._tasks.values():
                self._bar.remove_task(task)
            self._tasks = {progress.phase: self._bar.add_task(_LABELS[progress.phase], **told)}
        if not self._running:
            self._bar.start()
            self._running = True

    def _log(self, merge: LearnedMerge) -> None:
        count = merge.count if merge.scale == 1 else merge.count / merge.scale
        row: Block = merge_line(merge.left, merge.right, merge.token, count, number=merge.rank + 1)
        if self._bar is None:
            output.draw([row], to_stderr=True)
            return
        from rich.text import Text  # noqa: PLC0415

        drawn = output.terminal(to_stderr=True).draw(row).removesuffix("\n")
        self._bar.console.print(Text.from_ansi(drawn), soft_wrap=True)


def said(progress: Progress) -> str:
    """How far it is, in words.

    >>> from bytepair.progress import Progress
    >>> said(Progress("count", 3_100_000_000, 8_000_000_000, eta=41, memory=210_000_000, memory_at_end=400_000_000))
    '3.1/8.0 GB, 0:41 left, memory 210/~400 MB'
    >>> said(Progress("lay out", 150, 400, eta=2, peak=940_000_000))
    '38 %, 0:02 left, memory ~940 MB'
    >>> said(Progress("merge", 1200, 32000))
    '1,200/32,000'
    """
    done, total = progress.done, progress.total
    if progress.phase in {"count", "shard"}:
        parts = [_of_bytes(done, total, "/")]
    elif progress.phase == "lay out":
        parts = [f"{100 * done / (total or 1):.0f} %"]
    else:
        parts = [f"{done:,}" if total is None else f"{done:,}/{total:,}"]
    if progress.eta is not None:
        parts.append(f"{_time(progress.eta)} left")
    if progress.memory is not None:
        parts.append(f"memory {_of_bytes(progress.memory, progress.peak or progress.memory_at_end, '/~')}")
    elif progress.peak is not None:
        parts.append(f"memory ~{_of_bytes(progress.peak, None, '')}")
    return ", ".join(parts)


def _of_bytes(done: int, total: int | None, between: str) -> str:
    largest = max(done, total or 0)
    size, unit = next(
        (size, unit)
        for size, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B"))
        if largest >= size or size == 1
    )
    digits = 1 if size > 1 and largest < 100 * size else 0
    shown = f"{done / size:.{digits}f}"
    return f"{shown} {unit}" if total is None else f"{shown}{between}{total / size:.{digits}f} {unit}"


def _time(seconds: float) -> str:
    """Minutes and seconds, or hours as well.

    >>> _time(41), _time(3661)
    ('0:41', '1:01:01')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _rich_bar() -> Any:  # noqa: ANN401 - rich is imported only here
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        TextColumn("{task.fields[said]}"),
        console=Console(stderr=True, highlight=False, no_color=not output.coloured()),
        transient=True,
    )
