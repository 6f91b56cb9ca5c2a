"""Pretokens: what the pattern made of a text, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bytepair.render.spans import Line, Span, Table, line
from bytepair.render.tokens import quoted_span

if TYPE_CHECKING:
    from bytepair.trace import TracedPretoken

_WIDTH = 36


def pretoken_table(pretokens: Sequence[TracedPretoken]) -> Table:
    """One row a pretoken: the alternative of the pattern that matched it, that alternative, and the pretoken.

    Without a pattern, and for text that no alternative matched, the alternative is empty.
    """
    rows: list[tuple[Line, ...]] = []
    for pretoken in pretokens:
        number = "" if pretoken.alternative is None else str(pretoken.alternative)
        shown = _shortened(pretoken.source or "")
        rows.append((line(Span(number, "rank")), line(Span(shown, "source")), line(quoted_span(pretoken.text))))
    return Table(("#", "alternative", "pretoken"), tuple(rows), frozenset({0}))


def _shortened(source: str) -> str:
    return source if len(source) <= _WIDTH else source[: _WIDTH - 1] + "…"
