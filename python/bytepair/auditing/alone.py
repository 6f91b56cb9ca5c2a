"""Each token decoded and encoded again, and what does not come back sorted by why.

The idea: `encode(decode([id]))` is `[id]` for nearly all tokens, in one batch. The rest are single bytes, parts of
characters, and tokens that something else must stand beside (`contexts`) or that no text gives.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bytepair.auditing.findings import Item
from bytepair.auditing.pieces import part_of
from bytepair.normalizing import Normalizer
from bytepair.render.visible import quoted

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["Alone", "alone", "impossible", "reasons"]

SHOWN = 6


@dataclass(frozen=True, slots=True)
class Alone:
    """Tokens by what becomes of them alone; special ones excluded."""

    whole: int
    """How many come back."""
    single_bytes: tuple[Item, ...]
    """Single bytes from 0x80 on."""
    partial: tuple[Item, ...]
    """Tokens that are no whole characters; the detail says which part."""
    suspects: dict[int, bytes]
    """Whole characters that do not come back: the text of each, without an end-of-word mark."""
    pieces: dict[int, tuple[int, ...]]
    """The ids that each suspect is encoded to instead."""


def alone(tok: Tokenizer, tokens: Mapping[int, bytes]) -> Alone:
    """Sorts tokens; `tokens` are those that are not special."""
    ids = np.fromiter(tokens, dtype=np.int64, count=len(tokens))
    is_bytes = _decodes_to_itself(tok)
    texts = list(tokens.values()) if is_bytes else tok.decode_bytes_batch([[id] for id in tokens])
    encoded, offsets = tok.encode_batch_to_numpy(texts, unknown="skip")
    starts, ends = offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64)
    back = ends - starts == 1
    back[back] = encoded[starts[back]] == ids[back]
    single, partial = list[Item](), list[Item]()
    suspects, pieces, whole = dict[int, bytes](), dict[int, tuple[int, ...]](), 0
    for place, (id, content) in enumerate(tokens.items()):
        if content.isascii() or not is_bytes or (part := part_of(content)) == "whole characters":
            if back[place]:
                whole += 1
            else:
                suspects[id] = texts[place]
                pieces[id] = tuple(encoded[starts[place] : ends[place]].tolist())
        elif len(content) == 1:
            single.append(Item(id, content))
        else:
            partial.append(Item(id, content, part))
    return Alone(whole, tuple(single), tuple(partial), suspects, pieces)


def impossible(tok: Tokenizer, suspects: Mapping[int, bytes]) -> set[int]:
    """Those that no merges make, whatever stands beside them.

    None where whole pretokens are looked up, or words have a mark at their end.
    """
    if not suspects or tok._engine.whole_first or not _decodes_to_itself(tok):  # noqa: SLF001 - for this package's own use
        return set()
    uncut = type(tok).from_parts(replace(tok.parts, pattern=None, normalizer=Normalizer(), training=None))
    made = uncut.encode_batch(suspects.values(), unknown="skip")
    return {id for id, ids in zip(suspects, made, strict=True) if ids != [id]}


def reasons(
    tok: Tokenizer, found: Alone, never: Collection[int], contexts: Mapping[int, bytes], tried: Mapping[int, int]
) -> dict[str, list[Item]]:
    """The findings on tokens that do not come back, once contexts were looked for; `tried` tells in how many texts."""
    kinds: dict[str, list[Item]] = {"needs_context": [], "unreachable": [], "crosses_boundary": []}
    for id, text in found.suspects.items():
        content = tok.bytes_of(id)
        pieces = _shown(tok, found.pieces[id])
        if id in contexts:
            kinds["needs_context"].append(Item(id, content, f"alone: {pieces}", contexts[id]))
        else:
            why = "no order of merges makes it" if id in never else f"not in {tried.get(id, 0):,} contexts"
            kinds["unreachable"].append(Item(id, content, f"{why}; alone: {pieces}"))
        if tok.alphabet == "bytes" and len(cut := tok.split(text)) > 1:
            kinds["crosses_boundary"].append(Item(id, content, "cut: " + _listed(cut), contexts.get(id)))
    return kinds


def _decodes_to_itself(tok: Tokenizer) -> bool:
    """Whether the bytes of a token are those that it decodes to."""
    return tok.alphabet == "bytes" and tok.end_of_word is None


def _shown(tok: Tokenizer, ids: tuple[int, ...]) -> str:
    return _listed([tok.bytes_of(id) for id in ids]) or "nothing"


def _listed(parts: list[bytes] | list[str]) -> str:
    shown = [quoted(part.encode() if isinstance(part, str) else part) for part in parts[:SHOWN]]
    return " ".join([*shown, "..."] if len(parts) > SHOWN else shown)
