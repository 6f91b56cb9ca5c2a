"""Blocks as plain text in aligned columns, for `print`: no colours, as wide as is asked for.

The idea: a column is as wide as its widest cell; what is left over goes to the last one, in which words wrap. Cost:
linear.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from bytepair.render.plain import plain
from bytepair.render.spans import Block, Line, Picture, Table, text_of

_LEAST = 12
"""The least room for the last column."""


def columns(blocks: Iterable[Block], width: int = 80) -> str:
    """The blocks, one below the other.

    >>> from bytepair.render.spans import Table, line
    >>> print(columns([Table(("n", "word"), ((line("10"), line("low")),), frozenset({0}))]))
     n  word
    10  low
    """
    lines = [text for block in blocks for text in _lines(block, width)]
    return "\n".join(text.rstrip() for text in lines)


def _lines(block: Block, width: int) -> Iterator[str]:
    if isinstance(block, Picture):
        yield from _lines(block.otherwise, width)
    elif isinstance(block, Line):
        text = text_of(block.spans)
        yield from textwrap.wrap(text, width) or [""]
    elif isinstance(block, Table):
        yield from _rows(block, width)
    else:
        yield from plain(block)


def _rows(table: Table, width: int) -> Iterator[str]:
    rows = [tuple(text_of(cell.spans) for cell in row) for row in table.rows]
    if any(table.headings):
        rows.insert(0, table.headings)
    if not rows:
        return
    last = len(table.headings) - 1
    widths = [max(len(row[index]) for row in rows) for index in range(last + 1)]
    room = max(width - sum(widths[:-1]) - 2 * last, _LEAST)
    for row in rows:
        folded = textwrap.wrap(row[last], room) if table.fold and len(row[last]) > room else [row[last]]
        for number, part in enumerate(folded or [""]):
            cells = [*(row[:last] if number == 0 else ("",) * last), part]
            yield "  ".join(
                cell.rjust(wide) if index in table.right else cell.ljust(wide)
                for index, (cell, wide) in enumerate(zip(cells, widths, strict=True))
            )
