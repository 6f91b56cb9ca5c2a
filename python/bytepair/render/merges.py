"""Merges as they are learned: `' ' + 't' -> ' t'  3,302`."""

from __future__ import annotations

from bytepair.render.spans import Line, Span, line
from bytepair.render.visible import quoted


def merge_line(left: bytes, right: bytes, token: bytes, count: float, *, number: int | None = None) -> Line:
    """One merge with the count of its pair when it was chosen, which may be weighted.

    >>> from bytepair.render.plain import plain
    >>> list(plain(merge_line(b" ", b"t", b" t", 3302)))
    ["' ' + 't' -> ' t'  3,302"]
    """
    shown = f"{count:,}" if isinstance(count, int) else f"{count:,.1f}"
    before = "" if number is None else f"{number:>6,}  "
    pair = f"{quoted(left)} + {quoted(right)}"
    made = quoted(token)
    wide = number is not None
    return line(
        Span(before, "rank"),
        Span(f"{pair:<18}" if wide else pair),
        Span(" -> ", "note"),
        Span(f"{made:<14}" if wide else made, "strong"),
        Span(f"  {shown:>7}" if wide else f"  {shown}", "count"),
    )
