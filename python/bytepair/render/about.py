"""What a tokenizer is, as rows: its size, its pattern, its special tokens, and what is unusual about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from bytepair.render.spans import Line, Span, Table, line
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.vocabulary import Info

__all__ = ["about_table"]


def about_table(
    info: Info, special_tokens: Mapping[str, int], *, most: int | None = None, machine: bool = True
) -> Table:
    r"""The rows; of the special tokens at most `most`; with `machine`, also how this machine finds boundaries.

    >>> import bytepair as bp
    >>> from bytepair.render.plain import plain
    >>> tok = bp.train(texts=[], vocab_size=257, special_tokens=["<|end|>"])
    >>> rows = list(plain(about_table(tok.info(), tok.special_tokens)))
    >>> rows[0], rows[-1]
    ('n vocab\t257', 'special token\t256  <|end|>')
    """
    found = {field.name: getattr(info, field.name) for field in fields(info)}
    if info.end_of_word is None:
        del found["end_of_word"], found["end_of_word_joined"]
    del found["path_reason"]
    for usual, name in ((0, "unmade"), (0, "twins"), (True, "ordered")):
        if found[name] == usual:
            del found[name]
    if machine and info.splitter == "automaton":
        found["path"] = _path(info)
    else:
        del found["path"]
    rows = [
        _row(name.replace("_", " "), _value(name, value)) for name, value in found.items() if value not in (None, ())
    ]
    shown = list(special_tokens.items())[:most]
    rows += [_row("special token", Span(f"{number}  {visible(name.encode())}")) for name, number in shown]
    if len(shown) < len(special_tokens):
        rows.append(_row("", Span(f"and {len(special_tokens) - len(shown):,} more special tokens", "note")))
    return Table(("", ""), tuple(rows), fold=True)


def _row(name: str, value: Span) -> tuple[Line, ...]:
    return line(Span(name, "note")), line(value)


def _path(info: Info) -> str:
    if info.path_reason is None:
        return f"{info.path}, 64 bytes at a time"
    return f"scalar, one character at a time: {info.path_reason}"


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}..{high}"


def _value(name: str, value: Any) -> Span:  # noqa: ANN401
    if isinstance(value, bool):
        return Span("yes" if value else "no")
    if isinstance(value, int):
        return Span(str(value))
    if name == "normalizer":
        return Span(visible("; ".join(value).encode("utf-8", "replace")))
    if isinstance(value, tuple):
        return Span(", ".join(item if isinstance(item, str) else _range(*item) for item in value))
    text = str(value)
    return Span(
        text if text.isprintable() else visible(text.encode("utf-8", "replace")),
        "pattern" if name == "pattern" else "plain",
    )
