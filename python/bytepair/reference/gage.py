"""Where it began: Philip Gage's byte-pair *compression* (The C Users Journal, February 1994).

The idea: find the pair of neighbouring bytes that occurs most often, and write a byte that the data does not
use in its place. Note in a table what that byte stands for. Repeat until no pair is frequent enough or no byte is
free. The result is shorter, and the table expands it again. A tokenizer is the same loop with two changes: new
symbols are numbers above 255, so they never run out, and the table is learned once and used on other texts.
"""

from collections import Counter
from itertools import pairwise

Table = list[tuple[int, int, int]]
"""(new byte, left byte, right byte), in the order in which they were made."""


def compress(data: bytes, at_least: int = 3) -> tuple[bytes, Table]:
    r"""Compresses `data`; returns the shorter data and the table that expands it.

    `at_least` is the number of occurrences from which a replacement pays: each one saves a byte, each entry
    of the table costs three.

    >>> compress(b"abcabcabcabc")
    (b'\x01\x01\x01\x01', [(0, 97, 98), (1, 0, 99)])
    >>> compress(b"nothing twice")[1]
    []
    """
    table: Table = []
    while True:
        pairs = Counter(pairwise(data)).most_common(1)
        free = set(range(256)) - set(data) - {new for new, _, _ in table}
        if not pairs or not free or data.count(bytes(pairs[0][0])) < at_least:
            return data, table
        (left, right), new = pairs[0][0], min(free)
        data = data.replace(bytes((left, right)), bytes((new,)))
        table.append((new, left, right))


def expand(data: bytes, table: Table) -> bytes:
    r"""Undoes `compress`: the last replacement first.

    >>> expand(b"\x01\x01\x01\x01", [(0, 97, 98), (1, 0, 99)])
    b'abcabcabcabc'
    """
    for new, left, right in reversed(table):
        data = data.replace(bytes((new,)), bytes((left, right)))
    return data
