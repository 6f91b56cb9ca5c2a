"""`sweep`: every vocabulary size of a tokenizer from one pass over a text.

Merging is greedy, so the first K merges are the tokenizer of K merges; the engine merges each distinct pretoken once
and charges each firing to the running maximum of the ranks fired so far in it (`crates/bytepair/src/measure.rs`). The
figures of size K are then exactly those of the tokenizer with the first K merges. Of a rank file these are the tokens
of two bytes and more in the order of their ids.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from bytepair import _core
from bytepair.editing.ways import base_symbols
from bytepair.integers import checked_integer, processors
from bytepair.measuring.counting import Counted, counted
from bytepair.measuring.curves import Changes, Curve, curve_of, summed
from bytepair.measuring.figures import ALPHA
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tokenizers import checked
from bytepair.render.spans import Block, heading, line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

__all__ = ["Size", "Sweep", "changes_of", "sweep"]

NEAR = 0.95
"""The share of the ceiling from which on more merges are of little use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The figures of one vocabulary size. Text and tokens are counted micro, a sum over a sum."""

    vocab_size: int
    """Tokens in the vocabulary, special ones excluded."""
    merges: int
    """How many of the merges it has."""
    language: str | None
    """The language; None for all text."""
    tokens: int
    """Tokens of the text."""
    bytes_per_token: float
    """All bytes over all tokens."""
    characters_per_token: float
    """All characters over all tokens."""
    ceiling_share: float
    """bytes_per_token over bytes a pretoken, which the pattern lets no vocabulary pass; 1 is the end."""
    tokens_in_use: int
    """How many of the tokens occur in the text."""
    single_token_words: float
    """The share of pretokens with a letter, repeated ones repeatedly, that are one token."""
    entropy: float
    """Bits a token, if each is guessed by its frequency alone."""
    bits_per_byte: float
    """The same by the byte: entropy over bytes_per_token."""
    renyi_efficiency: float
    """Renyi's entropy over the logarithm of the number of tokens that occur."""
    embedding: int | None
    """Parameters of the embedding table: vocab_size x width; of an output layer that is tied to it, no more."""
    untied: int | None
    """Parameters of the two where the output layer is not tied: twice as many."""
    output_multiplications: int | None
    """Multiplications of the output layer for this text: tokens x vocab_size x width, tied or not."""
    attention: float
    """The square of the tokens over that of the whole vocabulary: how the cost of attention grows."""


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Shown):
    """All vocabulary sizes of a tokenizer on a text; `sweep` makes it.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest low"], num_merges=3)
    >>> swept = bp.sweep(tok, ["low lower"])
    >>> swept.tokens().tolist()
    [9, 7, 5, 4]
    >>> swept.at(merges=2).bytes_per_token
    1.8
    """

    vocab_sizes: NDArray[np.int64]
    """Tokens in the vocabulary of the first K merges, special ones excluded; of shape (merges + 1,)."""
    languages: tuple[str | None, ...]
    """The languages of the text, in the order in which they came."""
    width: int | None
    """The width of the embedding that costs are given for."""
    alpha: float
    """The order of Renyi's entropy."""
    shown: tuple[int, ...] | Literal["all"] | None
    """The vocabulary sizes that are shown; None for powers of two."""
    changes: Mapping[str | None, Changes] = field(repr=False)
    """What each merge changes, by language; for this package's own use."""
    _curves: dict[str | None, Curve] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.changes or any(self.vocab_sizes.shape != (one.merges + 1,) for one in self.changes.values()):
            raise ValueError("the sizes and the changes of a sweep do not belong together\nhint: use bytepair.sweep")
        self.sizes()  # refuses a size that there is none of

    def __repr__(self) -> str:
        return f"<Sweep of {self.merges} merges, {len(self.languages)} language(s)>"

    @property
    def merges(self) -> int:
        """How many merges the tokenizer has."""
        return len(self.vocab_sizes) - 1

    def curve(self, language: str | None = None) -> Curve:
        """The figures of all sizes, as arrays; of one language, or of all text.

        Raises:
            KeyError: a language that the text does not have.
        """
        if language not in self._curves:
            self._curves[language] = curve_of(self._changes(language), self.alpha)
        return self._curves[language]

    def tokens(self, language: str | None = None) -> NDArray[np.int64]:
        """How many tokens the text has at each size."""
        return self.curve(language).tokens

    def counts(self, merges: int, language: str | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The tokens that the first `merges` merges make of the text: (ids, ascending; how often each occurs)."""
        return self._changes(language).counts_at(checked_integer("merges", merges, 0, self.merges))

    def at(self, vocab_size: int | None = None, *, merges: int | None = None, language: str | None = None) -> Size:
        """The figures of one size: of the largest vocabulary of at most `vocab_size` tokens, or of `merges` merges.

        Raises:
            TypeError: none or both of the two.
            ValueError: a size that there is none of.
        """
        if (vocab_size is None) == (merges is None):
            raise TypeError("give exactly one of vocab_size and merges\nhint: vocab_size counts the base symbols too")
        if merges is None:
            merges = self._merges(vocab_size)
        merges = checked_integer("merges", merges, 0, self.merges)
        return self._size(merges, language)

    def sizes(self) -> list[int]:
        """The numbers of merges that are shown: of the sizes that were asked for; or none, powers of two, and all."""
        if self.shown == "all":
            return list(range(self.merges + 1))
        least, most = int(self.vocab_sizes[0]), int(self.vocab_sizes[-1])
        powers = [1 << power for power in range(least.bit_length(), most.bit_length()) if least < 1 << power < most]
        wanted = [least, *powers, most] if self.shown is None else self.shown
        return sorted({self._merges(size) for size in wanted})

    def rows(self) -> list[Row]:
        """The sizes that are shown: of all text, and then of each language, if it has several."""
        several = [None, *self.languages] if len(self.languages) > 1 else [None]
        found = [self._size(merges, language) for language in several for merges in self.sizes()]
        return [{name: plain_value(value) for name, value in asdict(size).items()} for size in found]

    def to_dict(self) -> dict[str, Any]:
        """The rows, and what they say about the pattern's ceiling."""
        return {
            "languages": list(self.languages),
            "width": self.width,
            "alpha": self.alpha,
            "bytes_per_pretoken": plain_value(self.ceiling()),
            "rows": self.rows(),
        }

    def ceiling(self, language: str | None = None) -> float:
        """Bytes a pretoken: no vocabulary with this pattern has more bytes a token."""
        changes = self._changes(language)
        return changes.bytes / changes.pretokens if changes.pretokens else float("nan")

    def blocks(self) -> list[Block]:
        """The table of sizes, what its columns count, and where the pattern ends it."""
        sizes = [self._size(merges, None) for merges in self.sizes()]
        headings = ["vocabulary", "tokens", "bytes/tok", "chars/tok", "1-tok words", "in use", "bits/byte", "Renyi"]
        rows = [
            [
                number(size.vocab_size),
                number(size.tokens),
                number(size.bytes_per_token),
                number(size.characters_per_token),
                share(size.single_token_words),
                number(size.tokens_in_use),
                number(size.bits_per_byte),
                number(size.renyi_efficiency),
            ]
            for size in sizes
        ]
        drawn: list[Block] = [heading("Every vocabulary size"), table(headings, rows, 0)]
        drawn += [line(""), heading("What a size costs"), self._costs(sizes)]
        if len(self.languages) > 1:
            drawn += [line(""), heading("Bytes a token, by language"), self._by_language()]
        return [*drawn, line(""), *map(line, self._notes())]

    def _merges(self, vocab_size: int | None) -> int:
        """The most merges that make at most so many tokens."""
        least, most = int(self.vocab_sizes[0]), int(self.vocab_sizes[-1])
        wanted = checked_integer("vocab_size", 0 if vocab_size is None else vocab_size, least, most)
        return int(np.searchsorted(self.vocab_sizes, wanted, side="right")) - 1

    def _costs(self, sizes: Sequence[Size]) -> Block:
        headings = ["vocabulary", "attention", "of the ceiling"]
        rows = [[number(size.vocab_size), number(size.attention, 2), share(size.ceiling_share)] for size in sizes]
        if self.width is not None:
            headings += ["embedding", "untied", "multiplications"]
            for row, size in zip(rows, sizes, strict=True):
                row += [number(size.embedding), number(size.untied), f"{size.output_multiplications:.3e}"]
        return table(headings, rows, 0)

    def _by_language(self) -> Block:
        shown = self.sizes()[-5:]
        headings = ["language", *(number(int(self.vocab_sizes[merges])) for merges in shown)]
        rows = [
            [str(language), *(number(self._size(merges, language).bytes_per_token) for merges in shown)]
            for language in self.languages
        ]
        return table(headings, rows)

    def _notes(self) -> list[str]:
        ceiling = self.ceiling()
        shares = self._changes(None).bytes / np.maximum(self.tokens(), 1) / ceiling if ceiling > 0 else np.zeros(1)
        notes = [
            (
                "tokens: of this text, less is better. bytes/tok, chars/tok: all bytes (characters) over all tokens, "
                "more is better. 1-tok words: share of pretokens with a letter that are one token. in use: tokens that "
                "occur here; the others are wasted on it. bits/byte: entropy of single tokens. Renyi: how evenly the "
                f"tokens that occur are used (order {self.alpha:g}, 1 is even)."
            ),
            "attention: the square of the tokens over that of the whole vocabulary.",
            f"Text is cut into pretokens of {number(ceiling)} bytes, which no vocabulary passes.",
        ]
        if self.width is not None:
            notes[1] += (
                f" embedding: vocabulary x {self.width:,} parameters, which a tied output layer shares; untied: with "
                "one that has its own. multiplications: of the output layer for this text, tied or not."
            )
        near = np.flatnonzero(shares >= NEAR)
        if near.size:
            at = number(int(self.vocab_sizes[near[0]]))
            notes[-1] += f" From {at} tokens on it is at {NEAR:.0%} of that: more are of little use."
        return notes

    def _changes(self, language: str | None) -> Changes:
        if language in self.changes:
            return self.changes[language]
        if language is not None:
            raise KeyError(f"no text is in {language!r}\nhint: languages are {list(self.languages)}")
        return summed(list(self.changes.values()))

    def _size(self, merges: int, language: str | None) -> Size:
        curve, changes = self.curve(language), self._changes(language)
        tokens, vocab_size = int(curve.tokens[merges]), int(self.vocab_sizes[merges])
        last = int(curve.tokens[-1])
        nan = float("nan")
        per_token = changes.bytes / tokens if tokens else nan
        width = self.width
        return Size(
            vocab_size=vocab_size,
            merges=merges,
            language=language,
            tokens=tokens,
            bytes_per_token=per_token,
            characters_per_token=changes.characters / tokens if tokens else nan,
            ceiling_share=per_token / self.ceiling(language) if tokens else nan,
            tokens_in_use=int(curve.tokens_in_use[merges]),
            single_token_words=int(curve.single_token_words[merges]) / changes.words if changes.words else nan,
            entropy=float(curve.entropy[merges]),
            bits_per_byte=float(curve.entropy[merges]) / per_token if tokens else nan,
            renyi_efficiency=float(curve.renyi_efficiency[merges]),
            embedding=None if width is None else vocab_size * width,
            untied=None if width is None else 2 * vocab_size * width,
            output_multiplications=None if width is None else tokens * vocab_size * width,
            attention=(tokens / last) ** 2 if last else nan,
        )


def sweep(
    tok: Tokenizer,
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    languages: Iterable[str] | None = None,
    width: int | None = None,
    alpha: float = ALPHA,
    show: Sequence[int] | Literal["all"] | None = None,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Sweep:
    """What every smaller vocabulary of a tokenizer, made of its first merges, would make of a text.

    Each distinct pretoken is merged once, so all sizes together take no longer than one. The text is read once and is
    not kept: what is kept are its distinct pretokens. Special tokens in it are text.

    Args:
        tok: the tokenizer, of merges or of a rank file.
        texts: documents, str or bytes; or a mapping from languages to documents.
        files: paths and globs in place of `texts`; each file is one document.
        languages: the language of each text, or of each file.
        width: the width of an embedding, to have the size of its table and what the output layer costs.
        alpha: the order of Renyi's entropy.
        show: the vocabulary sizes that tables and rows have, or "all"; None for powers of two. All are there for `at`.
        threads: how many count; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`.
        ValueError: a number of languages that is not that of the texts.
        UnknownSymbolError: a byte or character that the vocabulary lacks.
    """
    checked(tok)
    width = None if width is None else checked_integer("width", width, 1)
    if not (math.isfinite(alpha) and alpha > 0):
        raise ValueError(f"alpha is {alpha!r}\nhint: it is a number above 0")
    if isinstance(show, str) and show != "all":
        raise ValueError(f'show is {show!r}\nhint: give vocabulary sizes, or "all"')
    shown: tuple[int, ...] | Literal["all"] | None = show if show is None or isinstance(show, str) else tuple(show)
    workers = processors(threads)
    tables = counted(tok, read(texts, files, languages, reading), workers)
    changes = {language: changes_of(tok, counts) for language, counts in tables.items()}
    sizes = _vocab_sizes(tok, next(iter(changes.values())).merges)
    return Sweep(sizes, tuple(tables), width, alpha, shown, changes)


def changes_of(tok: Tokenizer, counts: Counted) -> Changes:
    """What counted pretokens become at every vocabulary size; lengths are those of the text as it was given."""
    replayed = _core.replay(tok._engine, counts.table)  # noqa: SLF001
    merges, (words, single, characters), base, changes, wholes = replayed

    def array(view: memoryview, kind: type[np.generic]) -> NDArray[np.int64]:
        return np.frombuffer(view, dtype=kind).astype(np.int64, copy=False)

    return Changes(
        merges,
        array(base[0], np.uint32),
        array(base[1], np.int64),
        array(changes[0], np.uint32),
        array(changes[1], np.uint32),
        array(changes[2], np.int64),
        array(wholes[0], np.uint32),
        array(wholes[1], np.int64),
        words=words,
        single=single,
        pretokens=counts.table.total,
        bytes=counts.table.total_bytes if counts.size is None else counts.size.bytes,
        characters=characters if counts.size is None else counts.size.characters,
    )


def _vocab_sizes(tok: Tokenizer, merges: int) -> NDArray[np.int64]:
    """How many tokens the first K merges leave, for each K.

    What no merge makes comes with the last one, as in the engine's replay; a merge of what is a token adds none.
    """
    parts = tok.parts
    if parts.merges is None:
        return len(parts.tokens) - merges + np.arange(merges + 1)
    contents = dict(parts.tokens)
    ids = {content: id for id, content in parts.tokens}
    kept = base_symbols(parts)
    every = len(kept | contents.keys())
    sizes = [len(kept)]
    for left, right in parts.merges:
        kept.add(ids[contents[left] + contents[right]])
        sizes.append(len(kept))
    sizes[-1] = every
    return np.array(sizes, dtype=np.int64)
