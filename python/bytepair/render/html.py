"""Blocks as HTML without styles of its own, for notebooks.

Invariant: everything that comes from a text or a file is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from bytepair.render.plain import plain
from bytepair.render.spans import Block, Line, Table, text_of

_ALIGN = {True: ' style="text-align: right"', False: ' style="text-align: left"'}


def html(blocks: Iterable[Block]) -> str:
    """The blocks, one below the other.

    >>> from bytepair.render.spans import line
    >>> html([line("a < b")])
    '<p>a &lt; b</p>'
    """
    return "\n".join(map(_block, blocks))


def _block(block: Block) -> str:
    if isinstance(block, Line):
        text = escape(text_of(block.spans))
        strong = any(span.role == "heading" for span in block.spans)
        return f"<p><strong>{text}</strong></p>" if strong else f"<p>{text}</p>"
    if isinstance(block, Table):
        head = "".join(_cell("th", name, index in block.right) for index, name in enumerate(block.headings))
        rows = [
            "<tr>"
            + "".join(_cell("td", text_of(cell.spans), index in block.right) for index, cell in enumerate(row))
            + "</tr>"
            for row in block.rows
        ]
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f"<pre>{escape(chr(10).join(plain(block)))}</pre>"


def _cell(tag: str, text: str, right: bool) -> str:
    return f"<{tag}{_ALIGN[right]}>{escape(text)}</{tag}>"
