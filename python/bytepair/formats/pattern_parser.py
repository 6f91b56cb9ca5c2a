r"""Reading a pattern in one of two dialects into a tree (`pattern_tree.py`).

`rust` is what our engine, tiktoken and Rust's regex crates read, with look-around, atomic groups and possessive
quantifiers. `oniguruma` is what Hugging Face's `tokenizers` reads. What is not known for certain is refused with its
position, so a tree that comes out is right. Groups are descended into, to a stated depth; everything else is a loop.

Where the two differ, and both are served: possessive `{1,3}+` (in Oniguruma a group, repeated), `{2}?` (there an
optional group), `^` and `$` (there always at lines), `(?s)` (there `(?m)`), `(?i)` in the middle of a group, `\xe9`,
`\w`, `--` in sets. Refused in both: word boundaries, back references, `(?x)`, what is repeated and may be empty. In
Oniguruma alone: `(?i)` where it would also fold one character into several (`ss` and a sharp s), `[:alpha:]`, and
`(?:^|b)?`, where it repeats only a group that captures.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bytepair.formats.letter_case import same_letters
from bytepair.formats.pattern_escapes import escaped
from bytepair.formats.pattern_reader import DEPTH, Dialect, Flags, Reader, UntranslatableError
from bytepair.formats.pattern_sets import fold_set, read_set
from bytepair.formats.pattern_tree import (
    EVERYTHING,
    Atomic,
    Char,
    Choice,
    Edge,
    Look,
    Node,
    Range,
    Repeat,
    Sequence,
    Set,
    may_be_bare,
    width,
)

__all__ = ["Dialect", "UntranslatableError", "parse"]

_REPEATS: Final = 1000
_QUANTIFIERS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_FOLDS: Final = ("ss", "st", "ff", "fi", "fl")


def parse(pattern: str, dialect: Dialect) -> Node:
    """The tree of a pattern.

    Raises:
        UntranslatableError: what is not read, and where.

    >>> parse("a|b+", "rust")
    Choice(branches=(Char(code=97), Repeat(body=Char(code=98), least=1, most=None, lazy=False)))
    """
    parser = _Parser(pattern, dialect)
    node = parser.choice(Flags(), 0)
    if parser.at < len(pattern):
        raise parser.refuse("a parenthesis that closes nothing")
    if width(node)[0] == 0:
        raise UntranslatableError("it matches nothing, too, and where that cuts is not settled")
    return node


class _Parser(Reader):
    """Groups, branches and repetitions; sets and escapes are read by the functions of other files."""

    def choice(self, flags: Flags, depth: int) -> Node:
        """Branches up to a closing parenthesis or the end."""
        if depth > DEPTH:
            raise self.refuse(f"groups are nested more than {DEPTH} deep")
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

    def flag_switch(self, flags: Flags) -> Flags | None:
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

    def changed(self, flags: Flags, letters: str) -> Flags:
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

    def folded(self, flags: Flags, depth: int) -> Node:
        """The rest of a group under other flags; in Oniguruma, only where no letters fold into one."""
        start = self.at
        node = self.choice(flags, depth + 1)
        if flags.fold and self.dialect == "oniguruma":
            letters = self.pattern[start : self.at].lower().translate(dict.fromkeys(map(ord, "()?:[]"), None))
            source = self.pattern[start : self.at].lower()
            if any(fold in letters for fold in _FOLDS) or "s{" in source or "f{" in source:
                raise self.refuse("letters that Oniguruma's `(?i)` also matches as one character", start)
        return node

    def repeated(self, flags: Flags, depth: int) -> Node:
        start = self.at
        node = self.atom(flags, depth)
        bounds = self.bounds()
        if bounds is None:
            return node
        least, most, braces = bounds
        self.check_repeated(node, most, start)
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

    def check_repeated(self, node: Node, most: int | None, start: int) -> None:
        if isinstance(node, Edge | Look):
            raise self.refuse("what matches no character is repeated", start)
        if self.dialect == "oniguruma" and self.pattern.startswith("(?:", start) and may_be_bare(node):
            raise self.refuse("a group is repeated in which a branch matches no character", start)
        if (most is None or most > 1) and width(node)[0] == 0:
            raise self.refuse("something is repeated that may be empty", start)

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

    def atom(self, flags: Flags, depth: int) -> Node:
        start = self.at
        sign = self.next()
        if sign == "(":
            return self.group(flags, depth)
        if sign == "[":
            return read_set(self, flags, depth)
        if sign == ".":
            return EVERYTHING if flags.dot_all else Set((Range(10, 10),), negated=True)
        if sign in "^$":
            return self.anchor(sign, flags)
        if sign == "\\":
            return self.escape(flags)
        if sign in "*+?{}":
            raise self.refuse(f"`{sign}` with nothing before it", start)
        return self.letter(ord(sign), flags)

    def anchor(self, sign: str, flags: Flags) -> Node:
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

    def group(self, flags: Flags, depth: int) -> Node:
        start = self.at - 1
        made = self.group_body(flags, depth, start)
        if not self.take(")"):
            raise self.refuse("a parenthesis that nothing closes", start)
        return made

    def group_body(self, flags: Flags, depth: int, start: int) -> Node:
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

    def escape(self, flags: Flags) -> Node:
        start = self.at - 1
        item = escaped(self)
        if item is None:
            return self.edge(start)
        if isinstance(item, int):
            return self.letter(item, flags)
        if isinstance(item, Set):
            return item
        return fold_set(self, Set((item,)), flags, start)

    def edge(self, start: int) -> Node:
        sign = self.next()
        if sign == "A":
            return Edge(end=False)
        if sign == "z":
            return Edge(end=True)
        raise self.refuse(f"`\\{sign}`", start)

    def letter(self, code: int, flags: Flags) -> Node:
        if not flags.fold:
            return Char(code)
        if self.dialect == "oniguruma" and code > 0x7F:  # noqa: PLR2004
            raise self.refuse("a letter beyond ASCII under `(?i)`", self.at - 1)
        same = same_letters(code)
        return Char(code) if len(same) == 1 else Set(tuple(Range(one, one) for one in same))


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
