r"""What a backslash means in a pattern: `\n`, `\d`, `\p{L}`, `\x41`, `\.`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bytepair.formats.pattern_names import PROPERTIES, WORDS
from bytepair.formats.pattern_reader import Reader
from bytepair.formats.pattern_tree import Property, Set

__all__ = ["escaped"]

_ESCAPES: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}


def escaped(reader: Reader) -> int | Property | Set | None:  # noqa: PLR0911 - one return for each kind of escape
    """What stands after a backslash, in a set or outside; None, and nothing is taken, when it is none of both."""
    start = reader.at - 1
    sign = reader.next()
    if sign in _ESCAPES:
        return _ESCAPES[sign]
    if sign in "dD":
        return Property("Nd", negated=sign == "D")
    if sign in "sS":
        return Property("White_Space", negated=sign == "S")
    if sign in "wW":
        return replace(WORDS[reader.dialect], negated=sign == "W")
    if sign in "pP":
        return _property(reader, sign == "P", start)
    if sign in "xuU":
        return _code_point(reader, sign, start)
    if sign.isascii() and not sign.isalnum() and sign.isprintable() and sign not in "<>":
        return ord(sign)
    reader.at -= 1
    return None


def _property(reader: Reader, negated: bool, start: int) -> Property:
    if reader.take("{"):
        name = reader.until("}")
    elif reader.dialect == "rust":
        name = reader.next()
    else:
        raise reader.refuse("`\\p` without braces", start)
    if name.startswith("^"):
        name, negated = name[1:], not negated
    plain = name.lower().replace("_", "").replace(" ", "").replace("-", "")
    if reader.dialect == "rust":
        for prefix in ("gc=", "generalcategory=", "script=", "sc="):
            plain = plain.removeprefix(prefix)
    if plain not in PROPERTIES:
        raise reader.refuse(f"the property `{name}`", start)
    return Property(PROPERTIES[plain], negated=negated)


def _code_point(reader: Reader, sign: str, start: int) -> int:
    if sign in ("x" if reader.dialect == "oniguruma" else "xuU") and reader.take("{"):
        digits = reader.until("}")
    else:
        length = {"x": 2, "u": 4, "U": 8}[sign]
        digits = reader.pattern[reader.at : reader.at + length]
        reader.at += len(digits)
        if len(digits) < length or (reader.dialect == "oniguruma" and (sign == "U" or (sign == "x" and digits > "7f"))):
            raise reader.refuse(f"`\\{sign}{digits}`", start)
    if not digits or len(digits) > 8 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):  # noqa: PLR2004
        raise reader.refuse(f"`\\{sign}{digits[:9]}`", start)
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004
        raise reader.refuse(f"`\\{sign}{digits}`", start)
    return code
