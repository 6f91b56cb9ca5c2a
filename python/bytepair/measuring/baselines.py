"""`baselines`: what words, characters and bytes would be as vocabularies of the same text, beside tokenizers.

Words are runs of letters and marks, runs of digits, and single other signs; white space parts them and is none. With
words, a vocabulary has to stop somewhere (`min_count`), and what it does not have is either one `<unk>` for all, or
dropped. Dropping has a trap: after it, words stand side by side that never did (`an unusual dog` becomes `an dog`), and
a model learns from them. `Trap` counts such neighbours.

All texts are held in memory: give a sample of a large corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bytepair import _core
from bytepair.data import corpus
from bytepair.integers import checked_integer, processors
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tokenizers import named
from bytepair.render.spans import Block, heading, line
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.arguments import Text
    from bytepair.tokenizer import Tokenizer

__all__ = ["Baseline", "Baselines", "Trap", "baselines"]

WORDS = r"[\p{L}\p{M}]+|\p{N}+|\s+|[^\s\p{L}\p{M}\p{N}]"
_EXAMPLES = 5
_MOST = 1 << 18


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


@dataclass(frozen=True, eq=False, kw_only=True)
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
            notes.append(
                f"Dropping unknown words makes {trap.false:,} of {trap.neighbours:,} neighbours "
                f"({share(trap.false / trap.neighbours)}) of words that were none:"
            )
        drawn += [line(""), *map(line, notes)]
        if trap.examples:
            drawn.append(table(["as it was", "what is left"], trap.examples, 2))
        return drawn


def baselines(
    texts: Iterable[Text],
    held_out: Iterable[Text] | None = None,
    *,
    tok: Tokenizer | Sequence[Tokenizer] | Mapping[str, Tokenizer] = (),
    min_count: int = 2,
    threads: int | None = None,
) -> Baselines:
    """What words, characters and bytes would be as vocabularies, beside tokenizers.

    Args:
        texts: documents from which the vocabularies of words and characters are made.
        held_out: other documents, on which lengths and unknown words are counted; None for the same ones.
        tok: tokenizers that are shown beside them, as in `measure`; none by default.
        min_count: words that occur less often are unknown.
        threads: how many count; None for as many as there are processors.

    Raises:
        TypeError: what are no texts.

    >>> import bytepair as bp
    >>> found = bp.baselines(["a dog barks, a dog runs"], ["an unusual dog", "a big dog runs"])
    >>> found.distinct, found.once, found.trap.false, found.trap.examples[0]
    (5, 3, 1, ('a big dog', 'a dog'))
    """
    workers = processors(threads)
    least = checked_integer("min_count", min_count, 1)
    tokenizers = named(tok) if tok else {}
    seen = _Text(texts, workers)
    other = seen if held_out is None else _Text(held_out, workers)
    known = {word for word, count in seen.words.items() if count >= least}
    characters = set(seen.characters)
    unknown = sum(count for word, count in other.words.items() if word not in known)
    words = other.words.total()
    strange = sum(count for character, count in other.characters.items() if character not in characters)

    def system(name: str, vocab_size: int, length: int, lacks: int, units: int) -> Baseline:
        nan = float("nan")
        return Baseline(
            name=name,
            vocab_size=vocab_size,
            length=length,
            attention=(length / other.bytes) ** 2 if other.bytes else nan,
            unknown=lacks / units if units else nan,
        )

    systems = [
        system("words, <unk>", len(known) + 1, words, unknown, words),
        system("words, dropped", len(known), words - unknown, unknown, words),
        system("characters", len(characters), other.characters.total(), strange, other.characters.total()),
        system("bytes", 256, other.bytes, 0, other.bytes),
    ]
    for name, one in tokenizers.items():
        ids, _ = one.encode_batch_to_numpy(other.documents, threads=workers)
        systems.append(system(name, len(one) - len(one.special_tokens), ids.size, 0, ids.size))
    return Baselines(
        min_count=least,
        words=seen.words.total(),
        distinct=len(seen.words),
        once=sum(count == 1 for count in seen.words.values()),
        systems=tuple(systems),
        trap=_trap(other, known),
        is_held_out=held_out is not None,
    )


class _Text:
    """Documents, with how often each word and each character occurs."""

    def __init__(self, texts: Iterable[Text], threads: int) -> None:
        read = corpus(texts=texts, errors="bytes").documents()
        self.documents = [_core.raw(text) for batch in read for text in batch.documents]
        self.bytes = sum(map(len, self.documents))
        table = _core.Counts(WORDS, "bytes", None, False, [])
        table.add_documents([*self.documents], threads, "text {}".format)
        data, offsets, counts = table.export(0, table.distinct)
        places, often = offsets.cast("Q").tolist(), counts.cast("Q").tolist()
        self.words: Counter[bytes] = Counter()
        self.characters: Counter[str] = Counter()
        for (start, end), count in zip(pairwise(places), often, strict=True):
            word = data[start:end]
            text = word.decode("utf-8", "replace")
            for character in text:
                self.characters[character] += count
            if not text.isspace():
                self.words[word] += count


def _trap(text: _Text, known: set[bytes]) -> Trap:
    """The neighbours that dropping unknown words makes."""
    splitter = _splitter()
    neighbours = false = 0
    found: Counter[tuple[str, str]] = Counter()
    for document in text.documents:
        pieces = splitter.split(document)
        kept = [place for place, piece in enumerate(pieces) if piece in known]
        words = [place for place, piece in enumerate(pieces) if piece in text.words]
        order = {place: index for index, place in enumerate(words)}
        neighbours += max(len(kept) - 1, 0)
        for left, right in pairwise(kept):
            if order[right] - order[left] > 1:
                false += 1
                if len(found) < _MOST:
                    was = visible(b"".join(pieces[left : right + 1]))
                    found[was, f"{visible(pieces[left])} {visible(pieces[right])}"] += 1
    examples = sorted(found.items(), key=lambda item: (-item[1], len(item[0][0]), item[0]))[:_EXAMPLES]
    return Trap(neighbours=neighbours, false=false, examples=tuple(pair for pair, _ in examples))


def _splitter() -> Tokenizer:
    from bytepair.parts import Parts  # noqa: PLC0415
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415

    return Tokenizer.from_parts(Parts(pattern=WORDS, tokens=(), merges=()))
