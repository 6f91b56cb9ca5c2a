"""Ours and theirs on many texts: how many differ, and the smallest text that does.

There are three kinds of text: mixed (prose, and every assigned code point in context), corpora (ten languages and code,
in pieces of about 10 kB that end with a line), and random strings of many scripts. `few=True` takes a part of each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import oracles
import texts
from bytepair.proving import mixed_text
from parity.expected import EXPECTED
from parity.rows import Encode, Find, Peer, Row

LANGUAGES = ("en", "code", *texts.NINE_LANGUAGES)
PIECE = 10_000
SNIPPETS = 100


@functools.cache
def mixed(*, few: bool) -> tuple[str, ...]:
    """Lines, and snippets with every code point, a hundred in a text."""
    lines = mixed_text().splitlines(keepends=True)
    snippets = [snippet for batch in oracles.few_code_point_texts() for snippet in batch]
    points = ["".join(snippets[start : start + SNIPPETS]) for start in range(0, len(snippets), SNIPPETS)]
    return tuple([*lines[::20], *points[::50]] if few else [mixed_text(), *lines, *points])


@functools.cache
def corpora(*, few: bool) -> tuple[str, ...]:
    """Pieces of all corpora."""
    return tuple(
        piece for language in LANGUAGES for piece in pieces(texts.sample(language, 2 * PIECE if few else 100 * PIECE))
    )


def pieces(text: str) -> list[str]:
    """A text in pieces that end with a line."""
    found, start = [], 0
    while start < len(text):
        end = text.find("\n", start + PIECE) + 1 or len(text)
        found.append(text[start:end])
        start = end
    return found


@functools.cache
def random(*, few: bool) -> tuple[str, ...]:
    """Short strings."""
    return tuple(oracles.random_texts(1_000 if few else 20_000, seed=20))


KINDS: dict[str, Callable[..., tuple[str, ...]]] = {"mixed": mixed, "corpora": corpora, "random": random}


@dataclass(frozen=True)
class Found:
    """What was found of one row and one library."""

    row: str
    library: str
    how: str
    version: str
    texts: dict[str, int]
    """How many texts there were, by their kind."""
    different: dict[str, list[str]]
    """Those that differ."""
    expected: int
    """How many more differ, for a reason that is known."""

    @property
    def total(self) -> int:
        """How many differ."""
        return sum(map(len, self.different.values()))


def compared(row: Row, peer: Peer, find: Find, *, few: bool) -> Found:
    """Asks both for every text."""
    one, other = row.ours(find), peer.build(find)
    counts: dict[str, int] = {}
    different: dict[str, list[str]] = {}
    expected = 0

    def differs(text: str) -> bool:
        return bool(text) and list(one([text])[0]) != list(other([text])[0])

    known = [each for each in EXPECTED if (each.row, each.library) == (row.name, peer.library)]
    for kind, made in KINDS.items():
        batch = list(filter(None, map(row.prepared, made(few=few))))
        counts[kind] = len(batch)
        answers = zip(batch, one(batch), other(batch), strict=True)
        found = [text for text, ours, theirs in answers if list(ours) != list(theirs)]
        different[kind] = [text for text in found if not any(each.explains(text, differs) for each in known)]
        expected += len(found) - len(different[kind])
    return Found(row.name, peer.library, peer.how, peer.version, counts, different, expected)


def smallest(text: str, one: Encode, other: Encode) -> tuple[str, list[Any], list[Any]]:
    """A text that still differs, and of which nothing can be left out; with both answers."""

    def differs(candidate: str) -> bool:
        return list(one([candidate])[0]) != list(other([candidate])[0])

    size = len(text) // 2
    while size:
        start = 0
        while start < len(text):
            shorter = text[:start] + text[start + size :]
            if shorter and differs(shorter):
                text = shorter
            else:
                start += size
        size //= 2
    return text, list(one([text])[0]), list(other([text])[0])


def shown(answer: Sequence[Any]) -> str:
    """The first ids of an answer."""
    return " ".join(map(str, answer[:12])) + (" ..." if len(answer) > 12 else "")
