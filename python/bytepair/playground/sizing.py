"""One slider: the vocabulary size. The figures of every size come from one sweep, the text from a truncated tokenizer.

Both are kept for the text and the tokenizer that were asked for last, since a slider asks for many sizes of the same.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from bytepair.measuring.sweeping import Sweep, sweep
from bytepair.playground import fields
from bytepair.playground.charts import curve
from bytepair.playground.fields import Request
from bytepair.playground.flows import flow
from bytepair.playground.limits import DRAWN, MOST_TRACED
from bytepair.playground.reading import readable, traced
from bytepair.playground.shelf import Shelf
from bytepair.render.html import html
from bytepair.tokenizer import Tokenizer

__all__ = ["size", "sizes"]

Kept = TypeVar("Kept")
_MOST_SWEEPS: Final = 8
_MOST_TOKENIZERS: Final = 24
_WIDTH: Final = 384


class _Cache:
    """What was made last, by a key. Two threads may make the same twice; neither waits for the other."""

    def __init__(self, most: int) -> None:
        self._most, self._lock, self._held = most, threading.Lock(), OrderedDict[object, Any]()

    def get(self, key: object, make: Callable[[], Kept]) -> Kept:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                found: Kept = self._held[key]
                return found
        made = make()
        with self._lock:
            self._held[key] = made
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return made


_SWEEPS = _Cache(_MOST_SWEEPS)
_TOKENIZERS = _Cache(_MOST_TOKENIZERS)


def _sweep(tok: Tokenizer, text: str, width: int) -> Sweep:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
    return _SWEEPS.get((tok.fingerprint, digest, width), lambda: sweep(tok, [text], width=width))


def sizes(shelf: Shelf, request: Request) -> dict[str, Any]:
    """Every size of a vocabulary on a text: how far the slider goes, and the curve."""
    tok = shelf.of(request)
    text, _ = readable(tok, fields.text(request))
    swept = _sweep(tok, text, _width(request))
    tokens = swept.tokens()
    per_token = len(text) / np.maximum(tokens, 1)
    points = list(zip(swept.vocab_sizes.tolist(), per_token.tolist(), strict=True))
    return {
        "merges": swept.merges,
        "vocab_sizes": [int(swept.vocab_sizes[0]), int(swept.vocab_sizes[-1])],
        "html": curve(
            points,
            title="Characters a token by vocabulary size",
            across="tokens in the vocabulary",
            up="characters a token",
        ),
    }


def size(shelf: Shelf, request: Request) -> dict[str, Any]:
    """The text cut by the tokenizer of the first `merges` merges, and the figures of that size."""
    tok = shelf.of(request)
    text, note = readable(tok, fields.text(request, most=MOST_TRACED))
    swept = _sweep(tok, text, _width(request))
    merges = fields.integer(request, "merges", swept.merges, 0, swept.merges)
    small = _TOKENIZERS.get((tok.fingerprint, merges), lambda: tok.truncated(merges).tokenizer)
    trace, _ = traced(small, text)
    found = swept.at(merges=merges)
    return {
        "merges": merges,
        "vocab_size": found.vocab_size,
        "tokens": len(trace),
        "characters": len(text),
        "characters_per_token": len(text) / len(trace) if len(trace) else None,
        "bytes_per_token": found.bytes_per_token if len(trace) else None,
        "embedding": found.embedding,
        "html": html([flow(trace, "tokens", 0, DRAWN)]),
        "left": max(len(trace) - DRAWN, 0),
        "note": note,
    }


def _width(request: Request) -> int:
    return fields.integer(request, "width", _WIDTH, 1, 1 << 20)
