"""Merge trees: how a token was put together.

The idea: one row a node, its numbers first and the tree last, where neither wide nor right-to-left text moves a column.
The invariant: a child stands below its parent, left before right. No recursion: a tree can be as deep as a token is
long. Cost: nodes times depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from bytepair.render.spans import Line, Span, Table, line
from bytepair.render.tokens import quoted_span

if TYPE_CHECKING:
    from bytepair.trace import MergeTree


def nodes(tree: MergeTree) -> Iterator[tuple[MergeTree, str]]:
    """Every node from the root down, each with the branches drawn before it."""
    waiting: list[tuple[MergeTree, str, str]] = [(tree, "", "")]
    while waiting:
        node, branch, below = waiting.pop()
        yield node, branch
        if node.right is not None:
            waiting.append((node.right, f"{below}└─ ", f"{below}   "))
        if node.left is not None:
            waiting.append((node.left, f"{below}├─ ", f"{below}│  "))


def tree_table(trees: Sequence[MergeTree], *, most: int | None = None, longest: int | None = None) -> Table:
    """The trees below one another; the first `most` nodes, and of each token `longest` bytes, or all.

    `rank` and `count` are left out where no node has one.
    """
    flat = list(islice((pair for tree in trees for pair in nodes(tree)), most))
    ranked = any(node.rank is not None for node, _ in flat)
    known = any(node.count is not None for node, _ in flat)
    rows: list[tuple[Line, ...]] = []
    for node, branch in flat:
        cells = [line(Span(str(node.id), "id"))]
        if ranked:
            cells.append(line(Span("" if node.rank is None else str(node.rank), "rank")))
        if known:
            cells.append(line(Span("" if node.count is None else str(node.count), "count")))
        rows.append((*cells, line(Span(branch, "branch"), quoted_span(node.bytes, longest))))
    headings = ("id", *(["rank"] if ranked else []), *(["count"] if known else []), "token")
    return Table(headings, tuple(rows), frozenset(range(len(headings) - 1)))
