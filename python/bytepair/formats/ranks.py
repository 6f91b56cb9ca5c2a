"""The merge list of a rank file.

In a rank file any two tokens whose concatenation is a token merge, lowest id of the result first, leftmost first among
equals. A merge list has a rank for each pair instead. So: all splits of all tokens, in the order of the results' ids.
Splits of one token meet in a text only as `x y z` with `xy` = `yz`; the leftmost must win there, so the split `x | y`
goes before `y | z`. Where both orders would be asked for (powers of one string), such a meeting needs `x y x` with
x and y unequal powers, which leftmost merging never leaves behind.

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
        cuts = [cut for cut in range(1, len(content)) if content[:cut] in ids and content[cut:] in ids]
        if len(cuts) > 1:
            cuts.sort(key=lambda cut: (not content.startswith(content[cut:]), len(content) - cut))
        merges += [(ids[content[:cut]], ids[content[cut:]]) for cut in cuts]
    return tuple(merges)
