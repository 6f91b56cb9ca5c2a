"""Which of some texts can cut into one of others: one that lies inside, or that begins inside and goes on behind.

The idea: the automaton of Aho and Corasick (1975). The texts that cut are a tree of letters, and each node knows the
longest end of its own path that is also a path (`_falls`). Reading a text through it, the node always stands for the
longest end of what was read that some cutting text begins with: so a whole one is seen where it ends, and what is left
at the text's end is a beginning that goes on behind.

Cost: time and memory linear in the letters, whatever the texts are.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["first_overlap"]

_CODES: Final = 0x110000


def first_overlap(cutting: Sequence[str], texts: Iterable[str]) -> tuple[str, str] | None:
    """The first of the texts that is cut into, behind one that cuts into it; None when there is none.

    Args:
        cutting: different texts, none of them empty.
        texts: others than those.

    >>> first_overlap(["bc", "x"], ["ca", "ab"])
    ('bc', 'ab')
    """
    automaton = _Automaton(cutting)
    for text in texts:
        if (found := automaton.cuts(text)) is not None:
            return cutting[found], text
    return None


class _Automaton:
    """The tree of the cutting texts; node 0 is its root."""

    def __init__(self, cutting: Sequence[str]) -> None:
        self._children: dict[int, int] = {}
        self._depths = array("q", [0])
        self._falls = array("q", [0])
        self._through = array("q", [-1])
        """Of each node: the first cutting text that goes through it."""
        self._ends = array("q", [-1])
        """Of each node: a cutting text that ends there, or at a node that it falls to; or -1."""
        edges: list[tuple[int, int]] = [(0, 0)]
        for i, text in enumerate(cutting):
            node = 0
            for code in map(ord, text):
                child = self._children.setdefault(node * _CODES + code, len(edges))
                if child == len(edges):
                    edges.append((node, code))
                    self._depths.append(self._depths[node] + 1)
                    self._through.append(i)
                    self._ends.append(-1)
                    self._falls.append(0)
                node = child
            self._ends[node] = i
        for node in sorted(range(1, len(edges)), key=self._depths.__getitem__):
            parent, code = edges[node]
            if parent:
                self._falls[node] = self._step(self._falls[parent], code)
            if self._ends[node] < 0:
                self._ends[node] = self._ends[self._falls[node]]

    def _step(self, node: int, code: int) -> int:
        """The node of the longest end of the path and one more letter."""
        while (child := self._children.get(node * _CODES + code)) is None:
            if node == 0:
                return 0
            node = self._falls[node]
        return child

    def cuts(self, text: str) -> int | None:
        """The index of a cutting text that cuts into this one."""
        node = 0
        for code in map(ord, text):
            node = self._step(node, code)
            if self._ends[node] >= 0:
                return self._ends[node]
        if self._depths[node] == len(text):
            node = self._falls[node]
        return self._through[node] if node else None
