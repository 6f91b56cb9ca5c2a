"""The first merges alone, and what follows them.

The idea: merging is greedy, so the first merges of a tokenizer are a smaller tokenizer. Of a rank file, which has no
merges, the first tokens of two bytes and more stay, in the order of their ids. This is what `sweep` gives figures of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bytepair.editing.edited import Edited, edited
from bytepair.editing.removing import renumbered
from bytepair.editing.ways import base_symbols
from bytepair.errors import VocabularyError
from bytepair.integers import checked_integer

if TYPE_CHECKING:
    from bytepair.parts import Parts, TrainingRecord
    from bytepair.tokenizer import Tokenizer

__all__ = ["truncated"]


def truncated(tok: Tokenizer, num_merges: int | None, vocab_size: int | None) -> Edited:
    """What `Tokenizer.truncated` does."""
    if (num_merges is None) == (vocab_size is None):
        got = "none" if num_merges is None else "both"
        raise TypeError(f"got {got} of num_merges, vocab_size\nhint: give exactly one of them")
    parts = tok.parts
    made = _made(parts)
    if num_merges is None:
        merges = _fitting(parts, made, checked_integer("vocab_size", vocab_size or 0, 1))
    else:
        merges = checked_integer("num_merges", num_merges, 0, len(made))
    kept = parts if merges == len(made) else _first(parts, made, merges)
    new, moved = renumbered(kept)
    return edited(tok, type(tok).from_parts(new), moved)


def _made(parts: Parts) -> list[int]:
    """What each merge makes, in the order of the ranks."""
    if parts.merges is None:
        return sorted(id for id, content in parts.tokens if len(content) > 1)
    contents = dict(parts.tokens)
    ids = {content: id for id, content in parts.tokens}
    return [ids[contents[left] + contents[right]] for left, right in parts.merges]


def _first(parts: Parts, made: list[int], merges: int) -> Parts:
    """What the first merges need: base symbols, what they make, special tokens."""
    kept = base_symbols(parts) | set(made[:merges])
    pairs = parts.merges
    if pairs is not None:
        # A merge of something that only a later merge makes can never happen.
        pairs = tuple(pair for pair in pairs[:merges] if kept.issuperset(pair))
    return replace(
        parts,
        tokens=tuple((id, content) for id, content in parts.tokens if id in kept),
        merges=pairs,
        training=_shorter(parts.training, merges) if pairs is not None and len(pairs) == merges else None,
    )


def _shorter(record: TrainingRecord | None, merges: int) -> TrainingRecord | None:
    """The record of the first merges."""
    if record is None:
        return None
    base = min(record.base_merges, merges)
    learned = merges - base
    doubtful = record.doubtful if record.doubtful is not None and record.doubtful < learned else None
    return replace(
        record,
        stopped="goal",
        counts=record.counts[:learned],
        fired=record.fired[:learned],
        base_merges=base,
        chosen_by=record.chosen_by[:learned],
        doubtful=doubtful,
    )


def _fitting(parts: Parts, made: list[int], vocab_size: int) -> int:
    """The most merges with which there are no more tokens than this.

    Raises:
        VocabularyError: there are more without any.
    """
    every = {special.id for special in parts.specials} | {id for id, _ in parts.tokens}
    if len(every) <= vocab_size:
        return len(made)
    kept = ({special.id for special in parts.specials} | base_symbols(parts)) if made else every
    if vocab_size < len(kept):
        raise VocabularyError(
            f"vocab_size is {vocab_size}, but base symbols and special tokens alone are {len(kept)}",
            f"ask for at least {len(kept)}",
        )
    for merges, id in enumerate(made):
        kept.add(id)
        if len(kept) > vocab_size:
            return merges
    return len(made) - 1
