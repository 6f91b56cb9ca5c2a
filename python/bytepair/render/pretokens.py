"""Pretokens: what the pattern made of a text, one row each, and what each of its alternatives did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bytepair.render.spans import Line, Span, Table, line
from bytepair.render.tokens import quoted_span

if TYPE_CHECKING:
    from bytepair.trace import TracedPretoken

_WIDTH = 36
_EXAMPLES = 6
_LONGEST = 24  # bytes of an example


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


def alternative_table(
    alternatives: Sequence[str], pretokens: Iterable[TracedPretoken], *, width: int = _WIDTH
) -> Table:
    r"""What each alternative of a pattern did to a text: how many pretokens it matched, and the most frequent ones.

    One row an alternative, also where it matched nothing, and one for text that none matched. What is longer than
    `width` is cut off.

    >>> import bytepair as bp
    >>> from bytepair.render.plain import plain
    >>> trace = bp.train(texts=[], vocab_size=256, pattern=r"\d+|\w+").trace("1 low 22")
    >>> list(plain(alternative_table(trace.alternatives, trace.pretokens)))[1:]
    ["0\t\\d+\t2\t'1'  '22'", "1\t\\w+\t1\t'low'", "\tnone of them\t2\t' '"]
    """
    found: dict[int | None, Counter[bytes]] = {}
    for pretoken in pretokens:
        found.setdefault(pretoken.alternative, Counter())[pretoken.text] += 1
    named: list[tuple[int | None, str]] = [*enumerate(alternatives)]
    if None in found:
        named.append((None, "none of them" if alternatives else "there is no pattern"))
    rows: list[tuple[Line, ...]] = []
    for number, source in named:
        seen = found.get(number, Counter[bytes]())
        examples: list[Span] = []
        for content, _ in seen.most_common(_EXAMPLES):
            examples += [quoted_span(content, _LONGEST), Span("  ")]
        rows.append(
            (
                line(Span("" if number is None else str(number), "rank")),
                line(Span(_shortened(source, width), "source")),
                line(Span(f"{seen.total():,}", "count")),
                line(*examples[:-1]),
            )
        )
    return Table(("#", "alternative", "pretokens", "most frequent"), tuple(rows), frozenset({0, 2}))


def _shortened(source: str, width: int = _WIDTH) -> str:
    return source if len(source) <= width else source[: width - 1] + "…"
