"""`tax_curve`: how unequally languages pay, at every vocabulary size.

The first merges of a tokenizer are a smaller tokenizer, and one pass over the text of each language gives its tokens
at every size (`sweep`). Of these the mean, the maximum and Gini's coefficient are shown together, since parity can be
bought by making all languages dear.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from bytepair.measuring.figures import gini
from bytepair.measuring.shown import Row, Shown, number, plain_value, table
from bytepair.measuring.sweeping import Sweep, sweep
from bytepair.render.spans import Block, Span, heading, line
from bytepair.tax.aligned import Parallel, aligned
from bytepair.tax.languages import named_tokenizers

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["TaxCurve", "TaxPoint", "tax_curve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxPoint:
    """How far apart the languages are at one vocabulary size of one tokenizer. Sums over all lines."""

    tokenizer: str
    """What the tokenizer is called."""
    vocab_size: int
    """Tokens in the vocabulary of its first merges, special ones excluded."""
    mean_tokens: float
    """The mean over languages of the text's tokens: what everyone pays."""
    max_tokens: int
    """The tokens of the dearest language."""
    dearest: str
    """Which one that is; of several the first."""
    max_over_min: float
    """Tokens of the dearest language over those of the cheapest."""
    gini: float
    """sum |ci - cj| / (2 n^2 mean) of the languages' tokens: 0 if all cost the same."""


@dataclass(frozen=True, eq=False, repr=False)
class TaxCurve(Shown):
    """What languages pay at each size; `tax_curve` makes it.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest"], num_merges=3)
    >>> curve = bp.tax_curve(tok, {"en": ["low", "lower"], "de": ["tief", "tiefer"]})
    >>> [(point.vocab_size, point.mean_tokens, point.dearest, round(point.gini, 3)) for point in curve.points]
    [(256, 9.0, 'de', 0.056), (259, 7.0, 'de', 0.214)]
    """

    points: tuple[TaxPoint, ...]
    """By size, and then by tokenizer."""
    languages: tuple[str, ...]
    """The languages of the text."""
    source: str
    """What the text is."""
    lines: int
    """How many aligned lines it has."""
    sweeps: Mapping[str, Sweep]
    """The tokens of each language at every size, by tokenizer."""

    def __repr__(self) -> str:
        return f"<TaxCurve of {len(self.languages)} languages, {', '.join(self.sweeps)}>"

    def rows(self) -> list[Row]:
        """One row for each size that is shown and each tokenizer."""
        return [{name: plain_value(value) for name, value in asdict(point).items()} for point in self.points]

    def to_dict(self) -> dict[str, Any]:
        """Everything that is shown, as plain data."""
        return {
            "source": self.source,
            "lines": self.lines,
            "languages": list(self.languages),
            "rows": self.rows(),
        }

    def blocks(self) -> list[Block]:
        """The sizes, and what the columns say."""
        headings = ["vocabulary", "tokenizer", "mean", "max", "dearest", "max/min", "Gini"]
        rows = [
            [
                number(point.vocab_size),
                point.tokenizer,
                number(point.mean_tokens, 0),
                number(point.max_tokens),
                point.dearest,
                number(point.max_over_min, 2),
                number(point.gini, 4),
            ]
            for point in self.points
        ]
        note = (
            "mean, max: tokens of the text over languages, less is better. Gini: 0 if every language costs the same; "
            "read it with the mean, since parity can be bought by making all dear."
        )
        return [
            heading(f"Language tax by vocabulary size: {len(self.languages)} languages, {self.lines} aligned lines"),
            line(Span(self.source, "note")),
            table(headings, rows, 2),
            line(""),
            line(Span(note, "note")),
        ]


def tax_curve(
    tokenizers: Tokenizer | Iterable[Tokenizer] | Mapping[str, Tokenizer],
    parallel: Parallel | None = None,
    *,
    show: Sequence[int] | Literal["all"] | None = None,
    threads: int | None = None,
) -> TaxCurve:
    """How unequally languages pay for the same text, at every vocabulary size that the first merges make.

    Args:
        tokenizers: one, a list, or a mapping from names to them.
        parallel: the text, as `language_tax` takes it.
        show: the vocabulary sizes that are shown, or "all"; None for powers of two.
        threads: how many count; None for as many as there are processors.

    Raises:
        TypeError: what are no tokenizers, or no lines.
        ValueError: no tokenizer; languages with different numbers of lines; a size that a tokenizer does not have.
        UnknownSymbolError: a tokenizer without a symbol for a byte or character of the text.
        OSError: a file that cannot be read.
    """
    named = named_tokenizers(tokenizers)
    text = aligned(parallel)
    sweeps = {name: sweep(tok, text.lines, show=show, threads=threads) for name, tok in named.items()}
    points = [_point(name, swept, merges) for name, swept in sweeps.items() for merges in swept.sizes()]
    points.sort(key=lambda point: point.vocab_size)
    lines = len(next(iter(text.lines.values())))
    return TaxCurve(tuple(points), tuple(text.lines), text.source, lines, sweeps)


def _point(name: str, swept: Sweep, merges: int) -> TaxPoint:
    tokens = {str(language): int(swept.tokens(language)[merges]) for language in swept.languages}
    dearest = max(tokens, key=tokens.__getitem__)
    least = min(tokens.values())
    return TaxPoint(
        tokenizer=name,
        vocab_size=int(swept.vocab_sizes[merges]),
        mean_tokens=sum(tokens.values()) / len(tokens),
        max_tokens=tokens[dearest],
        dearest=dearest,
        max_over_min=tokens[dearest] / least if least else float("nan"),
        gini=gini(list(tokens.values())),
    )
