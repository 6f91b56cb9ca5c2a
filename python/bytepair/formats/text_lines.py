"""The lines of a text file, for the formats that are made of lines."""

from __future__ import annotations

from bytepair.errors import FormatError
from bytepair.formats.strict_json import refuse_mark, shown

__all__ = ["lines_of", "number", "refused"]


def lines_of(data: bytes) -> list[str]:
    r"""The lines, without what ends them (a line feed, with or without a carriage return).

    Only these end a line: tokens may hold other characters that Python takes for line ends.

    >>> lines_of("a\r\nb\u2028c\n".encode())
    ['a', 'b\u2028c']

    Raises:
        FormatError: a byte order mark; bytes that are not UTF-8, with the line.
    """
    refuse_mark(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"line {line}: byte {error.start} of the file (0x{data[error.start]:02x}) is not UTF-8",
            "the file is damaged, or of another kind",
        ) from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines


def refused(at: int, line: str, expected: str, hint: str) -> FormatError:
    """The error that line number `at` is not what is expected."""
    return FormatError(f"line {at}: {shown(line)} is not {expected}", hint)


def number(text: str, highest: int) -> int | None:
    """A number in decimal digits, from 0 to `highest`; None if it is none.

    >>> number("017", 20), number("21", 20), number("²", 20), number("-1", 20)
    (17, None, None, None)
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 20):  # noqa: PLR2004 - more digits than any of them has
        return None
    value = int(text)
    return value if value <= highest else None
