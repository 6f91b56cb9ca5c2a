"""What can be drawn: spans of text with a role, gathered into lines, tables, flows and pictures.

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
    "pattern",  # a regular expression
    "source",  # part of one
    "content",  # a token in a row of a table, in quotes
    "cut",  # the same of a token that starts or ends inside a character
    "strong",  # what the eye should find first
    "symbol",  # a symbol that merges have made so far
    "made",  # the symbol that the last merge made
    "break",  # the end of a line inside a flow
]


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text with one role.

    `shade` numbers neighbouring tokens so that a renderer can give them different colours. Tokens of one pretoken have
    the same `group`. `id` and `hint` are what a page can say of a token that is pointed at.
    """

    text: str
    role: Role = "plain"
    shade: int = 0
    group: int | None = None
    id: int | None = None
    hint: str = ""


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


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG, and the block that says the same where there are no pictures and to those who do not see them."""

    svg: str
    otherwise: Table | Line


Block: TypeAlias = Line | Table | Flow | Picture


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
