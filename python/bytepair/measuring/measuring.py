"""`measure`: what tokenizers do to a text, side by side.

The text is read once, a few megabytes at a time, and each batch is encoded by every tokenizer; what is kept is how
often each token occurs, and sums for each document (or few documents), from which the intervals come. All figures are
micro: a sum over a sum. Special tokens are excluded, in the text and in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bytepair import _core
from bytepair.data import Documents, Part
from bytepair.integers import processors
from bytepair.measuring.bootstrap import LEVEL, RESAMPLES
from bytepair.measuring.definitions import DEFINITIONS, SHOWN
from bytepair.measuring.figures import ALPHA, coverage, entropy, renyi_efficiency, zipf_slope
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tally import Column, Tally, token_lengths
from bytepair.measuring.tokenizers import named
from bytepair.measuring.words import spans
from bytepair.render.spans import Block, heading, line

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["Difference", "Figures", "Measurement", "measure"]

RARE = 10
"""Tokens that are seen less often are rare."""
ZIPF = (10, 1000)
"""The ranks between which Zipf's slope is taken: the most frequent tokens and the long tail have other slopes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one tokenizer does to the text of one language, or to all; `DEFINITIONS` says what each counts."""

    tokenizer: str
    """The tokenizer's name."""
    language: str | None
    """The language; None for all text."""
    documents: int
    """Documents."""
    bytes: int
    """Bytes of the text."""
    characters: int
    """Characters of the text."""
    words: int
    """Runs of letters and marks."""
    vocab_size: int
    """Tokens in the vocabulary, special ones excluded."""
    tokens: int
    """Tokens of the text."""
    bytes_per_token: float
    """All bytes over all tokens."""
    characters_per_token: float
    """All characters over all tokens."""
    tokens_per_word: float
    """Tokens that overlap a word and the space before it, over words (fertility)."""
    single_token_words: float
    """The share of words, with the space before them, that one token overlaps (STRR)."""
    entropy: float
    """Shannon's entropy of the tokens, in bits a token."""
    bits_per_byte: float
    """entropy over bytes_per_token."""
    renyi_efficiency: float
    """Renyi's entropy of order 2.5 over log2 of the tokens in use."""
    tokens_in_use: int
    """Tokens that occur in the text."""
    never_seen: int
    """Tokens of the vocabulary that do not."""
    rare: int
    """Tokens that occur, but fewer than 10 times."""
    zipf_slope: float
    """The slope of log count against log rank between ranks 10 and 1,000."""
    coverage_1: float
    """The share of all tokens of the text that are the most frequent one."""
    coverage_10: float
    """That of the 10 most frequent ones."""
    coverage_100: float
    """That of the 100 most frequent ones."""
    coverage_1000: float
    """That of the 1,000 most frequent ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A figure of one tokenizer less that of another, with what it would be on other documents like these."""

    figure: str
    """"tokens" (as a share of the first's), "tokens_per_word" or "single_token_words"."""
    first: str
    """The tokenizer that is compared with."""
    second: str
    """The other one."""
    language: str | None
    """The language; None for all text."""
    value: float
    """By how much the second's figure is larger."""
    low: float
    """The lower end of the interval; NaN if there are fewer than two documents."""
    high: float
    """The upper end."""

    @property
    def is_sure(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, eq=False, repr=False)
class Measurement(Shown):
    """Tokenizers on a text, side by side; `measure` makes it.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest low"], num_merges=3)
    >>> measured = bp.measure(tok, ["low lower"])
    >>> measured.figures[0].tokens, measured.figures[0].bytes_per_token
    (4, 2.25)
    """

    tokenizers: tuple[str, ...]
    """Their names."""
    languages: tuple[str | None, ...]
    """The languages of the text, in the order in which they came."""
    figures: tuple[Figures, ...]
    """Of each tokenizer: on all text, and on each language if there are several."""
    differences: tuple[Difference, ...]
    """Of each tokenizer from the first one."""
    counts: Mapping[tuple[str, str | None], np.ndarray[Any, np.dtype[np.int64]]]
    """How often each id occurs, by tokenizer and language (None: all text); of shape (n_vocab,)."""

    def __post_init__(self) -> None:
        if not self.tokenizers or {one.tokenizer for one in self.figures} != set(self.tokenizers):
            raise ValueError("the figures are not those of the tokenizers\nhint: use bytepair.measure")

    def __repr__(self) -> str:
        return f"<Measurement of {len(self.tokenizers)} tokenizer(s), {len(self.languages)} language(s)>"

    def of(self, tokenizer: str, language: str | None = None) -> Figures:
        """The figures of one tokenizer, on one language or on all text.

        Raises:
            KeyError: a tokenizer or a language that was not measured.
        """
        if len(self.languages) == 1 and language == self.languages[0]:
            language = None
        for one in self.figures:
            if (one.tokenizer, one.language) == (tokenizer, language):
                return one
        raise KeyError(
            f"{tokenizer!r} in {language!r} was not measured\nhint: tokenizers are {list(self.tokenizers)}, languages "
            f"{list(self.languages)}"
        )

    def rows(self) -> list[Row]:
        """The figures, one row for each tokenizer and language."""
        return [_plain(one) for one in self.figures]

    def to_dict(self) -> dict[str, Any]:
        """The figures, the differences, and what each figure counts."""
        return {
            "rows": self.rows(),
            "differences": [_plain(one) for one in self.differences],
            "interval": {"method": "paired bootstrap over documents", "level": LEVEL, "resamples": RESAMPLES},
            "definitions": dict(DEFINITIONS),
        }

    def blocks(self) -> list[Block]:
        """A table of figures, of languages if there are several, and of differences; then what is counted."""
        whole = [self.of(name) for name in self.tokenizers]
        first = whole[0]
        text = (
            f"{first.bytes:,} bytes, {first.characters:,} characters, {first.words:,} words, {first.documents:,} "
            f"document{'' if first.documents == 1 else 's'}"
        )
        rows = [[SHOWN[name][0], *(SHOWN[name][1](getattr(one, name)) for one in whole)] for name in SHOWN]
        drawn: list[Block] = [heading("Tokenizers on this text"), line(text), line("")]
        drawn.append(table(["figure", *self.tokenizers], rows))
        if len(self.languages) > 1:
            drawn += [line(""), *self._by_language()]
        if self.differences:
            drawn += [line(""), heading(f"Differences from {self.tokenizers[0]}"), self._differences()]
            drawn.append(line(self._sureness()))
        drawn += [line(""), heading("What is counted")]
        return [*drawn, *(line(f"{SHOWN[name][0]}: {DEFINITIONS[name]}") for name in SHOWN)]

    def _by_language(self) -> list[Block]:
        """Of one tokenizer its figures by language; of several, two figures side by side."""
        names = self.tokenizers
        if len(names) == 1:
            headings = ["language", *(SHOWN[figure][0] for figure in _OF_LANGUAGES)]
            rows = [
                [str(each), *(SHOWN[name][1](getattr(self.of(names[0], each), name)) for name in _OF_LANGUAGES)]
                for each in self.languages
            ]
            return [heading("By language"), table(headings, rows)]
        drawn: list[Block] = []
        for figure in _OF_LANGUAGES[:2]:
            rows = [
                [str(each), *(number(getattr(self.of(name, each), figure)) for name in names)]
                for each in self.languages
            ]
            drawn += [*([line("")] if drawn else []), heading(f"{SHOWN[figure][0].capitalize()}, by language")]
            drawn.append(table(["language", *names], rows))
        return drawn

    def _differences(self) -> Block:
        rows = []
        for one in self.differences:
            shown = _SHOWN_DIFFERENCE[one.figure]
            interval = f"{shown(one.low).partition(' ')[0]} to {shown(one.high)}" if np.isfinite(one.low) else "-"
            sure = ("yes" if one.is_sure else "no") if np.isfinite(one.low) else "-"
            names = [one.second, one.figure.replace("_", " "), one.language or "all"]
            rows.append([*names, f"{'+' if one.value > 0 else ''}{shown(one.value)}", interval, sure])
        return table(["tokenizer", "figure", "text", "difference", "95 % interval", "sure"], rows, 3)

    def _sureness(self) -> str:
        if any(np.isfinite(one.low) for one in self.differences):
            return (
                f"The interval is what {RESAMPLES:,} drawings of as many documents give (paired bootstrap): a "
                "difference is sure if 0 lies outside."
            )
        return "There is no interval, since the text is one document: give more, or a separator."


_OF_LANGUAGES = ("bytes_per_token", "characters_per_token", "tokens_per_word", "single_token_words", "tokens_in_use")


def _points(value: float) -> str:
    """A difference of two shares."""
    return share(value).replace("%", "points")


_SHOWN_DIFFERENCE = {"tokens": share, "tokens_per_word": number, "single_token_words": _points}


def _plain(one: Figures | Difference) -> Row:
    return {name: plain_value(value) for name, value in asdict(one).items()}


def measure(
    tok: Tokenizer | Sequence[Tokenizer] | Mapping[str, Tokenizer],
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    languages: Iterable[str] | None = None,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Measurement:
    """What one tokenizer, or several side by side, do to a text.

    Args:
        tok: a tokenizer; a list of them, named "1", "2" and so on; or a mapping from names to tokenizers. Differences
            are taken from the first.
        texts: documents, str or bytes; or a mapping from languages to documents.
        files: paths and globs in place of `texts`; each file is one document.
        languages: the language of each text, or of each file.
        threads: how many encode; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`; what is no tokenizer.
        ValueError: no tokenizer; a number of languages that is not that of the texts.
        UnknownSymbolError: a byte or character that a vocabulary lacks.
    """
    tokenizers = named(tok)
    workers = processors(threads)
    lengths = {name: token_lengths(one) for name, one in tokenizers.items()}
    tallies: dict[str | None, Tally] = {}
    for batch in read(texts, files, languages, reading):
        if batch.source not in tallies:
            tallies[batch.source] = Tally(tokenizers, lengths)
        tally = tallies[batch.source]
        if isinstance(batch, Part):
            tally.add_part(batch.content, workers, is_last=batch.last)
        else:
            held = batch if isinstance(batch, Documents) else batch.documents()
            raw = [_core.raw(text) for text in held.documents]
            tally.add(raw, spans(raw), workers)
            del held, raw
        del batch  # or it would be held while the next one is read
    parts: dict[str | None, Tally] = {None: Tally.together(tokenizers, lengths, list(tallies.values()))}
    parts |= tallies if len(tallies) > 1 else {}
    figures = [_figures(name, language, parts[language]) for name in tokenizers for language in parts]
    first, *others = tokenizers
    differences = [
        _difference(column, first, other, language, parts[language])
        for other in others
        for column in Column
        for language in parts
    ]
    counts = {(name, language): part.counts[name] for name in tokenizers for language, part in parts.items()}
    return Measurement(tuple(tokenizers), tuple(tallies) or (None,), tuple(figures), tuple(differences), counts)


def _figures(name: str, language: str | None, tally: Tally) -> Figures:
    counts, sizes = tally.counts[name], tally.sizes
    tokens, touched, single, words = tally.sums(name)
    in_use = int(np.count_nonzero(counts))
    nan = float("nan")
    bits = entropy(counts)
    per_token = sizes.bytes / tokens if tokens else nan
    has_words = words > 0 and name not in tally.unplaced
    first, last = ZIPF
    return Figures(
        tokenizer=name,
        language=language,
        documents=sizes.documents,
        bytes=sizes.bytes,
        characters=sizes.characters,
        words=sizes.words,
        vocab_size=tally.vocab_sizes[name],
        tokens=tokens,
        bytes_per_token=per_token,
        characters_per_token=sizes.characters / tokens if tokens else nan,
        tokens_per_word=touched / words if has_words else nan,
        single_token_words=single / words if has_words else nan,
        entropy=bits,
        bits_per_byte=bits / per_token,
        renyi_efficiency=renyi_efficiency(counts, ALPHA),
        tokens_in_use=in_use,
        never_seen=tally.vocab_sizes[name] - in_use,
        rare=int(np.count_nonzero((counts > 0) & (counts < RARE))),
        zipf_slope=zipf_slope(counts, first, last),
        coverage_1=coverage(counts, 1),
        coverage_10=coverage(counts, 10),
        coverage_100=coverage(counts, 100),
        coverage_1000=coverage(counts, 1000),
    )


def _difference(column: Column, first: str, second: str, language: str | None, tally: Tally) -> Difference:
    value, low, high = tally.difference(column, first, second)
    return Difference(
        figure=column.value, first=first, second=second, language=language, value=value, low=low, high=high
    )


assert set(DEFINITIONS) == {field.name for field in fields(Figures)}  # noqa: S101 - every figure says what it counts
