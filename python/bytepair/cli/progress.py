"""Progress of a training: a bar on a terminal, and every n-th merge as it is learned with `-v`.

The idea: the trainer calls back with what it did; this turns the calls into drawings on stderr. The bar is drawn only
where a person sees it; the merges are lines like any other log. Cost: one call a merge, redrawn at most ten times a
second by rich's own clock.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from bytepair.cli import output
from bytepair.render.merges import merge_line
from bytepair.render.spans import Block

if TYPE_CHECKING:
    from bytepair.progress import LearnedMerge, Progress

_LABELS = {"count": "counting pretokens", "merge": "learning merges"}


class Progressed:
    """The callback for `bytepair.train`; a context manager, since a bar must be taken away at the end."""

    def __init__(self, *, bar: bool, every: int | None) -> None:
        """A callback.

        Args:
            bar: draw a bar where stderr is a terminal.
            every: log each merge whose number is a multiple of it; None: none.
        """
        self._every = every
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}
        self._running = False
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
        if self._bar is not None:
            if not self._running:
                self._bar.start()
                self._running = True
            if progress.phase not in self._tasks:
                label = _LABELS.get(progress.phase, progress.phase)
                self._tasks[progress.phase] = self._bar.add_task(label, total=progress.total)
            self._bar.update(self._tasks[progress.phase], completed=progress.done, total=progress.total)
        if self._every is not None and progress.merge is not None and (progress.merge.rank + 1) % self._every == 0:
            self._log(progress.merge)

    def _log(self, merge: LearnedMerge) -> None:
        row: Block = merge_line(merge.left, merge.right, merge.token, merge.count, number=merge.rank + 1)
        if self._bar is None:
            output.draw([row], to_stderr=True)
            return
        from rich.text import Text  # noqa: PLC0415

        drawn = output.terminal(to_stderr=True).draw(row).removesuffix("\n")
        self._bar.console.print(Text.from_ansi(drawn), soft_wrap=True)


def _rich_bar() -> Any:  # noqa: ANN401 - rich is imported only here
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    return Progress(
        TextColumn("{task.description:<18}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True, highlight=False, no_color=not output.coloured()),
        transient=True,
    )
