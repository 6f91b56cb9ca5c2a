r"""Reading a pattern in one of two dialects into a tree (`pattern_tree.py`).

`rust` is what our engine, tiktoken and Rust's regex crates read, with look-around, atomic groups and possessive
quantifiers. `oniguruma` is what Hugging Face's `tokenizers` reads. What is not known for certain is refused with its
position, so a tree that comes out is right. Groups are descended into, to a stated depth; everything else is a loop.

Where the two differ, and both are served: possessive `{1,3}+` (in Oniguruma a group, repeated), `{2}?` (there an
optional group), `^` and `$` (there always at lines), `(?s)` (there `(?m)`), `(?i)` in the middle of a group, `\xe9`,
`\w`, `--` in sets. Refused in both: word boundaries, back references, `(?x)`, what is repeated and may be empty. In
Oniguruma alone: `(?i)` where it would also fold one character into several (`ss` and a sharp s), and `[:alpha:]`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from bytepair.formats.letter_case import same_letters
from bytepair.formats.pattern_names import POSIX, PROPERTIES, WORDS
from bytepair.formats.pattern_tree import (
    EVERYTHING,
    Atomic,
    Char,
    Choice,
    Edge,
    Look,
    Node,
    Property,
    Range,
    Repeat,
    Sequence,
    Set,
    width,
)

__all__ = ["Dialect", "UntranslatableError", "parse"]

Dialect: TypeAlias = Literal["rust", "oniguruma"]

_DEPTH: Final = 50
_REPEATS: Final = 1000
_SHOWN: Final = 100
_ESCAPES: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_QUANTIFIERS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_FOLD_CLOSED: Final = frozenset(
    [
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Ps",
        "Pe",
        "Pi",
        "Pf",
        "Po",
        "Z",
        "Zs",
        "Zl",
        "Zp",
        "S",
        "Sm",
        "Sc",
        "Sk",
        "So",
        "White_Space",
        "Any",
        "ASCII_Digit",
        "Alphabetic",
    ]
)
_FOLDS: Final = ("ss", "st", "ff", "fi", "fl")


class UntranslatableError(Exception):
    """A pattern that is not known to be understood; the text says what, and where."""


def parse(pattern: str, dialect: Dialect) -> Node:
    """The tree of a pattern.

    Raises:
        UntranslatableError: what is not read, and where.

    >>> parse("a|b+", "rust")
    Choice(branches=(Char(code=97), Repeat(body=Char(code=98), least=1, most=None, lazy=False)))
    """
    parser = _Parser(pattern, dialect)
    node = parser.choice(_Flags(), 0)
    if parser.at < len(pattern):
        raise parser.refuse("a parenthesis that closes nothing")
    if width(node)[0] == 0:
        raise UntranslatableError("it matches nothing, too, and where that cuts is not settled")
    return node


@dataclass(frozen=True, slots=True)
class _Flags:
    fold: bool = False
    dot_all: bool = False
    lines: bool = False


class _Parser:
    """A pattern and the place that is read next."""

    def __init__(self, pattern: str, dialect: Dialect) -> None:
        self.pattern = pattern
        self.dialect: Dialect = dialect
        self.at = 0

    def refuse(self, what: str, at: int | None = None) -> UntranslatableError:
        said = "".join(sign if sign.isprintable() else "?" for sign in what[:_SHOWN])
        return UntranslatableError(f"{said}, at position {self.at if at is None else at}")

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def take(self, text: str) -> bool:
        if self.peek(text):
            self.at += len(text)
            return True
        return False

    def next(self) -> str:
        if self.at >= len(self.pattern):
            raise self.refuse("it ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def until(self, end: str) -> str:
        stop = self.pattern.find(end, self.at)
        if stop < 0:
            raise self.refuse(f"no `{end}` follows")
        text = self.pattern[self.at : stop]
        self.at = stop + len(end)
        return text

    def choice(self, flags: _Flags, depth: int) -> Node:
        """Branches up to a closing parenthesis or the end."""
        if depth > _DEPTH:
            raise self.refuse(f"groups are nested more than {_DEPTH} deep")
        branches: list[Node] = []
        parts: list[Node] = []
        while self.at < len(self.pattern) and not self.peek(")"):
            if self.take("|"):
                branches.append(_sequence(parts))
                parts = []
            elif (changed := self.flag_switch(flags)) is None:
                parts.append(self.repeated(flags, depth))
            elif self.dialect == "rust":
                flags = changed
            else:  # there, the rest of the group is a group of its own, alternatives included
                parts.append(self.folded(changed, depth))
        branches.append(_sequence(parts))
        return _choice(branches)

    def flag_switch(self, flags: _Flags) -> _Flags | None:
        """The flags after `(?i)`; None, and nothing is taken, when something else stands here."""
        if not self.peek("(?"):
            return None
        end = self.at + 2
        while end < len(self.pattern) and (self.pattern[end].isalpha() or self.pattern[end] == "-"):
            end += 1
        if end == self.at + 2 or not self.pattern.startswith(")", end):
            return None
        changed = self.changed(flags, self.pattern[self.at + 2 : end])
        self.at = end + 1
        return changed

    def changed(self, flags: _Flags, letters: str) -> _Flags:
        on, minus, off = letters.partition("-")
        if minus and not off:
            raise self.refuse(f"the flags `{letters}`")
        for value, group in ((True, on), (False, off)):
            for letter in group:
                if letter == "i":
                    flags = replace(flags, fold=value)
                elif letter == ("s" if self.dialect == "rust" else "m"):
                    flags = replace(flags, dot_all=value)
                elif letter == "m":
                    flags = replace(flags, lines=value)
                elif not (letter == "u" and value and self.dialect == "rust"):
                    raise self.refuse(f"the flag `{letter}`")
        return flags

    def folded(self, flags: _Flags, depth: int) -> Node:
        """The rest of a group under other flags; in Oniguruma, only where no letters fold into one."""
        start = self.at
        node = self.choice(flags, depth + 1)
        if flags.fold and self.dialect == "oniguruma":
            letters = self.pattern[start : self.at].lower().translate(dict.fromkeys(map(ord, "()?:[]"), None))
            source = self.pattern[start : self.at].lower()
            if any(fold in letters for fold in _FOLDS) or "s{" in source or "f{" in source:
                raise self.refuse("letters that Oniguruma's `(?i)` also matches as one character", start)
        return node

    def repeated(self, flags: _Flags, depth: int) -> Node:
        start = self.at
        node = self.atom(flags, depth)
        bounds = self.bounds()
        if bounds is None:
            return node
        if isinstance(node, Edge | Look):
            raise self.refuse("what matches no character is repeated", start)
        least, most, braces = bounds
        if (most is None or most > 1) and width(node)[0] == 0:
            raise self.refuse("something is repeated that may be empty", start)
        made: Node = Repeat(node, least, most)
        if self.take("?"):
            if least == most:
                made = Repeat(made, 0, 1) if self.dialect == "oniguruma" else made
            else:
                made = Repeat(node, least, most, lazy=True)
        elif self.take("+"):
            if braces and self.dialect == "oniguruma":
                if least == 0:
                    raise self.refuse("something is repeated that may be empty", start)
                made = Repeat(made, 1, None)
            else:
                made = Atomic(made)
        if self.bounds() is not None:
            raise self.refuse("a repetition is repeated", start)
        return made

    def bounds(self) -> tuple[int, int | None, bool] | None:
        """A quantifier: least, most, and whether it stands in braces."""
        for sign, (least, most) in _QUANTIFIERS.items():
            if self.take(sign):
                return least, most, False
        if not self.take("{"):
            return None
        start = self.at
        text = self.until("}")
        low, comma, high = text.partition(",")
        if not _is_number(low) or not (high == "" or _is_number(high)):
            raise self.refuse(f"the repetition {{{text}}}", start)
        most = int(high) if high else (None if comma else int(low))
        if max(int(low), most or 0) > _REPEATS or (most is not None and most < int(low)):
            raise self.refuse(f"the repetition {{{text}}}", start)
        return int(low), most, True

    def atom(self, flags: _Flags, depth: int) -> Node:
        start = self.at
        sign = self.next()
        if sign == "(":
            return self.group(flags, depth)
        if sign == "[":
            return self.set(flags, depth)
        if sign == ".":
            return EVERYTHING if flags.dot_all else Set((Range(10, 10),), negated=True)
        if sign in "^$":
            return self.anchor(sign, flags)
        if sign == "\\":
            return self.escape(flags)
        if sign in "*+?{}":
            raise self.refuse(f"`{sign}` with nothing before it", start)
        return self.letter(ord(sign), flags)

    def anchor(self, sign: str, flags: _Flags) -> Node:
        lines = flags.lines or self.dialect == "oniguruma"
        edge = Edge(end=sign == "$")
        if not lines:
            return edge
        if sign == "$":
            return Look(behind=False, negated=False, body=Choice((Char(10), edge)))
        after_line: Node = Look(behind=True, negated=False, body=Char(10))
        if self.dialect == "oniguruma":  # there, no line begins at the end of the text
            after_line = Sequence((after_line, Look(behind=False, negated=True, body=Edge(end=True))))
        return Choice((edge, after_line))

    def group(self, flags: _Flags, depth: int) -> Node:
        start = self.at - 1
        made = self.group_body(flags, depth, start)
        if not self.take(")"):
            raise self.refuse("a parenthesis that nothing closes", start)
        return made

    def group_body(self, flags: _Flags, depth: int, start: int) -> Node:
        if not self.take("?"):
            return self.choice(flags, depth + 1)
        for sign, behind, negated in (("=", False, False), ("!", False, True), ("<=", True, False), ("<!", True, True)):
            if self.take(sign):
                body = self.choice(flags, depth + 1)
                if behind:
                    self.check_behind(body, start)
                return Look(behind=behind, negated=negated, body=body)
        if self.take(">"):
            return Atomic(self.choice(flags, depth + 1))
        if self.take("P<") if self.dialect == "rust" else self.take("<"):
            self.until(">")
            return self.choice(flags, depth + 1)
        if self.dialect == "rust" and self.take("<"):
            self.until(">")
            return self.choice(flags, depth + 1)
        letters = self.until(":")
        if not all(letter.isalpha() or letter == "-" for letter in letters):
            raise self.refuse(f"the group `(?{letters[:1]}`", start)
        return self.folded(self.changed(flags, letters) if letters else flags, depth)

    def check_behind(self, body: Node, start: int) -> None:
        branches = body.branches if isinstance(body, Choice) else (body,)
        for branch in branches:
            low, high = width(branch)
            if low != high or low == 0:
                raise self.refuse("a look-behind of varying length", start)

    def escape(self, flags: _Flags) -> Node:
        start = self.at - 1
        item = self.escaped()
        if item is None:
            return self.edge(start)
        if isinstance(item, int):
            return self.letter(item, flags)
        if isinstance(item, Set):
            return item
        return self.fold_set(Set((item,)), flags, start)

    def edge(self, start: int) -> Node:
        sign = self.next()
        if sign == "A":
            return Edge(end=False)
        if sign == "z":
            return Edge(end=True)
        raise self.refuse(f"`\\{sign}`", start)

    def escaped(self) -> int | Property | Set | None:  # noqa: PLR0911 - one return for each kind of escape
        """What stands after a backslash, in a set or outside; None, and nothing is taken, when it is none of both."""
        start = self.at - 1
        sign = self.next()
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        if sign in "dD":
            return Property("Nd", negated=sign == "D")
        if sign in "sS":
            return Property("White_Space", negated=sign == "S")
        if sign in "wW":
            return replace(WORDS[self.dialect], negated=sign == "W")
        if sign in "pP":
            return self.property(sign == "P", start)
        if sign in "xuU":
            return self.code_point(sign, start)
        if sign.isascii() and not sign.isalnum() and sign.isprintable() and sign not in "<>":
            return ord(sign)
        self.at -= 1
        return None

    def property(self, negated: bool, start: int) -> Property:
        if self.take("{"):
            name = self.until("}")
        elif self.dialect == "rust":
            name = self.next()
        else:
            raise self.refuse("`\\p` without braces", start)
        if name.startswith("^"):
            name, negated = name[1:], not negated
        plain = name.lower().replace("_", "").replace(" ", "").replace("-", "")
        if self.dialect == "rust":
            for prefix in ("gc=", "generalcategory=", "script=", "sc="):
                plain = plain.removeprefix(prefix)
        if plain not in PROPERTIES:
            raise self.refuse(f"the property `{name}`", start)
        return Property(PROPERTIES[plain], negated=negated)

    def code_point(self, sign: str, start: int) -> int:
        if sign in ("x" if self.dialect == "oniguruma" else "xuU") and self.take("{"):
            digits = self.until("}")
        else:
            length = {"x": 2, "u": 4, "U": 8}[sign]
            digits = self.pattern[self.at : self.at + length]
            self.at += len(digits)
            if len(digits) < length or (
                self.dialect == "oniguruma" and (sign == "U" or (sign == "x" and digits > "7f"))
            ):
                raise self.refuse(f"`\\{sign}{digits}`", start)
        if not digits or len(digits) > 8 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):  # noqa: PLR2004
            raise self.refuse(f"`\\{sign}{digits[:9]}`", start)
        code = int(digits, 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004
            raise self.refuse(f"`\\{sign}{digits}`", start)
        return code

    def letter(self, code: int, flags: _Flags) -> Node:
        if not flags.fold:
            return Char(code)
        if self.dialect == "oniguruma" and code > 0x7F:  # noqa: PLR2004
            raise self.refuse("a letter beyond ASCII under `(?i)`", self.at - 1)
        same = same_letters(code)
        return Char(code) if len(same) == 1 else Set(tuple(Range(one, one) for one in same))

    def set(self, flags: _Flags, depth: int) -> Set:
        """A set in brackets; the opening one is taken."""
        if depth > _DEPTH:
            raise self.refuse(f"sets are nested more than {_DEPTH} deep")
        start = self.at - 1
        negated = self.take("^")
        operands: list[tuple[bool, list[Range | Property | Set]]] = [(False, [])]
        first = True
        while True:
            items = operands[-1][1]
            if self.take("&&"):
                operands.append((False, []))
            elif self.dialect == "rust" and items and self.peek("--"):
                self.take("--")
                operands.append((True, []))
            elif not first and self.take("]"):
                break
            else:
                items.append(self.set_item(flags, depth, start, first=first))
            first = False
        if any(not items for _, items in operands):
            raise self.refuse("a set with nothing on one side of `&&`", start)
        within = tuple(self.operand(items, flags, start, negated=minus) for minus, items in operands[1:])
        whole = self.fold_set(Set(tuple(operands[0][1])), flags, start)
        return Set(whole.items, negated=negated, within=within)

    def operand(self, items: list[Range | Property | Set], flags: _Flags, start: int, *, negated: bool) -> Set:
        """One side of `&&` or `--`; brackets around the whole of it mean nothing."""
        if len(items) == 1 and isinstance(items[0], Set):
            only = items[0]
            return replace(only, negated=only.negated != negated)
        return self.fold_set(Set(tuple(items), negated=negated), flags, start)

    def set_item(self, flags: _Flags, depth: int, start: int, *, first: bool) -> Range | Property | Set:
        if self.take("[:"):
            return self.posix(start)
        if self.take("["):
            return self.set(flags, depth + 1)
        if self.dialect == "rust" and self.peek("~~"):
            raise self.refuse("`~~` in a set")
        low = self.set_code(start)
        if not isinstance(low, int):
            if self.peek("-") and not self.peek("-]") and not self.peek("--"):
                raise self.refuse("a range that begins with a class", start)
            return low
        if chr(low) == "-" and self.pattern[self.at - 1] == "-" and not first and not self.peek("]"):
            raise self.refuse("a `-` in the middle of a set", self.at - 1)
        if not self.peek("-") or self.peek("-]") or (self.peek("--") and self.dialect == "rust"):
            return Range(low, low)
        self.take("-")
        if self.peek("["):
            raise self.refuse("a range that ends with a class", start)
        high = self.set_code(start)
        if not isinstance(high, int) or high < low:
            raise self.refuse("a range that is none", start)
        return Range(low, high)

    def set_code(self, start: int) -> int | Property | Set:
        sign = self.next()
        if sign == "&" and self.peek("&"):
            raise self.refuse("a range that ends with `&&`", start)
        if sign != "\\":
            return ord(sign)
        item = self.escaped()
        if item is None:
            raise self.refuse("an escape in a set", self.at - 1)
        return item

    def posix(self, start: int) -> Set:
        negated = self.take("^")
        name = self.until(":]")
        if self.dialect == "oniguruma" or name not in POSIX:
            raise self.refuse(f"the class `[:{name}:]`", start)
        ends = [ord(letter) for letter in POSIX[name]]
        return Set(tuple(Range(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True)), negated=negated)

    def fold_set(self, made: Set, flags: _Flags, start: int) -> Set:
        """The set with every other case of its characters, under `(?i)`."""
        if not flags.fold:
            return made
        items: list[Range | Property | Set] = []
        for item in made.items:
            match item:
                case Range(first, last):
                    if last > 0x7F and (self.dialect == "oniguruma" or last - first > 0x2000):  # noqa: PLR2004
                        raise self.refuse("characters beyond ASCII in a set under `(?i)`", start)
                    codes = {code for one in range(first, last + 1) for code in same_letters(one)}
                    items.append(item)
                    items += [Range(code, code) for code in sorted(codes) if not first <= code <= last]
                case Property(name, negated) if name == "L" and self.dialect == "rust":
                    items.append(Set((Property("L"), Range(0x345, 0x345)), negated=negated))
                case Property(name):
                    if name not in _FOLD_CLOSED:
                        raise self.refuse(f"the property `{name}` under `(?i)`", start)
                    items.append(item)
                case Set():
                    items.append(item)
        return Set(tuple(items), made.negated, made.within)


def _sequence(parts: list[Node]) -> Node:
    flat: list[Node] = []
    for part in parts:
        flat += part.parts if isinstance(part, Sequence) else (part,)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def _choice(branches: list[Node]) -> Node:
    flat: list[Node] = []
    for branch in branches:
        flat += branch.branches if isinstance(branch, Choice) else (branch,)
    return flat[0] if len(flat) == 1 else Choice(tuple(flat))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6  # noqa: PLR2004
