"""`language_tax`: what the same text costs in each language.

Tokens of a language over tokens of the base language on the same aligned lines, sums over sums. A language that needs
twice the tokens pays twice for the same answer, waits twice as long, and has half the context window. How far apart
languages are is said by max/min and by Gini's coefficient, always together with the mean and the maximum, since parity
can be bought by making all languages dear.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bytepair.errors import UnknownSymbolError
from bytepair.integers import checked_integer
from bytepair.measuring.bootstrap import interval
from bytepair.measuring.figures import gini
from bytepair.measuring.shown import Row, Shown, number, table
from bytepair.render.spans import Block, Line, Span, Table, heading, line
from bytepair.tax.aligned import Parallel, aligned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

__all__ = ["LanguageCost", "LanguageTax", "Spread", "language_tax", "named_tokenizers"]

WINDOW = 128_000
"""Tokens of the context window, where none is named."""
MILLION = 1_000_000
WIDE = 16
"""Columns for the name of a language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageCost:
    """What one language costs with one tokenizer. Sums over all lines."""

    tokenizer: str
    """What the tokenizer is called."""
    language: str
    """The language's code."""
    name: str
    """What it is called in English."""
    tokens: int
    """Tokens of the text, each line encoded by itself."""
    characters: int
    """Its characters."""
    bytes: int
    """Its bytes in UTF-8."""
    ratio: float
    """Tokens over those of the base language: below 1 is cheaper."""
    characters_per_token: float
    """Characters over tokens; not comparable between scripts, since a character says more or less."""
    window_characters: int
    """Characters that fit into the context window."""
    cost: float | None
    """What the text costs that takes a million tokens in the base language, at the price that was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How far apart the languages are with one tokenizer."""

    tokenizer: str
    """What it is called."""
    languages: int
    """How many languages."""
    mean_tokens: float
    """The mean over languages of the text's tokens: what everyone pays."""
    max_tokens: int
    """The tokens of the dearest language."""
    mean_ratio: float
    """The mean over languages of the ratio to the base language."""
    max_ratio: float
    """That of the dearest language."""
    max_over_min: float
    """Tokens of the dearest language over those of the cheapest."""
    gini: float
    """sum |ci - cj| / (2 n^2 mean) of the languages' tokens: 0 if all cost the same."""
    difference: float | None
    """The mean ratio less that of the first tokenizer; None for the first, as the next two."""
    difference_low: float | None
    """Where 95 % of the differences lie that other lines like these would give, from here ..."""
    difference_high: float | None
    """... to here: a paired bootstrap over the lines."""


@dataclass(frozen=True, eq=False, repr=False)
class LanguageTax(Shown):
    """What each language costs; `language_tax` makes it.

    >>> import bytepair as bp
    >>> tax = bp.language_tax(bp.train(texts=[], vocab_size=256))
    >>> [cost] = [cost for cost in tax.costs if cost.language == "ru"]
    >>> cost.tokens, round(cost.ratio, 2), cost.tokens == cost.bytes
    (17266, 2.09, True)
    >>> tax.worst(3)
    ['my', 'ta', 'bo']
    """

    costs: tuple[LanguageCost, ...]
    """By tokenizer, the dearest language first."""
    spreads: tuple[Spread, ...]
    """One for each tokenizer."""
    base: str
    """The language that ratios are to."""
    source: str
    """What the text is."""
    lines: int
    """How many aligned lines it has."""
    window: int
    """Tokens of the context window."""
    price: float | None
    """The price of a million tokens."""

    @property
    def tokenizers(self) -> tuple[str, ...]:
        """What the tokenizers are called."""
        return tuple(spread.tokenizer for spread in self.spreads)

    def worst(self, most: int) -> list[str]:
        """The languages that are dearest with the first tokenizer, the dearest first."""
        return [cost.language for cost in self.costs if cost.tokenizer == self.tokenizers[0]][:most]

    def __repr__(self) -> str:
        return f"<LanguageTax of {self.spreads[0].languages} languages, {', '.join(self.tokenizers)}>"

    def rows(self) -> list[Row]:
        """One row for each tokenizer and language, the dearest language first."""
        return [{name: _plain(value) for name, value in asdict(cost).items()} for cost in self.costs]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "source": self.source,
            "lines": self.lines,
            "base": self.base,
            "window": self.window,
            "price": self.price,
            "spreads": [{name: _plain(value) for name, value in asdict(spread).items()} for spread in self.spreads],
            "rows": self.rows(),
        }

    def blocks(self) -> list[Block]:
        """The languages, how far apart they are, and what the columns say."""
        several = len(self.spreads) > 1
        drawn: list[Block] = [
            heading(f"Language tax: {self.spreads[0].languages} languages, {self.lines} aligned lines"),
            line(Span(self.source, "note")),
            self._side_by_side() if several else self._of_one(),
            line(""),
            self._spread(),
            line(""),
        ]
        return [*drawn, *(line(Span(note, "note")) for note in self._notes(several=several))]

    def _of_one(self) -> Table:
        headings = ["language", "", "tokens", "ratio", "chars/tok", "window, chars"]
        rows: list[list[str | Line]] = []
        for cost in self.costs:
            row = [cost.language, _short(cost.name), number(cost.tokens), _times(cost.ratio)]
            row += [number(cost.characters_per_token, 2), number(cost.window_characters)]
            rows.append([*row, *([] if cost.cost is None else [number(cost.cost, 2)])])
        return table(headings if self.price is None else [*headings, "cost"], rows, 2)

    def _side_by_side(self) -> Table:
        found = {(cost.tokenizer, cost.language): cost for cost in self.costs}
        first = [cost for cost in self.costs if cost.tokenizer == self.tokenizers[0]]
        rows = [
            [cost.language, _short(cost.name), *(_times(found[name, cost.language].ratio) for name in self.tokenizers)]
            for cost in first
        ]
        return table(["language", "", *self.tokenizers], rows, 2)

    def _spread(self) -> Table:
        headings = ["tokenizer", "mean", "max", "mean ratio", "max ratio", "max/min", "Gini"]
        rows = [
            [
                each.tokenizer,
                number(each.mean_tokens, 0),
                number(each.max_tokens),
                _times(each.mean_ratio),
                _times(each.max_ratio),
                _times(each.max_over_min),
                number(each.gini),
            ]
            for each in self.spreads
        ]
        return table(headings, rows)

    def _notes(self, *, several: bool) -> list[str]:
        base = f"ratio: tokens over those of {self.base!r} for the same lines; less is better."
        if several:
            base = (
                f"Of each tokenizer the ratio: tokens over those of {self.base!r} for the same lines; less is better."
            )
        notes = [base]
        if not several:
            notes.append(f"window: characters that fit into {self.window:,} tokens.")
        if self.price is not None and not several:
            notes.append(
                f"cost: of the text that takes a million tokens in {self.base!r}, at {self.price:g} a million tokens."
            )
        notes += [_difference(each, self.tokenizers[0]) for each in self.spreads[1:]]
        return [*notes, "mean, max: tokens of the text over languages. Gini: 0 if every language costs the same."]


def _plain(value: Any) -> Any:  # noqa: ANN401
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _difference(spread: Spread, first: str) -> str:
    low, high = _times(spread.difference_low), _times(spread.difference_high)
    return f"{spread.tokenizer}: mean ratio {_times(spread.difference)} against {first}, 95 % interval {low} to {high}."


def _short(name: str) -> str:
    return name if len(name) <= WIDE else name[: WIDE - 1] + "…"


def _times(ratio: float | None) -> str:
    return number(ratio, 2)


def language_tax(
    tokenizers: Tokenizer | Iterable[Tokenizer] | Mapping[str, Tokenizer],
    parallel: Parallel | None = None,
    *,
    base: str = "en",
    window: int = WINDOW,
    price: float | None = None,
    threads: int | None = None,
) -> LanguageTax:
    """What the same text costs in each language, with one tokenizer or several side by side.

    Args:
        tokenizers: one, a list, or a mapping from names to them.
        parallel: a mapping from languages to their lines, or to a file of lines; line i of every language says the
            same. None for the Universal Declaration of Human Rights in 75 languages (source: United Nations).
        base: the language that the others are compared with.
        window: tokens of a context window.
        price: the price of a million tokens.
        threads: how many encode; None for as many as there are processors.

    Raises:
        TypeError: what are no tokenizers, or no lines.
        ValueError: no tokenizer; languages with different numbers of lines; a base that is none of them.
        UnknownSymbolError: a tokenizer without a symbol for a byte or character of the text.
        OSError: a file that cannot be read.
    """
    named = named_tokenizers(tokenizers)
    window = checked_integer("window", window, 1)
    if price is not None and not (math.isfinite(price) and price >= 0):
        raise ValueError(f"price is {price}\nhint: it is what a million tokens cost, from 0")
    text = aligned(parallel)
    if base not in text.lines:
        raise ValueError(f"no text is in {base!r}\nhint: base is one of {', '.join(text.lines)}")
    costs: list[LanguageCost] = []
    spreads: list[Spread] = []
    counts = {tokenizer: _tokens(tokenizer, tok, text.lines, threads) for tokenizer, tok in named.items()}
    place = list(text.lines).index(base)
    first = next(iter(counts.values()))
    for tokenizer, by_line in counts.items():
        tokens = dict(zip(text.lines, by_line.sum(axis=1).tolist(), strict=True))
        at_base = tokens[base]
        found = [
            LanguageCost(
                tokenizer=tokenizer,
                language=language,
                name=text.names[language],
                tokens=count,
                characters=(characters := sum(map(len, text.lines[language]))),
                bytes=sum(len(each.encode("utf-8", "replace")) for each in text.lines[language]),
                ratio=_over(count, at_base),
                characters_per_token=_over(characters, count),
                window_characters=characters * window // count if count else 0,
                cost=None if price is None else price * _over(count, at_base),
            )
            for language, count in tokens.items()
        ]
        costs += sorted(found, key=lambda cost: (-cost.tokens, cost.language))
        between = (None, None) if by_line is first else _interval(by_line, first, place)
        spreads.append(_spread_of(tokenizer, list(tokens.values()), at_base, spreads[:1], between))
    lines = len(text.lines[base])
    return LanguageTax(tuple(costs), tuple(spreads), base, text.source, lines, window, price)


def named_tokenizers(
    tokenizers: Tokenizer | Iterable[Tokenizer] | Mapping[str, Tokenizer],
) -> dict[str, Tokenizer]:
    """One tokenizer or several, by their names.

    Raises:
        TypeError: what is none.
        ValueError: there is none.
    """
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415 - loads the engine

    given: object = tokenizers
    if not isinstance(given, Iterable | Tokenizer):
        raise TypeError(f"`{type(given).__name__}` is no tokenizer\nhint: train or load one")
    if isinstance(tokenizers, Tokenizer):
        named = {"tokenizer": tokenizers}
    elif isinstance(tokenizers, Mapping):
        named = dict(tokenizers)
    else:
        named = {f"tokenizer {index}": tok for index, tok in enumerate(tokenizers, 1)}
    if not named:
        raise ValueError("there is no tokenizer\nhint: pass one, a list, or a mapping from names to tokenizers")
    for tok in named.values():
        if not isinstance(tok, Tokenizer):
            raise TypeError(f"`{type(tok).__name__}` is no tokenizer\nhint: train or load one")
    return named


def _tokens(
    tokenizer: str, tok: Tokenizer, lines: Mapping[str, tuple[str, ...]], threads: int | None
) -> NDArray[np.int64]:
    """How many tokens each line has; of shape (languages, lines)."""
    texts = [text for each in lines.values() for text in each]
    try:
        _, offsets = tok.encode_batch_to_numpy(texts, threads=threads)
    except UnknownSymbolError as error:
        raise UnknownSymbolError(
            f"{tokenizer}: {error.message}", "give a text in languages that it was trained on, with parallel="
        ) from None
    ends = offsets.astype(np.int64)
    return (ends[1:] - ends[:-1]).reshape(len(lines), -1)


def _interval(tokens: NDArray[np.int64], first: NDArray[np.int64], base: int) -> tuple[float, float]:
    """The interval of the difference of two mean ratios, as lines are drawn anew, the same for both tokenizers."""
    languages = len(tokens)

    def difference(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        one, two = sums[:, :languages], sums[:, languages:]
        found: NDArray[np.float64] = (one / one[:, [base]]).mean(axis=1) - (two / two[:, [base]]).mean(axis=1)
        return found

    return interval(np.concatenate([tokens, first]).T, difference)


def _spread_of(
    tokenizer: str,
    tokens: list[int],
    at_base: int,
    first: Sequence[Spread],
    between: tuple[float | None, float | None],
) -> Spread:
    """The spread of one tokenizer; `first` holds that of the first one, if this is another."""
    mean = sum(tokens) / len(tokens)
    return Spread(
        tokenizer=tokenizer,
        languages=len(tokens),
        mean_tokens=mean,
        max_tokens=max(tokens),
        mean_ratio=_over(mean, at_base),
        max_ratio=_over(max(tokens), at_base),
        max_over_min=_over(max(tokens), min(tokens)),
        gini=gini(tokens),
        difference=_over(mean, at_base) - first[0].mean_ratio if first else None,
        difference_low=between[0],
        difference_high=between[1],
    )


def _over(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
