r"""What a pattern means, as a tree that no dialect of regular expressions can misread.

Two dialects write the same signs and mean different things by them: in Oniguruma `{1,3}+` repeats a group, `$` looks
for line ends, `(?i:ss)` matches a sharp s. In this tree nothing is left to a dialect: case is spelled out as sets, `.`
and `\w` are sets, anchors are those of the text, groups are only where something is repeated or atomic. Two patterns
with equal trees match the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = [
    "EVERYTHING",
    "Atomic",
    "Char",
    "Choice",
    "Edge",
    "Look",
    "Node",
    "Property",
    "Range",
    "Repeat",
    "Sequence",
    "Set",
    "may_be_bare",
    "width",
]


@dataclass(frozen=True, slots=True)
class Char:
    """One character."""

    code: int


@dataclass(frozen=True, slots=True)
class Range:
    """The characters from the first code point to the last, in a set."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Property:
    """The characters with a Unicode property, or without it; the name as in `pattern_names.py`."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Set:
    """One character of the items, that is also in each set of `within`; of all others when negated."""

    items: tuple[Range | Property | Set, ...]
    negated: bool = False
    within: tuple[Set, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """The start or the end of the text."""

    end: bool


@dataclass(frozen=True, slots=True)
class Look:
    """Whether the body matches (or, negated, does not) ahead of here, or up to here."""

    behind: bool
    negated: bool
    body: Node


@dataclass(frozen=True, slots=True)
class Atomic:
    """The body's first match, never reconsidered."""

    body: Node


@dataclass(frozen=True, slots=True)
class Repeat:
    """The body, `least` to `most` times (None: without limit), as often as possible unless lazy.

    A possessive repetition is an atomic one.
    """

    body: Node
    least: int
    most: int | None
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of the branches that lets the whole match."""

    branches: tuple[Node, ...]


Node: TypeAlias = Char | Set | Edge | Look | Atomic | Repeat | Sequence | Choice

EVERYTHING: Final = Set((Range(0, 0x10FFFF),))
"""Any character."""


def may_be_bare(node: Node) -> bool:
    """Whether a choice has a branch that is an anchor or a look-around and nothing else.

    Oniguruma repeats no such choice ("target of repeat operator is invalid"), unless a group stands around it that
    does more than to group: one that captures.

    >>> may_be_bare(Choice((Char(97), Edge(end=True)))), may_be_bare(Choice((Char(97), Char(98))))
    (True, False)
    """
    return isinstance(node, Choice) and any(isinstance(branch, Edge | Look) for branch in node.branches)


def width(node: Node) -> tuple[int, int | None]:
    """The fewest and the most characters that a node matches; None: without limit.

    >>> width(Sequence((Char(97), Repeat(Char(98), 0, None))))
    (1, None)
    """
    match node:
        case Char() | Set():
            return 1, 1
        case Edge() | Look():
            return 0, 0
        case Atomic(body):
            return width(body)
        case Repeat(body, least, most):
            low, high = width(body)
            return low * least, None if high is None or most is None else high * most
        case Sequence(parts):
            widths = [width(part) for part in parts]
            highs = [high for _, high in widths if high is not None]
            return sum(low for low, _ in widths), sum(highs) if len(highs) == len(widths) else None
        case Choice(branches):
            widths = [width(branch) for branch in branches]
            highs = [high for _, high in widths if high is not None]
            return min(low for low, _ in widths), max(highs) if len(highs) == len(widths) else None
