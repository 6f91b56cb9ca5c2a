"""What is done with bytes that are not UTF-8, and where text may be cut without cutting a character.

Training text is UTF-8. With `errors="strict"` anything else is an error that names the place; "replace" puts U+FFFD
there, as `bytes.decode` does; "bytes" keeps the bytes. Cost: linear, and next to nothing for ASCII.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Literal

from bytepair._core import first_invalid
from bytepair.errors import TextError
from bytepair.wording import shortened

__all__ = ["Errors", "checked", "edge", "in_utf8", "shown"]

Errors = Literal["strict", "replace", "bytes"]
_LONGEST = 3
"""The bytes that an unfinished character can have."""


def checked(content: bytes, errors: Errors, place: Callable[[int], str]) -> bytes:
    r"""The text as `errors` wants it; `place(offset)` says in an error where the bad byte stands.

    >>> checked(b"n\xe9", "replace", str).decode()
    'n\ufffd'

    Raises:
        TextError: bytes that are not UTF-8, with "strict".
    """
    if errors == "bytes" or content.isascii():  # which is soon said of small documents
        return content
    invalid = first_invalid(content)
    if invalid is None:
        return content
    if errors == "replace":
        return content.decode("utf-8", "replace").encode()
    raise TextError(
        f"{place(invalid)}: byte 0x{content[invalid]:02x} is not UTF-8",
        'convert the text to UTF-8, or pass errors="replace" to put U+FFFD there, or errors="bytes" to keep the bytes',
    )


def edge(content: bytes, end: int) -> int:
    r"""Where the text before `end` may end: before a character that is not finished there.

    >>> edge("né".encode(), 3), edge("né".encode(), 2), edge(b"\xff", 1)
    (3, 1, 1)
    """
    tail = content[max(end - _LONGEST, 0) : end]
    return end - len(tail) + codecs.utf_8_decode(tail, "ignore", False)[1]


def shown(name: str | bytes) -> str:
    r"""A name that a file holds, in one short line, for an error.

    >>> print(shown("lang"), shown("a\nb"), shown("x" * 100))
    `lang` `a\nb` `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...`
    """
    text = name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else name
    short = shortened(text)
    return f"`{short.encode('unicode_escape').decode() if not short.isprintable() else short}`"


def in_utf8(text: str) -> bytes:
    r"""The text as the engine reads it: halves of surrogate pairs are joined, lone ones become U+FFFD.

    >>> in_utf8("low"), in_utf8("\ud83d\ude00 \ud800").decode() == "\U0001f600 \ufffd"
    (b'low', True)
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
