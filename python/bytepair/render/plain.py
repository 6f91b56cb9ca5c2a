"""Blocks as plain text for pipes and files: no colours, no widths, one row a line, cells separated by tabs."""

from __future__ import annotations

from collections.abc import Iterator

from bytepair.render.spans import Block, Flow, Line, Picture, Span, Table, text_of

_TOKENS = frozenset({"token", "partial", "special"})


def plain(block: Block) -> Iterator[str]:
    """The lines of `block`, without line ends.

    >>> from bytepair.render.spans import Span, line
    >>> list(plain(line("id ", Span("262", "id"))))
    ['id 262']
    """
    if isinstance(block, Picture):
        yield from plain(block.otherwise)
    elif isinstance(block, Line):
        yield text_of(block.spans)
    elif isinstance(block, Table):
        if any(block.headings):
            yield "\t".join(block.headings)
        for row in block.rows:
            yield "\t".join(text_of(cell.spans) for cell in row)
    else:
        yield from (" " * block.indent + text_of(row) for row in rows_of(block))


def rows_of(flow: Flow) -> Iterator[list[Span]]:
    """The rows of a flow without colours: `|` stands between two tokens, `‖` between two pretokens."""
    return _rows(flow, "|")


def coloured_rows_of(flow: Flow) -> Iterator[list[Span]]:
    """The rows of a flow whose tokens are parted by colours: only between two pretokens stands `‖`."""
    return _rows(flow, "")


def _rows(flow: Flow, between: str) -> Iterator[list[Span]]:
    row: list[Span] = []
    for span in flow.spans:
        if span.role == "break":
            yield row
            row = []
            continue
        if row and row[-1].role in _TOKENS and span.role in _TOKENS:
            mark = between if row[-1].group == span.group else "‖"
            row += [Span(mark, "note")] if mark else []
        row.append(span)
    if row:
        yield row
