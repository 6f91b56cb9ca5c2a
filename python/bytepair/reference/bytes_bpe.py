"""The smallest tokenizer: byte pairs over one unbroken stream of bytes.

Every text is bytes, and a byte is a number from 0 to 255, so there is a vocabulary of 256 before anything is learned.
Training replaces the commonest pair of neighbours by the next free number, again and again: merge k makes id 256 + k.
Encoding *replays* those merges in the same order on another text. Decoding looks up what each number stands for.

`training.py` does the same for real corpora, and `vocabulary.py` encodes without walking through all merges.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

Pair = tuple[int, int]
"""(left id, right id)."""


def count_pairs(ids: Iterable[int]) -> Counter[Pair]:
    """How often each pair of neighbours occurs, in order of first appearance. Overlaps count: `aaa` has two `aa`.

    >>> count_pairs(b"aaab")
    Counter({(97, 97): 2, (97, 98): 1})
    """
    return Counter(pairwise(ids))


def merge(ids: Sequence[int], pair: Pair, new: int) -> list[int]:
    """Replaces the pair by the new id, from left to right and without overlap.

    >>> merge([1, 1, 1, 2], (1, 1), 9)
    [9, 1, 2]
    """
    out: list[int] = []
    at = 0
    while at < len(ids):
        found = tuple(ids[at : at + 2]) == pair
        out.append(new if found else ids[at])
        at += 2 if found else 1
    return out


def train(data: bytes, num_merges: int) -> list[tuple[Pair, int]]:
    """Learns merges: [(pair, how often it stood there when it was chosen)].

    Of equally common pairs the one that comes first in the data wins. Stops early when no pair is left.

    >>> train(b"low lower", 3)
    [((108, 111), 2), ((256, 119), 2), ((257, 32), 1)]
    """
    ids: list[int] = list(data)
    learned: list[tuple[Pair, int]] = []
    while len(learned) < num_merges and len(ids) > 1:
        pair, count = count_pairs(ids).most_common(1)[0]
        ids = merge(ids, pair, 256 + len(learned))
        learned.append((pair, count))
    return learned


def encode(data: bytes, merges: Iterable[Pair]) -> list[int]:
    """Replays the merges in the order in which they were learned.

    >>> encode(b"lowest low", [(108, 111), (256, 119)])
    [257, 101, 115, 116, 32, 257]
    """
    ids: list[int] = list(data)
    for rank, pair in enumerate(merges):
        ids = merge(ids, pair, 256 + rank)
    return ids


def vocabulary(merges: Iterable[Pair]) -> dict[int, bytes]:
    """What each id stands for: the bytes themselves, then what each merge glues together.

    >>> vocabulary([(108, 111), (256, 119)])[257]
    b'low'
    """
    tokens = {byte: bytes((byte,)) for byte in range(256)}
    for rank, (left, right) in enumerate(merges):
        tokens[256 + rank] = tokens[left] + tokens[right]
    return tokens


def decode(ids: Iterable[int], tokens: Mapping[int, bytes]) -> bytes:
    """The bytes that the ids stand for: whatever was encoded comes back exactly.

    >>> decode([257, 101, 115, 116, 32, 257], vocabulary([(108, 111), (256, 119)]))
    b'lowest low'
    """
    return b"".join(tokens[number] for number in ids)
