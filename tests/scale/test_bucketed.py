"""The bucket of a pretoken is the same on every machine: the plain way to find it is one at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bytepair.scale.bucketed import bucket_of

MOST = 2**64 - 1


def plain(word: bytes, buckets: int) -> int:
    """One word's bucket, by Python's integers."""
    hashed = ((int.from_bytes(word[:8], "little") ^ len(word)) * 0x9E3779B97F4A7C15) & MOST
    if len(word) > 8:
        hashed ^= (int.from_bytes(word[-8:], "little") * 0xC2B2AE3D27D4EB4F) & MOST
    hashed = ((hashed ^ (hashed >> 29)) * 0xC2B2AE3D27D4EB4F) & MOST
    return (hashed >> 32) % buckets


@given(words=st.lists(st.binary(max_size=20)), buckets=st.integers(1, 256))
def test_equal_to_the_plain_way(words: list[bytes], buckets: int) -> None:
    offsets = np.cumsum([0, *map(len, words)]).astype(np.uint64)
    assert bucket_of(b"".join(words), offsets, buckets).tolist() == [plain(word, buckets) for word in words]


def test_no_bucket_is_much_larger() -> None:
    words = [f" word{number}".encode() for number in range(8_000)]
    offsets = np.cumsum([0, *map(len, words)]).astype(np.uint64)
    sizes = np.bincount(bucket_of(b"".join(words), offsets, 8), minlength=8)
    assert 800 < sizes.min() <= sizes.max() < 1_200
