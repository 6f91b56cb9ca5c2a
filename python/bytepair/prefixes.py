"""The vocabulary as a trie in arrays: for constrained decoding, token healing, and whatever walks over tokens by bytes.

Tokens lie in the order of their bytes, so those with one beginning stand together: each node, which is one beginning,
has a range of them. Nodes are numbered level by level, so the children of a node stand together too. Six plain arrays
are all of it; a compiled program (numba, a kernel on a GPU) can read them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bytepair import _core
from bytepair.arguments import Text

__all__ = ["Trie", "trie_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Trie:
    """All tokens that are text, by their bytes; `Tokenizer.trie` makes one. Control tokens are not in it.

    Node 0 is the empty beginning. All arrays are read-only; n is the number of nodes, one more than there are different
    beginnings of tokens.

    >>> import bytepair as bp
    >>> trie = bp.train(texts=["low low", "lowest"], num_merges=2).trie()
    >>> node = trie.node(b"lo")
    >>> trie.tokens(node).tolist(), trie.own(node).tolist()
    ([256, 257], [256])
    >>> [chr(byte) for byte in trie.bytes[trie.children[node] : trie.children[node + 1]]]
    ['w']
    """

    ids: NDArray[np.uint32]
    """The ids of the tokens, in the order of their bytes: of shape (tokens,)."""
    bytes: NDArray[np.uint8]
    """The byte that leads to each node, of shape (n,); 0 for node 0."""
    children: NDArray[np.uint32]
    """Of shape (n + 1,): the children of node i are the nodes `children[i]:children[i + 1]`, by their bytes."""
    starts: NDArray[np.uint32]
    """Of shape (n,): the tokens that begin as node i says are `ids[starts[i]:ends[i]]`."""
    own_ends: NDArray[np.uint32]
    """Of shape (n,): those of them that are no longer than that are `ids[starts[i]:own_ends[i]]`, often none."""
    ends: NDArray[np.uint32]
    """Of shape (n,); see `starts`."""

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.bytes)

    def node(self, prefix: Text) -> int | None:
        """The node of a beginning; None if no token begins so."""
        node = 0
        for byte in _core.raw(prefix):
            after = self.child(node, byte)
            if after is None:
                return None
            node = after
        return node

    def child(self, node: int, byte: int) -> int | None:
        """The node that one more byte leads to; None if no token goes on so."""
        first, last = int(self.children[node]), int(self.children[node + 1])
        place = first + int(np.searchsorted(self.bytes[first:last], byte))
        return place if place < last and int(self.bytes[place]) == byte else None

    def tokens(self, node: int) -> NDArray[np.uint32]:
        """The ids of all tokens that begin as a node says, in the order of their bytes: a view of `ids`."""
        return self.ids[int(self.starts[node]) : int(self.ends[node])]

    def own(self, node: int) -> NDArray[np.uint32]:
        """The ids of the tokens that are exactly what a node says: a view of `ids`."""
        return self.ids[int(self.starts[node]) : int(self.own_ends[node])]

    def along(self, text: Text) -> NDArray[np.uint32]:
        """The ids of the tokens that a text begins with, the shortest first.

        >>> import bytepair as bp
        >>> bp.train(texts=["low low"], num_merges=2).trie().along("lower").tolist()
        [108, 256, 257]
        """
        node, found = 0, list[int]()
        for byte in _core.raw(text):
            after = self.child(node, byte)
            if after is None:
                break
            node = after
            found += self.own(node).tolist()
        return np.array(found, dtype=np.uint32)


def trie_of(engine: _core.Tokenizer) -> Trie:
    """The trie of a tokenizer."""
    ids, led, rest = _core.trie(engine)
    numbers = [np.frombuffer(array, dtype=np.uint32) for array in (ids, *rest)]
    for array in numbers:
        array.flags.writeable = False
    ids_array, children, starts, own_ends, ends = numbers
    return Trie(ids_array, np.frombuffer(led, dtype=np.uint8), children, starts, own_ends, ends)
