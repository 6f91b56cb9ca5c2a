"""What an explanation looks like, as blocks: traces, merge trees, steps, alternatives of a pattern.

Each function takes what the tokenizer returns and gives blocks, which any of the renderers draws. Of what is long, the
first part is drawn and the rest counted, so that a page stays small whatever it is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from bytepair.render.about import about_table
from bytepair.render.pictures import tree_svg
from bytepair.render.spans import Block, Flow, Line, Picture, Span, Table, heading, line
from bytepair.render.steps import step_row, step_table
from bytepair.render.tokens import counts_line, quoted_span, token_span
from bytepair.render.trees import tree_table
from bytepair.render.visible import quoted
from bytepair.wording import several

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer
    from bytepair.trace import MergeTree, Step, Steps, Trace, TracedToken

__all__ = ["MOST_ROWS", "MOST_TOKENS", "steps_view", "tokenizer_view", "trace_flow", "trace_view", "trees_view"]

MOST_TOKENS = 5_000
"""Tokens that are drawn of one text."""
MOST_ROWS = 200
"""Rows of a table."""
LONGEST = 100
"""Bytes of a token in a table."""
MOST_TREES = 20
MOST_SPECIALS = 20
SAMPLE = "Tokens are whole words, or parts of unusual ones; 1234567 is a number, and 🌱 is four bytes."
"""What a notebook shows of a tokenizer."""


def trace_flow(trace: Trace, *, start: int = 0, most: int | None = None) -> Flow:
    """The tokens of a text from the one at `start` on, in the frames of their pretokens; `most` of them, or all.

    >>> import bytepair as bp
    >>> flow = trace_flow(bp.train(texts=[], vocab_size=256).trace("a b"))
    >>> [(span.text, span.group, span.id) for span in flow.spans]
    [('a', 0, 97), (' ', 1, 32), ('b', 1, 98)]
    """
    spans: list[Span] = []
    said = _characters(trace)
    for index in range(len(trace))[start : None if most is None else start + most]:
        token = trace[index]
        hint = "id {}, bytes {} to {}".format(token.id, *token.byte_offsets)
        if token.special:
            hint = f"special token, {hint}"
        elif token.partial:
            hint = f"part of {said[index]}, {hint}"
        *lines, last = token.bytes.split(b"\n")
        for part in lines:
            spans += [_token(token, part + b"\n", index, hint), Span("\n", "break")]
        if last:
            spans.append(_token(token, last, index, hint))
    return Flow(tuple(spans))


def _token(token: TracedToken, part: bytes, index: int, hint: str) -> Span:
    bare = token_span(part, special=token.special)
    return Span(bare.text, bare.role, index, token.pretoken, token.id, hint)


def trace_view(trace: Trace) -> list[Block]:
    """The counts, the tokens in a row, and each with its place."""
    size = sum(map(len, trace.tokens))
    characters = trace.char_offsets[-1][1] if trace.char_offsets else 0
    blocks: list[Block] = [counts_line("", len(trace), characters, size), trace_flow(trace, most=MOST_TOKENS)]
    if len(trace) > MOST_TOKENS:
        blocks.append(_more(len(trace) - MOST_TOKENS, "token"))
    return [*blocks, *_places(trace)]


def _places(trace: Trace) -> list[Block]:
    rows: list[tuple[Line, ...]] = []
    said = _characters(trace)
    for index, token in enumerate(islice(trace, MOST_ROWS)):
        note = "special" if token.special else f"part of {said[index]}" if token.partial else ""
        rows.append(
            (
                line(Span(str(index), "count")),
                line(Span(str(token.id), "id")),
                line("{}-{}".format(*token.byte_offsets)),
                line("{}-{}".format(*token.char_offsets)),
                line("" if token.pretoken is None else str(token.pretoken)),
                line(quoted_span(token.bytes, LONGEST), *([Span(f"  {note}", "note")] if note else [])),
            )
        )
    table = Table(("#", "id", "bytes", "characters", "pretoken", "token"), tuple(rows), frozenset(range(5)))
    rest = [_more(len(trace) - MOST_ROWS, "token")] if len(trace) > MOST_ROWS else []
    return [table, *rest] if rows else []


def trees_view(trees: Sequence[MergeTree], *, pictures: int = MOST_TREES) -> list[Block]:
    """A picture of each tree with its table; of base symbols, which nothing made, one table."""
    blocks: list[Block] = []
    bare: list[MergeTree] = []
    for tree in trees[:pictures]:
        if tree.left is None:
            bare.append(tree)
            continue
        blocks.append(Picture(tree_svg(tree), _table(tree)))
    if bare:
        blocks += [line("No merge made these:"), tree_table(bare, longest=LONGEST)]
    if len(trees) > pictures:
        blocks.append(_more(len(trees) - pictures, "tree"))
    return blocks


def _table(tree: MergeTree) -> Table:
    """The tree as a table, which says how much of it is left out."""
    table = tree_table([tree], most=MOST_ROWS, longest=LONGEST)
    left = 2 * len(tree.leaves()) - 1 - len(table.rows)
    if left <= 0:
        return table
    more = (*(line("") for _ in table.headings[1:]), _more(left, "node"))
    return replace(table, rows=(*table.rows, more))


def tokenizer_view(tok: Tokenizer) -> list[Block]:
    """What a tokenizer is, and what it makes of a sentence."""
    return [
        heading(repr(tok)),
        trace_flow(tok.trace(SAMPLE, unknown="skip")),
        about_table(tok.info(), tok.special_tokens, most=MOST_SPECIALS),
    ]


def steps_view(steps: Steps) -> list[Block]:
    """A table a pretoken, one row a merge."""
    blocks: list[Block] = []
    for steps_of_one in _by_pretoken(islice(steps, MOST_ROWS)):
        blocks += [
            line(Span(quoted_span(steps_of_one[0].pretoken, LONGEST).text, "heading")),
            step_table(step_row(step) for step in steps_of_one),
        ]
    if not blocks:
        blocks.append(line(Span("No merge applies: every symbol stays a token of its own.", "note")))
    if len(steps) > MOST_ROWS:
        blocks.append(_more(len(steps) - MOST_ROWS, "merge"))
    return blocks


def _by_pretoken(steps: Iterator[Step]) -> Iterator[list[Step]]:
    held: list[Step] = []
    for step in steps:
        if held and (held[-1].pretoken != step.pretoken or held[-1].after != step.before):
            yield held
            held = []
        held.append(step)
    if held:
        yield held


def _characters(trace: Trace) -> dict[int, str]:
    """Of each token that holds part of a character, which one."""
    partial = [index for index, is_partial in enumerate(trace.partial) if is_partial]
    if not partial:
        return {}
    text = b"".join(trace.tokens).decode("utf-8", "replace")
    said: dict[int, str] = {}
    for index in partial:
        start, end = trace.char_offsets[index]
        shown = text[start:end]
        said[index] = "bytes that are no character" if "\ufffd" in shown or not shown else quoted(shown.encode())
    return said


def _more(number: int, noun: str) -> Line:
    return line(Span(f"and {several(number, noun)} more", "note"))
