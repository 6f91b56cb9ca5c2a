"""From a table of pretokens and their counts to an ordered list of merges.

A pretoken that occurs a thousand times is kept once, with its count. A pair's count is the number of places where it
stands in a pretoken, times that pretoken's count, summed over all pretokens. The commonest pair becomes a new token;
which of equally common ones, the tie rule says. This page counts everything again after each merge, which is easy to
see through and slow; `linked.py` keeps the counts up to date instead. The results are the same.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, Protocol

from bytepair.reference.bytes_bpe import Pair, merge

Ties = Literal["lowest", "first", "huggingface", "greatest"]
Words = Sequence[tuple[Sequence[int], int]]
"""The distinct pretokens as ids, each with its count, in order of first appearance."""
Barred = Callable[[Pair], bool]
"""Whether a pair may never be merged (its token would be too long, say)."""

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

    def count(self, pair: Pair) -> int:
        """The pair's count."""

    def stands(self, pair: Pair) -> bool:
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

    def count(self, pair: Pair) -> int:
        """As `Segmentation` says."""
        return sum(count for ids, count in self.words for found in pairwise(ids) if found == pair)

    def stands(self, pair: Pair) -> bool:
        """As `Segmentation` says."""
        return self.count(pair) > 0

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
    whole_characters: bool = False,
    mark: str = "",
    known: Iterable[tuple[Pair, int]] = (),
    first_id: int = 0,
    planted: Sequence[Merge] = (),
) -> Training:
    """The loop: until the goal is reached, merge the commonest pair.

    `corpus` is `Recounted` or `Linked`; `alphabet` the ids that exist before any merge; `vocab_size` counts tokens,
    `num_merges` merges (give one). A merge that makes bytes which are already a token takes that token's id. So a pair
    can come back that was merged before; it is merged again at once, as an encoder would, and is not listed twice.

    To go on from a tokenizer, `alphabet` holds all its tokens, the words are cut as it cuts them, `known` are its
    merges in order, (pair, the id it makes), and no id from `first_id` on is taken. `planted` are the first
    merges, of a training on other words, whatever their count here.

    >>> learn(Recounted, [(b"low", 5), (b"lower", 2)], BYTES, num_merges=2).pairs()
    [(b'l', b'o'), (b'lo', b'w')]
    >>> seed = learn(Recounted, [(b"er", 1)], BYTES)
    >>> learn(Recounted, [(b"low", 5), (b"lower", 2)], BYTES, num_merges=2, planted=seed.merges).pairs()
    [(b'e', b'r'), (b'l', b'o')]
    """
    tokens, ids = dict(alphabet), {content: number for number, content in alphabet.items()}
    made, learned, highest = dict(known), list[Merge](), max([first_id - 1, *alphabet])

    def barred(pair: Pair) -> bool:
        content = tokens[pair[0]] + tokens[pair[1]]
        long = len(content) > (max_token_bytes or len(content))
        return pair not in made and (long or (whole_characters and not whole_or_part(content)))

    def text(number: int) -> bytes:
        return tokens[number].replace(MARK, mark.encode()) if mark else tokens[number]

    def take(pair: Pair) -> None:
        content = tokens[pair[0]] + tokens[pair[1]]
        new = ids.setdefault(content, highest + 1 + len(tokens) - len(alphabet))
        reused, tokens[new], made[pair] = new in tokens, content, new
        learned.append(Merge(*pair, new, segmentation.count(pair), segmentation.merge(pair, new)))
        while reused and (back := next(filter(segmentation.stands, made), None)):
            segmentation.merge(back, made[back])

    segmentation = corpus(words, barred if max_token_bytes or whole_characters else lambda _: False)
    key = order(ties, segmentation, text, ids)
    for seeded in planted:
        take((seeded.left, seeded.right))
    while len(learned) != num_merges and (vocab_size is None or len(tokens) < vocab_size):
        count, tied = segmentation.commonest()
        if count < max(min_count, 1):
            return Training(tokens, learned, "min count" if tied else "no pairs")
        take(max(tied, key=key) if ties == "greatest" else min(tied, key=key))
    return Training(tokens, learned, "goal")


def whole_or_part(content: bytes) -> bool:
    r"""Whether this is text or stands in one character.

    >>> [whole_or_part(content) for content in ("é".encode(), b"\xa9\x80", b"\xf0\x9f", b"a\xc3", b"\xff\xff")]
    [True, True, True, False, False]
    """
    start_or_end = unfinished(content) == len(content) or re.fullmatch(rb"[\x80-\xbf]{1,3}", content) is not None
    return start_or_end or content.decode("utf-8", "ignore").encode() == content


def unfinished(data: bytes) -> int:
    r"""How many bytes at the end are the start of a character: those that some other bytes would make one.

    >>> unfinished(b"a\xe2\x82"), unfinished(b"a"), unfinished(b"\xed\xa0"), unfinished(b"\xff")
    (2, 0, 0, 0)
    """
    starts = [data[-size:] for size in (3, 2, 1)]
    tries = [(start, start + rest * n) for start in starts for rest in (b"\x80", b"\xbf") for n in (1, 2, 3)]
    decoded = [(start, char, char.decode("utf-8", "ignore")) for start, char in tries]
    return max((len(start) for start, char, text in decoded if len(text) == 1 and text.encode() == char), default=0)


def order(
    ties: Ties, corpus: Segmentation, text: Callable[[int], bytes], ids: Mapping[bytes, int]
) -> Callable[[Pair], Any]:
    """How pairs with the same count are ordered; the lowest is merged, under `greatest` the greatest.

    Under `huggingface` the bytes share out their ids in the order of that alphabet.

    >>> ids = {content: number for number, content in BYTES.items()}
    >>> key = order("huggingface", Recounted([], lambda pair: False), lambda id: BYTES[id], ids)
    >>> min([(ord(" "), ord("a")), (ord("a"), ord("b"))], key=key) == (ord("a"), ord("b"))
    True
    """
    places = [ids[BYTES[byte]] for byte in HUGGINGFACE if ids.keys() >= set(BYTES.values())]
    number = dict(zip(places, sorted(places), strict=True))
    return {
        "lowest": lambda pair: pair,
        "first": corpus.first_place,
        "huggingface": lambda pair: (number.get(pair[0], pair[0]), number.get(pair[1], pair[1])),
        "greatest": lambda pair: (text(pair[0]), text(pair[1]), -pair[0], -pair[1]),
    }[ties]
