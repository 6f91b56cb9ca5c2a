"""A vocabulary: its tokens from the first merge to the last, searched and filtered, and what is known of one token."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from bytepair.playground import fields
from bytepair.playground.fields import Request
from bytepair.playground.flows import hexadecimal
from bytepair.playground.limits import MOST_TREES, MOST_WORD, ROWS
from bytepair.playground.shelf import Shelf
from bytepair.render.html import html
from bytepair.render.spans import Line, Span, Table, line
from bytepair.render.tokens import quoted_span
from bytepair.render.views import trees_view
from bytepair.render.visible import is_whole
from bytepair.tokenizer import Tokenizer
from bytepair.trace import MergeTree

__all__ = ["FILTERS", "about", "token", "tokenizers", "vocabulary"]

FILTERS = ("merged", "all", "space", "part", "unseen", "longest")
_LONGEST = 60  # bytes of a token in a row
_LONG = 1_000  # bytes of a token in a card


def tokenizers(shelf: Shelf, request: Request) -> dict[str, Any]:  # noqa: ARG001 - as all others
    """The tokenizers that there are."""
    return {"tokenizers": list(shelf.rows())}


def about(shelf: Shelf, request: Request) -> dict[str, Any]:
    """A line about a tokenizer, and what was warned of when it was read or trained."""
    said, warned = shelf.about(request)
    return {"about": said, "warnings": [{"message": what, "hint": hint} for what, hint in warned]}


def token(shelf: Shelf, request: Request) -> dict[str, Any]:
    """What is known of one token: its bytes, its rank, how often its pair stood, and its merge tree as HTML."""
    tok = shelf.of(request)
    id = fields.integer(request, "id", 0, 0, (1 << 32) - 2)
    content = tok.bytes_of(id)
    tree = _tree(tok, id, content)
    special = next((text for text, other in tok.special_tokens.items() if other == id), None)
    whole, shown = is_whole(content), quoted_span(content, _LONG).text
    return {
        "id": id,
        "token": f"{shown[1:-2]}…" if len(content) > _LONG else shown[1:-1],
        "hex": hexadecimal(content),
        "bytes": len(content),
        "characters": len(content.decode()) if whole else None,
        "special": special is not None,
        "rank": None if tree is None else tree.rank,
        "count": None if tree is None else tree.count,
        "html": html(trees_view([tree])) if tree is not None and tree.left is not None else "",
    }


def _tree(tok: Tokenizer, id: int, content: bytes) -> MergeTree | None:
    """How a token was merged; of one that is very long, whose tree has millions of nodes, nothing."""
    trees = tok.explain(id) if len(content) <= MOST_TREES else ()
    return trees[0] if trees else None


def vocabulary(shelf: Shelf, request: Request) -> dict[str, Any]:
    """A part of the vocabulary, in the order of the ids (the longest first, for `longest`), from the place `at`."""
    tok = shelf.of(request)
    wanted = fields.text(request, "search", most=MOST_WORD)
    chosen = fields.choice(request, "filter", FILTERS)
    order = _order(tok.fingerprint, lambda: tok)
    if chosen == "unseen":
        text = fields.text(request)
        ids = order.of(chosen)
        ids = ids[~np.isin(ids, np.unique(tok.encode_to_numpy(text, unknown="skip")))]
    else:
        ids = order.of(chosen)
    if wanted:
        found = np.fromiter(tok.find(wanted), np.int64)
        ids = ids[np.isin(ids, found)]
    at = min(fields.integer(request, "at", 0, 0, 1 << 31), max(len(ids) - 1, 0))
    shown = [int(id) for id in ids[at : at + ROWS]]
    return {
        "total": len(ids),
        "at": at,
        "shown": len(shown),
        "of": len(tok),
        "first": shown[0] if shown else None,
        "html": html([_table(tok, shown)]) if shown else "",
    }


class _Order:
    """The ids of a vocabulary in the orders that are asked for; each is made once."""

    def __init__(self, tok: Tokenizer) -> None:
        contents = dict(tok.vocabulary)
        specials = set(tok.special_tokens.values())
        self.all = np.fromiter(contents, np.int64, len(contents))
        plain = [(id, content) for id, content in contents.items() if id not in specials]
        self._picked = {
            "merged": np.array([id for id, content in plain if _is_made(tok, content)], np.int64),
            "all": self.all,
            "space": np.array([id for id, content in plain if content[:1] == b" "], np.int64),
            "part": np.array([id for id, content in plain if not is_whole(content)], np.int64),
            "unseen": np.array([id for id, _ in plain], np.int64),
            "longest": np.array([id for id, _ in sorted(plain, key=lambda item: -len(item[1]))], np.int64),
        }

    def of(self, chosen: str) -> np.ndarray[Any, np.dtype[np.int64]]:
        return self._picked[chosen]


def _is_made(tok: Tokenizer, content: bytes) -> bool:
    """Whether a token is more than one symbol, so that merges made it."""
    if tok.alphabet == "bytes":
        return len(content) > 1
    return len(content.removesuffix((tok.end_of_word or "").encode()).decode("utf-8", "replace")) > 1


_LOCK = threading.Lock()


@lru_cache(maxsize=8)
def _kept(fingerprint: str) -> list[_Order]:  # noqa: ARG001 - the key
    return []


def _order(fingerprint: str, of: Callable[[], Tokenizer]) -> _Order:
    with _LOCK:
        kept = _kept(fingerprint)
        if not kept:
            kept.append(_Order(of()))
        return kept[0]


def _table(tok: Tokenizer, ids: list[int]) -> Table:
    rows: list[tuple[Line, ...]] = []
    specials = set(tok.special_tokens.values())
    for id in ids:
        content = tok.bytes_of(id)
        tree = _tree(tok, id, content)
        rank = "" if tree is None or tree.rank is None else f"{tree.rank:,}"
        times = "" if tree is None or tree.count is None else f"{tree.count:,}"
        cells: list[Span | str] = [quoted_span(content, _LONGEST)]
        if id in specials:
            cells.append(Span("  special", "note"))
        elif tree is not None and tree.left is not None and tree.right is not None:
            parts = quoted_span(tree.left.bytes, _LONGEST), quoted_span(tree.right.bytes, _LONGEST)
            cells += [Span("  = ", "note"), parts[0], Span(" + ", "note"), parts[1]]
        size = str(len(content))
        rows.append(
            (line(Span(str(id), "id")), line(Span(rank, "rank")), line(Span(times, "count")), line(size), line(*cells))
        )
    headings = ("id", "merge", "times", "bytes", "token")
    return Table(headings, tuple(rows), frozenset(range(4)), fold=True)
