"""The report as one file: everything is in it, and it asks nothing of a network.

Invariants: whatever comes from a tokenizer, a text or the name of a file is escaped; data stands in a script that is no
program, with `<`, `>` and `&` as escapes. And should that ever fail: the policy of the page lets no script run but the
two whose hashes it names, and lets nothing be loaded.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from bytepair.measuring.shown import number, share
from bytepair.render.html import html
from bytepair.render.spans import Block
from bytepair.render.style import page
from bytepair.reporting.bundle import scripts
from bytepair.reporting.charts import Chart
from bytepair.reporting.glossary import WORDS
from bytepair.reporting.sections import Section, sections

if TYPE_CHECKING:
    from bytepair.auditing.auditor import Audit
    from bytepair.auditing.findings import Finding
    from bytepair.reporting.results import Results

__all__ = ["drawn", "in_script"]

AUDIT = "What is wrong with it"
EXAMPLES = 6
"""Tokens of each finding that are shown at once ..."""
MOST = 200
"""... and when it is opened."""
READOUT = (
    ("size", "tokens in the vocabulary"),
    ("value", "bytes a token"),
    ("tokens", "tokens of the text"),
    ("more", "more than with all"),
    ("attention", "work of attention, against all"),
    ("words", "pieces with a letter that are one token"),
    ("used", "tokens in use"),
    ("ceiling", "of the ceiling"),
    ("embedding", "numbers in the embedding"),
)
_HALF = re.compile("[\ud800-\udfff]")  # what the name of a file may hold, and UTF-8 may not
_WIDTH = 768  # of the embedding, where none is given


def drawn(found: Results) -> str:
    """The page."""
    title = f"Tokenizer report: {found.name}"
    parts = sections(found)
    charts = {_id(part, index): chart for part in parts for index, chart in _charts(part)}
    data = in_script({name: chart.spec for name, chart in charts.items()})
    libraries, program = scripts()
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"script-src {_hash(libraries)} {_hash(program)}"
    )
    css = resources.files("bytepair.reporting").joinpath("page.css").read_text("utf-8")
    read, looked_up = ([part for part in parts if part.is_looked_up == later] for later in (False, True))
    contents = [("short", "In short"), *((part.id, part.title) for part in read), ("audit", AUDIT)]
    contents += [*((part.id, part.title) for part in looked_up), ("words", "Words")]
    body = "\n".join(
        [
            f"<header><h1>{escape(title)}</h1>",
            f"<p>{escape(_about(found))}</p>",
            f"<nav aria-label='Contents'><ul>{_contents(contents)}</ul></nav></header>",
            "<main>",
            _short(found),
            *(_section(part, found) for part in read),
            _audit(found),
            *(_section(part, found) for part in looked_up),
            _words(),
            "</main>",
            f'<script type="application/json" id="data">{data}</script>',
            f"<script>{libraries}</script>",
            f"<script>{program}</script>",
        ]
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{css}</style>'
    return _HALF.sub("\ufffd", page(title, body, head=head))


def in_script(value: Any) -> str:  # noqa: ANN401
    r"""A value as JSON that can stand in a script of a page: nothing in it ends the script or begins another one.

    >>> in_script({"name": "</script><!--"})
    '{"name":"\\u003c/script\\u003e\\u003c!--"}'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&]", lambda sign: f"\\u{ord(sign[0]):04x}", text)


def _hash(script: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _charts(part: Section) -> Iterable[tuple[int, Chart]]:
    return ((index, block) for index, block in enumerate(part.body) if isinstance(block, Chart))


def _id(part: Section, index: int) -> str:
    return f"{part.id}-{index}"


def _contents(items: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<li><a href="#{id}">{escape(title)}</a></li>' for id, title in items)


def _about(found: Results) -> str:
    """What it was measured on."""
    if found.measurement is None:
        return "No text could be measured with it."
    figures = found.measurement.of(found.name)
    size = f"{number(figures.bytes)} bytes, {number(figures.words)} words"
    if found.is_bundled:
        return f"Measured on small texts in five languages that come with bytepair ({size}), since no text was given."
    documents = f"{number(figures.documents)} document{'' if figures.documents == 1 else 's'}"
    return f"Measured on {documents}: {size}."


@dataclass(frozen=True, slots=True)
class _Card:
    """A figure at the top of the page."""

    name: str
    figure: str
    says: str


def _short(found: Results) -> str:
    cards = "".join(
        f'<div class="card"><dt>{escape(card.name)}</dt><dd class="figure">{escape(card.figure)}</dd>'
        f'<dd class="said">{escape(card.says)}</dd></div>'
        for card in _cards(found)
    )
    return f'<section id="short"><h2>In short</h2><dl class="cards">{cards}</dl></section>'


def _cards(found: Results) -> list[_Card]:
    special = len(found.tok.special_tokens)
    cards = [
        _Card(
            "Vocabulary",
            number(len(found.tok) - special),
            f"tokens, and {_counted(special, 'special one')}. Each costs a model memory.",
        )
    ]
    if found.measurement is not None:
        cards += _measured(found)
    if found.tax is not None:
        worst = found.tax.costs[0]
        spread = found.tax.spreads[0]
        base = next(cost.name for cost in found.tax.costs if cost.language == found.tax.base)
        cards.append(
            _Card(
                "Dearest language",
                f"{number(spread.max_ratio, 1)} times",
                f"the tokens of {base}: {worst.name}. The mean of {spread.languages} languages is "
                f"{number(spread.mean_ratio, 1)}. Near 1 is fair.",
            )
        )
    if found.audit is not None:
        errors, warnings = (
            sum(one.count > 0 for one in found.audit.findings if one.severity == severity)
            for severity in ("error", "warning")
        )
        cards.append(
            _Card(
                "Audit",
                f"{_counted(errors, 'kind')} of errors" if errors else "no errors",
                f"and {_counted(warnings, 'kind')} of warnings. {number(found.audit.round_trip_alone)} of "
                f"{number(found.audit.tokens)} tokens come back when they are decoded and encoded alone; parts of "
                "characters do not.",
            )
        )
    return cards


def _measured(found: Results) -> list[_Card]:
    assert found.measurement is not None  # noqa: S101 - the caller asked
    one = found.measurement.of(found.name)
    cards = [
        _Card(
            "Tokens of the text",
            number(one.tokens),
            "Fewer are better: the same text costs less, and more of it fits in.",
        ),
        _Card(
            "Characters a token",
            number(one.characters_per_token, 2),
            f"and {number(one.bytes_per_token, 2)} bytes. More is better: a model gets further with each step.",
        ),
    ]
    if one.words:
        cards.append(
            _Card(
                "Words that are one token",
                share(one.single_token_words),
                f"More is better. A word takes {number(one.tokens_per_word, 2)} tokens on average; 1 is best.",
            )
        )
    for other in found.measurement.differences:
        if other.figure == "tokens" and other.language is None:
            said = f"{'more' if other.value > 0 else 'fewer'} tokens than this one, for the same text."
            cards.append(_Card(f"Beside it, {other.second}", share(abs(other.value)), said))
    if not found.is_bundled:
        cards.append(
            _Card(
                "Never used",
                share(one.never_seen / one.vocab_size if one.vocab_size else None),
                "of the vocabulary does not occur in this text. Less is better.",
            )
        )
    return cards


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _section(part: Section, found: Results) -> str:
    drawn: list[str] = []
    held: list[Block] = []
    for index, block in enumerate(part.body):
        if isinstance(block, Chart):
            drawn += [html(held), _figure(_id(part, index), block, _slider(block, found) if part.is_slider else "")]
            held = []
        else:
            held.append(block)
    drawn += [html(held), *(f"<p>{escape(note)}</p>" for note in part.notes)]
    return _framed(part.id, part.title, part.says, part.better, "\n".join(filter(None, drawn)))


def _framed(id: str, title: str, says: str, better: str, body: str) -> str:
    way = f'<p class="better">{escape(better)}</p>' if better else ""
    return f'<section id="{id}"><h2>{escape(title)}</h2><p>{escape(says)}</p>{way}\n{body}</section>'


def _figure(id: str, chart: Chart, slider: str) -> str:
    """A chart, what moves it, and its table."""
    return (
        f'<figure class="drawn" id="{id}"><figcaption>{escape(chart.title)}</figcaption>'
        f'<div class="chart" role="img" aria-label="{escape(chart.title)}; the table below has the numbers"></div>'
        '<noscript><p class="note">The chart needs JavaScript; its table says the same.</p></noscript>'
        f"{slider}</figure>"
        f'<details class="alternative"><summary>The numbers as a table<span class="unseen">: {escape(chart.title)}'
        f"</span></summary>{html([chart.alternative])}</details>"
    )


def _slider(chart: Chart, found: Results) -> str:
    """The slider over the sizes of a sweep, and what it reads out; at first, all of the vocabulary."""
    rows = chart.spec["data"]["values"]
    at = len(rows) - 1
    width = None if found.sweep is None else found.sweep.width
    readout = "".join(
        f'<div><dt>{escape(said)}</dt><dd data-show="{name}">{_at_first(rows[at], name, width or _WIDTH)}</dd></div>'
        for name, said in READOUT
    )
    return (
        '<div class="slider"><label for="size">Size of the vocabulary</label>'
        f'<input id="size" type="range" min="0" max="{at}" value="{at}" autocomplete="off">'
        '<label>Width of the embedding <input type="number" min="1" max="1000000" autocomplete="off" '
        f'value="{width or _WIDTH}"></label>'
        f'</div><dl class="readout">{readout}</dl>'
    )


def _at_first(row: dict[str, Any], name: str, width: int) -> str:
    """What the readout says before the slider is moved."""
    match name:
        case "size" | "tokens" | "used":
            return number(row[name])
        case "value":
            return number(row["value"], 2)
        case "words" | "ceiling":
            return share(row[name])
        case "embedding":
            return number(row["size"] * width)
        case "attention":
            return "1.00 times"
        case _:
            return "0.0 %"


def _audit(found: Results) -> str:
    says = (
        "Every token is decoded and encoded again, and looked at. Errors are defects, warnings can do harm, notes are "
        "good to know."
    )
    if found.audit is None:
        reason = found.reasons.get("audit", "")
        return _framed("audit", AUDIT, f"This could not be looked for: {reason}.", "", "")
    seen = [each for each in found.audit.findings if each.count]
    none = [each.kind for each in found.audit.findings if not each.count]
    said = f"<p>Looked for, and none found: {escape(', '.join(map(_named, none)))}.</p>" if none else ""
    body = "".join(map(_finding, seen)) + said + _runs(found.audit)
    return _framed("audit", AUDIT, says, "None is best; notes are normal.", body)


def _named(kind: str) -> str:
    return kind.replace("_", " ")


def _finding(found: Finding) -> str:
    """A finding with examples; a note is opened by whom it interests."""
    said = f'<span class="severity">{found.severity}</span>{escape(_named(found.kind))}: {number(found.count)}'
    blocks = found.shortened(EXAMPLES)[1:]  # its heading is written here
    more = ""
    if found.count > EXAMPLES:
        blocks.pop()  # how many more there are is said here too
        shown = f"{number(min(found.count, MOST))} of {number(found.count)}"
        more = f"<details><summary>{shown}</summary>{html(found.shortened(MOST)[3:4])}</details>"
    if found.severity == "note":
        return f'<details class="finding note"><summary>{said}</summary>{html(blocks)}{more}</details>'
    return f'<div class="finding {found.severity}"><h3>{said}</h3>{html(blocks)}{more}</div>'


def _runs(audit: Audit) -> str:
    """What long runs of one letter cost."""
    if not audit.runs:
        return ""
    blocks = audit.blocks()
    return f"<h3>A run of one letter</h3>{html(blocks[-2:])}"


def _words() -> str:
    words = "".join(f"<dt>{escape(word)}</dt><dd>{escape(what)}</dd>" for word, what in WORDS.items())
    return _framed("words", "Words", "What the words of this page mean.", "", f'<dl class="words">{words}</dl>')
