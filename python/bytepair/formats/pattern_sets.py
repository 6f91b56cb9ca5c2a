r"""Sets of characters in a pattern: `[^\s\p{L}]`, `[a-z&&[^aeiou]]`, and what `(?i)` makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bytepair.formats.letter_case import other_cases
from bytepair.formats.pattern_escapes import escaped
from bytepair.formats.pattern_names import POSIX
from bytepair.formats.pattern_reader import DEPTH, Flags, Reader
from bytepair.formats.pattern_tree import Property, Range, Set

__all__ = ["fold_set", "read_set"]

_FOLD_CLOSED: Final = frozenset(
    ["N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Z", "Zs", "Zl", "Zp", "S", "Sm", "Sc", "Sk",
     "So", "White_Space", "Any", "Alphabetic"]
)  # fmt: skip
"""The properties that hold, with a character, every character that differs from it in case alone."""


def read_set(reader: Reader, flags: Flags, depth: int) -> Set:
    """A set in brackets; the opening one is taken."""
    if depth > DEPTH:
        raise reader.refuse(f"sets are nested more than {DEPTH} deep")
    start = reader.at - 1
    negated = reader.take("^")
    operands: list[tuple[bool, list[Range | Property | Set]]] = [(False, [])]
    first = True
    while True:
        items = operands[-1][1]
        if reader.take("&&"):
            operands.append((False, []))
        elif reader.dialect == "rust" and items and reader.peek("--"):
            reader.take("--")
            operands.append((True, []))
        elif not first and reader.take("]"):
            break
        else:
            items.append(_item(reader, flags, depth, start, first=first))
        first = False
    if any(not items for _, items in operands):
        raise reader.refuse("a set with nothing on one side of `&&`", start)
    within = tuple(_operand(reader, items, flags, start, negated=minus) for minus, items in operands[1:])
    whole = fold_set(reader, Set(tuple(operands[0][1])), flags, start)
    return Set(whole.items, negated=negated, within=within)


def fold_set(reader: Reader, made: Set, flags: Flags, start: int) -> Set:
    """The set with every other case of its characters, under `(?i)`."""
    if not flags.fold:
        return made
    items: list[Range | Property | Set] = []
    for item in made.items:
        match item:
            case Range(first, last):
                if last > 0x7F and (reader.dialect == "oniguruma" or last - first > 0x2000):  # noqa: PLR2004
                    raise reader.refuse("characters beyond ASCII in a set under `(?i)`", start)
                items += [item, *(Range(code, code) for code in other_cases(first, last))]
            case Property(name, negated) if name == "L" and reader.dialect == "rust":
                items.append(Set((Property("L"), Range(0x345, 0x345)), negated=negated))
            case Property(name):
                if name not in _FOLD_CLOSED:
                    raise reader.refuse(f"the property `{name}` under `(?i)`", start)
                items.append(item)
            case Set():
                items.append(item)
    return Set(tuple(items), made.negated, made.within)


def _operand(reader: Reader, items: list[Range | Property | Set], flags: Flags, start: int, *, negated: bool) -> Set:
    """One side of `&&` or `--`; brackets around the whole of it mean nothing."""
    if len(items) == 1 and isinstance(items[0], Set):
        only = items[0]
        return replace(only, negated=only.negated != negated)
    return fold_set(reader, Set(tuple(items), negated=negated), flags, start)


def _item(reader: Reader, flags: Flags, depth: int, start: int, *, first: bool) -> Range | Property | Set:
    if reader.take("[:"):
        return _posix(reader, start)
    if reader.take("["):
        return read_set(reader, flags, depth + 1)
    if reader.dialect == "rust" and reader.peek("~~"):
        raise reader.refuse("`~~` in a set")
    is_bare = reader.peek("-")
    low = _code(reader, start)
    if not isinstance(low, int):
        if reader.peek("-") and not reader.peek("-]") and not reader.peek("--"):
            raise reader.refuse("a range that begins with a class", start)
        return low
    if is_bare and not first and not reader.peek("]"):
        raise reader.refuse("a `-` in the middle of a set", reader.at - 1)
    if not reader.peek("-") or reader.peek("-]") or (reader.peek("--") and reader.dialect == "rust"):
        return Range(low, low)
    reader.take("-")
    if reader.peek("["):
        raise reader.refuse("a range that ends with a class", start)
    high = _code(reader, start)
    if not isinstance(high, int) or high < low:
        raise reader.refuse("a range that is none", start)
    return Range(low, high)


def _code(reader: Reader, start: int) -> int | Property | Set:
    sign = reader.next()
    if sign == "&" and reader.peek("&"):
        raise reader.refuse("a range that ends with `&&`", start)
    if sign != "\\":
        return ord(sign)
    item = escaped(reader)
    if item is None:
        raise reader.refuse("an escape in a set", reader.at - 1)
    return item


def _posix(reader: Reader, start: int) -> Set:
    negated = reader.take("^")
    name = reader.until(":]")
    if reader.dialect == "oniguruma" or name not in POSIX:
        raise reader.refuse(f"the class `[:{name}:]`", start)
    ends = [ord(letter) for letter in POSIX[name]]
    return Set(tuple(Range(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True)), negated=negated)
