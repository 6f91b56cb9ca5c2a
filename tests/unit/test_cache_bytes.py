"""The memory that encoding keeps is bounded by a setting, whatever words come."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

import bytepair as bp


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(texts=["low lower lowest"] * 3, vocab_size=262)


def test_the_bound_is_a_setting_of_its_own(tok: bp.Tokenizer) -> None:
    small = tok.with_cache_bytes(0)
    assert (tok.cache_bytes, small.cache_bytes) == (32 << 20, 0)
    assert small == tok
    assert small.training == tok.training
    assert small.encode("lowest of the low") == tok.encode("lowest of the low")
    assert tok.with_cache_bytes(10**30).cache_bytes >= 1 << 40


def test_copies_and_pickles_keep_it(tok: bp.Tokenizer) -> None:
    small = tok.with_cache_bytes(12345)
    for again in (copy.copy(small), copy.deepcopy(small), pickle.loads(pickle.dumps(small))):  # noqa: S301 - our own
        assert (again, again.cache_bytes) == (tok, 12345)


def test_a_wrong_bound_is_refused(tok: bp.Tokenizer) -> None:
    with pytest.raises(ValueError, match="bytes is -1"):
        tok.with_cache_bytes(-1)
    with pytest.raises(TypeError, match="hint: it is an integer"):
        tok.with_cache_bytes("1 MB")  # type: ignore[arg-type]


GROWTH = r"""
import random, re, sys
from concurrent.futures import ThreadPoolExecutor
import bytepair as bp
megabytes, cache, threads = map(int, sys.argv[1:4])
tok = bp.train(texts=["low lower lowest"] * 3, vocab_size=262)
tok = tok.with_cache_bytes(cache) if cache else tok
def peak():  # getrusage would count what the parent had before it became this process
    return 1024 * int(re.search(r"VmHWM:\s*(\d+) kB", open("/proc/self/status").read())[1])
letters = bytes.maketrans(b"0123456789", b"ghijklmnop")
def work(thread, megabytes=megabytes // threads):
    chance = random.Random(thread)
    for _ in range(megabytes):
        words = chance.randbytes(80_000 * 6).hex(" ", 6).translate(letters)  # a megabyte of words that were never seen
        assert tok.count(words) > 80_000
before = peak()
with ThreadPoolExecutor(threads) as pool:
    list(pool.map(work, range(threads)))
print(peak() - before)
"""


def growth(megabytes: int, *, cache: int = 0, threads: int = 1) -> int:
    """How much memory, in bytes, is kept of so many megabytes of new words."""
    arguments = [sys.executable, "-c", GROWTH, str(megabytes), str(cache), str(threads)]
    return int(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)


def test_new_words_take_no_more_than_the_bound() -> None:
    # Of some megabytes of words and of the texts that hold them, about as much is kept as is allowed.
    bounded, more = growth(24, cache=1 << 20), growth(24, cache=16 << 20)
    assert bounded < 9 << 20
    assert bounded < more < 24 << 20


@pytest.mark.soak
@pytest.mark.parametrize("threads", [1, 2])
def test_a_gigabyte_of_new_words_takes_no_more_than_64_megabytes_a_thread(threads: int) -> None:
    assert growth(1024, threads=threads) < threads * (64 << 20)
