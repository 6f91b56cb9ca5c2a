"""What is added up while a text is measured: counts of tokens, and sums for each document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Self

import numpy as np

from bytepair.measuring.bootstrap import Groups, interval
from bytepair.measuring.normalised import Parted, bare, space_of, texts_of
from bytepair.measuring.streamed import Streamed, has_places
from bytepair.measuring.words import Spans, overlaps, spans
from bytepair.parts import MARK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.measuring.bootstrap import Sums
    from bytepair.tokenizer import Tokenizer

    Integers = NDArray[np.int64]

__all__ = ["Column", "Sizes", "Tally", "token_lengths"]

MOST_IDS = 1 << 27
"""The most ids that are counted."""

_OF_TEXT = 3  # columns of a document: bytes, characters, words; then four for each tokenizer
_OF_EACH = 4  # tokens, tokens that overlap words, words of one token, words: of the text as it is normalised


class Column(Enum):
    """What differences are taken of."""

    TOKENS = "tokens"
    PER_WORD = "tokens_per_word"
    ONE_TOKEN = "single_token_words"  # noqa: S105 - no password


@dataclass(frozen=True, slots=True)
class Sizes:
    """How long a text is."""

    documents: int
    bytes: int
    characters: int
    words: int


class Tally:
    """Sums of the text of one language, for several tokenizers."""

    def __init__(self, tokenizers: Mapping[str, Tokenizer], lengths: Mapping[str, Integers]) -> None:
        """Nothing yet; `lengths` has the bytes of each tokenizer's ids, as `token_lengths` gives them."""
        self._tokenizers, self._lengths = tokenizers, lengths
        self._streamed: Streamed | None = None
        self._placed = {name for name, tok in tokenizers.items() if has_places(tok)}
        bares = {name: bare(tok) for name, tok in tokenizers.items() if tok._engine.normalises}  # noqa: SLF001
        self._bare = {name: tok for name, tok in bares.items() if has_places(tok)}
        self._spaces = {name: space_of(tok) for name, tok in tokenizers.items()}
        self._normalised: dict[str, tuple[Parted, Streamed]] = {}
        self.groups = Groups(_OF_TEXT + _OF_EACH * len(tokenizers))
        self.counts = {name: np.zeros(tok.n_vocab, dtype=np.int64) for name, tok in tokenizers.items()}
        """How often each id occurs, by tokenizer."""
        self.vocab_sizes = {name: _vocab_size(tok) for name, tok in tokenizers.items()}
        """How many tokens a text can give by itself, by tokenizer."""
        self.unplaced = set[str]()
        """Tokenizers whose tokens do not lie end to end in some text: nothing is known of its words."""

    @classmethod
    def together(
        cls, tokenizers: Mapping[str, Tokenizer], lengths: Mapping[str, Integers], parts: Sequence[Tally]
    ) -> Self:
        """The sums of several texts together."""
        whole = cls(tokenizers, lengths)
        for part in parts:
            whole.groups.add(part.groups.sums)
            whole.unplaced |= part.unplaced
            for name, counts in part.counts.items():
                whole.counts[name] += counts
        whole.groups.documents = sum(part.groups.documents for part in parts)
        return whole

    def add(self, documents: Sequence[bytes], words: Spans, threads: int) -> None:
        """Adds documents, whose words are known."""
        sizes = np.array([len(document) for document in documents], dtype=np.int64)
        count = len(documents)
        columns = [sizes, words.characters, np.bincount(words.documents, minlength=count)]
        for name, tok in self._tokenizers.items():
            ids, offsets = tok.encode_batch_to_numpy(documents, threads=threads)
            self.counts[name] += np.bincount(ids, minlength=tok.n_vocab)
            ends = offsets.astype(np.int64)
            columns.append(ends[1:] - ends[:-1])
            if name in self._placed:
                columns += _words(words, self._lengths[name][ids], count)
            elif name in self._bare:
                seen = spans(texts_of(tok, documents), self._spaces[name])
                columns += _words(seen, self._lengths[name][ids], count)
            else:
                columns += [np.zeros(count, dtype=np.int64)] * 3
                self.unplaced.add(name)
        self.groups.add(np.stack(columns, axis=1))

    def add_part(self, part: bytes, threads: int, *, is_last: bool) -> None:
        """Adds a part of a document that is too large to be held."""
        if self._streamed is None:
            self._streamed = Streamed(self._tokenizers, self._lengths, threads)
            self._normalised = {
                name: (
                    Parted(self._tokenizers[name]),
                    Streamed({name: tok}, self._lengths, threads, self._spaces[name]),
                )
                for name, tok in self._bare.items()
            }
        self._streamed.add(part, is_last=is_last)
        for parted, streamed in self._normalised.values():
            streamed.add(parted.feed(part, is_last=is_last), is_last=is_last)
        if is_last:
            for name in self.counts:
                self.counts[name] += self._streamed.counts(name)
            self.unplaced |= self._streamed.unplaced - self._normalised.keys()
            row = self._streamed.row()
            for name, (_, streamed) in self._normalised.items():
                first = self._first(name)
                row[first + 1 : first + _OF_EACH] = streamed.row()[_OF_TEXT + 1 :]
            self.groups.add(row[np.newaxis])
            self._streamed, self._normalised = None, {}

    @property
    def sizes(self) -> Sizes:
        """How long the text is."""
        size, characters, words = self.groups.sums[:, :_OF_TEXT].sum(axis=0).tolist()
        return Sizes(self.groups.documents, size, characters, words)

    def sums(self, name: str) -> tuple[int, int, int, int]:
        """Of one tokenizer: tokens, tokens that overlap words (a token once for each word), words of one token, words.

        A normalizer may make words of none and none of words, so they are those of the text as it normalises it.
        """
        first = self._first(name)
        tokens, touched, single, words = self.groups.sums[:, first : first + _OF_EACH].sum(axis=0).tolist()
        return tokens, touched, single, words

    def difference(self, column: Column, first: str, second: str) -> tuple[float, float, float]:
        """By how much the second tokenizer's figure is larger, and the ends of the interval."""
        one, other, rows = self._first(first), self._first(second), self.groups.sums
        if column is not Column.TOKENS and self.unplaced & {first, second}:
            return float("nan"), float("nan"), float("nan")

        def figure(sums: Sums) -> Sums:
            match column:
                case Column.TOKENS:
                    return sums[:, other] / sums[:, one] - 1
                case Column.PER_WORD:
                    return sums[:, other + 1] / sums[:, other + 3] - sums[:, one + 1] / sums[:, one + 3]
                case Column.ONE_TOKEN:
                    return sums[:, other + 2] / sums[:, other + 3] - sums[:, one + 2] / sums[:, one + 3]

        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(figure(rows.sum(axis=0, keepdims=True).astype(np.float64))[0])
        return value, *interval(rows, figure)

    def _first(self, name: str) -> int:
        return _OF_TEXT + _OF_EACH * list(self._tokenizers).index(name)


def _vocab_size(tok: Tokenizer) -> int:
    """How many tokens are not special, and the one for what is unknown, which no text names and any can give."""
    specials = set(tok.special_tokens.values())
    return len(tok) - len(specials) + (tok._engine.packed()[-1][0] in specials)  # noqa: SLF001


def token_lengths(tok: Tokenizer) -> Integers:
    """The bytes of each id's token, of shape (n_vocab,).

    Raises:
        ValueError: ids so large that a table of all below them would not fit in memory.
    """
    if tok.n_vocab > MOST_IDS:
        raise ValueError(
            f"the largest id is {tok.n_vocab - 1}: there is no room to count {tok.n_vocab} ids\n"
            f"hint: give the tokens ids below {MOST_IDS}"
        )
    lengths = np.zeros(tok.n_vocab, dtype=np.int64)
    ids, sizes, _ = tok._engine.packed()[4]  # noqa: SLF001 - without an object for each token
    lengths[np.frombuffer(ids, dtype=np.uint32)] = np.frombuffer(sizes, dtype=np.uint32)
    if tok.alphabet == "unicode":  # there a token that means a byte is written as a mark and the byte
        lengths[[id for id, content in tok.parts.tokens if content.startswith(MARK)]] = 1
    for content, id in tok.special_tokens.items():
        lengths[id] = len(content.encode())
    return lengths


def _words(words: Spans, lengths: Integers, documents: int) -> list[Integers]:
    """Of each document: tokens that overlap its words, words of one token, words; the tokens lie end to end."""
    ends = np.cumsum(lengths)
    if not ends.size:
        return [np.zeros(documents, dtype=np.int64)] * 3
    found = overlaps(words, ends, int(ends[-1]))
    touched = np.bincount(words.documents, weights=found, minlength=documents).astype(np.int64)
    single = np.bincount(words.documents[found == 1], minlength=documents)
    return [touched, single, np.bincount(words.documents, minlength=documents)]
