"""Blocks for a terminal, drawn by rich: colours by role, tables by measured widths, flows wrapped between tokens.

The idea: a drawing is made as a string and written by the caller as UTF-8 bytes, so that the locale's encoding plays
no part. Without colours (`NO_COLOR`, a dumb terminal) tokens are parted by `|` as in a pipe. Cost: linear in what is
drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from bytepair.render.plain import coloured_rows_of, rows_of
from bytepair.render.spans import Block, Flow, Line, Picture, Role, Span, Table, text_of

# Dark letters on light grounds: readable on light and dark terminals alike.
_GROUNDS = ("#a6d8f0", "#f9d29d", "#b8e0b0", "#f3b5c6", "#d3c2f0", "#f0e68c")
_STYLES: dict[Role, str] = {
    "plain": "",
    "heading": "bold",
    "note": "dim",
    "token": "black",
    "partial": "black italic",
    "special": "bold white on #555555",
    "id": "cyan",
    "rank": "magenta",
    "count": "green",
    "branch": "dim",
    "pattern": "",
    "source": "dim",
    "content": "bold",
    "cut": "dim",
    "strong": "bold",
    "symbol": "",
    "made": "bold",
    "break": "",
}


class Terminal:
    r"""Draws blocks for a terminal.

    >>> from bytepair.render.spans import line
    >>> Terminal(width=20, colour=False).draw(line("tokens"))
    'tokens\n'
    """

    def __init__(self, *, width: int, colour: bool) -> None:
        """A renderer for `width` columns; fewer than 20 are taken as 20."""
        self.width = max(width, 20)
        self.colour = colour
        self._file = StringIO()
        self._console = Console(
            file=self._file,
            force_terminal=colour,
            width=self.width,
            no_color=not colour,
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=False,
        )

    def draw(self, block: Block) -> str:
        """`block` as text with escape sequences, each line ended by a line feed."""
        if isinstance(block, Picture):
            return self.draw(block.otherwise)
        if isinstance(block, Line):
            self._print(self._text(block.spans), fold=True)
        elif isinstance(block, Table):
            self._console.print(self._table(self._folded(block) if block.fold else block))
        else:
            for row in self._wrapped(block):
                self._print(row, fold=False)
        drawn = self._file.getvalue()
        self._file.seek(0)
        self._file.truncate()
        return "".join(part.rstrip(" ") + "\n" for part in drawn.split("\n")[:-1])

    def _print(self, text: Text, *, fold: bool) -> None:
        self._console.print(text, overflow="fold" if fold else "ignore", no_wrap=not fold, crop=False)

    def _text(self, spans: tuple[Span, ...] | list[Span]) -> Text:
        text = Text(end="")
        for span in spans:
            text.append(span.text, self._style(span))
        return text

    def _style(self, span: Span) -> str:
        if not self.colour:
            return ""
        style = _STYLES[span.role]
        if span.role in ("token", "partial"):
            return f"{style} on {_GROUNDS[span.shade % len(_GROUNDS)]}"
        return style

    def _table(self, table: Table) -> RichTable:
        drawn = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(table.headings))
        last = len(table.headings) - 1
        for index, name in enumerate(table.headings):
            drawn.add_column(
                name,
                justify="right" if index in table.right else "left",
                no_wrap=index != last or not table.fold,
                overflow="ellipsis" if index == last and not table.fold else "fold",
                header_style="dim" if self.colour else "",
            )
        for row in table.rows:
            drawn.add_row(*(self._text(cell.spans) for cell in row))
        return drawn

    def _folded(self, table: Table) -> Table:
        """The table with its last column cut into lines that fit: rich would break at spaces and drop them."""
        others = zip(*(row[:-1] for row in table.rows), strict=True)
        used = sum(max(cell_len(text_of(cell.spans)) for cell in column) + 2 for column in others)
        room = max(self.width - used, 10)
        rows = []
        for row in table.rows:
            pieces = [piece.text for piece in _pieces(Span(text_of(row[-1].spans)), room)]
            rows.append((*row[:-1], Line((Span("\n".join(pieces)),))))
        return replace(table, rows=tuple(rows))

    def _wrapped(self, flow: Flow) -> Iterator[Text]:
        """The flow's rows, broken between spans where the next one does not fit, and inside one only if it must."""
        room = self.width - flow.indent
        for row in coloured_rows_of(flow) if self.colour else rows_of(flow):
            spans: list[Span] = []
            used = 0
            for span in (part for whole in row for part in _pieces(whole, room)):
                cells = cell_len(span.text)
                if used + cells > room and spans:
                    yield self._indented(spans, flow.indent)
                    spans, used = [], 0
                spans.append(span)
                used += cells
            yield self._indented(spans, flow.indent)

    def _indented(self, spans: list[Span], indent: int) -> Text:
        return self._text([Span(" " * indent), *spans])


def _pieces(span: Span, room: int) -> Iterator[Span]:
    """`span`, cut where it alone is wider than a row."""
    if cell_len(span.text) <= room:
        yield span
        return
    start, used = 0, 0
    for index, character in enumerate(span.text):
        cells = cell_len(character)
        if used + cells > room and index > start:
            yield Span(span.text[start:index], span.role, span.shade)
            start, used = index, 0
        used += cells
    yield Span(span.text[start:], span.role, span.shade)
