"""What a tokenizer does to languages, to the frequencies of a text, and to a few texts that people ask about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from bytepair.bundled import bundled_texts
from bytepair.measuring.zipf import zipf
from bytepair.playground import fields
from bytepair.playground.charts import bar, curve
from bytepair.playground.fields import Request, RequestError
from bytepair.playground.flows import flow
from bytepair.playground.reading import readable, traced
from bytepair.playground.shelf import Shelf
from bytepair.render.html import html
from bytepair.tax.aligned import SOURCE, declaration
from bytepair.tokenizer import Tokenizer
from bytepair.wording import several

__all__ = ["frequencies", "questions", "tax"]

_ARTICLES = 30
_LANGUAGES = tuple(bundled_texts())


@dataclass(frozen=True, slots=True)
class _Row:
    """What a text costs in a language; without a language it is the caller's own."""

    language: str
    name: str
    tokens: int
    characters: int


def tax(shelf: Shelf, request: Request) -> dict[str, Any]:
    """An article of the Declaration of Human Rights (0: all thirty) in 75 languages, and a text of one's own."""
    tok = shelf.of(request)
    article = fields.integer(request, "article", 1, 0, _ARTICLES)
    mine = fields.text(request)
    chosen = fields.name(request, "language") or "en"
    text = declaration()
    if chosen not in text.lines:
        raise RequestError(f"no text is in {chosen!r}", f"there are {', '.join(text.lines)}")
    said = {key: "\n".join(lines) if article == 0 else lines[article - 1] for key, lines in text.lines.items()}
    counted = {key: len(tok.encode_to_numpy(one, unknown="skip")) for key, one in said.items()}
    english = counted["en"]
    rows = [_Row(key, text.names[key], tokens, len(said[key])) for key, tokens in counted.items()]
    if mine:
        rows.append(_Row("", "your text", len(tok.encode_to_numpy(mine, unknown="skip")), len(mine)))
    rows.sort(key=lambda row: (row.tokens, row.name))
    most = max(row.tokens for row in rows) or 1
    shown, _ = traced(tok, said[chosen] if article else text.lines[chosen][0])
    return {
        "rows": [asdict(row) for row in rows],
        "english": english,
        "html": _tax_table(rows, english, most),
        "language": chosen,
        "name": text.names[chosen],
        "text": html([flow(shown, "tokens", 0, len(shown))]),
        "source": SOURCE,
    }


def _tax_table(rows: Sequence[_Row], english: int, most: int) -> str:
    """One row a language, which is a button, with a bar; the line is at English."""
    found = []
    for row in rows:
        ratio = row.tokens / english if english else 0.0
        label = escape(row.name)
        head = (
            label
            if not row.language
            else f'<button type="button" data-language="{escape(row.language)}">{label}</button>'
        )
        found.append(
            f'<tr{" class=mine" if not row.language else ""}><th scope="row">{head}</th>'
            f'<td class="right">{row.tokens:,}</td><td class="right">{ratio:.2f}</td>'
            f'<td class="bars">{bar(row.tokens / most, english / most)}</td></tr>'
        )
    return (
        '<div class="scroll"><table class="tax"><thead><tr><th scope="col">language</th>'
        '<th scope="col" class="right">tokens</th><th scope="col" class="right">&times; English</th>'
        '<th scope="col">against the longest</th></tr></thead>'
        f"<tbody>{''.join(found)}</tbody></table></div>"
    )


def frequencies(shelf: Shelf, request: Request) -> dict[str, Any]:
    """The tokens of a text by rank: of `text`, or of a text that comes with bytepair, by its language in `corpus`."""
    tok = shelf.of(request)
    corpus = fields.choice(request, "corpus", ("", *_LANGUAGES))
    given = fields.text(request)
    text = bundled_texts()[corpus].read_text("utf-8") if corpus else given
    text, note = readable(tok, text)
    if not text:
        return {"html": "", "table": "", "tokens": 0, "in_use": 0, "slope": None, "note": note}
    found = zipf({"this tokenizer": tok}, [text])
    counts = found.counts["this tokenizer"].tolist()
    points = [(float(rank), float(times)) for rank, times in enumerate(counts, 1)]
    chart = curve(
        points,
        title="How often each token occurs, by rank",
        across="rank of the token",
        up="times",
        log_up=True,
        slope=(-1.0, points[0][1]) if points else None,
    )
    figures = found.figures[0]
    return {
        "html": chart,
        "table": html(found.blocks()),
        "tokens": sum(counts),
        "in_use": len(counts),
        "note": note,
        "slope": figures.zipf_slope if math.isfinite(figures.zipf_slope) else None,
    }


def questions(shelf: Shelf, request: Request) -> dict[str, Any]:
    """A few short questions, answered with this tokenizer."""
    tok = shelf.of(request)
    return {"questions": [_answered(tok, *question) for question in _QUESTIONS]}


_FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}\u200d\N{BOY}"
_QUESTIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "Why does a short Russian word become so many tokens?",
        ("cat", "кот", "кошка"),
        (
            "A Cyrillic letter is two bytes in UTF-8, a Latin one is one. Where a vocabulary has seen little Russian, "
            "few of those bytes are merged, and one letter may be two tokens, neither of which is a letter."
        ),
    ),
    (
        "What happens to a family of emoji?",
        ("\N{MAN}", _FAMILY),
        (
            "What is drawn as one picture is several characters, held together by invisible joiners (U+200D). Each of "
            "them is three or four bytes, and merges know nothing of the picture."
        ),
    ),
    (
        "Why are numbers uneven?",
        ("7", "42", "1234", "12345", "2024", "3.14159", "1000000"),
        (
            "The pattern decides how digits are grouped, from the left, in ones or up to threes or at length; the "
            "merges decide which groups are one token. So numbers that stand next to each other are cut differently."
        ),
    ),
    (
        "Is a word the same word with a space before it?",
        ("the", " the", "The", " The"),
        "To people it is. To a model these are different ids, and what they have in common has to be learned.",
    ),
    (
        "What does indentation cost?",
        ("    return x", "        return x", "\treturn x"),
        "Where runs of spaces are tokens, depth is nearly free; where they are not, every level is paid for.",
    ),
)


def _answered(tok: Tokenizer, question: str, texts: tuple[str, ...], why: str) -> dict[str, Any]:
    rows = []
    for text in texts:
        trace, _ = traced(tok, text)
        size = len(text.encode())
        said = f"{several(len(text), 'character')}, {several(size, 'byte')}, {several(len(trace), 'token')}"
        rows.append(
            {"text": text, "said": said, "tokens": len(trace), "html": html([flow(trace, "tokens", 0, len(trace))])}
        )
    return {"question": question, "why": why, "rows": rows, "answer": _answer(tok, texts)}


def _answer(tok: Tokenizer, texts: tuple[str, ...]) -> str:
    """What this tokenizer does, in a sentence that is counted."""
    traces = [traced(tok, text)[0] for text in texts]
    whole = sum(len(trace) == 1 for trace in traces)
    parts = sum(sum(trace.partial) for trace in traces)
    tokens = sum(map(len, traces))
    which = "none" if not whole else "all" if whole == len(texts) else str(whole)
    said = f"With this tokenizer {which} of these {len(texts)} texts {'is' if whole < 2 else 'are'} one token"  # noqa: PLR2004
    return f"{said}, and {parts} of the {several(tokens, 'token')} are parts of characters." if parts else f"{said}."
