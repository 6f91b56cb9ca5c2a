"""What pruning rare pretokens does to a tokenizer, seen by training with and without it.

The idea: `PretokenCounts.dropped` and `TrainingRecord.doubtful` say what pruning may have done, and cost nothing. Here
both tokenizers are trained, and what it did is counted: on all pretokens, those that were dropped among them. Cost: two
trainings, and merging each distinct pretoken twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from bytepair import _core
from bytepair.counts.pretoken_counts import Dropped, PretokenCounts
from bytepair.tokenizer import Tokenizer
from bytepair.training.train import train

__all__ = ["PruningEffect", "pruning_effect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PruningEffect:
    """What `pruning_effect` has found."""

    below: int
    """Pretokens that occur less often were dropped."""
    dropped: Dropped
    """What that was."""
    share: float
    """The part of all pretokens, repeated ones repeatedly, that was dropped."""
    doubtful: int | None
    """The first merge that could have been another one, by what pruning alone knows; see `TrainingRecord`."""
    first_other: int | None
    """The first merge that is another one, from 0; None if all are the same."""
    shared: int
    """How many tokens, special ones not among them, both vocabularies have."""
    tokens: int
    """How many tokens, special ones not among them, there are without pruning."""
    bytes_per_token: float
    """Bytes per token of all pretokens, with the tokenizer of the pruned counts."""
    bytes_per_token_unpruned: float
    """The same, with that of all counts."""


def pruning_effect(
    counts: PretokenCounts, below: int, *, vocab_size: int | None = None, num_merges: int | None = None
) -> PruningEffect:
    """Trains with and without the pretokens that occur less often than `below`, and compares.

    Args:
        counts: of bytes.
        below: as in `PretokenCounts.prune`.
        vocab_size: as in `train`.
        num_merges: as in `train`.

    Raises:
        ValueError: counts of characters.
        As `train`.

    >>> import bytepair as bp
    >>> counts = bp.count_pretokens(texts=["low lower low lower low new"], pattern="gpt2")
    >>> effect = bp.pruning_effect(counts, 2, num_merges=4)
    >>> effect.dropped.distinct, effect.doubtful, effect.first_other, effect.shared, effect.tokens
    (2, 0, 0, 258, 260)
    """
    if counts.splitting.alphabet != "bytes":
        raise ValueError("counts are of characters\nhint: bytes per token are known for counts of bytes alone")
    pruned = counts.prune(below)
    ours, theirs = (train(counts=one, vocab_size=vocab_size, num_merges=num_merges) for one in (counts, pruned))
    others = [rank for rank, (one, other) in enumerate(zip(ours.merges, theirs.merges, strict=False)) if one != other]
    shortest = min(len(ours.merges), len(theirs.merges))
    ends = [] if len(ours.merges) == len(theirs.merges) else [shortest]
    mine, yours = (set(one.vocabulary.values()) for one in (ours, theirs))
    record = theirs.training
    return PruningEffect(
        below=below,
        dropped=pruned.dropped,
        share=1 - pruned.total / counts.total if counts.total else 0.0,
        doubtful=None if record is None else record.doubtful,
        first_other=min(others + ends, default=None),
        shared=len(mine & yours),
        tokens=len(mine),
        bytes_per_token=_bytes_per_token(theirs, counts),
        bytes_per_token_unpruned=_bytes_per_token(ours, counts),
    )


def _bytes_per_token(tok: Tokenizer, counts: PretokenCounts) -> float:
    tokens, _, _ = _core.fewest(tok._engine, counts.table, 0)  # noqa: SLF001 - for this package's own use
    return counts.total_bytes / tokens if tokens else 0.0
