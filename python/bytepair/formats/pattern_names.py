r"""The sets of characters that patterns call by name: `\p{L}`, `[:alpha:]`, `\w`."""

from __future__ import annotations

from typing import Final

from bytepair.formats.pattern_tree import Property, Range, Set

__all__ = ["POSIX", "PROPERTIES", "WORDS"]

_WORD: Final = (Property("Alphabetic"), Property("M"), Property("Nd"), Property("Pc"))
WORDS: Final[dict[str, Set]] = {
    "rust": Set((*_WORD, Property("Join_Control"))),
    "oniguruma": Set((*_WORD, Range(0xB2, 0xB3), Range(0xB9, 0xB9), Range(0xBC, 0xBE))),
}
"""`\\w`, by dialect."""

POSIX: Final = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "ascii": "\0\x7f",
    "blank": "\t\t  ",
    "cntrl": "\0\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "\t\r  ",
    "upper": "AZ",
    "word": "09AZ__az",
    "xdigit": "09AFaf",
}
"""The classes of ASCII characters in sets: first and last characters of ranges."""

_CATEGORIES: Final = """
L letter|LC casedletter|Lu uppercaseletter|Ll lowercaseletter|Lt titlecaseletter|Lm modifierletter|Lo otherletter
M mark combiningmark|Mn nonspacingmark|Mc spacingmark|Me enclosingmark
N number|Nd decimalnumber digit|Nl letternumber|No othernumber
P punctuation punct|Pc connectorpunctuation|Pd dashpunctuation|Ps openpunctuation|Pe closepunctuation
Pi initialpunctuation|Pf finalpunctuation|Po otherpunctuation
S symbol|Sm mathsymbol|Sc currencysymbol|Sk modifiersymbol|So othersymbol
Z separator|Zs spaceseparator|Zl lineseparator|Zp paragraphseparator
C other|Cc control cntrl|Cf format|Cn unassigned|Co privateuse
"""

_BINARY: Final = """
Alphabetic alpha|Uppercase upper|Lowercase lower|White_Space space|Any|Assigned|ASCII|Ideographic ideo
Join_Control joinc|Emoji|Extended_Pictographic extpict|Default_Ignorable_Code_Point di
"""

_SCRIPTS: Final = """
Arabic|Armenian|Bengali|Bopomofo|Braille|Canadian_Aboriginal|Cherokee|Common|Coptic|Cyrillic|Devanagari|Ethiopic
Georgian|Gothic|Greek|Gujarati|Gurmukhi|Han|Hangul|Hebrew|Hiragana|Inherited|Kannada|Katakana|Khmer|Lao|Latin|Malayalam
Mongolian|Myanmar|Ogham|Oriya|Runic|Sinhala|Syriac|Tamil|Telugu|Thaana|Thai|Tibetan|Tifinagh|Yi
"""


def _names(table: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for entry in table.replace("\n", "|").split("|"):
        if entry:
            name, *others = entry.split()
            names |= dict.fromkeys([name.lower().replace("_", ""), *others], name)
    return names


PROPERTIES: Final = _names(_CATEGORIES) | _names(_BINARY) | _names(_SCRIPTS)
"""The properties that both dialects know by one name, under all their names in small letters without `_`."""
