"""What can be drawn: spans of text with a role, gathered into lines, tables and flows.

The idea: a span says what its text *is* (a token, an id, a count), never how it looks. A renderer maps roles to
colours. The invariant: no span but a line break holds a control character, so nothing that a text contains can steer
a terminal or break a row; `visible.visible` makes text that way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Role: TypeAlias = Literal[
    "plain",  # ordinary words
    "heading",  # the title of a part
    "note",  # less important words
    "token",  # a token that is whole characters
    "partial",  # a token that starts or ends inside a character, shown as bytes
    "special",  # a special token
    "id",
    "rank",
    "count",
    "branch",  # the lines of a tree
    "strong",  # what the eye should find first
    "break",  # the end of a line inside a flow
]


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text with one role.

    `shade` numbers neighbouring tokens so that a renderer can give them different colours.
    """

    text: str
    role: Role = "plain"
    shade: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """Spans on one line. Where it is wider than the place for it, the renderer cuts it off or folds it."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under headings.

    `right` holds the indices of columns that align right. Text that may be wide or run from right to left belongs
    in the last column, where its width moves nothing else. What does not fit there is cut off, or folded into further
    lines with `fold`.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    right: frozenset[int] = frozenset()
    fold: bool = False


@dataclass(frozen=True, slots=True)
class Flow:
    """Spans that follow one another and wrap between spans; a span with the role `break` ends a line."""

    spans: tuple[Span, ...]
    indent: int = 0


Block: TypeAlias = Line | Table | Flow


def line(*parts: Span | str) -> Line:
    """A line of spans; a plain string is a span without a role.

    >>> line("id ", Span("262", "id")).spans[1].text
    '262'
    """
    return Line(tuple(Span(part) if isinstance(part, str) else part for part in parts))


def heading(text: str) -> Line:
    """A line that opens a part."""
    return line(Span(text, "heading"))


def text_of(spans: Iterable[Span]) -> str:
    """The text of spans without their roles.

    >>> text_of(line("a", Span("b", "id")).spans)
    'ab'
    """
    return "".join(span.text for span in spans)
