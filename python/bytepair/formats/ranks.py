"""The merge list of a rank file.

In a rank file any two tokens whose concatenation is a token merge, lowest id of the result first, leftmost first
among equals. A merge list has a rank for each pair instead, so here are all splits of all tokens, by the ids of the
results. The order among the splits of one token does not matter, for only one of them can ever stand in a text: what
becomes of a stretch depends on its own bytes until a merge crosses its edges, so two tokens that meet also meet when
their bytes are merged alone, as the last two that are left.

Cost: each token is cut at each of its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["merges_of_ranks"]


def merges_of_ranks(tokens: Iterable[tuple[int, bytes]]) -> tuple[tuple[int, int], ...]:
    """(left id, right id) of every pair that a rank file merges, in an order that gives the same ids.

    >>> merges_of_ranks([(0, b"a"), (1, b"b"), (2, b"ab"), (3, b"aba")])
    ((0, 1), (2, 0))
    """
    ordered = sorted(tokens)
    ids = {content: id_ for id_, content in ordered}
    merges: list[tuple[int, int]] = []
    for _, content in ordered:
        for cut in range(1, len(content)):
            left, right = ids.get(content[:cut]), ids.get(content[cut:])
            if left is not None and right is not None:
                merges.append((left, right))
    return tuple(merges)
