"""A merge tree as SVG: the token at the top, its base symbols in a row at the bottom.

The idea: a node stands over the middle of what it was made of. Widths are added up from the bottom, places are dealt
out from the top; the nodes are in one list, parents first, so both are loops and nothing recurses. Of a large tree the
lower parts are cut off, and each says how many symbols it stands for.

Invariant: no text without escapes. Cost: linear in the nodes that are drawn.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from rich.cells import cell_len

from bytepair.render.tokens import quoted_span
from bytepair.render.visible import beginning, visible
from bytepair.wording import several

if TYPE_CHECKING:
    from bytepair.trace import MergeTree

__all__ = ["MOST_NODES", "tree_svg"]

MOST_NODES = 255
_LETTER, _DIGIT = 8.5, 6.0  # pixels a column of the fonts
_PADDING, _GAP = 8, 10
_BOX, _NUMBERS, _ROW = 26, 12, 80
_LONGEST = 40  # columns of a label


@dataclass(slots=True, eq=False)
class _Node:
    """A node and where it stands; all nodes are in one list, children after their parents."""

    tree: MergeTree
    depth: int
    children: list[_Node] = field(default_factory=list)
    label: str = ""
    own: float = 0.0
    width: float = 0.0
    left: float = 0.0

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    @property
    def top(self) -> int:
        return self.depth * _ROW + 2


def tree_svg(tree: MergeTree, *, most: int = MOST_NODES) -> str:
    """The tree, with at most `most` nodes (at least one).

    >>> import bytepair as bp
    >>> [tree] = bp.train(texts=["low low low"], num_merges=2).explain("low")
    >>> tree_svg(tree).count("<rect"), tree_svg(tree, most=1).count("<rect")
    (5, 1)
    """
    nodes = _opened(tree, most)
    for node in reversed(nodes):
        below = sum(child.width for child in node.children) + _GAP * max(len(node.children) - 1, 0)
        node.width = max(node.own, below)
    for node in nodes:
        used = sum(child.width for child in node.children) + _GAP * max(len(node.children) - 1, 0)
        at = node.left + (node.width - used) / 2
        for child in node.children:
            child.left = at
            at += child.width + _GAP
    width = nodes[0].width + 4
    height = max(node.top for node in nodes) + _BOX + 2 * _NUMBERS + 4
    title = f"How {quoted_span(tree.bytes, _LONGEST).text} was merged"
    drawn = "".join(_edges(node) for node in nodes) + "".join(_drawn(node, nodes[0]) for node in nodes)
    return (
        f'<svg class="tree" role="img" aria-label="{escape(title)}" viewBox="-2 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" xmlns="http://www.w3.org/2000/svg">{drawn}</svg>'
    )


def _opened(tree: MergeTree, most: int) -> list[_Node]:
    """The nodes that are drawn, those nearest to the root."""
    nodes = [_Node(tree, 0)]
    waiting = deque(nodes)
    while waiting and len(nodes) + 2 <= most:
        node = waiting.popleft()
        if node.tree.left is None or node.tree.right is None:
            continue
        node.children = [_Node(below, node.depth + 1) for below in (node.tree.left, node.tree.right)]
        nodes += node.children
        waiting += node.children
    for node in nodes:
        node.label = _label(node)
        wide = max(cell_len(node.label) * _LETTER, *(len(said) * _DIGIT for said in _numbers(node)))
        node.own = wide + 2 * _PADDING
    return nodes


def _label(node: _Node) -> str:
    shown = visible(beginning(node.tree.bytes, _LONGEST)).replace(" ", "␣")
    return shown if len(node.tree.bytes) <= _LONGEST >= len(shown) else f"{shown[: _LONGEST - 1]}…"


def _is_cut(node: _Node) -> bool:
    return not node.children and node.tree.left is not None


def _numbers(node: _Node) -> tuple[str, str]:
    """What stands below a node."""
    rank = "" if node.tree.rank is None else f"rank {node.tree.rank:,}"
    return f"id {node.tree.id}", several(len(node.tree.leaves()), "symbol") if _is_cut(node) else rank


def _said(node: _Node) -> str:
    """What is said of a node that is pointed at."""
    times = "" if node.tree.count is None else f", its pair stood {node.tree.count:,} times in the training text"
    return f"{quoted_span(node.tree.bytes, _LONGEST).text}: {', '.join(filter(None, _numbers(node)))}{times}"


def _edges(node: _Node) -> str:
    """Lines from below the numbers of a node to its children."""
    start = node.top + _BOX + 2 * _NUMBERS + 2
    return "".join(
        f'<path d="M{node.middle:.1f} {start} C{node.middle:.1f} {child.top - 8} {child.middle:.1f} {start + 8} '
        f'{child.middle:.1f} {child.top}"/>'
        for child in node.children
    )


def _drawn(node: _Node, root: _Node) -> str:
    wide = max(cell_len(node.label) * _LETTER + 2 * _PADDING, _BOX)
    kind = "cut" if _is_cut(node) else "root" if node is root else "base" if not node.children else "merged"
    middle = f"{node.middle:.1f}"
    numbers = "".join(
        f'<text class="number" x="{middle}" y="{node.top + _BOX + at * _NUMBERS}" text-anchor="middle">'
        f"{escape(said)}</text>"
        for at, said in enumerate(_numbers(node), 1)
        if said
    )
    return (
        f'<g class="{kind}"><title>{escape(_said(node))}</title>'
        f'<rect x="{node.middle - wide / 2:.1f}" y="{node.top}" width="{wide:.1f}" height="{_BOX}" rx="4"/>'
        f'<text x="{middle}" y="{node.top + 18}" text-anchor="middle" unicode-bidi="isolate">'
        f"{escape(node.label)}</text>{numbers}</g>"
    )
