"""Pieces that merge where their concatenation is a piece, as SentencePiece has it; against merge lists.

The idea is that of ranks (`crates/bytepair/src/vocabulary/ranks.rs`): as long as no merge reaches across the edges of a
stretch of text, it is merged as if it stood alone. So the two sides of the merge that makes a piece are those that
merging the piece's own characters ends in, and two ways to merge agree on every text if they agree on every piece.

Cost: linear in the pieces; quadratic in the characters of one, which are few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from bytepair.errors import FormatError
from bytepair.formats.strict_json import shown

__all__ = ["Pieces", "made_in_order", "merged"]

_LONGEST = 2000


def merged(text: str, rank_of: Callable[[str, str], int | None]) -> tuple[list[str], tuple[str, str] | None]:
    """The parts that are left when characters are merged by rank, the leftmost of equals first; and the last merge.

    >>> ranks = {"ab": 1, "bc": 0, "abc": 2}
    >>> merged("abcb", lambda one, two: ranks.get(one + two))
    (['abc', 'b'], ('a', 'bc'))
    """
    parts = list(text)
    ranks = [rank_of(one, two) for one, two in pairwise(parts)]
    last: tuple[str, str] | None = None
    while True:
        best = min((rank for rank in ranks if rank is not None), default=None)
        if best is None:
            return parts, last
        at = ranks.index(best)
        last = parts[at], parts[at + 1]
        parts[at : at + 2] = ["".join(last)]
        del ranks[at]
        if at:
            ranks[at - 1] = rank_of(parts[at - 1], parts[at])
        if at < len(ranks):
            ranks[at] = rank_of(parts[at], parts[at + 1])


def made_in_order(
    texts: Iterable[str], rank_of: Callable[[str, str], int | None]
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Into what each text is merged; and those that are made, in the order of the merges that make them.

    Two ways to merge agree on every text if they give the same here.
    """
    ends: dict[str, tuple[str, ...]] = {}
    ranks: dict[str, int] = {}
    for text in texts:
        parts, last = merged(text, rank_of)
        ends[text] = tuple(parts)
        if len(parts) == 1 and last is not None and (rank := rank_of(*last)) is not None:
            ranks[text] = rank
    return ends, sorted(ranks, key=ranks.__getitem__)


class Pieces:
    """Texts with their ids."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = ids

    def last_pairs(self, order: Iterable[int]) -> tuple[tuple[int, int], ...]:
        """Of each piece of more than one character, in this order of ranks, the two that merging it ends in.

        Raises:
            FormatError: a piece with a character that is none; one that is too long.
        """
        texts = {id_: text for text, id_ in self._ids.items()}
        ranks = {texts[id_]: rank for rank, id_ in enumerate(order)}
        pairs: list[tuple[int, int]] = []
        for text in ranks:
            if len(text) == 1:
                continue
            if len(text) > _LONGEST:
                raise FormatError(f"the piece {shown(text)} has {len(text)} characters", "no piece is that long")
            if (missing := next((sign for sign in text if sign not in ranks), None)) is not None:
                raise FormatError(
                    f"the piece {shown(text)} has the character {shown(missing)}, which is no piece",
                    "such a model is not read; sentencepiece itself runs it",
                )
            parts, last = merged(text, lambda one, two: ranks.get(one + two))
            if len(parts) == 1 and last is not None:
                pairs.append((self._ids[last[0]], self._ids[last[1]]))
        return tuple(pairs)
