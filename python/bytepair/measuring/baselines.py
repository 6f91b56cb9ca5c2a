"""`baselines`: what words, characters and bytes would be as vocabularies of the same text, beside tokenizers.

Words are runs of letters and marks, runs of digits, and single other signs; white space parts them and is none. With
words, a vocabulary has to stop somewhere (`min_count`), and what it does not have is either one `<unk>` for all, or
dropped. Dropping has a trap: after it, words stand side by side that never did (`an unusual dog` becomes `an dog`), and
a model learns from them. `Trap` counts such neighbours.

Both texts are read once, in parts (without a held-out text, the one twice); what is kept are the different words.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bytepair.integers import checked_integer, processors
from bytepair.measuring.classes import SPACE, classified
from bytepair.measuring.counting import counted
from bytepair.measuring.lengths import Lengths
from bytepair.measuring.neighbours import WORDS, Neighbours
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tokenizers import named
from bytepair.render.spans import Block, heading, line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.data import Batch
    from bytepair.tokenizer import Tokenizer

__all__ = ["Baseline", "Baselines", "Trap", "baselines"]

_EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One way to cut the text."""

    name: str
    """What it is."""
    vocab_size: int
    """Units in the vocabulary; of words, those that occur often enough, and `<unk>` if it has one."""
    length: int
    """Units of the held-out text."""
    attention: float
    """The square of the length over that of bytes: the cost of attention."""
    unknown: float
    """The share of units of the held-out text, `<unk>` or dropped ones included, that the vocabulary lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """What dropping unknown words does to the held-out text."""

    neighbours: int
    """Pairs of words that stand side by side after dropping."""
    false: int
    """Those that did not before: something was dropped between them."""
    examples: tuple[tuple[str, str], ...]
    """The text as it was, and what is left of it; the most frequent ones."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Baselines(Shown):
    """Words, characters, bytes and tokenizers on one text; `baselines` makes it."""

    min_count: int
    """Words that occur less often are unknown."""
    words: int
    """Words of the text from which vocabularies are made."""
    distinct: int
    """Different ones."""
    once: int
    """Those of them that occur once."""
    systems: tuple[Baseline, ...]
    """Each way."""
    trap: Trap
    """What dropping does."""
    is_held_out: bool
    """Whether the lengths and unknown words are those of other texts."""

    def __post_init__(self) -> None:
        if not self.once <= self.distinct <= self.words:
            raise ValueError("there are more different words than words\nhint: use bytepair.baselines")

    def __repr__(self) -> str:
        return f"<Baselines: {', '.join(one.name for one in self.systems)}>"

    def rows(self) -> list[Row]:
        """One row for each way."""
        return [{name: plain_value(value) for name, value in asdict(one).items()} for one in self.systems]

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        plain = {name: value for name, value in vars(self).items() if isinstance(value, int)}
        trap = asdict(self.trap) | {"examples": [list(pair) for pair in self.trap.examples]}
        return plain | {"rows": self.rows(), "trap": trap}

    def blocks(self) -> list[Block]:
        """The table, the words, and the trap."""
        rows = [
            [one.name, number(one.vocab_size), number(one.length), number(one.attention, 4), share(one.unknown)]
            for one in self.systems
        ]
        where = "held-out text" if self.is_held_out else "the same text"
        drawn: list[Block] = [heading("Words, characters, bytes, tokens")]
        drawn.append(table(["", "vocabulary", "length", "attention", "unknown"], rows))
        once = share(self.once / self.distinct if self.distinct else None)
        notes = [
            (
                f"length, unknown: units of {where}, and the share of them that the vocabulary lacks. attention: the "
                "square of the length over that of bytes."
            ),
            (
                f"{self.words:,} words, {self.distinct:,} different ones; {self.once:,} of these ({once}) occur once, "
                "and a model learns nothing of them."
            ),
        ]
        trap = self.trap
        if trap.neighbours:
            end = ", most often these:" if trap.examples else "."
            notes.append(
                f"Dropping unknown words makes {trap.false:,} of {trap.neighbours:,} neighbours "
                f"({share(trap.false / trap.neighbours)}) of words that were none{end}"
            )
        drawn += [line(""), *map(line, notes)]
        if trap.examples:
            drawn.append(table(["as it was", "what is left"], trap.examples, 2))
        return drawn


def baselines(
    texts: LanguageTexts | None = None,
    held_out: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    held_out_files: LanguageFiles | None = None,
    tok: Tokenizer | Sequence[Tokenizer] | Mapping[str, Tokenizer] = (),
    min_count: int = 2,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Baselines:
    """What words, characters and bytes would be as vocabularies, beside tokenizers.

    Args:
        texts: documents from which the vocabularies of words and characters are made.
        held_out: other documents, on which lengths and unknown words are counted; None for the same ones.
        files: paths and globs in place of `texts`.
        held_out_files: paths and globs in place of `held_out`.
        tok: tokenizers that are shown beside them, as in `measure`; none by default.
        min_count: words that occur less often are unknown.
        threads: how many count; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: what are no texts; none or both of `texts` and `files`, or both held-out ones.
        ValueError: texts that can be read only once, without held-out ones.

    >>> import bytepair as bp
    >>> found = bp.baselines(["a dog barks, a dog runs"], ["an unusual dog", "a big dog runs"])
    >>> found.distinct, found.once, found.trap.false, found.trap.examples[0]
    (5, 3, 1, ('a big dog', 'a dog'))
    """
    workers = processors(threads)
    least = checked_integer("min_count", min_count, 1)
    tokenizers = named(tok) if tok else {}
    first = read(texts, files, None, reading)
    is_held_out = held_out is not None or held_out_files is not None
    other = read(held_out, held_out_files, None, reading) if is_held_out else first
    seen = _words(first, workers)
    known = {word for word, count in seen.words.items() if count >= least}
    found, lengths = Neighbours(known), Lengths(tokenizers)
    passing = _passing(other, found, lengths)
    if is_held_out:
        others = _words(passing, workers)
    else:
        deque(passing, maxlen=0)  # to its end
        others = seen
    return Baselines(
        min_count=least,
        words=seen.words.total(),
        distinct=len(seen.words),
        once=sum(count == 1 for count in seen.words.values()),
        systems=tuple(_systems(known, seen, others, lengths, tokenizers)),
        trap=Trap(neighbours=found.pairs, false=found.false, examples=found.examples(_EXAMPLES)),
        is_held_out=is_held_out,
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """How often each word and each character of a text occurs."""

    words: Counter[bytes]
    characters: Counter[str]


def _passing(batches: Iterable[Batch], found: Neighbours, lengths: Lengths) -> Iterator[Batch]:
    """The batches, after they were looked at."""
    for batch in batches:
        found.add(batch)
        lengths.add(batch)
        yield batch
        del batch  # or it would be held while the next one is read


def _words(batches: Iterable[Batch], threads: int) -> _Words:
    words, characters = Counter[bytes](), Counter[str]()
    for found in counted(_splitter(), batches, threads).values():
        data, offsets, counts = found.table.export(0, found.table.distinct)
        places = np.frombuffer(offsets, dtype=np.uint64).astype(np.int64)
        often = np.frombuffer(counts, dtype=np.uint64).astype(np.int64)
        pieces = [data[start:end] for start, end in pairwise(places.tolist())]
        is_word = classified([data]).classes[places[:-1]] != SPACE
        words.update(dict(zip(compress(pieces, is_word), often[is_word].tolist(), strict=True)))
        characters.update(_characters(pieces, often))
    return _Words(words, characters)


def _splitter() -> Tokenizer:
    """A tokenizer that cuts text into words and white space."""
    from bytepair.parts import Parts  # noqa: PLC0415
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415

    tokens = tuple((byte, bytes([byte])) for byte in range(256))
    return Tokenizer.from_parts(Parts(pattern=WORDS, tokens=tokens, merges=()))


def _characters(pieces: Sequence[bytes], often: NDArray[np.int64]) -> dict[str, int]:
    """How often each character occurs in pieces of which each occurs so often."""
    texts = [piece.decode("utf-8", "replace") for piece in pieces]
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    if not codes.size:
        return {}
    order = np.argsort(codes, kind="stable")
    counts = np.repeat(often, list(map(len, texts)))[order]
    starts = np.flatnonzero(np.diff(codes[order], prepend=codes[order[0]] + 1))
    return dict(zip(map(chr, codes[order[starts]].tolist()), np.add.reduceat(counts, starts).tolist(), strict=True))


def _systems(
    known: set[bytes], seen: _Words, other: _Words, lengths: Lengths, tokenizers: Mapping[str, Tokenizer]
) -> Iterator[Baseline]:
    """Each way to cut the text."""
    words, characters = other.words.total(), other.characters.total()
    unknown = sum(count for word, count in other.words.items() if word not in known)
    strange = sum(count for character, count in other.characters.items() if character not in seen.characters)
    cut = [
        ("words, <unk>", len(known) + 1, words, unknown, words),
        ("words, dropped", len(known), words - unknown, unknown, words),
        ("characters", len(seen.characters), characters, strange, characters),
        ("bytes", 256, lengths.bytes, 0, lengths.bytes),
    ]
    cut += [
        (name, len(tok) - len(tok.special_tokens), lengths.tokens[name], 0, lengths.tokens[name])
        for name, tok in tokenizers.items()
    ]
    nan = float("nan")
    for name, vocab_size, length, lacks, units in cut:
        yield Baseline(
            name=name,
            vocab_size=vocab_size,
            length=length,
            attention=(length / lengths.bytes) ** 2 if lengths.bytes else nan,
            unknown=lacks / units if units else nan,
        )
