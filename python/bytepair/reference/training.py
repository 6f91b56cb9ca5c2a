"""From a table of pretokens and their counts to an ordered list of merges.

A pretoken that occurs a thousand times is kept once, with its count. A pair's count is the number of places where it
stands in a pretoken, times that pretoken's count, summed over all pretokens. The commonest pair becomes a new token;
which of equally common ones, the tie rule says. This page counts everything again after each merge, which is easy to
see through and slow; `linked.py` keeps the counts up to date instead. The results are the same.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, Protocol

from bytepair.reference.bytes_bpe import Pair, merge

Ties = Literal["lowest", "first", "huggingface", "greatest"]
Words = Sequence[tuple[Sequence[int], int]]
"""The distinct pretokens as ids, each with its count, in order of first appearance."""
Barred = Callable[[Pair], bool]
"""Whether a pair may never be merged (its token would be too long)."""

BYTES = {byte: bytes((byte,)) for byte in range(256)}
"""The alphabet of byte-level training: byte b has id b."""

HUGGINGFACE = sorted(BYTES, key=lambda byte: not chr(byte).isprintable() or chr(byte).isspace())
"""The bytes in the order of Hugging Face's alphabet: those that can be seen when printed come first."""

MARK = b"\xff"
"""The end-of-word mark in a token's content: a byte that no UTF-8 text holds, so no text can be mistaken for it."""


@dataclass(frozen=True)
class Merge:
    """One learned merge.

    `count`: the places where the pair stood when it was chosen. `fired`: the replacements, fewer if it overlaps itself.
    """

    left: int
    right: int
    id: int
    count: int
    fired: int


@dataclass(frozen=True)
class Training:
    """What was learned: id -> content, the merges in order, and why it ended."""

    tokens: dict[int, bytes]
    merges: list[Merge]
    stopped: Literal["goal", "no pairs", "min count"]

    def pairs(self) -> list[tuple[bytes, bytes]]:
        """The merges as content, to read."""
        return [(self.tokens[m.left], self.tokens[m.right]) for m in self.merges]


class Segmentation(Protocol):
    """The corpus, cut into tokens as far as training has come."""

    def commonest(self) -> tuple[int, Collection[Pair]]:
        """The highest count and all pairs that have it; (0, []) when no pair is left."""

    def first_place(self, pair: Pair) -> int:
        """A number that is smaller for pairs that stand earlier."""

    def holds(self, pair: Pair) -> bool:
        """Whether the pair stands anywhere."""

    def merge(self, pair: Pair, new: int) -> int:
        """Replaces the pair everywhere; returns how often."""


class Recounted:
    """The plain way: counts all pairs of all distinct pretokens again for each merge.

    >>> corpus = Recounted([((1, 1, 1), 5), ((2, 1, 1), 1)], lambda pair: False)
    >>> corpus.commonest(), corpus.merge((1, 1), 9), corpus.words
    ((11, [(1, 1)]), 6, [([9, 1], 5), ([2, 9], 1)])
    """

    def __init__(self, words: Words, barred: Barred) -> None:
        """Copies the words."""
        self.words, self.barred = [(list(ids), count) for ids, count in words], barred
        self.order: list[Pair] = []

    def commonest(self) -> tuple[int, Collection[Pair]]:
        """As `Segmentation` says."""
        counts: dict[Pair, int] = defaultdict(int)
        for ids, count in self.words:
            for pair in pairwise(ids):
                counts[pair] += count
        self.order = [pair for pair in counts if not self.barred(pair)]
        top = max((counts[pair] for pair in self.order), default=0)
        return top, [pair for pair in self.order if counts[pair] == top > 0]

    def first_place(self, pair: Pair) -> int:
        """As `Segmentation` says."""
        return self.order.index(pair)

    def holds(self, pair: Pair) -> bool:
        """As `Segmentation` says."""
        return any(pair in pairwise(ids) for ids, count in self.words if count)

    def merge(self, pair: Pair, new: int) -> int:
        """As `Segmentation` says."""
        merged = [(merge(ids, pair, new), count) for ids, count in self.words]
        fired = sum((len(a) - len(b)) * n for (a, n), (b, _) in zip(self.words, merged, strict=True))
        self.words = merged
        return fired


def learn(
    corpus: Callable[[Words, Barred], Segmentation],
    words: Words,
    alphabet: Mapping[int, bytes],
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    ties: Ties = "lowest",
    min_count: int = 1,
    max_token_bytes: int | None = None,
    mark: str = "",
) -> Training:
    """The loop: until the goal is reached, merge the commonest pair.

    `corpus` is `Recounted` or `Linked`; `alphabet` the ids that exist before any merge; `vocab_size` counts tokens,
    `num_merges` merges (give one). A merge that makes bytes which are already a token takes that token's id. So a pair
    can come back that was merged before; it is merged again at once, as an encoder would, and is not listed twice.

    >>> learn(Recounted, [(b"low", 5), (b"lower", 2)], BYTES, num_merges=2).pairs()
    [(b'l', b'o'), (b'lo', b'w')]
    """
    tokens, ids = dict(alphabet), {content: number for number, content in alphabet.items()}
    learned: dict[Pair, Merge] = {}

    def barred(pair: Pair) -> bool:
        return max_token_bytes is not None and len(tokens[pair[0]] + tokens[pair[1]]) > max_token_bytes

    def text(number: int) -> bytes:
        return tokens[number].replace(MARK, mark.encode()) if mark else tokens[number]

    segmentation = corpus(words, barred)
    key = order(ties, segmentation, text, alphabet == BYTES)
    while len(learned) != num_merges and (vocab_size is None or len(tokens) < vocab_size):
        count, tied = segmentation.commonest()
        if count < max(min_count, 1):
            return Training(tokens, list(learned.values()), "min count" if tied else "no pairs")
        pair = max(tied, key=key) if ties == "greatest" else min(tied, key=key)
        content = tokens[pair[0]] + tokens[pair[1]]
        reused, new = content in ids, ids.setdefault(content, len(tokens))
        tokens[new] = content
        learned[pair] = Merge(*pair, new, count, segmentation.merge(pair, new))
        while reused and (back := next(filter(segmentation.holds, learned), None)):
            segmentation.merge(back, learned[back].id)
    return Training(tokens, list(learned.values()), "goal")


def order(ties: Ties, corpus: Segmentation, text: Callable[[int], bytes], byte_level: bool) -> Callable[[Pair], Any]:
    """How pairs with the same count are ordered; the lowest is merged, under `greatest` the greatest.

    >>> key = order("huggingface", Recounted([], lambda pair: False), lambda id: BYTES[id], byte_level=True)
    >>> min([(ord(" "), ord("a")), (ord("a"), ord("b"))], key=key) == (ord("a"), ord("b"))
    True
    """
    number = {byte: place for place, byte in enumerate(HUGGINGFACE)} if byte_level else {}
    return {
        "lowest": lambda pair: pair,
        "first": corpus.first_place,
        "huggingface": lambda pair: (number.get(pair[0], pair[0]), number.get(pair[1], pair[1])),
        "greatest": lambda pair: (text(pair[0]), text(pair[1]), -pair[0], -pair[1]),
    }[ties]
