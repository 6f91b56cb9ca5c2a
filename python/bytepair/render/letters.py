"""Which letters of a word a model can see.

The idea: a model is given ids. A letter is seen only where it is a token of its own; inside a longer token it is part
of one number, and nothing in that number says so. White space does not count as a letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bytepair.render.spans import Line, Span, Table, line
from bytepair.render.tokens import quoted_span
from bytepair.render.visible import visible
from bytepair.wording import several

_SHOWN = 12  # letters named in a sentence


@dataclass(frozen=True, slots=True)
class Letters:
    """The letters of a text: `seen` are tokens of their own, `hidden` lie inside longer tokens, `cut` are cut apart."""

    seen: tuple[str, ...]
    hidden: tuple[str, ...]
    cut: tuple[str, ...]


def letters_of(tokens: Sequence[bytes]) -> Letters:
    """The letters of the text that `tokens` make, in order.

    >>> letters_of([b"str", b"aw", b"b"])
    Letters(seen=('b',), hidden=('s', 't', 'r', 'a', 'w'), cut=())
    """
    found: dict[str, list[str]] = {"seen": [], "hidden": [], "cut": []}
    owner = [index for index, token in enumerate(tokens) for _ in token]
    place = 0
    for character in b"".join(tokens).decode("utf-8", "surrogateescape"):
        size = len(character.encode("utf-8", "surrogateescape"))
        first, last = owner[place], owner[place + size - 1]
        place += size
        if character.isspace():
            continue
        if first != last:
            kind = "cut"
        elif len(tokens[first].strip()) == size:
            kind = "seen"
        else:
            kind = "hidden"
        found[kind].append(visible(character.encode("utf-8", "surrogateescape")))
    return Letters(tuple(found["seen"]), tuple(found["hidden"]), tuple(found["cut"]))


def letter_table(tokens: Sequence[bytes], ids: Sequence[int], mark: bytes = b"") -> Table:
    """One row a token: its id, how many letters it holds, and which; an end-of-word mark is none."""
    rows: list[tuple[Line, ...]] = []
    for content, number in zip(tokens, ids, strict=True):
        text = content.removesuffix(mark).decode("utf-8", "ignore")
        letters = [visible(character.encode()) for character in text if not character.isspace()]
        rows.append(
            (
                line(Span(str(number), "id")),
                line(Span(str(len(letters)), "count")),
                line(quoted_span(content)),
                line(Span(" ".join(letters), "note")),
            )
        )
    return Table(("id", "letters", "token", "which"), tuple(rows), frozenset({0, 1}))


def letter_lines(tokens: Sequence[bytes]) -> list[Line]:
    """What the model can see of the letters, in words."""
    letters = letters_of(tokens)
    total = len(letters.seen) + len(letters.hidden) + len(letters.cut)
    if not total:
        return []
    lines = [
        line(
            f"The model is given {several(len(tokens), 'number')}, not {several(total, 'letter')}: ",
            Span(_verdict(letters, total), "strong"),
        )
    ]
    hidden = Counter(letters.hidden)
    repeated = [letter for letter in hidden if hidden[letter] > 1]
    if repeated:
        lines.append(line(Span(f"Letters hidden more than once: {' '.join(_times(hidden, repeated))}", "note")))
    return lines


def _verdict(letters: Letters, total: int) -> str:
    if len(letters.seen) == total:
        return "it sees every letter."
    seen = " ".join(letters.seen[:_SHOWN]) + (" ..." if len(letters.seen) > _SHOWN else "")
    seen = seen or "none of them"
    cut = f"; {several(len(letters.cut), 'letter')} cut into bytes" if letters.cut else ""
    return f"it sees {seen}{cut}."


def _times(hidden: Counter[str], repeated: Sequence[str]) -> list[str]:
    most = sorted(repeated, key=hidden.__getitem__, reverse=True)[:_SHOWN]
    return [f"{letter} ({hidden[letter]} times)" for letter in most]
