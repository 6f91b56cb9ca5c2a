"""Special tokens added; every old id stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bytepair.editing.edited import Edited, edited
from bytepair.errors import SpecialTokenError
from bytepair.integers import checked_integer
from bytepair.parts import MAX_ID, SpecialToken
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["with_special_tokens"]


def with_special_tokens(tok: Tokenizer, tokens: Sequence[str] | Mapping[str, int]) -> Edited:
    """What `Tokenizer.with_special_tokens` does."""
    parts = tok.parts
    there = {special.content: special.id for special in parts.specials}
    ids = {content: id for id, content in parts.tokens}
    owners = {id: f"the token `{visible(content)}`" for id, content in parts.tokens}
    owners |= {special.id: f"the special token `{special.content}`" for special in parts.specials}
    added: list[SpecialToken] = []
    for content, id in _numbered(tokens, tok.n_vocab).items():
        same = ids.get(content.encode("utf-8", "replace"))
        if content in there:
            raise SpecialTokenError(
                f"`{content}` is a special token already, with id {there[content]}", "leave it out: it is there"
            )
        if id in owners and id != same:
            raise SpecialTokenError(
                f"the special token `{content}` has id {id}, which is the id of {owners[id]}",
                f"use an id that is free, from {tok.n_vocab} on",
            )
        if same not in {None, id}:
            raise SpecialTokenError(
                f"the special token `{content}` has id {id}, and there is a token of these bytes with id {same}",
                f"give it that id, which makes the token special: {{{content!r}: {same}}}; or another text",
            )
        owners[id] = f"the special token `{content}`"
        added.append(SpecialToken(content, id))
    return edited(tok, type(tok).from_parts(replace(parts, specials=(*parts.specials, *added))))


def _numbered(tokens: Sequence[str] | Mapping[str, int], first: int) -> dict[str, int]:
    """The texts with their ids; those of a list follow the highest one.

    Raises:
        TypeError: no list and no mapping, items of other types.
        SpecialTokenError: a text that is empty or stands twice.
    """
    if isinstance(tokens, Mapping):
        numbered = {content: checked_integer(f"the id of {content!r}", id, 0, MAX_ID) for content, id in tokens.items()}
    elif isinstance(tokens, Sequence) and not isinstance(tokens, (str, bytes, bytearray, memoryview)):
        numbered = {}
        for content in tokens:
            if content in numbered:
                raise SpecialTokenError(f"the special token {content!r} stands twice", "leave one of them out")
            numbered[content] = first + len(numbered)
    else:
        raise TypeError(f"tokens is of type `{type(tokens).__name__}`\nhint: pass a list of texts, or a mapping to ids")
    for content in numbered:
        if not isinstance(content, str):
            raise TypeError(f"a special token is of type `{type(content).__name__}`\nhint: each is a str")
        if not content:
            raise SpecialTokenError("a special token is empty", "leave it out")
    return numbered
