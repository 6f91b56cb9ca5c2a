"""Views of a tokenizer's tokens and merges, and the summary of it. The views hold nothing but the tokenizer."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, overload

from bytepair.errors import UnknownTokenError
from bytepair.parts import MARK

if TYPE_CHECKING:
    from bytepair import _core
    from bytepair.parts import Around

__all__ = ["Info", "Merges", "Vocabulary", "around_of", "gaps", "oddities"]


class Vocabulary(Mapping[int, bytes]):
    """id -> bytes of every token, special tokens included; in the order of the ids.

    An end-of-word mark is spelled out.
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.Tokenizer) -> None:
        self._core = core

    def __getitem__(self, id: int) -> bytes:
        return bytes_of(self._core, id)

    def __contains__(self, id: object) -> bool:
        if isinstance(id, bool):
            return False
        try:
            number = operator.index(id)  # type: ignore[arg-type]
        except TypeError:
            return False
        return _is_id(number) and self._core.bytes_of(number) is not None

    def __iter__(self) -> Iterator[int]:
        return iter(self._core.ids_list())

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self)} tokens>"


class Merges(Sequence[tuple[int, int]]):
    """(left id, right id) of every merge, in the order of their ranks."""

    __slots__ = ("_core", "_pairs")

    def __init__(self, core: _core.Tokenizer) -> None:
        self._core = core
        self._pairs: list[tuple[int, int]] | None = None

    def _all(self) -> list[tuple[int, int]]:
        if self._pairs is None:
            self._pairs = self._core.merges()
        return self._pairs

    @overload
    def __getitem__(self, rank: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, rank: slice) -> list[tuple[int, int]]: ...
    def __getitem__(self, rank: int | slice) -> tuple[int, int] | list[tuple[int, int]]:
        return self._all()[rank]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Merges):
            return self._all() == other._all()
        return self._all() == list(other) if isinstance(other, (list, tuple)) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._all()))

    def __repr__(self) -> str:
        return f"<Merges: {len(self)}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """A tokenizer in figures and words."""

    n_vocab: int
    """The highest id + 1."""
    tokens: int
    """How many tokens there are, special tokens included."""
    merges: int
    """How many merges there are."""
    specials: int
    """How many special and added tokens there are."""
    alphabet: Literal["bytes", "characters", "unicode"]
    """What tokens are made of."""
    end_of_word: str | None
    """How the end-of-word mark is written; characters only."""
    end_of_word_joined: bool
    """Whether the mark is joined to a word's last character."""
    pattern: str | None
    """The regular expression that cuts text into pretokens."""
    preset: str | None
    """The preset's name, if the pattern is one's."""
    normalizer: tuple[str, ...]
    """What is done to a text before it is cut, step by step, in the words of `bytepair.normalizing.Step`."""
    decoder: str | None
    """What decoding undoes of that: which mark becomes a space, and how many spaces at the beginning are taken away."""
    unknown: int | None
    """The id of a character that is no token and does not fall back to bytes."""
    splitter: Literal["automaton", "backtracking", "white space", "whole"]
    """What serves the pattern."""
    splitter_reason: str | None
    """Why the pattern is served by backtracking, if it is."""
    path: Literal["AVX-512", "AVX2", "scalar"]
    """The instructions that find the boundaries on this machine: 64 bytes at a time, or one character ("scalar")."""
    path_reason: str | None
    """Why they are found one character at a time, if they are."""
    whole_first: bool
    """Whether a pretoken that is a token is looked up before it is merged."""
    rank_file: bool
    """Whether every pair whose concatenation is a token merges."""
    lossy: bool
    """Whether decoding may give another text than was encoded."""
    gaps: tuple[tuple[int, int], ...]
    """Ranges of ids, (first, last), below `n_vocab` that no token has."""
    unmade: int
    """How many tokens of more than one symbol no merge makes: only a lookup of whole pretokens can give them."""
    twins: int
    """How many tokens have the bytes of another, as which these bytes are looked up. Merges may make them."""
    ordered: bool
    """Whether merges make tokens in the order of their ids."""
    unicode_version: str
    """The version of Unicode that the pattern's classes follow."""
    normalizer_unicode: tuple[str, ...]
    """What the normalizer takes from other tables of Unicode, and their versions: `small letters 17.0.0`."""
    fingerprint: str
    """SHA-256 of all that its ids depend on, as 64 hexadecimal digits."""


def bytes_of(core: _core.Tokenizer, id: int) -> bytes:
    """The bytes of one token, or UnknownTokenError."""
    if isinstance(id, bool) or not hasattr(id, "__index__"):
        raise TypeError(f"the id is of type `{type(id).__name__}`\nhint: ids are integers")
    id = id.__index__()
    found = core.bytes_of(id) if _is_id(id) else None
    if found is None:
        raise UnknownTokenError(f"no token has id {id}", f"ids are below {core.n_vocab} (n_vocab); there may be gaps")
    return found


def around_of(around: Around) -> tuple[tuple[str, ...], str | None, int | None]:
    """What `Info` has under `normalizer`, `decoder` and `unknown`, of what is around a vocabulary."""
    unknown, _, (before, after, _), (space, strip), _ = around
    steps = tuple(" ".join([kind, *(repr(text) for text in texts)]) for kind, texts, *_ in (*before, *after))
    told = [f"{space!r} becomes a space"] if space is not None else []
    told += [f"{strip} at the beginning {'is' if strip == 1 else 'are'} taken away"] if strip else []
    return steps, "; ".join(told) or None, unknown


def gaps(core: _core.Tokenizer) -> tuple[tuple[int, int], ...]:
    """The ranges of ids, (first, last), that no token has."""
    found: list[tuple[int, int]] = []
    next_id = 0
    for id in core.ids_list():
        if id > next_id:
            found.append((next_id, id - 1))
        next_id = id + 1
    return tuple(found)


def oddities(core: _core.Tokenizer) -> tuple[int, bool, Around]:
    """What `Info` has under `unmade` and `ordered`, and what is around the vocabulary."""
    alphabet, mark, _, _, tokens, *_, around = core.plain()
    contents = dict(tokens)
    ids = {content: id for id, content in tokens}
    made = [ids[contents[left] + contents[right]] for left, right in core.merges()]
    by_bytes = alphabet == "bytes"
    symbols = sum(_is_byte(content, mark) if by_bytes else _is_symbol(content) for content in ids)
    ordered = all(one < other for one, other in itertools.pairwise(dict.fromkeys(made)))
    return len(ids) - symbols - len(set(made)), ordered, around


def _is_byte(content: bytes, mark: str | None) -> bool:
    return len(content) == 1 or (mark is not None and len(content) == 2 and content.endswith(MARK))  # noqa: PLR2004


def _is_symbol(content: bytes) -> bool:
    return content.startswith(MARK) or len(content.removesuffix(MARK).decode()) <= 1


def _is_id(number: int) -> bool:
    return 0 <= number < 1 << 32
