"""Byte-pair encoding learned on a small text, one merge at a time: what stood there, what was chosen, and why.

Nothing is kept between two requests: the state after k merges is that of the tokenizer with k merges, which takes a
few milliseconds to train on a text of this size. So the merges are those of `bytepair.train(..., ties="first")`, and
the text is cut as that tokenizer cuts it. Invariant: the counts that are shown are counted from what is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from bytepair.playground import fields
from bytepair.playground.fields import Request
from bytepair.playground.limits import MOST_LESSON, MOST_MERGES
from bytepair.playground.shelf import MINI_PATTERN, Shelf
from bytepair.render.html import html
from bytepair.render.spans import Line, Span, Table, line
from bytepair.render.tokens import quoted_span
from bytepair.render.views import trace_flow
from bytepair.tokenizer import Tokenizer
from bytepair.told import gathered
from bytepair.trace import Trace
from bytepair.training.train import train
from bytepair.wording import several

__all__ = ["ALPHABETS", "CUTS", "learn"]

CUTS = ("words", "o200k", "gpt2", "none")
ALPHABETS = ("bytes", "characters")
_END_OF_WORD = "</w>"
_SHOWN = 10
"""Pairs in the table."""
_NAMED = 4
"""Tied pairs in the sentence."""


def learn(shelf: Shelf, request: Request) -> dict[str, Any]:  # noqa: ARG001 - as all others
    """The state after `merges` merges, and the next one."""
    text = fields.text(request, most=MOST_LESSON)
    alphabet = fields.choice(request, "alphabet", ALPHABETS)
    cut = fields.choice(request, "cut", CUTS)
    wanted = fields.integer(request, "merges", 0, 0, MOST_MERGES)
    longer = _trained(text, wanted + 1, alphabet, cut)
    learned = len(longer.merges)
    done = min(wanted, learned)
    now = longer.truncated(done).tokenizer if learned > done else longer
    trace = now.trace(text)
    counts = _pairs(trace)
    chosen = longer.merges[done] if learned > done else None
    return {
        "merges": done,
        "tokens": len(trace),
        "vocabulary": len(now),
        "text": html([trace_flow(trace)]),
        "next": None if chosen is None else [quoted_span(now.bytes_of(id)).text[1:-1] for id in chosen],
        "why": _why(now, counts, chosen),
        "pairs": html([_pair_table(now, counts, chosen)]) if counts else "",
        "pair_count": len(counts),
        "learned": html([_merge_table(longer, done)]) if done else "",
        "last": chosen is None or done >= MOST_MERGES,
    }


def _trained(text: str, merges: int, alphabet: str, cut: str) -> Tokenizer:
    with gathered():  # that the text has no more merges is said on the page
        if alphabet == "characters":
            return train(texts=[text], num_merges=merges, ties="first", alphabet="characters", end_of_word=_END_OF_WORD)
        pattern = {"words": MINI_PATTERN, "none": None}.get(cut, cut)
        return train(texts=[text], num_merges=merges, ties="first", pattern=pattern)


def _pairs(trace: Trace) -> Counter[tuple[int, int]]:
    """How often each pair stands inside a pretoken; in the order in which they first stand in the text."""
    counts: Counter[tuple[int, int]] = Counter()
    for pretoken in trace.pretokens:
        counts.update(pairwise(trace.ids[pretoken.first : pretoken.last]))
    return counts


def _said(tok: Tokenizer, pair: Sequence[int]) -> str:
    return " + ".join(quoted_span(tok.bytes_of(id)).text for id in pair)


def _why(tok: Tokenizer, counts: Counter[tuple[int, int]], chosen: tuple[int, int] | None) -> str:
    """Why a pair is chosen, in a sentence."""
    if chosen is None:
        return "No pair is left: every pretoken is one token." if not counts else "This is as far as the lesson goes."
    top = counts[chosen]
    tied = [pair for pair, times in counts.items() if times == top and pair != chosen]
    said = _said(tok, chosen)
    if not tied:
        return f"{said} stands {several(top, 'time')}, more often than any other pair."
    named = ", ".join(_said(tok, pair) for pair in tied[:_NAMED])
    more = f" and {len(tied) - _NAMED} more" if len(tied) > _NAMED else ""
    times = several(top, "time")
    return f"{said} stands {times}. So do {named}{more}: of equally frequent pairs, the one that comes first is merged."


def _pair_table(tok: Tokenizer, counts: Counter[tuple[int, int]], chosen: tuple[int, int] | None) -> Table:
    """The most frequent pairs; the chosen one is marked."""
    order = sorted(counts.items(), key=lambda item: (item[0] != chosen, -item[1]))
    rows: list[tuple[Line, ...]] = []
    for pair, times in order[:_SHOWN]:
        left, right = (quoted_span(tok.bytes_of(id)) for id in pair)
        mark = Span("chosen", "strong") if pair == chosen else Span("")
        rows.append((line(Span(f"{times:,}", "count")), line(mark), line(left, " + ", right)))
    if len(counts) > _SHOWN:
        rows.append((line(""), line(""), line(Span(f"and {several(len(counts) - _SHOWN, 'pair')} more", "note"))))
    return Table(("times", "", "pair"), tuple(rows), frozenset({0}))


def _merge_table(tok: Tokenizer, done: int) -> Table:
    """What was learned so far, the newest first."""
    counts = tok.training.counts if tok.training is not None else ()
    rows: list[tuple[Line, ...]] = []
    for rank in reversed(range(done)):
        left, right = (tok.bytes_of(id) for id in tok.merges[rank])
        made = Span(quoted_span(_joined(tok, rank)).text, "made" if rank == done - 1 else "symbol")
        rows.append(
            (
                line(Span(str(rank + 1), "rank")),
                line(Span(f"{counts[rank]:,}", "count")),
                line(quoted_span(left), " + ", quoted_span(right), " → ", made),
            )
        )
    return Table(("merge", "times", "token"), tuple(rows), frozenset({0, 1}))


def _joined(tok: Tokenizer, rank: int) -> bytes:
    left, right = (tok.bytes_of(id) for id in tok.merges[rank])
    return left + right
