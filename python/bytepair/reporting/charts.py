"""Charts as specifications of Vega-Lite, each with the table that says the same.

The idea: a specification holds its own data, and no colour but a variable of the stylesheet, so that a chart is light
or dark as its page is. What differs by colour differs by shape too. Of long curves some points are drawn, at even steps
of the logarithm; the ends are among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bytepair.measuring.shown import number, plain_value, share, table
from bytepair.render.spans import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.measuring.kinds import Kinds
    from bytepair.measuring.measuring import Measurement
    from bytepair.measuring.oddities import Oddities
    from bytepair.measuring.sweeping import Sweep
    from bytepair.tax.languages import LanguageTax

    Integers = NDArray[np.int64]

__all__ = ["Chart", "indentation", "kinds", "languages", "lengths", "sweep", "tax", "usage", "zipf"]

Spec = dict[str, Any]

POINTS = 160
DEAREST = 8
WIDELY_SPOKEN = (
    *("en", "zh", "hi", "es", "ar", "fr", "bn", "pt", "ru", "ur", "id", "de", "ja", "sw", "mr", "te"),
    *("tr", "ta", "vi", "ko", "it", "th", "fa", "pl", "uk", "nl", "ro", "el", "he"),
)
"""Languages of which all are drawn that a text has; the others are in the table."""
USED = ((0, 0), (1, 9), (10, 99), (100, 999), (1000, 9999), (10_000, None))
"""How often a token occurs: the bars of `usage`."""
MOST_GROUPS = 16
"""Kinds and scripts that are drawn."""
LONGEST = 20
"""Longer tokens are drawn together."""

_FEW: Spec = {"format": "~s", "tickCount": 5}

CONFIG: Spec = {
    "background": "transparent",
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
    "aria": False,  # the figure says what it is, and its table has the numbers
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--muted)",
        "titleFontWeight": "normal",
        "gridColor": "var(--line)",
        "domainColor": "var(--edge)",
        "tickColor": "var(--edge)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": 150,
    },
    "legend": {"labelColor": "var(--ink)", "titleColor": "var(--muted)", "orient": "top", "labelFontSize": 12},
    "text": {"color": "var(--ink)", "fontSize": 12},
    "bar": {"color": "var(--accent)"},
    "line": {"color": "var(--accent)", "strokeWidth": 2},
    "point": {"color": "var(--accent)", "filled": True, "size": 50},
    "rule": {"color": "var(--edge)"},
    "range": {
        "category": ["var(--accent)", "var(--second)", "var(--good)", "var(--bad)", "var(--warn)", "var(--muted)"]
    },
}


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart."""

    spec: Spec
    """What Vega-Lite draws."""
    alternative: Table
    """The same in numbers."""
    title: str
    """What it shows, for those who do not see it."""


def _chart(title: str, alternative: Table, height: Any, rows: Sequence[Mapping[str, Any]], **spec: Any) -> Chart:  # noqa: ANN401
    return Chart(
        {
            "width": "container",
            "height": height,
            "data": {"values": [{name: plain_value(value) for name, value in row.items()} for row in rows]},
            "config": CONFIG,
            **spec,
        },
        alternative,
        title,
    )


def _axis(name: str, title: str | None, kind: str = "quantitative", **others: Any) -> Spec:  # noqa: ANN401
    return {"field": name, "type": kind, "title": title, **others}


def _log(name: str, title: str, ticks: Iterable[int], last: int) -> Spec:
    """An axis of logarithms up to `last`, with a line at each tick."""
    axis = {"format": "~s", "values": [tick for tick in ticks if tick <= last]}
    return _axis(name, title, scale={"type": "log", "nice": False}, axis=axis)


def _room(values: Iterable[float]) -> Spec:
    """A scale from 0 on, with room for what is written at the end of the longest bar."""
    found = [value for value in values if plain_value(value) is not None]
    return {"domain": [0, 1.25 * max(found, default=0) or 1], "nice": False}


def points(size: int, first: int = 0) -> list[int]:
    """Some indices from `first` up to `size` - 1, at even steps of the logarithm; both ends included.

    >>> points(4), points(1001)[:3], points(1001)[-1]
    ([0, 1, 2, 3], [0, 1, 2], 1000)
    """
    if size - first <= POINTS:
        return list(range(first, size))
    steps = np.geomspace(1, size - first, POINTS).round().astype(int) - 1
    return [first + step for step in sorted(set(steps.tolist()))]


def sweep(swept: Sweep) -> Chart:
    """Bytes a token at every vocabulary size; `size` and `value` are parameters, which the slider sets."""
    least = int(swept.vocab_sizes[0])
    wanted = np.unique(np.geomspace(max(least, 1), int(swept.vocab_sizes[-1]), POINTS).round().astype(int))
    merges = sorted({0, swept.merges, *(np.searchsorted(swept.vocab_sizes, wanted, side="right") - 1).clip(0).tolist()})
    rows: list[dict[str, Any]] = [
        {
            "size": one.vocab_size,
            "value": one.bytes_per_token,
            "characters": one.characters_per_token,
            "tokens": one.tokens,
            "words": one.single_token_words,
            "used": one.tokens_in_use,
            "ceiling": one.ceiling_share,
            "attention": one.attention,
        }
        for one in (swept.at(merges=each) for each in merges)
    ]
    last = rows[-1]
    shown = [swept.at(merges=each) for each in swept.sizes()]
    headings = ["vocabulary", "tokens", "bytes a token", "one-token pieces", "tokens in use", "of the ceiling"]
    cells = [
        [
            number(one.vocab_size),
            number(one.tokens),
            number(one.bytes_per_token, 2),
            share(one.single_token_words),
            number(one.tokens_in_use),
            share(one.ceiling_share),
        ]
        for one in shown
    ]
    x = _log("size", "tokens in the vocabulary", [1 << power for power in range(40)], last["size"])
    x["axis"] |= {"labelExpr": "datum.value < 1024 ? datum.value : datum.value / 1024 + 'k'"}
    y = _axis("value", "bytes a token", scale={"zero": True})
    here: Spec = {  # where the slider is
        "data": {"values": [{}]},
        "transform": [{"calculate": "size", "as": "size"}, {"calculate": "value", "as": "value"}],
    }
    ceiling = plain_value(swept.ceiling())
    marks: list[Spec] = [
        {"mark": {"type": "line"}, "encoding": {"x": x, "y": y}},
        here | {"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"x": x}},
        here | {"mark": {"type": "point", "size": 90, "color": "var(--second)"}, "encoding": {"x": x, "y": y}},
    ]
    if ceiling is not None:
        limit: Spec = {"y": {"datum": ceiling}}
        said = {"type": "text", "align": "left", "x": 4, "dy": -7, "text": "the pattern's ceiling"}
        once: Spec = {"data": {"values": [{}]}, "encoding": limit}
        marks += [
            once | {"mark": {"type": "rule", "strokeDash": [2, 2], "color": "var(--second)"}},
            once | {"mark": said},
        ]
    parameters = [{"name": "size", "value": last["size"]}, {"name": "value", "value": plain_value(last["value"])}]
    return _chart(
        "Bytes a token against the size of the vocabulary",
        table(headings, cells, 0),
        260,
        rows,
        layer=marks,
        params=parameters,
    )


def languages(measured: Measurement) -> Chart:
    """Characters a token in each language of the text."""
    rows = [
        {"language": str(each), "tokenizer": name, "value": measured.of(name, each).characters_per_token}
        for each in measured.languages
        for name in measured.tokenizers
    ]
    cells = [
        [str(each), *(number(measured.of(name, each).characters_per_token, 2) for name in measured.tokenizers)]
        for each in measured.languages
    ]
    return _bars(
        "Characters a token by language", table(["language", *measured.tokenizers], cells), rows, "characters a token"
    )


def tax(found: LanguageTax) -> Chart:
    """What languages cost against the base language."""
    first = [cost for cost in found.costs if cost.tokenizer == found.tokenizers[0]]
    drawn = {
        cost.language
        for index, cost in enumerate(first)
        if index < DEAREST or cost.language in WIDELY_SPOKEN or len(first) <= len(WIDELY_SPOKEN)
    }
    by_language = {(cost.tokenizer, cost.language): cost for cost in found.costs}
    rows = [
        {"language": cost.name, "tokenizer": name, "value": by_language[name, cost.language].ratio}
        for cost in first
        if cost.language in drawn
        for name in found.tokenizers
    ]
    cells = [
        [
            cost.name,
            number(cost.tokens),
            *(number(by_language[name, cost.language].ratio, 2) for name in found.tokenizers),
            number(cost.characters_per_token, 2),
        ]
        for cost in first
    ]
    headings = ["language", "tokens", *(f"× {name}" for name in found.tokenizers), "characters a token"]  # noqa: RUF001
    return _bars(
        "Tokens of languages, as multiples of those of English",
        table(headings, cells),
        rows,
        f"tokens, as a multiple of {by_language[found.tokenizers[0], found.base].name}",
        line_at=1,
    )


def _bars(
    title: str, alternative: Table, rows: Sequence[Mapping[str, Any]], said: str, line_at: float | None = None
) -> Chart:
    """Bars of the first tokenizer by language, and marks of other shapes for the others."""
    first = rows[0]["tokenizer"] if rows else ""
    y = _axis("language", None, "nominal", sort=None, axis={"ticks": False, "domain": False})
    x = _axis("value", said, axis={"tickCount": 8}, scale=_room([row["value"] for row in rows]))
    tip = [
        _axis("language", "language", "nominal"),
        _axis("tokenizer", "tokenizer", "nominal"),
        _axis("value", said, format=".2f"),
    ]
    own = [{"filter": {"field": "tokenizer", "equal": first}}]
    layers: list[Spec] = [
        {
            "transform": own,
            "mark": {"type": "bar", "height": {"band": 0.7}},
            "encoding": {"x": x, "y": y, "tooltip": tip},
        },
        {
            "transform": own,
            "mark": {"type": "text", "align": "left", "dx": 4},
            "encoding": {"x": x, "y": y, "text": {"field": "value", "format": ".2f"}},
        },
    ]
    if line_at is not None:
        layers.append({"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"x": {"datum": line_at}}})
    if any(row["tokenizer"] != first for row in rows):
        other = [{"filter": {"not": {"field": "tokenizer", "equal": first}}}]
        by = {"field": "tokenizer", "type": "nominal", "title": None}
        colours = by | {"scale": {"range": CONFIG["range"]["category"][1:]}}
        layers[1:2] = [
            {
                "transform": other,
                "mark": {"type": "point", "stroke": "var(--paper)", "strokeWidth": 1.5, "size": 110, "opacity": 1},
                "encoding": {"x": x, "y": y, "shape": by, "color": colours, "tooltip": tip},
            }
        ]
    return _chart(title, alternative, 19 * len({row["language"] for row in rows}), rows, layer=layers)


def zipf(measured: Measurement) -> Chart:
    """How often tokens occur, by rank; and the line of Zipf's law through rank 10."""
    rows: list[dict[str, Any]] = []
    law: list[dict[str, Any]] = []
    cells: list[list[str]] = []
    for name in measured.tokenizers:
        counts = np.sort(measured.counts[name, None])[::-1]
        counts = counts[: np.count_nonzero(counts)]
        places = points(len(counts))
        rows += [{"rank": place + 1, "count": int(counts[place]), "tokenizer": name} for place in places]
        if not cells and len(counts):
            sums, total = np.cumsum(counts), int(counts.sum())
            cells = [
                [number(place + 1), number(int(counts[place])), share(int(sums[place]) / total)]
                for place in _round_ranks(len(counts))
            ]
            anchor = min(9, len(counts) - 1)
            law = [
                {"rank": rank, "count": float(counts[anchor]) * (anchor + 1) / rank}
                for rank in (1, len(counts))
                if float(counts[anchor]) * (anchor + 1) / rank > 0
            ]
    tens = [10**power for power in range(20)]
    x = _log("rank", "rank, the most frequent token first", tens, max((row["rank"] for row in rows), default=1))
    y = _log("count", "times in the text", tens, max((row["count"] for row in rows), default=1))
    tip = [_axis("rank", "rank", format=","), _axis("count", "times", format=","), _axis("tokenizer", None, "nominal")]
    by = {"field": "tokenizer", "type": "nominal", "title": None}
    drawn: Spec = {"x": x, "y": y}
    if len(measured.tokenizers) > 1:
        drawn |= {"color": by, "strokeDash": by}
    layers: list[Spec] = [
        {"mark": {"type": "line"}, "encoding": drawn},
        {"mark": {"type": "point", "opacity": 0, "size": 150}, "encoding": {"x": x, "y": y, "tooltip": tip}},
    ]
    if law:
        layers.insert(
            0,
            {
                "data": {"values": law},
                "mark": {"type": "line", "strokeDash": [3, 3], "color": "var(--edge)", "strokeWidth": 1, "clip": True},
                "encoding": {"x": x, "y": y},
            },
        )
    return _chart(
        "How often each token occurs, by rank",
        table(["rank", "times", "share of the text up to here"], cells, 0),
        280,
        rows,
        layer=layers,
    )


def _round_ranks(size: int) -> list[int]:
    """The places of the ranks 1, 2, 5, 10, 20, 50 and so on, and of the last."""
    ranks = [digit * 10**power for power in range(9) for digit in (1, 2, 5)]
    return [*(rank - 1 for rank in ranks if rank < size), size - 1] if size else []


def lengths(sizes: Integers, counts: Integers | None) -> Chart:
    """How long tokens are in bytes: those of the vocabulary (bars), and those of the text (points).

    Args:
        sizes: the bytes of each token.
        counts: how often each occurs in the text; None without one.
    """
    kept = np.minimum(sizes, LONGEST)
    of_all = np.bincount(kept, minlength=LONGEST + 1)[1:] / max(len(kept), 1)
    names = [*map(str, range(1, LONGEST)), f"{LONGEST}+"]
    rows = [{"length": name, "share": float(value)} for name, value in zip(names, of_all, strict=True)]
    cells = [[name, share(float(value))] for name, value in zip(names, of_all, strict=True)]
    headings = ["bytes", "of the vocabulary"]
    x = _axis("length", "bytes in the token", "ordinal", sort=None, axis={"labelAngle": 0, "labelOverlap": "greedy"})
    y = _axis("share", None, axis={"format": "~%"})
    layers: list[Spec] = [
        {
            "mark": {"type": "bar"},
            "encoding": {"x": x, "y": y, "tooltip": [_axis("share", "of the vocabulary", format=".1%")]},
        }
    ]
    if counts is not None and counts.sum():
        of_text = np.bincount(kept, weights=counts, minlength=LONGEST + 1)[1:] / counts.sum()
        for row, cell, value in zip(rows, cells, of_text.tolist(), strict=True):
            row["text"] = value
            cell.append(share(value))
        headings.append("of the text")
        layers.append(
            {
                "mark": {"type": "line", "color": "var(--second)", "point": {"color": "var(--second)", "size": 60}},
                "encoding": {
                    "x": x,
                    "y": _axis("text", None, axis={"format": "~%"}),
                    "tooltip": [_axis("text", "of the text", format=".1%")],
                },
            }
        )
    return _chart("Share of tokens by their length", table(headings, cells, 0), 220, rows, layer=layers)


def usage(counts: Integers) -> Chart:
    """How many tokens of the vocabulary occur how often; `counts` has one item a token."""
    rows: list[dict[str, Any]] = []
    for first, last in USED:
        inside = (counts >= first) & (counts <= (counts.max(initial=0) if last is None else last))
        name = "never" if last == 0 else f"{first:,} and more" if last is None else f"{first:,} to {last:,}"
        rows.append({"often": name, "tokens": int(inside.sum()), "share": float(inside.mean()) if len(counts) else 0.0})
    cells = [[row["often"], number(row["tokens"]), share(row["share"])] for row in rows]
    y = _axis("often", None, "ordinal", sort=None, axis={"ticks": False, "domain": False})
    x = _axis("tokens", "tokens of the vocabulary", axis=_FEW, scale=_room([row["tokens"] for row in rows]))
    return _chart(
        "How often the tokens of the vocabulary occur in the text",
        table(["times in the text", "tokens", "share of the vocabulary"], cells),
        26 * len(rows),
        rows,
        layer=_labelled(x, y, "share"),
    )


def _labelled(x: Spec, y: Spec, said: str) -> list[Spec]:
    """Bars with a share written at their ends."""
    label = {"x": x, "y": y, "text": {"field": said, "format": ".1%"}}
    return [
        {"mark": {"type": "bar", "height": {"band": 0.7}}, "encoding": {"x": x, "y": y}},
        {"mark": {"type": "text", "align": "left", "dx": 4}, "encoding": label},
    ]


def kinds(found: Kinds, by: str) -> Chart:
    """What the vocabulary is made of, by kind or script."""
    groups = sorted(found.of("script" if by == "script" else "kind"), key=lambda group: -group.tokens)
    rows: list[dict[str, Any]] = [
        {"name": one.name, "tokens": one.tokens, "share": one.share} for one in groups[:MOST_GROUPS] if one.tokens
    ]
    cells = [[group.name, number(group.tokens), share(group.share)] for group in groups]
    x = _axis("tokens", "tokens", axis=_FEW, scale=_room([row["tokens"] for row in rows]))
    y = _axis("name", None, "nominal", sort=None, axis={"ticks": False, "domain": False})
    title = "Tokens by the script of their letters" if by == "script" else "Tokens by kind"
    return _chart(title, table([by, "tokens", "share"], cells), 22 * len(rows), rows, layer=_labelled(x, y, "share"))


def indentation(found: Oddities) -> Chart:
    """What leading spaces and tabs cost."""
    names = {" ": "spaces", "\t": "tabs"}
    rows = [
        {"width": width, "tokens": cost, "of": names[one.character]}
        for one in found.indentation
        for width, cost in enumerate(one.tokens, 1)
    ]
    cells = [[number(width), *(number(one.tokens[width - 1]) for one in found.indentation)] for width in range(1, 41)]
    by = {"field": "of", "type": "nominal", "title": None}
    return _chart(
        "Tokens of the white space before a line of code",
        table(["characters", *(names[one.character] for one in found.indentation)], cells, 0),
        180,
        rows,
        mark={"type": "line", "interpolate": "step-after"},
        encoding={
            "x": _axis("width", "characters before the line", scale={"domain": [1, 40], "nice": False}),
            "y": _axis("tokens", "tokens", axis={"tickMinStep": 1}, scale={"zero": True}),
            "color": by,
            "strokeDash": by,
            "tooltip": [_axis("of", None, "nominal"), _axis("width", "characters"), _axis("tokens", "tokens")],
        },
    )
