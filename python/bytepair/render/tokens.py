r"""Tokens in a row, as they cut a text.

The idea: each token is one span whose shade differs from its neighbours'; a token that holds part of a character is
shown as bytes (`\xd0`). Where a token ends in a line feed the row ends too, so that code keeps its lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from bytepair.render.spans import Flow, Line, Span, line
from bytepair.render.visible import beginning, is_whole, quoted, visible
from bytepair.wording import several


def token_span(content: bytes, *, shade: int = 0, special: bool = False) -> Span:
    r"""One token as a span.

    >>> token_span(b"\xd0").role
    'partial'
    """
    if special:
        return Span(visible(content), "special")
    return Span(visible(content), "token" if is_whole(content) else "partial", shade)


def quoted_span(content: bytes, most: int | None = None) -> Span:
    """One token in quotes, for rows and trees: no ground colour, so that columns stay calm; cut after `most` bytes."""
    shown = quoted(content) if most is None or len(content) <= most else f"{quoted(beginning(content, most))}…"
    return Span(shown, "content" if is_whole(content) else "cut")


def token_flow(tokens: Sequence[bytes], *, special: Sequence[bool] | None = None, indent: int = 0) -> Flow:
    r"""The tokens of a text, one after the other.

    >>> [span.text for span in token_flow([b"to", b"\n", b"ken"]).spans]
    ['to', '\\n', '\n', 'ken']
    """
    spans: list[Span] = []
    for index, content in enumerate(tokens):
        marked = special is not None and special[index]
        lines = content.split(b"\n")
        for number, part in enumerate(lines):
            shown = part + b"\n" if number < len(lines) - 1 else part
            if shown:
                spans.append(token_span(shown, shade=index, special=marked))
            if number < len(lines) - 1:
                spans.append(Span("\n", "break"))
    return Flow(tuple(spans), indent)


def counts_line(label: str, tokens: int, characters: int, size: int) -> Line:
    """`label` with the three lengths of a text.

    >>> from bytepair.render.plain import plain
    >>> list(plain(counts_line("English", 1, 5, 5)))
    ['English  1 token, 5 characters, 5 bytes']
    """
    return line(
        Span(label, "heading"),
        "  ",
        Span(several(tokens, "token"), "count"),
        Span(f", {several(characters, 'character')}, {several(size, 'byte')}", "note"),
    )
