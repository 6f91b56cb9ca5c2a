"""An encoding one merge at a time: one row a merge, the pretoken as it then stands last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bytepair.render.spans import Line, Span, Table, line
from bytepair.render.visible import quoted, visible

if TYPE_CHECKING:
    from bytepair.trace import Step


_ROOM = 36  # what is left of 80 columns


def step_row(step: Step) -> tuple[Line, ...]:
    """One merge: rank, new id, the pair, and the pretoken after it, around the new symbol."""
    return (
        line(Span(str(step.rank), "rank")),
        line(Span(str(step.id), "id")),
        line(Span(quoted(step.pair[0]), "symbol"), " + ", Span(quoted(step.pair[1]), "symbol")),
        symbols_line(step.after, _place(step)),
    )


def step_table(rows: Iterable[tuple[Line, ...]]) -> Table:
    """The rows of one pretoken."""
    return Table(("rank", "id", "merge", "then"), tuple(rows), frozenset({0, 1}))


def symbols_line(symbols: Sequence[bytes], made: int) -> Line:
    """The symbols of a pretoken, parted by spaces, as many as have room around number `made`, which stands out."""
    shown = [visible(symbol).replace(" ", "␣") for symbol in symbols]
    first, last, used = made, made + 1, len(shown[made])
    while True:
        grew = False
        if last < len(shown) and used + len(shown[last]) < _ROOM:
            used, last, grew = used + len(shown[last]) + 1, last + 1, True
        if first > 0 and used + len(shown[first - 1]) < _ROOM:
            used, first, grew = used + len(shown[first - 1]) + 1, first - 1, True
        if not grew:
            break
    spans = [Span("… ", "note")] if first else []
    for index in range(first, last):
        spans += [Span(shown[index], "made" if index == made else "symbol"), Span(" ")]
    if last < len(shown):
        spans.append(Span("…", "note"))
    return Line(tuple(spans))


def _place(step: Step) -> int:
    """Where the new symbol stands: the first place at which before and after differ."""
    for index, (old, new) in enumerate(zip(step.before, step.after, strict=False)):
        if old != new:
            return index
    return len(step.after) - 1
