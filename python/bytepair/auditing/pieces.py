r"""Bytes that are not whole characters: which part of a character a token holds.

UTF-8 writes a character as a lead byte and up to three bytes that continue it. A token may begin with bytes that
continue a character, and may end with a character whose end is missing; between the two, all is valid or the bytes are
in no text. Cost: linear.
"""

from __future__ import annotations

import codecs
from typing import Literal

__all__ = ["Part", "is_character", "part_of"]

Part = Literal["whole characters", "a whole character and a part", "only parts", "never valid"]

_CONTINUES = (0x80, 0xBF)
_MOST = 3  # bytes that continue one character


def part_of(content: bytes) -> Part:
    r"""What of UTF-8 a token is.

    >>> part_of("п".encode()), part_of(b" \xd0"), part_of(b"\xbf\xd0"), part_of(b"\xd0 ")
    ('whole characters', 'a whole character and a part', 'only parts', 'never valid')
    """
    start = next((at for at, byte in enumerate(content) if not _CONTINUES[0] <= byte <= _CONTINUES[1]), len(content))
    if start > _MOST:
        return "never valid"
    rest = content[start:]
    try:
        text, used = codecs.utf_8_decode(rest, "strict", False)
    except UnicodeDecodeError:
        return "never valid"
    if rest[used : used + 1] == b"\xed" and rest[used + 1 :] >= b"\xa0":  # half a surrogate pair, which no text holds
        return "never valid"
    if start == 0 and used == len(rest):
        return "whole characters"
    return "a whole character and a part" if text else "only parts"


def is_character(content: bytes) -> bool:
    r"""Whether a token is one whole character.

    >>> is_character("п".encode()), is_character(b"\x80"), is_character(b"no")
    (True, False, False)
    """
    return part_of(content) == "whole characters" and len(content.decode()) == 1
