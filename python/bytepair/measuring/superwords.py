"""`superwords`: what tokens of several words would save, and for whom.

No merge crosses a cut of the pattern, so no token holds two words. Training in two phases (arXiv:2604.05192) lets them:
first BPE as ever; then each maximal run of two or more neighbouring pretokens that are one token and hold a letter is a
word over tokens, and BPE on these words makes tokens of several words (` of the`).

The idea: the first phase is a tokenizer with fewer merges, and the second is training with an alphabet of characters,
one for each token. So both are trainings that there are, and a text has as many tokens as the first phase makes of it,
less what the second joins. This is a measurement: no tokenizer here encodes so. At the same size of the vocabulary it
is compared with all merges in the first phase, on a text and on aligned lines, since it widens the gap between
languages. Cost: a Python operation a pretoken.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from bytepair import _core
from bytepair.errors import TrainingWarning
from bytepair.integers import checked_integer
from bytepair.measuring.figures import gini
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tokenizers import UnsuitableError, checked, lies_end_to_end
from bytepair.render.spans import Block, Span, heading, line
from bytepair.render.visible import visible
from bytepair.tax.aligned import Parallel, aligned

if TYPE_CHECKING:
    from bytepair.arguments import Text
    from bytepair.tokenizer import Tokenizer

__all__ = ["SuperwordCost", "Superwords", "superwords"]

FIRST = 0x10000
"""The character of token 0: no white space is at or above it."""
EXAMPLES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SuperwordCost:
    """Tokens of a text both ways, at the same size of the vocabulary."""

    language: str | None
    """The language of the aligned lines; None for the text that was learned from."""
    bytes: int
    """Bytes of the text."""
    tokens: int
    """Tokens that the tokenizer makes of it, with all its merges."""
    superword_tokens: int
    """Tokens in two phases."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Superwords(Shown):
    """What superwords save; `superwords` makes it."""

    vocab_size: int
    """Tokens in either vocabulary, special ones excluded."""
    merges: int
    """How many merges made room for superwords."""
    learned: int
    """How many superwords were learned: fewer where the text has no more."""
    text: SuperwordCost
    """On the text that was learned from."""
    costs: tuple[SuperwordCost, ...]
    """On the aligned lines, by language."""
    source: str
    """What the aligned lines are."""
    examples: tuple[tuple[bytes, int], ...]
    """The first superwords that were learned, and how often each was made."""

    def __repr__(self) -> str:
        return f"<Superwords: {self.learned} of {self.vocab_size} tokens>"

    def rows(self) -> list[Row]:
        """The text, and then each language of the aligned lines."""
        return [{name: plain_value(value) for name, value in asdict(cost).items()} for cost in (self.text, *self.costs)]

    def spread(self) -> dict[str, tuple[float, float]]:
        """How far apart languages are on the aligned lines, without superwords and with them.

        `mean` and `max` of the tokens over languages, `gini` of them, and `max_over_min`.
        """
        both = [[cost.tokens for cost in self.costs], [cost.superword_tokens for cost in self.costs]]

        def pair(one: float, other: float) -> tuple[float, float]:
            return one, other

        return {
            "mean": pair(*(sum(tokens) / len(tokens) for tokens in both)),
            "max": pair(*map(max, both)),
            "gini": pair(*map(gini, both)),
            "max_over_min": pair(*(max(tokens) / min(tokens) if min(tokens) else float("nan") for tokens in both)),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "vocab_size": self.vocab_size,
            "merges": self.merges,
            "learned": self.learned,
            "source": self.source,
            "spread": {name: [plain_value(value) for value in both] for name, both in self.spread().items()},
            "examples": [[visible(content), count] for content, count in self.examples],
            "rows": self.rows(),
        }

    def blocks(self) -> list[Block]:
        """Both ways on the text and on each language, the spread, and some of what was learned."""
        headings = ["", "bytes", "BPE", "bytes/tok", "superwords", "bytes/tok", "saved"]
        rows = [[cost.language or "the text", *_cells(cost)] for cost in (self.text, *self.costs)]
        spread = [[name, number(one), number(other)] for name, (one, other) in self.spread().items()]
        shown = ", ".join(f"`{visible(content)}`" for content, _ in self.examples)
        return [
            heading(f"Superwords: {self.learned:,} of {self.vocab_size:,} tokens"),
            line(Span(f"Aligned lines: {self.source}", "note")),
            table(headings, rows),
            line(""),
            table(["over languages", "BPE", "superwords"], spread),
            line(""),
            line(f"The first that were learned: {shown or 'none'}."),
            line(
                "Both vocabularies have the same size; saved: tokens, below 0 where the merges that were given up are "
                "missed more. The spread says who pays: superwords help most where a word is one token already."
            ),
        ]


def _cells(cost: SuperwordCost) -> list[str]:
    counts = cost.tokens, cost.superword_tokens
    before, after = (number(cost.bytes / tokens) if tokens else "-" for tokens in counts)
    saved = share(1 - cost.superword_tokens / cost.tokens) if cost.tokens else "-"
    return [number(cost.bytes), number(cost.tokens), before, number(cost.superword_tokens), after, saved]


def superwords(tok: Tokenizer, texts: Iterable[Text], *, merges: int, parallel: Parallel | None = None) -> Superwords:
    """What training in two phases would save, at the size of a tokenizer's vocabulary.

    Args:
        tok: a tokenizer of bytes with a list of merges. Its last `merges` merges make room for superwords.
        texts: documents, str or bytes, from which superwords are learned; best those that `tok` was trained on.
        merges: how many superwords there shall be.
        parallel: aligned lines, as `language_tax` takes them; None for the declaration in 75 languages.

    Raises:
        TypeError: what are no texts.
        ValueError: a tokenizer without merges, or of characters; more superwords than merges.
        UnknownSymbolError: a byte that the vocabulary lacks.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["of the cat of the mat of the hat"] * 9, num_merges=10)
    >>> found = bp.superwords(tok, ["of the cat of the mat"], merges=2, parallel={"en": ["of the rat"]})
    >>> [cost] = found.costs
    >>> cost.tokens, cost.superword_tokens, [content for content, _ in found.examples]
    (5, 4, [b'of the', b' of the'])
    """
    if not lies_end_to_end(checked(tok, without_words="superwords are measured of bytes alone")):
        raise UnsuitableError(
            "superwords are measured of bytes alone\nhint: give a tokenizer of bytes that does not normalise"
        )
    most = tok.parts.merges
    if most is None:
        raise ValueError("the tokenizer is a rank file, which has no list of merges\nhint: train one")
    merges = checked_integer("merges", merges, 0, len(most))
    documents = _documents(texts)
    lines = aligned(parallel)
    phases = _Phases(tok, len(most) - merges)
    phases.learn(documents, merges)
    vocabulary = len(tok.parts.tokens)

    def cost(language: str | None, texts: Iterable[Text]) -> SuperwordCost:
        known = list(texts)
        return SuperwordCost(
            language=language,
            bytes=sum(len(_core.raw(text)) for text in known),
            tokens=sum(map(tok.count, known)),
            superword_tokens=sum(map(phases.count, known)),
        )

    return Superwords(
        vocab_size=vocabulary,
        merges=merges,
        learned=phases.learned,
        text=cost(None, documents),
        costs=tuple(cost(language, each) for language, each in lines.lines.items()),
        source=lines.source,
        examples=phases.examples(EXAMPLES),
    )


def _documents(texts: Iterable[Text]) -> list[Text]:
    if isinstance(texts, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(texts, Iterable):
        raise TypeError(f"texts is of type `{type(texts).__name__}`\nhint: pass a list of str or bytes")
    return list(texts)


class _Phases:
    """A tokenizer in two phases, which counts."""

    def __init__(self, tok: Tokenizer, merges: int) -> None:
        """The first phase: the first merges."""
        self._pattern = tok
        parts = replace(tok.truncated(num_merges=merges).tokenizer.parts, specials=(), pattern=None)
        self._first = type(tok).from_parts(parts)
        self._contents = dict(parts.tokens)
        if max(self._contents, default=0) > 0x10FFFF - FIRST:
            raise ValueError("the vocabulary has more tokens than there are characters\nhint: use a smaller one")
        self._pieces: dict[str | bytes, tuple[int, str]] = {}
        self._words: dict[str, int] = {}

    def learn(self, documents: Iterable[Text], merges: int) -> None:
        """The second phase: merges of neighbouring words."""
        from bytepair.training.train import train  # noqa: PLC0415 - loads all of training

        words = Counter(word for text in documents for word in self._runs(text))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)  # `learned` says it
            self._second = train(counts=words, alphabet="characters", num_merges=merges)
        self._known = frozenset("".join(words))

    @property
    def learned(self) -> int:
        """The superwords of the second phase."""
        return len(self._second.merges)

    def count(self, text: Text) -> int:
        """The tokens of a text in both phases."""
        tokens = sum(self._piece(pretoken)[0] for pretoken in self._pattern.split(text))
        return tokens - sum(map(self._saved, self._runs(text)))

    def examples(self, most: int) -> tuple[tuple[bytes, int], ...]:
        """The first superwords, and how often each was made."""
        record = self._second.training
        fired_all = record.fired if record is not None else ()
        found: list[tuple[bytes, int]] = []
        for (left, right), fired in list(zip(self._second.merges, fired_all, strict=True))[:most]:
            characters = (self._second.bytes_of(left) + self._second.bytes_of(right)).decode()
            found.append((b"".join(self._contents[ord(one) - FIRST] for one in characters), fired))
        return tuple(found)

    def _piece(self, pretoken: str | bytes) -> tuple[int, str]:
        """How many tokens a pretoken is, and its character, if it is one token and holds a letter."""
        known = self._pieces.get(pretoken)
        if known is None:
            ids = self._first.encode(pretoken)
            text = pretoken if isinstance(pretoken, str) else pretoken.decode("utf-8", "replace")
            is_word = len(ids) == 1 and any(map(str.isalpha, text))
            known = self._pieces[pretoken] = len(ids), chr(FIRST + ids[0]) if is_word else ""
        return known

    def _runs(self, text: Text) -> Iterator[str]:
        """The maximal runs of two or more words that are one token, as words of characters."""
        run: list[str] = []
        for pretoken in self._pattern.split(text):
            character = self._piece(pretoken)[1]
            if character:
                run.append(character)
                continue
            if len(run) > 1:
                yield "".join(run)
            run = []
        if len(run) > 1:
            yield "".join(run)

    def _saved(self, word: str) -> int:
        """How many tokens the second phase joins in a word; one that it never saw joins nothing."""
        known = self._words.get(word)
        if known is None:
            seen = "".join(one if one in self._known else " " for one in word).split(" ")
            known = self._words[word] = sum(len(part) - self._second.count(part) for part in seen if part)
        return known
