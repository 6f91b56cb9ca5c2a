"""What each part of a report says: its title, a sentence on what is seen and which way is better, and what is drawn.

Everything is for somebody who has never heard of the figure. Sentences are plain text, escaped when the page is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bytepair.measuring.definitions import DEFINITIONS, SHOWN
from bytepair.measuring.shown import number, share, table
from bytepair.measuring.tally import token_lengths
from bytepair.render.about import about_table
from bytepair.render.spans import Block, Line, Span, Table, heading, line
from bytepair.render.tokens import quoted_span
from bytepair.render.views import MOST_SPECIALS, trace_flow, trees_view
from bytepair.reporting import charts
from bytepair.reporting.charts import Chart
from bytepair.reporting.results import samples

if TYPE_CHECKING:
    from bytepair.reporting.results import Results
    from bytepair.trace import Trace

__all__ = ["Section", "sections"]

DRAWN = 400
"""Tokens that are drawn of a sample."""
TREES = ("strawberry", " because")
"""Words whose longest token is drawn as a merge tree."""
LARGEST_TREE = 12  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page."""

    id: str
    """Its address in the page."""
    title: str
    """What it is called."""
    says: str
    """What is seen, in a sentence or two."""
    better: str = ""
    """Which way is better."""
    body: tuple[Block | Chart, ...] = ()
    """What is drawn."""
    notes: tuple[str, ...] = field(default=())
    """What there is to say below it."""
    is_slider: bool = False
    """Whether its chart has the slider of vocabulary sizes."""
    is_looked_up: bool = False
    """Whether it is for looking things up, and stands after what is read."""


def sections(found: Results) -> list[Section]:
    """The parts, in their order; where something could not be measured, the part says why."""
    return [
        _samples(found),
        *_sweep(found),
        *_languages(found),
        *_tax(found),
        *_zipf(found),
        *_lengths(found),
        *_usage(found),
        *_kinds(found),
        *_pattern(found),
        *_oddities(found),
        *_baselines(found),
        *_figures(found),
        _about(found),
    ]


def _missing(found: Results, name: str, id: str, title: str) -> Iterator[Section]:
    """A section that says why it is empty; nothing if it is not."""
    if name in found.reasons:
        reason = found.reasons[name]
        yield Section(id=id, title=title, says=f"This could not be measured: {reason}.")


def _trace(found: Results, text: str | bytes) -> Trace:
    return found.tok.trace(text, allowed_special="all", unknown="skip")


def _samples(found: Results) -> Section:
    drawn: list[Block] = []
    own = [(f"The text, {name}" if name else "The text", content) for name, content in found.starts.items()][:6]
    texts: list[tuple[str, str | bytes]] = [*samples(), *([] if found.is_bundled else own)]
    for label, text in texts:
        trace = _trace(found, text)
        characters = trace.char_offsets[-1][1] if trace.char_offsets else 0
        said = f"{label}: {number(len(trace))} tokens for {number(characters)} characters"
        drawn += [line(Span(said, "heading")), trace_flow(trace, most=DRAWN)]
        if len(trace) > DRAWN:
            drawn.append(line(Span("and so on", "note")))
    for word in TREES:
        trees = [tree for tree in found.tok.explain(word, unknown="skip") if tree.left is not None]
        if trees:
            longest = max(trees, key=lambda tree: len(tree.bytes))
            if len(longest.bytes) <= LARGEST_TREE:
                drawn += [line(""), heading(f"How {longest.text} was merged"), *trees_view([longest])]
    return Section(
        id="samples",
        title="How it cuts text",
        says=(
            "Each box is one token: what a model reads and writes at one step. A dot is a space; a dashed box holds "
            "only part of a character, shown as bytes; an underline holds together what the pattern cut out before any "
            "merging."
        ),
        better="Fewer and longer boxes are better: the same text costs less.",
        body=tuple(drawn),
    )


def _sweep(found: Results) -> Iterator[Section]:
    id, title = "sizes", "Every vocabulary size"
    yield from _missing(found, "sweep", id, title)
    if found.sweep is None or not found.sweep.tokens()[-1]:
        return
    ceiling = number(found.sweep.ceiling(), 2)
    yield Section(
        id=id,
        title=title,
        says=(
            "A smaller vocabulary is the beginning of this one, so all sizes can be measured at once: how many bytes "
            "of text one token holds on average, at each size. Move the slider to stop earlier."
        ),
        better="Higher is better; where the curve is flat, more tokens buy little and cost memory.",
        body=(charts.sweep(found.sweep),),
        notes=(
            (
                f"The dashed line at {ceiling} is what no vocabulary with this pattern can pass: the mean length of "
                "the pieces that the pattern cuts."
            ),
        ),
        is_slider=True,
    )


def _languages(found: Results) -> Iterator[Section]:
    if found.measurement is None or len(found.measurement.languages) < 2:  # noqa: PLR2004 - nothing to compare
        return
    yield Section(
        id="languages",
        title="The languages of this text",
        says=(
            "How many characters one token holds on average, in each part of the text that was measured. Scripts "
            "differ in what a character says, so compare a language with itself under another tokenizer."
        ),
        better="Longer bars are better.",
        body=(charts.languages(found.measurement),),
    )


def _tax(found: Results) -> Iterator[Section]:
    id, title = "tax", "What other languages pay"
    yield from _missing(found, "tax", id, title)
    if found.tax is None:
        return
    base = next(cost.name for cost in found.tax.costs if cost.language == found.tax.base)
    spread = found.tax.spreads[0]
    yield Section(
        id=id,
        title=title,
        says=(
            f"How many tokens the same text takes in each language, as a multiple of {base}. At 3, a person pays "
            "three times as much for the same answer, waits three times as long, and has a third of the room."
        ),
        better="Shorter bars are better, and equal ones are fair.",
        body=(charts.tax(found.tax),),
        notes=(
            (
                f"{found.tax.source}. Of {spread.languages} languages the dearest and the widely spoken are drawn; the "
                "table has all."
            ),
            (
                f"On average a language takes {number(spread.mean_ratio, 2)} times the tokens of {base}, the dearest "
                f"{number(spread.max_ratio, 2)} times. Gini's coefficient of their tokens is {number(spread.gini)}: 0 "
                "if all cost the same."
            ),
        ),
    )


def _zipf(found: Results) -> Iterator[Section]:
    if found.measurement is None or not found.measurement.of(found.name).tokens:
        return
    figures = found.measurement.of(found.name)
    yield Section(
        id="zipf",
        title="Frequent and rare tokens",
        says=(
            "All tokens of the text in a row, the most frequent first, against how often each occurs. In natural "
            "language the second is about half as frequent as the first, the tenth a tenth: a straight line (Zipf's "
            "law, dotted)."
        ),
        better="Near the line is normal; a tail that drops early holds tokens a model hardly ever meets.",
        body=(charts.zipf(found.measurement),),
        notes=(
            (
                f"The 10 most frequent tokens make up {share(figures.coverage_10)} of the text, the 1,000 most "
                f"frequent {share(figures.coverage_1000)}. The slope between rank 10 and 1,000 is "
                f"{number(figures.zipf_slope, 2)}; Zipf's law has -1."
            ),
        ),
    )


def _ids(found: Results) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The ids of the tokens that are not special."""
    special = set(found.tok.special_tokens.values())
    return np.array([id for id in found.tok.vocabulary if id not in special], dtype=np.int64)


def _lengths(found: Results) -> Iterator[Section]:
    ids = _ids(found)
    if not ids.size:
        return
    sizes = token_lengths(found.tok)[ids]
    counts = None if found.measurement is None else found.measurement.counts[found.name, None][ids]
    yield Section(
        id="lengths",
        title="How long tokens are",
        says=(
            "Bars: the share of the vocabulary that has so many bytes. Points on a line: the share of the text's "
            "tokens that do. A letter of English is one byte, one of Russian two, one of Hindi or Chinese three."
        ),
        better="The further right the line, the fewer tokens the text takes.",
        body=(charts.lengths(sizes, counts),),
    )


def _usage(found: Results) -> Iterator[Section]:
    if found.measurement is None:
        return
    ids = _ids(found)
    figures = found.measurement.of(found.name)
    small = " The text is small, so this says little; give a corpus of your own." if found.is_bundled else ""
    yield Section(
        id="usage",
        title="How much of the vocabulary is used",
        says=(
            "How many tokens of the vocabulary occur how often in the text. What a model rarely meets in training it "
            f"does not learn, yet each token costs a row of its memory.{small}"
        ),
        better="A short bar at `never` is better, if the text is large and of the right kind.",
        body=(charts.usage(found.measurement.counts[found.name, None][ids]),),
        notes=(
            (
                f"{number(figures.never_seen)} of {number(figures.vocab_size)} tokens never occur, "
                f"{number(figures.rare)} fewer than 10 times."
            ),
        ),
    )


def _kinds(found: Results) -> Iterator[Section]:
    id, title = "kinds", "What the vocabulary is made of"
    yield from _missing(found, "kinds", id, title)
    if found.kinds is None:
        return
    yield Section(
        id=id,
        title=title,
        says="How the tokens divide into words, numbers, signs and parts of characters, and into scripts.",
        better="No way is better: it shows for which texts the vocabulary was made.",
        body=(charts.kinds(found.kinds, "kind"), charts.kinds(found.kinds, "script")),
    )


def _pattern(found: Results) -> Iterator[Section]:
    id, title = "pattern", "What the pattern does"
    yield from _missing(found, "alternatives", id, title)
    if found.alternatives is None:
        return
    rows: list[list[str | Line]] = [
        [
            "" if one.number is None else str(one.number),
            number(one.pretokens),
            share(one.share),
            line(*(span for example in one.examples for span in (quoted_span(example), Span(" ")))),
            line("none of them matched" if one.source is None else Span(one.source, "source")),
        ]
        for one in found.alternatives.alternatives
    ]
    headings = ("#", "pieces", "of the text", "most often", "alternative")
    yield Section(
        id=id,
        title=title,
        says=(
            "Before any merging a pattern cuts the text into pieces, which no token crosses. It has alternatives; the "
            "first that matches cuts. How many pieces of the beginning of the text each cut out, how much of it that "
            "is, and the most frequent ones:"
        ),
        better="No way is better, but an alternative that never matches is of no use for this text.",
        body=(Table(headings, table(headings, rows, 0).rows, frozenset({0, 1, 2}), fold=True),),
    )


def _oddities(found: Results) -> Iterator[Section]:
    id, title = "oddities", "Numbers, code and letters"
    yield from _missing(found, "oddities", id, title)
    if found.oddities is None:
        return
    blocks = found.oddities.blocks()
    at = next(index for index, block in enumerate(blocks) if block == heading("Indentation"))
    rest = next(index for index, block in enumerate(blocks) if block == heading("Spelling"))
    yield Section(
        id=id,
        title=title,
        says=(
            "What models have trouble with often begins here: numbers that are cut otherwise at each length, "
            "indentation that costs tokens, letters that are hidden inside of tokens."
        ),
        better="One way to cut each length of number, and one token for indentation however wide, are best.",
        body=(*blocks[: at + 1], charts.indentation(found.oddities), line(""), *blocks[rest:]),
    )


def _baselines(found: Results) -> Iterator[Section]:
    id, title = "baselines", "Beside words, characters and bytes"
    yield from _missing(found, "baselines", id, title)
    if found.baselines is None:
        return
    yield Section(
        id=id,
        title=title,
        says=(
            "The same text cut into whole words, characters or bytes. Words make it short, but leave some out that "
            "were never seen before; bytes leave nothing out, but make it long, and the work of a model grows with the "
            "square of the length (attention)."
        ),
        better="Short, a small vocabulary and nothing unknown are better; no system has all three.",
        body=tuple(found.baselines.blocks()[1:]),
        notes=(
            "Made from the first half of the beginning of the text (of each language), and counted on the second."
            if found.baselines.is_held_out
            else "Made from the beginning of the text, and counted on it: so nothing but rare words is unknown.",
        ),
    )


def _figures(found: Results) -> Iterator[Section]:
    id, title = "figures", "All figures"
    yield from _missing(found, "measurement", id, title)
    if found.measurement is None:
        return
    whole = [found.measurement.of(name) for name in found.names]
    rows: Sequence[Sequence[str]] = [
        [SHOWN[name][0], *(SHOWN[name][1](getattr(one, name)) for one in whole), _sentence(DEFINITIONS[name])]
        for name in SHOWN
    ]
    yield Section(
        id=id,
        title=title,
        says="Every figure of the text as a whole, with what it counts. Special tokens are left out.",
        body=(table(["figure", *found.names, "what it counts"], rows, fold=True),),
        is_looked_up=True,
    )


def _about(found: Results) -> Section:
    return Section(
        id="about",
        title="What it is",
        says="What the tokenizer is made of. Two that have the same fingerprint give the same ids.",
        body=(about_table(found.tok.info(), found.tok.special_tokens, most=MOST_SPECIALS, machine=False),),
        is_looked_up=True,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
