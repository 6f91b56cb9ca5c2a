r"""Bytes as text that a person can read and that is safe to print.

The idea: printable characters stand for themselves; everything else is an escape: `\n`, `\t`, `\r`, `\\`, `\xd0` for a
byte that is not part of a whole character (and for control bytes), `\u200d` for a character without a shape of its own.
The invariant: the result holds only printable characters, and different bytes give different results, so that
the bytes can be had back. Cost: linear.
"""

from __future__ import annotations

import unicodedata

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
# Other, control, format, private, unassigned; separators of lines; every space but the plain one.
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_BYTES = range(0xDC80, 0xDD00)  # how Python's surrogateescape shows bytes that decode to nothing
_SELECTORS = range(0xFE00, 0xFE10)
_LONG = 0x10000
_JOINING = frozenset({"Mn", "Me"})


def visible(content: bytes) -> str:
    r"""`content` with everything unprintable escaped.

    >>> visible(b" the\n")
    ' the\\n'
    >>> visible("п".encode()[:1])
    '\\xd0'
    """
    text = content.decode("utf-8", "surrogateescape")
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    shown: list[str] = []
    for character in text:
        shown.append(_shown(character, first=not shown))
    return "".join(shown)


def _shown(character: str, *, first: bool) -> str:
    if character in _NAMED:
        return _NAMED[character]
    number = ord(character)
    if number in _BYTES:
        return f"\\x{number - 0xDC00:02x}"
    if character == " " or character.isascii():
        return character if character.isprintable() else f"\\x{number:02x}"
    category = unicodedata.category(character)
    # A joining mark at the start would join what the renderer puts before it; a selector changes widths.
    joins = category in _JOINING and (first or number in _SELECTORS)
    if category in _UNSEEN or joins:
        return f"\\u{number:04x}" if number < _LONG else f"\\U{number:08x}"
    return character


def quoted(content: bytes) -> str:
    """`content` as `visible` shows it, in quotes, so that spaces at its edges can be seen.

    >>> quoted(b" t")
    "' t'"
    """
    return f"'{visible(content)}'"


def is_whole(content: bytes) -> bool:
    r"""Whether `content` is whole characters of UTF-8.

    >>> is_whole(b"\xd0")
    False
    """
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def beginning(content: bytes, most: int) -> bytes:
    """The first `most` bytes, or a few less where they would end inside a character.

    >>> beginning("aп".encode(), 2)
    b'a'
    """
    if len(content) <= most:
        return content
    whole = (place for place in range(most, max(most - 4, 0), -1) if content[place] & 0xC0 != 0x80)  # noqa: PLR2004
    return content[: next(whole, most)]
