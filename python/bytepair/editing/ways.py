"""How tokens are made: of each, the two parts that merging its own bytes ends in, and who is a part of whom.

The idea: what becomes of a stretch of text depends on its own bytes alone as long as no merge reaches across its edges.
So a token is made of one pair of parts wherever it is made, the last that is left when its own bytes are merged, and
only tokens that have a removed one somewhere below them are made otherwise without it, or no more.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bytepair.parts import MARK

if TYPE_CHECKING:
    from bytepair.parts import Parts
    from bytepair.tokenizer import Tokenizer

__all__ = ["base_symbols", "built_through", "merged", "symbols_of", "ways"]

Pair = tuple[int, int]


def ways(tok: Tokenizer) -> dict[int, tuple[int, Pair]]:
    """(rank, (left id, right id)) of each token that merges make of its own bytes."""
    found: dict[int, tuple[int, Pair]] = {}
    core = tok._engine  # noqa: SLF001 - for this package's own use
    for id in core.ids_list():
        trees = core.explain_id(id)
        if trees is None:
            continue
        nodes, roots = trees
        _, _, rank, children = nodes[roots[0]]
        if rank is not None and children is not None:
            found[id] = rank, (nodes[children[0]][1], nodes[children[1]][1])
    return found


def built_through(removed: Iterable[int], found: Mapping[int, tuple[int, Pair]]) -> set[int]:
    """The tokens that have one of these below them, however far."""
    users: dict[int, list[int]] = {}
    for id, (_, pair) in found.items():
        for part in pair:
            users.setdefault(part, []).append(id)
    reached: set[int] = set()
    waiting = list(removed)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in reached:
                reached.add(user)
                waiting.append(user)
    return reached


def base_symbols(parts: Parts) -> set[int]:
    """The ids of what merging begins with: bytes or characters, marked or not; the unknown token."""
    symbols = {id for id, content in parts.tokens if len(symbols_of(parts, content)) == 1}
    return symbols | ({parts.unknown} if parts.unknown is not None else set())


def symbols_of(parts: Parts, content: bytes) -> list[bytes]:
    """The base symbols that a content is made of."""
    if parts.alphabet == "bytes":
        ends = list(range(1, len(content) + 1))
        if parts.end_of_word is not None and len(content) > 1 and content.endswith(MARK):
            del ends[-2]  # the mark is joined to the byte before it
        return [content[start:end] for start, end in itertools.pairwise([0, *ends])]
    if parts.alphabet == "unicode":
        return [content] if content.startswith(MARK) else [letter.encode() for letter in content.decode()]
    letters = [letter.encode() for letter in content.removesuffix(MARK).decode()]
    if content.endswith(MARK):
        if parts.end_of_word_joined and letters:
            letters[-1] += MARK
        else:
            letters.append(MARK)
    return letters


def merged(ids: Sequence[int], pairs: Mapping[Pair, tuple[int, int]]) -> list[int]:
    """What is left of some symbols when all pairs that can merge have: the lowest rank first, the leftmost of equals.

    `pairs` has (rank, id) of each. n log n: a list of neighbours, and a heap of (rank, place) in which those that are
    out of date are passed over.
    """
    at = list(ids)
    after = list(range(1, len(at) + 1))
    before = list(range(-1, len(at) - 1))
    waiting: list[tuple[int, int, Pair]] = []

    def offer(left: int) -> None:
        if left >= 0 and after[left] < len(at):
            pair = at[left], at[after[left]]
            if pair in pairs:
                heapq.heappush(waiting, (pairs[pair][0], left, pair))

    for place in range(len(at)):
        offer(place)
    while waiting:
        _, left, pair = heapq.heappop(waiting)
        right = after[left]
        if right >= len(at) or (at[left], at[right]) != pair:
            continue
        at[left], at[right] = pairs[pair][1], GONE
        after[left] = after[right]
        if after[left] < len(at):
            before[after[left]] = left
        offer(before[left])
        offer(left)
    return [id for id in at if id != GONE]


GONE = -1
"""No id: what stood here has been merged into its left neighbour."""
