"""A text under a tokenizer: its ids, its counts, and how it is cut, drawn in parts so that the page stays fluid."""

from __future__ import annotations

from typing import Any

from bytepair.errors import UnknownSymbolError
from bytepair.measuring.alternatives import alternatives
from bytepair.playground import fields
from bytepair.playground.fields import Request, RequestError
from bytepair.playground.flows import VIEWS, View, cut_flow, flow
from bytepair.playground.limits import DRAWN, MOST_BESIDE, MOST_IDS, MOST_TRACED, MOST_TREES, MOST_WORD
from bytepair.playground.shelf import Shelf
from bytepair.render.html import html
from bytepair.render.letters import letter_lines, letter_table
from bytepair.render.spans import Block
from bytepair.render.views import trees_view
from bytepair.render.visible import quoted
from bytepair.tokenizer import Tokenizer
from bytepair.trace import MergeTree, Trace
from bytepair.wording import several

__all__ = ["beside", "count", "decode", "encode", "explain", "letters", "read", "readable", "traced", "tree"]


def encode(shelf: Shelf, request: Request) -> dict[str, Any]:
    """The ids of a text."""
    tok = shelf.of(request)
    ids = tok.encode(fields.text(request), allowed_special=_allowed(request))
    return {"ids": ids, "count": len(ids)}


def count(shelf: Shelf, request: Request) -> dict[str, Any]:
    """How many tokens, characters and bytes a text has."""
    tok, text = shelf.of(request), fields.text(request)
    return {
        "count": tok.count(text, allowed_special=_allowed(request)),
        "characters": len(text),
        "bytes": _size(text),
    }


def decode(shelf: Shelf, request: Request) -> dict[str, Any]:
    """The text of ids; bytes that are no text become U+FFFD, and are in `hex` as they are."""
    tok = shelf.of(request)
    content = tok.decode_bytes(fields.integers(request, "ids", most=MOST_IDS))
    return {"text": content.decode("utf-8", "replace"), "hex": content.hex()}


def explain(shelf: Shelf, request: Request) -> dict[str, Any]:
    """How each token of a text was merged: nodes, each with its children; the text is short."""
    tok, text = shelf.of(request), fields.text(request, most=MOST_TREES)
    trees = tok.explain(text, allowed_special=_allowed(request))
    return {"trees": [_nodes(tree) for tree in trees]}


def _nodes(tree: MergeTree) -> list[dict[str, Any]]:
    """The nodes of a tree, parents first, each with its depth: as flat as it is here, no tree is too deep for JSON."""
    return [
        {
            "depth": depth,
            "id": node.id,
            "token": quoted(node.bytes)[1:-1],
            "hex": node.bytes.hex(),
            "rank": node.rank,
            "count": node.count,
        }
        for depth, node in tree.walk()
    ]


def read(shelf: Shelf, request: Request) -> dict[str, Any]:
    """A text cut, as HTML, `from` a token on; with its counts and what fits into a context of `context` tokens."""
    tok, text = shelf.of(request), fields.text(request, most=MOST_TRACED)
    chosen: View = next(view for view in VIEWS if view == fields.choice(request, "view", VIEWS))
    trace, note = traced(tok, text, special=fields.flag(request, "special"))
    total = len(trace.pretokens) if chosen == "pretokens" else len(trace)
    start = fields.integer(request, "from", 0, 0, 1 << 31)
    end = min(start + DRAWN, total)
    context = fields.integer(request, "context", 512, 1, 1 << 31)
    found = {
        **_counts(trace, text),
        "html": _drawn(trace, chosen, start, end, context if chosen != "pretokens" else total),
        "next": end if end < total else None,
        "left": total - end,
        "note": note,
        "ruler": _ruler(trace, context),
    }
    if chosen == "pretokens" and not start:
        found["alternatives"] = html(alternatives(tok, [text]).blocks())
    return found


def _drawn(trace: Trace, view: View, start: int, end: int, context: int) -> str:
    """The flow, and a line where the context ends."""
    if context >= end:
        return html([flow(trace, view, start, end)])
    at = max(start, context)
    before = html([flow(trace, view, start, at)]) if at > start else ""
    line = f'<p class="ruler"><span>the context of {several(context, "token")} ends here</span></p>'
    return f'{before}{line if context >= start else ""}<div class="beyond">{html([flow(trace, view, at, end)])}</div>'


def _counts(trace: Trace, text: str) -> dict[str, Any]:
    words = len(text.split())
    return {
        "tokens": len(trace),
        "characters": len(text),
        "bytes": _size(text),
        "words": words,
        "pretokens": len(trace.pretokens),
        "partial": sum(trace.partial),
        "special": sum(trace.special),
    }


def _size(text: str) -> int:
    """Bytes of a text; a lone surrogate is read as U+FFFD, which has three, as it would have itself."""
    return len(text.encode("utf-8", "surrogatepass"))


def _ruler(trace: Trace, context: int) -> dict[str, int]:
    """How much of the text fits."""
    if not trace.ids:
        return {"tokens": 0, "characters": 0}
    last = min(context, len(trace)) - 1
    return {"tokens": last + 1, "characters": trace.char_offsets[last][1]}


def traced(tok: Tokenizer, text: str, *, special: bool = False) -> tuple[Trace, str]:
    """The trace; and a note, where a vocabulary has no symbol for something, which is left out then."""
    allowed: Any = "all" if special else ()
    try:
        return tok.trace(text, allowed_special=allowed), ""
    except UnknownSymbolError as error:
        note = f"{error.message}: what the vocabulary has no symbol for is left out"
        return tok.trace(text, allowed_special=allowed, unknown="skip"), note


def readable(tok: Tokenizer, text: str) -> tuple[str, str]:
    """The text without what the vocabulary has no symbol for; and a note, if there was any."""
    try:
        tok.count(text)
    except UnknownSymbolError as error:
        kept = tok.decode(tok.encode(text, unknown="skip"))
        return kept, f"{error.message}: what the vocabulary has no symbol for is left out"
    return text, ""


def tree(shelf: Shelf, request: Request) -> dict[str, Any]:
    """How the tokens of a text, or the token of an `id`, were merged: a picture of each, as HTML."""
    tok = shelf.of(request)
    if "id" in request:
        id = fields.integer(request, "id", 0, 0, (1 << 32) - 2)
        token = tok.bytes_of(id)
        if len(token) > MOST_TREES:
            what = f"the token {id} has {len(token):,} bytes, and at most {MOST_TREES:,} are drawn as a tree here"
            raise RequestError(what, "look at the tokens that it is made of", 413)
        trees, content, special = tok.explain(id), quoted(token), id in tok.special_tokens.values()
    else:
        text = fields.text(request, most=MOST_TREES)
        trees, content, special = tok.explain(text, unknown="skip"), quoted(text.encode("utf-8", "replace")), False
    said = "a special token: no merge makes it" if special and not trees else ""
    return {"html": html(trees_view(trees)), "tokens": len(trees), "content": content, "note": said}


def beside(shelf: Shelf, request: Request) -> dict[str, Any]:
    """The same text under several tokenizers; tokens that not all of them cut alike have another shade."""
    keys = fields.names(request, "tokenizers", most=MOST_BESIDE)
    if not keys:
        raise RequestError("there is no tokenizer", "choose two to four")
    text = fields.text(request, most=MOST_TRACED)
    found = [traced(shelf.get(key), text, special=fields.flag(request, "special")) for key in keys]
    traces = [trace for trace, _ in found]
    sides = []
    most = DRAWN // len(keys)
    for key, (trace, note) in zip(keys, found, strict=True):
        drawn, differ = cut_flow(trace, [other for other in traces if other is not trace], most)
        counts = _counts(trace, text)
        left = max(len(trace) - most, 0)
        sides.append({"name": key, **counts, "html": html([drawn]), "left": left, "differ": differ, "note": note})
    return {"sides": sides}


def letters(shelf: Shelf, request: Request) -> dict[str, Any]:
    """Which letters of a word a model can see."""
    tok, text = shelf.of(request), fields.text(request, most=MOST_WORD)
    trace, note = traced(tok, text)
    mark = (tok.end_of_word or "").encode()
    blocks: list[Block] = (
        [*letter_lines(trace.tokens), letter_table(trace.tokens, trace.ids, mark)] if trace.ids else []
    )
    return {
        "html": html([flow(trace, "tokens", 0, len(trace))]),
        "table": html(blocks),
        "tokens": [quoted(token)[1:-1] for token in trace.tokens],
        "ids": list(trace.ids),
        "note": note,
    }


def _allowed(request: Request) -> Any:  # noqa: ANN401 - "all" or nothing
    return "all" if fields.flag(request, "special") else ()
