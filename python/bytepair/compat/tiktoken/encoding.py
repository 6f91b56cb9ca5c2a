"""tiktoken's `Encoding`: the same methods, defaults and errors.

What differs: an error is of this package's kinds (each also of tiktoken's), batches use as many threads as
there are processors whatever `num_threads` says more, of several special tokens that begin at one place the longest
counts, where tiktoken takes any, and of two special tokens with one id the same one is always decoded.

Two special tokens may have one id here (o200k_harmony), and not in a tokenizer. So texts are encoded by a tokenizer
that has the second one under an id above all others, which is then replaced; everything else is asked of one without
it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

from bytepair.compat.tiktoken import unstable
from bytepair.errors import FormatWarning, SpecialTokenError, VocabularyError
from bytepair.integers import processors
from bytepair.parts import Parts, SpecialToken
from bytepair.tokenizer import Tokenizer
from bytepair.told import tell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Encoding"]

Specials = Literal["all"] | Collection[str]
_ENDING = range(0x80, 0xC0)  # the bytes of a character but its first
_SHOWN = 12


class Encoding:
    r"""A tokenizer as tiktoken has them: `Tokenizer.as_tiktoken`, or `get_encoding`, or from ranks.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    >>> enc = Encoding("tiny", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 257})
    >>> enc.encode("abba"), enc.n_vocab, enc.eot_token
    ([256, 98, 97], 258, 257)

    Args:
        name: its name.
        pat_str: the regular expression that cuts text.
        mergeable_ranks: bytes -> rank, which is the id.
        special_tokens: text -> id.
        explicit_n_vocab: how many tokens there must be.

    Raises:
        ValueError: ranks, special tokens or a pattern that cannot be used; another number of tokens.

    Warns:
        FormatWarning: a token of no bytes, which is left out.
    """

    name: str

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: Mapping[bytes, int],
        special_tokens: Mapping[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        names = decoded(special_tokens)
        parts = Parts(
            pattern=pat_str,
            tokens=ranked(mergeable_ranks),
            merges=None,
            whole_first=True,
            specials=tuple(SpecialToken(content, id) for id, content in names.items()),
        )
        others = {content: id for content, id in special_tokens.items() if names[id] != content}
        self._take(Tokenizer.from_parts(parts), name, others)
        count = len(mergeable_ranks) + len(special_tokens)
        if explicit_n_vocab and not count == self.n_vocab == explicit_n_vocab:
            raise VocabularyError(
                f"explicit_n_vocab is {explicit_n_vocab}, but there are {count} tokens and ids below {self.n_vocab}",
                "leave explicit_n_vocab out, or mend the ranks",
            )

    def _take(self, tok: Tokenizer, name: str, others: Mapping[str, int]) -> None:
        """Becomes the interface of a tokenizer, with more names for some of its special tokens."""
        if (what := _unlike(tok)) is not None:
            raise VocabularyError(
                f"the tokenizer {what}, and tiktoken's interface is of bytes as they are",
                "use the tokenizer itself, or as_huggingface",
            )
        self.name = name
        self._tok = self._finder = tok
        self._special_tokens = {**tok.special_tokens, **others}
        self._others = dict(others)
        self._meant: dict[int, int] = {}
        """Id in the finder -> id, for the other names."""
        if others:
            ids = dict(zip(others, range(tok.n_vocab, tok.n_vocab + len(others)), strict=True))
            more = (SpecialToken(content, id) for content, id in ids.items())
            self._finder = type(tok).from_parts(replace(tok.parts, specials=(*tok.parts.specials, *more)))
            self._meant = {ids[content]: id for content, id in others.items()}

    @classmethod
    def of(cls, tok: Tokenizer, name: str | None = None, others: Mapping[str, int] | None = None) -> Self:
        """A tokenizer with this interface; named after its fingerprint unless a name is given.

        `others` are more names for some of its special tokens, with their ids.
        """
        self = cls.__new__(cls)
        self._take(tok, tok.fingerprint[:_SHOWN] if name is None else name, others or {})
        return self

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer itself."""
        return self._tok

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle, (type(self), self._tok, self.name, self._others)

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text, in which special tokens are text."""
        return self._tok.encode(_checked(text))

    def encode(
        self, text: str, *, allowed_special: Specials = frozenset(), disallowed_special: Specials = "all"
    ) -> list[int]:
        """The ids of a text.

        Args:
            text: the text.
            allowed_special: special tokens that become their ids, or "all"; others are text.
            disallowed_special: what must not stand in the text, or "all" for all special tokens that are not allowed.

        Raises:
            SpecialTokenError: something that is disallowed stands in the text.
        """
        allowed: Specials = ()
        forbidden: Specials = "all"
        if allowed_special or disallowed_special != "all" or not isinstance(text, str):  # most calls ask for nothing
            allowed, forbidden = self._options([text], allowed_special, disallowed_special)
        try:
            ids = self._finder.encode(text, allowed_special=allowed, disallowed_special=forbidden)
        except SpecialTokenError:
            raise self._refusal([text], allowed, forbidden) from None
        return self._real(ids) if self._meant else ids

    def _real(self, ids: list[int]) -> list[int]:
        """The ids, with those of other names replaced."""
        return [self._meant.get(id, id) for id in ids]

    def encode_to_numpy(
        self, text: str, *, allowed_special: Specials = frozenset(), disallowed_special: Specials = "all"
    ) -> NDArray[np.uint32]:
        """As `encode`: an array of uint32, of shape (tokens,)."""
        allowed, forbidden = self._options([text], allowed_special, disallowed_special)
        try:
            ids: NDArray[Any] = self._finder.encode_to_numpy(
                text, allowed_special=allowed, disallowed_special=forbidden
            )
        except SpecialTokenError:
            raise self._refusal([text], allowed, forbidden) from None
        for found, meant in self._meant.items():
            ids[ids == found] = meant
        return ids

    def encode_ordinary_batch(self, text: Iterable[str], *, num_threads: int = 8) -> list[list[int]]:
        """The ids of many texts, in which special tokens are text."""
        return self._tok.encode_batch(map(_checked, text), threads=_threads(num_threads))

    def encode_batch(
        self,
        text: Iterable[str],
        *,
        num_threads: int = 8,
        allowed_special: Specials = frozenset(),
        disallowed_special: Specials = "all",
    ) -> list[list[int]]:
        """The ids of many texts; options and errors as `encode`."""
        texts = list(text)
        allowed, forbidden = self._options(texts, allowed_special, disallowed_special)
        count = _threads(num_threads)
        try:
            rows = self._finder.encode_batch(
                texts, threads=count, allowed_special=allowed, disallowed_special=forbidden
            )
        except SpecialTokenError:
            raise self._refusal(texts, allowed, forbidden) from None
        return [*map(self._real, rows)] if self._meant else rows

    def encode_with_unstable(
        self, text: str, *, allowed_special: Specials = frozenset(), disallowed_special: Specials = "all"
    ) -> tuple[list[int], list[list[int]]]:
        """The ids that more text cannot change, and sequences of ids that may follow them to complete the text.

        Options and errors as `encode`.
        """
        allowed, forbidden = self._options([text], allowed_special, disallowed_special)
        try:
            self._finder.count_up_to(text, 0, allowed_special=allowed, disallowed_special=forbidden)
        except SpecialTokenError:
            raise self._refusal([text], allowed, forbidden) from None
        ids, completions = unstable.encode_with_unstable(self._finder, text, allowed)
        return self._real(ids), completions

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of one token, which may be special.

        Raises:
            UnknownTokenError: there is none; that is a KeyError.
        """
        id = self._finder.id_of(text_or_bytes)
        return self._meant.get(id, id)

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of ids.

        Raises:
            UnknownTokenError: an id that no token has; that is a KeyError.
        """
        return self._tok.decode_bytes(tokens)

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of ids; `errors` is any of Python's handlers for bytes that are not UTF-8."""
        return self._tok.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one id.

        Raises:
            UnknownTokenError: no token has it; that is a KeyError.
        """
        return self._tok.bytes_of(token)

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each id."""
        return [self._tok.bytes_of(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of ids, and for each the index of the first character that has bytes of it.

        Raises:
            UnicodeDecodeError: the bytes are not UTF-8.
        """
        contents = self.decode_tokens_bytes(tokens)
        length, offsets = 0, []
        for content in contents:
            offsets.append(max(0, length - (content[0] in _ENDING)))
            length += sum(byte not in _ENDING for byte in content)
        return b"".join(contents).decode("utf-8", errors="strict"), offsets

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """The text of each row of ids."""
        rows = self.decode_bytes_batch(batch, num_threads=num_threads)
        return [content.decode("utf-8", errors=errors) for content in rows]

    def decode_bytes_batch(self, batch: Iterable[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """The bytes of each row of ids."""
        return self._tok.decode_bytes_batch(batch, threads=_threads(num_threads))

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens but the special ones, in their order."""
        return sorted(content for _, content in self._tok.parts.tokens)

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`.

        Raises:
            KeyError: there is no such token.
        """
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return set(self._special_tokens)

    @cached_property
    def _special_token_values(self) -> set[int]:
        return set(self._special_tokens.values())

    def is_special_token(self, token: int) -> bool:
        """Whether an id is a special token's."""
        return token in self._special_token_values

    @property
    def max_token_value(self) -> int:
        """The highest id."""
        return self._tok.n_vocab - 1

    @property
    def n_vocab(self) -> int:
        """The highest id + 1."""
        return self._tok.n_vocab

    @property
    def _pat_str(self) -> str | None:
        """The pattern: what makes a new encoding out of this one, as tiktoken's manual shows."""
        return self._tok.pattern

    @cached_property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        """Bytes -> id of all tokens but the special ones.

        Raises:
            VocabularyError: as ranks, these would give other ids than the tokenizer's merges do.
        """
        self._tok._engine.check_ranks()  # noqa: SLF001 - this package's own
        return {content: id for id, content in self._tok.parts.tokens}

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """The ids of a text that is not cut."""
        return self._tok._engine.encode_single(text_or_bytes)  # noqa: SLF001 - this package's own

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        """As `encode_ordinary`: there, the pattern is Python's."""
        return self.encode_ordinary(text)

    def _encode_bytes(self, text: bytes) -> list[int]:
        """The ids of bytes that need not be UTF-8."""
        return unstable.encode_bytes(self._tok, text)

    def _options(self, texts: Sequence[str], allowed: Specials, disallowed: Specials) -> tuple[Specials, Specials]:
        """The special tokens that are allowed, and those that are not, as the engine takes them.

        Raises:
            SpecialTokenError: a text that is disallowed, and is no special token, stands in one of the texts.
        """
        for text in texts:
            _checked(text)
        if isinstance(allowed, str) and not _is_all(allowed):
            raise TypeError(f'allowed_special is the string {allowed!r}\nhint: pass a set of special tokens, or "all"')
        if not _is_all(allowed):
            # Names that are no special tokens are passed over, as tiktoken does.
            allowed = self.special_tokens_set.intersection(allowed) if allowed else ()
        if _is_all(disallowed) or not disallowed:
            return allowed, disallowed
        forbidden = set(disallowed)
        others = forbidden - self.special_tokens_set
        if others and any(other in text for text in texts for other in others):
            raise self._refusal(texts, (), others)
        # What is named in both is disallowed.
        if not forbidden.isdisjoint(self.special_tokens_set if _is_all(allowed) else allowed):
            for text in texts:
                if any(token in text for token in forbidden):
                    raise self._refusal(texts, (), forbidden)
        return allowed, forbidden & self.special_tokens_set

    def _refusal(self, texts: Sequence[str], allowed: Specials, forbidden: Specials) -> SpecialTokenError:
        """The error about the first disallowed token, the longest that begins there."""
        if _is_all(forbidden):
            forbidden = self.special_tokens_set.difference(allowed)
        found = [
            (i, text.index(one), -len(one), one) for i, text in enumerate(texts) for one in forbidden if one in text
        ]
        item, at, _, token = min(found)
        where = f"at character {at} of item {item}" if len(texts) > 1 else f"at character {at}"
        return SpecialTokenError(
            f"Encountered text corresponding to disallowed special token {token!r}, {where}.",
            f"pass allowed_special={{{token!r}}} to encode it as one id, or disallowed_special=() to encode it as text",
        )


def ranked(mergeable_ranks: Mapping[bytes, int]) -> tuple[tuple[int, bytes], ...]:
    """The tokens of ranks: (id, bytes).

    Warns:
        FormatWarning: one has no bytes, as in whisper's files, and is left out.
    """
    if b"" in mergeable_ranks:
        what = f"the token of rank {mergeable_ranks[b'']} has no bytes"
        tell(FormatWarning, what, "it is left out: no text gives it")
    return tuple((rank, content) for content, rank in mergeable_ranks.items() if content)


def decoded(special_tokens: Mapping[str, int]) -> dict[int, str]:
    """The special token that each id is decoded to; of several not one that is only reserved, as in o200k_harmony.

    >>> decoded({"<|reserved_1|>": 7, "<|end|>": 7, "<|start|>": 8})
    {7: '<|end|>', 8: '<|start|>'}
    """
    names: dict[int, str] = {}
    for content, id in special_tokens.items():
        if id not in names or ("reserved" in names[id] and "reserved" not in content):
            names[id] = content
    return names


def _unlike(tok: Tokenizer) -> str | None:
    """What the tokenizer does that tiktoken has no place for."""
    if tok.alphabet != "bytes":
        return "has an alphabet of characters"
    if tok.end_of_word is not None:
        return "has an end-of-word mark"
    return "normalizes texts" if tok._engine.normalises else None  # noqa: SLF001 - this package's own


def _is_all(specials: Specials) -> bool:
    return isinstance(specials, str) and specials == "all"


def _checked(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"the text is of type `{type(text).__name__}`\nhint: it is a str")
    return text


def _threads(num_threads: int) -> int:
    return min(num_threads, processors(None))


def _unpickle(cls: type[Encoding], tok: Tokenizer, name: str, others: Mapping[str, int]) -> Encoding:
    made = cls.__new__(cls)
    made._take(tok, name, others)  # noqa: SLF001 - its own
    return made
