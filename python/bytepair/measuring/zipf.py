"""`zipf`: the tokens of a text by rank, from the most frequent on, and how much of the vocabulary is used at all.

In text of a language the token of rank r occurs about as often as 1 / r: on axes of logarithms a line, whose slope is
near -1. Its head says how much of the text a few tokens make up, its tail how many tokens a model sees too seldom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bytepair.measuring.definitions import DEFINITIONS, SHOWN
from bytepair.measuring.measuring import Figures, measure
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tokenizers import named
from bytepair.render.spans import Block, heading, line
from bytepair.render.visible import quoted, visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

__all__ = ["Rank", "Zipf", "zipf"]

FIRST = 10
"""The ranks that are shown one by one; after them 20, 50, 100, 200, 500 and so on."""
_FIGURES = (
    *("vocab_size", "tokens", "tokens_in_use", "never_seen", "rare", "zipf_slope"),
    *("coverage_1", "coverage_10", "coverage_100", "coverage_1000"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """A token of a text and its place by frequency; of equally frequent ones, the lower id first."""

    tokenizer: str
    """The tokenizer's name."""
    rank: int
    """The place, from 1."""
    id: int
    """The token's id."""
    token: bytes
    """Its bytes."""
    count: int
    """How often it occurs."""
    share: float
    """The share of the text's tokens."""
    coverage: float
    """The share that it and all more frequent ones make up."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Zipf(Shown):
    """Tokens by frequency, and the use of vocabularies; `zipf` makes it.

    >>> import bytepair as bp
    >>> found = bp.zipf(bp.train(texts=["low lower low low"], num_merges=3), ["low low lower"])
    >>> [(rank.token, rank.count) for rank in found.ranks[:2]]
    [(b' low', 2), (b'e', 1)]
    """

    figures: tuple[Figures, ...]
    """What `measure` says of each tokenizer."""
    ranks: tuple[Rank, ...]
    """Some ranks of each tokenizer: 1 to 10, and then fewer and fewer, up to the last."""
    counts: Mapping[str, NDArray[np.int64]]
    """All counts of each tokenizer's tokens that occur, the largest first."""

    def __post_init__(self) -> None:
        if {rank.tokenizer for rank in self.ranks} - {one.tokenizer for one in self.figures}:
            raise ValueError("the ranks are not those of the tokenizers\nhint: use bytepair.zipf")

    def __repr__(self) -> str:
        return f"<Zipf of {', '.join(one.tokenizer for one in self.figures)}>"

    def rows(self) -> list[Row]:
        """The ranks."""
        return [asdict(rank) | {"token": visible(rank.token)} for rank in self.ranks]

    def column_names(self) -> tuple[str, ...]:
        """Of the rows, also of none."""
        return tuple(each.name for each in fields(Rank))

    def to_dict(self) -> dict[str, Any]:
        """The figures and the ranks."""
        figures = [
            {"tokenizer": one.tokenizer} | {name: plain_value(getattr(one, name)) for name in _FIGURES}
            for one in self.figures
        ]
        return {"figures": figures, "rows": self.rows(), "definitions": {name: DEFINITIONS[name] for name in _FIGURES}}

    def blocks(self) -> list[Block]:
        """The figures side by side, and the ranks of each tokenizer."""
        rows = [[SHOWN[name][0], *(SHOWN[name][1](getattr(one, name)) for one in self.figures)] for name in _FIGURES]
        drawn: list[Block] = [heading("Frequent and rare tokens")]
        drawn.append(table(["figure", *(one.tokenizer for one in self.figures)], rows))
        for one in self.figures:
            ranks = [rank for rank in self.ranks if rank.tokenizer == one.tokenizer]
            cells = [
                [number(each.rank), number(each.count), share(each.share), share(each.coverage), quoted(each.token)]
                for each in ranks
            ]
            title = "By rank" if len(self.figures) == 1 else f"By rank: {one.tokenizer}"
            headings = ["rank", "times", "share", "up to here", "token"]
            drawn += [line(""), heading(title), table(headings, cells, 0, fold=True)]
        drawn += [line(""), heading("What is counted")]
        return [*drawn, *(line(f"{SHOWN[name][0]}: {DEFINITIONS[name]}") for name in _FIGURES)]


def zipf(
    tok: Tokenizer | Sequence[Tokenizer] | Mapping[str, Tokenizer],
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Zipf:
    """The tokens of a text by frequency: Zipf's law, what the most frequent ones make up, what is never seen.

    Args:
        tok: a tokenizer, a list of them, or a mapping from names to them.
        texts: documents, str or bytes.
        files: paths and globs in place of `texts`.
        threads: how many encode; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`; what is no tokenizer.
        ValueError: no tokenizer.
    """
    tokenizers = named(tok)
    measured = measure(tokenizers, texts, files=files, threads=threads, **reading)
    ranks: list[Rank] = []
    counts: dict[str, NDArray[np.int64]] = {}
    for name, one in tokenizers.items():
        seen = measured.counts[name, None]
        order = np.argsort(-seen, kind="stable")[: np.count_nonzero(seen)]
        counts[name] = seen[order]
        ranks += _ranks(name, one, order, counts[name])
    figures = tuple(measured.of(name) for name in tokenizers)
    return Zipf(figures=figures, ranks=tuple(ranks), counts=counts)


def _ranks(name: str, tok: Tokenizer, order: NDArray[np.int64], counts: NDArray[np.int64]) -> Iterator[Rank]:
    """Some ranks of one tokenizer, the last one included."""
    total, sums = int(counts.sum()), np.cumsum(counts)
    places = list(range(1, min(FIRST, counts.size) + 1))
    step = FIRST
    while step < counts.size:
        places += [place for place in (2 * step, 5 * step, 10 * step) if place < counts.size]
        step *= 10
    if counts.size > FIRST:
        places.append(counts.size)
    for place in places:
        id, count = int(order[place - 1]), int(counts[place - 1])
        yield Rank(
            tokenizer=name,
            rank=place,
            id=id,
            token=tok.bytes_of(id),
            count=count,
            share=count / total,
            coverage=int(sums[place - 1]) / total,
        )
