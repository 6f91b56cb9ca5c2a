"""A text cut in other ways than into the contents of its tokens: their ids, their bytes, pretokens, differences.

Each is a `Flow` of the one renderer, so that they look alike and the page treats them alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from bytepair.render.spans import Flow, Span
from bytepair.render.tokens import quoted_span, token_span
from bytepair.render.views import trace_flow
from bytepair.trace import Trace

__all__ = ["VIEWS", "View", "cut_flow", "flow", "hexadecimal"]

View = Literal["tokens", "ids", "bytes", "pretokens"]
_LONG = 1_000  # bytes of a token that are written out
_HINTED = 100  # and in a hint
VIEWS: tuple[View, ...] = ("tokens", "ids", "bytes", "pretokens")


def flow(trace: Trace, view: View, start: int, end: int) -> Flow:
    """The tokens (or pretokens) from `start` to `end`.

    >>> import bytepair as bp
    >>> trace = bp.train(texts=[], vocab_size=256).trace("ab")
    >>> [span.text for span in flow(trace, "ids", 0, 2).spans], [span.text for span in flow(trace, "bytes", 1, 2).spans]
    (['97', '98'], ['62'])
    """
    if view == "tokens":
        return trace_flow(trace, start=start, most=end - start)
    if view == "pretokens":
        return _pretokens(trace, start, end)
    return _labelled(trace, view, start, end)


def hexadecimal(content: bytes) -> str:
    """The bytes of a token; of one that is very long, the first ones.

    >>> hexadecimal(b"low")
    '6c 6f 77'
    """
    return content.hex(" ") if len(content) <= _LONG else f"{content[:_LONG].hex(' ')} …"


def _labelled(trace: Trace, view: View, start: int, end: int) -> Flow:
    """Ids or bytes; the lines are those of the text."""
    spans: list[Span] = []
    for index in range(start, min(end, len(trace))):
        token = trace[index]
        bare = token_span(token.bytes, special=token.special)
        text = str(token.id) if view == "ids" else hexadecimal(token.bytes)
        hint = f"{quoted_span(token.bytes, _HINTED).text}, id {token.id}"
        spans.append(Span(text, bare.role, index, token.pretoken, token.id, hint))
        if token.bytes.endswith(b"\n"):
            spans.append(Span("\n", "break"))
    return Flow(tuple(spans))


def _pretokens(trace: Trace, start: int, end: int) -> Flow:
    """What the pattern cut; the shade and the hint tell the alternative that matched."""
    spans: list[Span] = []
    for index in range(start, min(end, len(trace.pretokens))):
        pretoken = trace.pretokens[index]
        number = pretoken.alternative
        which = "no alternative matched" if number is None else f"alternative {number}: {pretoken.source}"
        hint = f"{which}; {pretoken.last - pretoken.first} tokens"
        *lines, last = pretoken.text.split(b"\n")
        for part in lines:
            spans += [_cut(part + b"\n", index, hint), Span("\n", "break")]
        if last:
            spans.append(_cut(last, index, hint))
    return Flow(tuple(spans))


def _cut(content: bytes, index: int, hint: str) -> Span:
    return replace(token_span(content, shade=index), hint=hint)


def cut_flow(trace: Trace, others: list[Trace], end: int) -> tuple[Flow, int]:
    """The first tokens, in one shade where all cut the text alike and in another where not; and how many differ."""
    alike = set(trace.byte_offsets)
    for other in others:
        alike &= set(other.byte_offsets)
    differ = sum(place not in alike for place in trace.byte_offsets)
    at = 0
    spans: list[Span] = []
    for span in trace_flow(trace, most=end).spans:
        if span.role == "break":
            spans.append(span)
            continue
        # A token with line feeds in it is drawn as several spans of one shade, which is its index.
        at = span.shade
        is_alike = trace.byte_offsets[at] in alike
        hint = span.hint if is_alike else f"cut here alone or differently: {span.hint}"
        spans.append(replace(span, shade=0 if is_alike else 1, hint=hint))
    return Flow(tuple(spans)), differ
