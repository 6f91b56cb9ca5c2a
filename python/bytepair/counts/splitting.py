"""How text becomes pretokens: all that the counts of a corpus depend on beside the corpus.

Two tables of counts can be added only where this is equal. Its fingerprint travels in files of counts and in
checkpoints. Special tokens are part of it, since they are boundaries; their order is not, since text does not see it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from bytepair import _core
from bytepair.errors import SpecialTokenError
from bytepair.parts import Parts
from bytepair.patterns import DEFAULT, preset_of, resolve
from bytepair.wording import shortened

__all__ = ["Splitting", "checked_splitting", "checked_text", "named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting:
    """How text becomes pretokens.

    >>> checked_splitting("gpt2").differences(checked_splitting("o200k"))
    ['the pattern is gpt2 and o200k']
    """

    pattern: str | None
    """The regular expression, presets spelled out."""
    special_tokens: tuple[str, ...] = ()
    """The boundaries in the text."""
    alphabet: Literal["bytes", "characters"] = "bytes"
    """What tokens will be made of."""
    end_of_word: str | None = None
    """The mark that ends a word; characters only."""
    end_of_word_joined: bool = False
    """Whether it is joined to a word's last character."""
    unicode: str = _core.UNICODE_VERSION
    """The version of the tables that the pattern's classes stand for."""

    def table(self) -> _core.Counts:
        """An empty table of pretokens that are found like this.

        Raises:
            PatternError: a pattern that cannot be used.
        """
        specials = list(self.special_tokens)
        return _core.Counts(self.pattern, self.alphabet, self.end_of_word, self.end_of_word_joined, specials)

    def plain(self) -> dict[str, object]:
        """It as JSON has it."""
        return {
            "pattern": self.pattern,
            "unicode": self.unicode,
            "alphabet": self.alphabet,
            "end_of_word": self.end_of_word,
            "end_of_word_joined": self.end_of_word_joined,
            "special_tokens": list(self.special_tokens),
        }

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of it, in hex; the special tokens in no order.

        >>> one, other = (checked_splitting("gpt2", tokens) for tokens in (["<a>", "<b>"], ["<b>", "<a>"]))
        >>> one.fingerprint == other.fingerprint
        True
        """
        import json  # noqa: PLC0415 - most processes need none of it

        plain = self.plain() | {"special_tokens": sorted(self.special_tokens)}
        form = json.dumps(plain, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(b"bytepair counts 1\n" + form.encode()).hexdigest()

    def differences(self, other: Splitting) -> list[str]:
        """In words, what is different in the other."""
        ours, theirs = self.plain(), other.plain()
        ours["special_tokens"], theirs["special_tokens"] = sorted(self.special_tokens), sorted(other.special_tokens)
        names = {
            "unicode": "version of Unicode",
            "end_of_word": "end-of-word mark",
            "end_of_word_joined": "joining of the end-of-word mark",
            "special_tokens": "list of special tokens",
        }
        return [
            f"the {names.get(key, key)} is {named(key, ours[key])} and {named(key, theirs[key])}"
            for key in ours
            if ours[key] != theirs[key]
        ]


def named(key: str, value: object) -> str:
    """A setting in a message: a pattern by the name of its preset."""
    if key == "pattern" and (value is None or isinstance(value, str)):
        preset = preset_of(value)
        if preset is not None:
            return preset
    return shortened(repr(value))


def checked_splitting(
    pattern: str | None = DEFAULT,
    special_tokens: Sequence[str] = (),
    alphabet: Literal["bytes", "characters"] = "bytes",
    end_of_word: str | None = None,
    end_of_word_joined: bool = False,
) -> Splitting:
    """What a person asked for, checked.

    Raises:
        PatternError: a pattern's name that no preset has.
        SpecialTokenError: special tokens that are empty or stand twice.
        VocabularyError: an alphabet that is none, or settings that contradict it.
        TypeError: arguments of other types.
    """
    if alphabet == "characters" and pattern is DEFAULT:
        pattern = None
    checked_text("alphabet", alphabet)
    checked_text("end_of_word", "" if end_of_word is None else end_of_word)
    # The parts' constructor checks the alphabet, the mark and the pattern.
    Parts(
        alphabet=alphabet,
        end_of_word=end_of_word,
        end_of_word_joined=end_of_word_joined,
        pattern=pattern,
        tokens=(),
        merges=(),
    )
    return Splitting(
        pattern=resolve(pattern),
        special_tokens=tuple(_special_tokens(special_tokens)),
        alphabet=alphabet,
        end_of_word=end_of_word,
        end_of_word_joined=end_of_word_joined,
    )


def checked_text(name: str, text: str) -> None:
    """Raises an error unless the argument `name` is a str without surrogates."""
    if not isinstance(text, str):
        raise TypeError(f"{name} is of type `{type(text).__name__}`\nhint: it is a str")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{name} holds a surrogate: {text!r}\nhint: leave it out")


def _special_tokens(special_tokens: Sequence[str]) -> list[str]:
    """The special tokens as a list, checked."""
    if not isinstance(special_tokens, Sequence) or isinstance(special_tokens, (str, bytes, bytearray, memoryview)):
        raise _no_sequence(special_tokens)
    first: dict[str, int] = {}
    for index, token in enumerate(special_tokens):
        if not isinstance(token, str):
            raise TypeError(f"special_tokens[{index}] is of type `{type(token).__name__}`\nhint: each is a str")
        if not token:
            raise SpecialTokenError(f"special_tokens[{index}] is empty", "give it a text, or leave it out")
        if any("\ud800" <= character <= "\udfff" for character in token):
            raise SpecialTokenError(f"special_tokens[{index}] holds a surrogate: {token!r}", "leave it out")
        if token in first:
            raise SpecialTokenError(
                f"special_tokens[{index}] is {token!r}, and so is special_tokens[{first[token]}]",
                "leave one of the two out",
            )
        first[token] = index
    return list(first)


def _no_sequence(given: object) -> TypeError:
    kind = type(given).__name__
    if isinstance(given, str):
        return TypeError(f"special_tokens is one str, {given!r}\nhint: pass a list of tokens: [{given!r}]")
    if isinstance(given, Mapping):
        return TypeError(
            f"special_tokens is a `{kind}`, but training chooses the ids\n"
            "hint: pass a list of tokens; they take the ids after the last merge in its order"
        )
    if isinstance(given, AbstractSet):
        return TypeError(
            f"special_tokens is a `{kind}`, whose order may change from run to run, and with it the ids\n"
            "hint: pass a list of tokens, in the order of their ids"
        )
    return TypeError(f"special_tokens is of type `{kind}`\nhint: pass a list of tokens, in the order of their ids")
