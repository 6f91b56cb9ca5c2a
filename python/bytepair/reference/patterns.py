r"""Cutting text into pretokens by a pattern, with the standard `re`.

Merges never cross the border of a pretoken, so the pattern decides what a token can be: with ` ?\p{L}+` a token is a
word or a part of one, never the end of one word and the start of the next. Patterns are written for the regular
expressions of Rust; here each set of characters in them (`\p{L}`, `\s`, `[^\r\n]`, `(?i:s)`) is worked out from
`unicode.txt`, the table that the engine uses too, and written back as plain ranges for `re`.

A set of characters is one big integer: bit n says whether the character with code point n belongs to it.
"""

import re
from collections import defaultdict
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

ALL = (1 << 0x110000) - 1
PERL = {"d": "Nd", "s": "White_Space", "w": "Word"}
CONTROLS = dict(zip("nrtfva", "\n\r\t\f\v\a", strict=True))
FATES = ("(?kept)", "(?removed)", "(?joined)", "(?with-previous)", "(?with-next)")
SPELLED = "(?spelled)"
SHOWN = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
LETTERS = {byte: chr(byte) for byte in SHOWN} | {
    byte: chr(0x100 + at) for at, byte in enumerate(byte for byte in range(256) if byte not in SHOWN)
}
BYTES = {letter: byte for byte, letter in LETTERS.items()}
SYNTAX = re.compile(r"\((?:\?(?:i?:|i\)|[=!>]|<[=!])?)?|[)|.*+?$^]|\{\d+(?:,\d*)?\}|\\[zA1-9]")
ATOM = re.compile(
    r"\\(?P<set>[pP]\{[^}]+\}|[pP]\w|[sSdDwW])|\\[xuU]\{(?P<code>[0-9A-Fa-f]+)\}|\\x(?P<two>[0-9A-Fa-f]{2})"
    r"|\\u(?P<four>[0-9A-Fa-f]{4})|\\(?P<control>[nrtfva])|\\(?P<escaped>[^\w])|(?P<plain>(?!\[:)[^\\])"
)


def split(pattern: str | None, text: bytes) -> list[bytes]:
    r"""The pretokens of `text`. Nothing is lost: what the pattern does not match is a pretoken too.

    A match begins and ends a pretoken, even a match of nothing. A byte that is not UTF-8 is one character that is
    neither a letter nor a digit nor white space.

    >>> split(r" ?\p{L}+|\p{N}{1,3}", "Привет 2024!".encode())[1:]
    [b' ', b'202', b'4', b'!']
    >>> split(None, b"one stream")
    [b'one stream']
    >>> split(r"[0-9](?then)(?removed),", b"ab,c12")
    [b'ab', b'c', b'1', b'2']
    >>> split("(?spelled)©", "é".encode())
    [b'\xc3', b'\xa9']
    """
    if pattern is None:
        return [text] if text else []
    pieces = [text]
    for stage in stages_of(pattern):
        source = stage.removeprefix(SPELLED)
        if source != stage:  # it sees a character for each byte
            shown = ["".join(LETTERS[byte] for byte in piece) for piece in pieces]
            pieces = [bytes(BYTES[letter] for letter in part) for part in _stage(source, shown)]
        else:
            shown = [piece.decode("utf-8", "surrogateescape") for piece in pieces]
            pieces = [part.encode("utf-8", "surrogateescape") for part in _stage(source, shown)]
    return pieces


def _stage(stage: str, pieces: list[str]) -> list[str]:
    """What one stage makes of some pieces."""
    fate, source = next(((fate, stage[len(fate) :]) for fate in FATES if stage.startswith(fate)), ("", stage))
    regex = compile_pattern(source)
    return [part for piece in pieces for part in _settle(fate, _matches(regex, piece)) if part]


def stages_of(pattern: str) -> list[str]:
    r"""The patterns of a pattern in stages: `(?then)` separates them, but not in brackets and not behind a backslash.

    >>> stages_of(r"[(?then)]\d(?then)a")
    ['[(?then)]\\d', 'a']
    """
    stages, depth, at = [""], 0, 0
    while at < len(pattern):
        if pattern.startswith("(?then)", at) and depth == 0:
            stages.append("")
            at += len("(?then)")
            continue
        step = 2 if pattern[at] == "\\" else 1
        if pattern[at] == "[":
            depth += 1
            step += pattern.startswith("^", at + 1)
            step += pattern.startswith("]", at + step)
        elif pattern[at] == "]" and depth:
            depth -= 1
        stages[-1] += pattern[at : at + step]
        at += step
    return stages


def _matches(regex: re.Pattern[str], string: str) -> list[tuple[str, bool]]:
    """The matches in a string, and what lies between: (text, whether it is a match)."""
    cuts, at = [0], 0
    while at <= len(string) and (found := regex.search(string, at)):
        cuts += found.span()
        at = max(found.end(), found.start() + 1)
    cuts.append(len(string))
    return [(string[a:b], i % 2 == 1) for i, (a, b) in enumerate(pairwise(cuts))]


def _settle(fate: str, parts: list[tuple[str, bool]]) -> list[str]:
    """What becomes of the matches of one stage."""
    if fate in {"(?kept)", "(?removed)"}:
        return [part for part, is_match in parts if is_match == (fate == "(?kept)")]
    if fate == "(?with-next)":
        backwards = _settle("(?with-previous)", [(part[::-1], is_match) for part, is_match in reversed(parts) if part])
        return [part[::-1] for part in reversed(backwards)]
    settled: list[str] = []
    before = False  # whether the part before is a match
    for part, is_match in parts:
        joins = (is_match and not before) if fate == "(?with-previous)" else (is_match and before)
        if fate and joins and part and settled:
            settled[-1] += part
        elif part:
            settled.append(part)
        before = is_match if part else before
    return settled


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    r"""The pattern for `re`. ValueError for what the translation does not know.

    >>> compile_pattern(r"[a-c]$").pattern
    '[\\U00000061-\\U00000063]\\Z'
    """
    return re.compile(_Translator(pattern).translate())


@cache
def tables() -> dict[str, list[int]]:
    """The named sets of `unicode.txt`, and under "fold" all sets of characters that differ only in case.

    A line has a name and ranges of code points in hexadecimal; the first line is the version of Unicode.

    >>> tables()["White_Space"][0].bit_count()
    25
    """
    sets: dict[str, list[int]] = defaultdict(list)
    for line in Path(__file__).with_name("unicode.txt").read_text("ascii").splitlines()[1:]:
        name, *ranges = line.split()
        bounds = [[int(end, 16) for end in part.split("-")] for part in ranges]
        sets[name].append(sum((1 << ends[-1] + 1) - (1 << ends[0]) for ends in bounds))
    return dict(sets)


def _fold(chars: int) -> int:
    """The set with every character's other cases: s brings S and the long s."""
    for alike in tables()["fold"]:
        chars |= alike if chars & alike else 0
    return chars


def _write(chars: int) -> str:
    """A set as `re` writes it."""
    if chars.bit_count() == 1:
        return re.escape(chr(chars.bit_length() - 1))
    runs = [found.span() for found in re.finditer("1+", f"{chars:b}"[::-1])]
    return "[" + "".join(f"\\U{low:08x}-\\U{end - 1:08x}" for low, end in runs) + "]" if runs else "(?!)"


class _Translator:
    """Reads a pattern from left to right; `fold` is true inside `(?i:...)`."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.fold = pattern, 0, False

    def take(self, what: re.Pattern[str]) -> re.Match[str] | None:
        """Steps over `what` if it comes next."""
        found = what.match(self.pattern, self.at)
        self.at = found.end() if found else self.at
        return found

    def takes(self, text: str) -> bool:
        """Steps over `text` if it comes next."""
        return self.take(re.compile(re.escape(text))) is not None

    def translate(self) -> str:
        """The whole pattern."""
        out: list[str] = []
        outer: list[bool] = []
        while self.at < len(self.pattern):
            if found := self.take(SYNTAX):
                text = found.group()
                if text == "(?":
                    raise ValueError(f"the reference cannot read {self.pattern[self.at - 2 :]!r}\nhint: use (?i:...)")
                if text == "(?i)":
                    self.fold = True
                elif text[0] == "(":
                    outer.append(self.fold)
                    self.fold |= text == "(?i:"
                elif text == ")" and outer:
                    self.fold = outer.pop()
                out.append({"$": r"\Z", r"\z": r"\Z", "^": r"\A", "(?i:": "(?:", "(?i)": ""}.get(text, text))
            else:
                chars = self.char_class() if self.takes("[") else self.atom()
                out.append(_write(_fold(chars) if self.fold else chars))
        return "".join(out)

    def atom(self) -> int:
        """One character, or one set with a name."""
        found = self.take(ATOM)
        if found is None or found.lastgroup is None:
            raise ValueError(f"the reference cannot read {self.pattern[self.at :]!r}\nhint: write it with plain sets")
        kind, text = found.lastgroup, found[found.lastgroup]
        if kind != "set":
            in_hex = kind in ("code", "two", "four")
            return 1 << (int(text, 16) if in_hex else ord(CONTROLS[text] if kind == "control" else text))
        name = PERL.get(text[0].lower()) or text[1:].strip("{^}")
        if name not in tables():
            raise ValueError(f"the reference has no set {name!r}\nhint: use one of {', '.join(tables())}")
        chars = _fold(tables()[name][0]) if self.fold else tables()[name][0]
        return ALL ^ chars if text[0].isupper() != ("^" in text) else chars

    def char_class(self) -> int:
        """A class, after its opening bracket: unions, joined by `&&` (and), `--` (without), `~~` (either)."""
        negated = self.takes("^")
        chars = self.union(self.pattern[self.at : self.at + 1] == "]")
        while not self.takes("]"):
            operator = self.pattern[self.at : self.at + 2]
            self.at += 2
            other = self.union()
            chars = {"&&": chars & other, "--": chars & ~other, "~~": chars ^ other}[operator]
        return ALL ^ chars if negated else chars

    def union(self, bracket_first: bool = False) -> int:
        """Characters, ranges and classes (`[:alpha:]` is not read), up to the bracket or the next operator."""
        chars = self.atom() if bracket_first else 0
        while not self.pattern.startswith(("&&", "--", "~~", "]"), self.at):
            low = self.char_class() if self.take(re.compile(r"\[(?!:)")) else self.atom()
            if self.take(re.compile(r"-(?![-\]])")):
                low = (self.atom() << 1) - low
            chars |= low
        return _fold(chars) if self.fold else chars
