"""A tokenizer that really has only its first merges: what the sweep is checked against.

Plain and slow: the vocabulary is cut and a new tokenizer made of what is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from bytepair import Tokenizer


def truncated(tok: Tokenizer, merges: int) -> Tokenizer:
    """The tokenizer with the first merges; of a rank file, with so many of its tokens of two bytes and more."""
    parts = replace(tok.parts, specials=(), training=None)
    if parts.merges is None:
        symbols = [token for token in parts.tokens if len(token[1]) == 1]
        others = sorted(token for token in parts.tokens if len(token[1]) > 1)
        return Tokenizer.from_parts(replace(parts, tokens=tuple(symbols + others[:merges])))
    contents = dict(parts.tokens)
    ids = {content: id for id, content in parts.tokens}
    made = [ids[contents[left] + contents[right]] for left, right in parts.merges]
    if merges == len(made):
        return Tokenizer.from_parts(parts)
    first, all_made = set(made[:merges]), set(made)
    kept = {
        id: content
        for id, content in parts.tokens
        if id in first or (id not in all_made and (len(content) == 1 or parts.alphabet == "characters"))
    }
    # A merge of something that only a later merge makes can never happen.
    pairs = tuple(pair for pair in parts.merges[:merges] if pair[0] in kept and pair[1] in kept)
    return Tokenizer.from_parts(replace(parts, tokens=tuple(kept.items()), merges=pairs))


def counts(tok: Tokenizer, texts: Iterable[str | bytes]) -> dict[int, int]:
    """How often each token occurs in the texts."""
    ids, _ = tok.encode_batch_to_numpy(texts)
    found = np.unique(ids, return_counts=True)
    return dict(zip(found[0].tolist(), found[1].tolist(), strict=True))
