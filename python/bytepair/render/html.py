"""Blocks as HTML: classes by role, no colours (`style.css` has them), everything escaped.

The idea: a token is a box of its own. In text that runs from right to left boxes follow one another from the right; a
token that is nothing but letters of such a script stays in the run of letters, so that they join as they are written,
and every other one is isolated, so that it moves none of its neighbours.

Invariant: what comes from a text or a file is escaped, and is in no attribute but between quotes. Cost: linear.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from bytepair.render.spans import Block, Flow, Line, Picture, Span, Table

__all__ = ["html"]

SHADES = 6
_ESCAPES = re.compile(r"(\\(?:[nrt\\]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}))")
_SPACES = re.compile(r"( +)")
_BOXED = frozenset({"token", "partial", "special"})
_CONTENT = frozenset({"content", "cut", "symbol", "made"})
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_STRONG = frozenset({"L", "R", "AL"})
_OF_LETTERS = frozenset({"R", "AL", "NSM", "WS"})


def html(blocks: Iterable[Block]) -> str:
    """The blocks, one below the other; `style.standalone` makes it stand by itself.

    >>> from bytepair.render.spans import line
    >>> html([line("a < b")])
    '<p>a &lt; b</p>'
    """
    return "\n".join(map(_block, blocks))


def _block(block: Block) -> str:
    if isinstance(block, Line):
        return _paragraph(block)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Picture):
        said = f'<details class="alternative"><summary>The same as a table</summary>{_block(block.otherwise)}</details>'
        return f'<figure class="scroll">{block.svg}</figure>\n{said}'
    return _flow(block)


def _paragraph(line: Line) -> str:
    """A line, as the heading that it is or a paragraph; nothing for an empty one."""
    said = [span for span in line.spans if span.text]
    if len(said) == 1 and said[0].role == "heading":
        return f'<p class="heading" role="heading" aria-level="3">{escape(said[0].text)}</p>'
    return f"<p>{_line(line)}</p>" if said else ""


def _line(line: Line) -> str:
    return "".join(map(_span, line.spans))


def _span(span: Span) -> str:
    """A span that is no box."""
    if span.role in _BOXED:
        return _box(span, joins=False)
    if span.role == "plain":
        return escape(span.text)
    if span.role in _CONTENT:
        return f'<bdi class="{span.role} content">{_content(span.text)}</bdi>'
    return f'<span class="{span.role}">{escape(span.text)}</span>'


def _table(table: Table) -> str:
    head = ""
    if any(table.headings):
        cells = "".join(_cell("th", escape(name), index in table.right) for index, name in enumerate(table.headings))
        head = f"<thead><tr>{cells}</tr></thead>"
    rows = "".join(
        f"<tr>{''.join(_cell('td', _line(cell), index in table.right) for index, cell in enumerate(row))}</tr>"
        for row in table.rows
    )
    kind = ' class="fold"' if table.fold else ""
    return f'<div class="scroll"><table{kind}>{head}<tbody>{rows}</tbody></table></div>'


def _cell(tag: str, content: str, right: bool) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    side = ' class="right"' if right else ""
    return f"<{tag}{scope}{side}>{content}</{tag}>"


def _flow(flow: Flow) -> str:
    rows = "".join(
        f'<div class="row" dir="{_direction(row)}">{"".join(_pretokens(row))}</div>' for row in _rows(flow.spans)
    )
    return f'<div class="flow">{rows}</div>'


def _rows(spans: Sequence[Span]) -> Iterator[list[Span]]:
    row: list[Span] = []
    for span in spans:
        if span.role == "break":
            yield row
            row = []
        else:
            row.append(span)
    if row:
        yield row


def _pretokens(row: Sequence[Span]) -> Iterator[str]:
    """The boxes of a row, those of one pretoken in a frame."""
    for group, spans in groupby(row, key=lambda span: span.group):
        held = list(spans)
        direction = _direction(row if group is None else held)
        boxes = "".join(_box(span, joins=direction == "rtl" and _is_letters(span)) for span in held)
        yield boxes if group is None else f'<bdi class="pretoken" dir="{direction}">{boxes}</bdi>'


def _box(span: Span, *, joins: bool) -> str:
    """A token. One that joins its neighbours is no `bdi`, which would part its letters from theirs."""
    if span.role not in _BOXED:
        return f'<span class="{span.role}">{escape(span.text)}</span>'
    shade = "" if span.role == "special" else f" shade-{span.shade % SHADES}"
    known = "" if span.id is None else f' data-id="{span.id}"'
    hint = f' title="{escape(span.hint)}"' if span.hint else ""
    tag = "span" if joins else "bdi"
    return f'<{tag} class="{span.role}{shade}"{known}{hint}>{_content(span.text)}</{tag}>'


def _content(text: str) -> str:
    r"""What a token holds: spaces and escapes marked as such.

    >>> _content("a\\n")
    'a<span class="escape">\\n</span>'
    """
    shown: list[str] = []
    for number, part in enumerate(_ESCAPES.split(text)):
        if number % 2:
            shown.append(f'<span class="escape">{escape(part)}</span>')
        else:
            shown += (
                f'<span class="space">{piece}</span>' if at % 2 else escape(piece)
                for at, piece in enumerate(_SPACES.split(part))
            )
    return "".join(shown)


def _direction(spans: Iterable[Span]) -> str:
    """The direction of the first letter that has one; escapes have none."""
    for span in spans:
        for character in _ESCAPES.sub("", span.text):
            kind = unicodedata.bidirectional(character)
            if kind in _STRONG:
                return "rtl" if kind in _RIGHT_TO_LEFT else "ltr"
    return "ltr"


def _is_letters(span: Span) -> bool:
    """Whether it is nothing but letters and marks of a script that runs from right to left, and spaces."""
    return span.role == "token" and {unicodedata.bidirectional(character) for character in span.text} <= _OF_LETTERS
