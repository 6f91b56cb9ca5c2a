r"""A pattern and the place in it that is read next, for the files that read patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bytepair.formats.invisible import is_invisible

__all__ = ["DEPTH", "Dialect", "Flags", "Reader", "UntranslatableError"]

Dialect: TypeAlias = Literal["rust", "oniguruma"]
"""Whose regular expressions: those of Rust's crates and ours, or those of Hugging Face's `tokenizers`."""

DEPTH: Final = 50
"""How deep groups and sets may be nested."""

_SHOWN: Final = 100


class UntranslatableError(Exception):
    """A pattern that is not known to be understood; the text says what, and where."""


@dataclass(frozen=True, slots=True)
class Flags:
    """What `(?i)` and the like have set, under the names of Rust's dialect."""

    fold: bool = False
    """`i`: letters match in either case."""
    dot_all: bool = False
    """`s`: a dot matches a line feed, too."""
    lines: bool = False
    """`m`: `^` and `$` match at lines."""


class Reader:
    """A pattern and the place that is read next.

    >>> reader = Reader("ab}c", "rust")
    >>> reader.take("a"), reader.until("}"), reader.next()
    (True, 'b', 'c')
    """

    def __init__(self, pattern: str, dialect: Dialect) -> None:
        self.pattern = pattern
        self.dialect: Dialect = dialect
        self.at = 0

    def refuse(self, what: str, at: int | None = None) -> UntranslatableError:
        """The error that something is not understood, with its position."""
        said = "".join("?" if is_invisible(ord(sign)) else sign for sign in what[:_SHOWN])
        return UntranslatableError(f"{said}, at position {self.at if at is None else at}")

    def peek(self, text: str) -> bool:
        """Whether a text comes next."""
        return self.pattern.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Steps over a text if it comes next."""
        if self.peek(text):
            self.at += len(text)
            return True
        return False

    def next(self) -> str:
        """The next character."""
        if self.at >= len(self.pattern):
            raise self.refuse("it ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def until(self, end: str) -> str:
        """What comes before the next `end`; steps over both."""
        stop = self.pattern.find(end, self.at)
        if stop < 0:
            raise self.refuse(f"no `{end}` follows")
        text = self.pattern[self.at : stop]
        self.at = stop + len(end)
        return text
