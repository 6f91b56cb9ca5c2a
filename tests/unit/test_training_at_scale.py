"""Training on much: gigabytes in little memory, counts past 32 bits, one huge pretoken, millions of different ones.

What takes long is marked `soak` and has a smaller version that always runs. Each answer is known beforehand, or found
in another way than by training.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytepair as bp
import mutation
import texts
from bytepair.reference.linked import Linked
from bytepair.reference.training import BYTES, learn

MEGABYTE = 1_000_000
SLOT = 64
"""Bytes that the table of different pretokens may take for each: a slot of 32 in a table that is half full."""
soak = pytest.mark.soak


def apart(code: str, *arguments: object) -> Any:
    """Runs code in a process of its own; gives what it leaves in `found`, and by how much its memory grew at most."""
    script = f"""
import json, sys, warnings
from pathlib import Path
import bytepair as bp
warnings.simplefilter("ignore", bp.TrainingWarning)

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

bp.train(texts=["low lower"], num_merges=1, threads=2)
before = peak()
{code}
print(json.dumps([found, peak() - before]))
"""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


def enlarged(path: Path, size: int) -> None:
    """Writes so many bytes of English; with copies come new words."""
    text = texts.sample("en", min(size // 8, 40 * MEGABYTE)).encode()
    distinct = trained(texts=[text], num_merges=0, pattern="gpt2").distinct
    with path.open("wb") as file:
        file.writelines(mutation.copies(text, distinct, size))


def trained(**settings: Any) -> bp.TrainingRecord:
    """What training records; ending early is no news here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TrainingWarning)
        record = bp.train(**settings).training
    assert record is not None
    return record


TRAIN = {
    "from a file": "source = {'files': sys.argv[1]}",
    "from strings": """
def lines():
    with open(sys.argv[1], encoding="utf-8", errors="ignore", newline="") as file:
        yield from file
source = {'texts': lines()}""",
}


@needs_proc
@pytest.mark.parametrize("source", TRAIN)
@pytest.mark.parametrize("size", [pytest.param(2_000 * MEGABYTE, marks=soak), 128 * MEGABYTE])
def test_memory_is_the_table_and_a_constant(size: int, source: str, tmp_path: Path) -> None:
    enlarged(tmp_path / "text.txt", size)
    code = f"""{TRAIN[source]}
record = bp.train(**source, vocab_size=32_768, pattern="gpt2", threads=2).training
found = record.distinct, record.bytes"""
    (distinct, total), grown = apart(code, tmp_path / "text.txt")
    assert size - 4 < total <= size
    assert grown < 100 * MEGABYTE + SLOT * distinct
    assert grown < max(0.2 * size, 100 * MEGABYTE)


def test_a_pair_that_occurs_three_thousand_million_times() -> None:
    record = trained(counts={"ab": 3_000_000_000, "abab": 1, "cd": 3_000_000_001}, num_merges=3, pattern=None)
    assert record.counts == (3_000_000_002, 3_000_000_001, 1)
    assert record.fired == record.counts
    record = trained(counts={"aaa": 3_000_000_000, " aaaa": 2**40}, num_merges=2, pattern=None)
    assert record.counts == (2 * 3_000_000_000 + 3 * 2**40, 2**40)
    assert record.fired == (3_000_000_000 + 2 * 2**40, 2**40)


def test_as_many_bytes_as_64_bits_can_count() -> None:
    tok = bp.train(counts={"ab": 2**62, "cd": 2**62 - 1}, num_merges=2, pattern=None)
    assert [tok.bytes_of(id) for id in (256, 257)] == [b"ab", b"cd"]
    assert tok.training is not None
    assert tok.training.counts == (2**62, 2**62 - 1)


@pytest.mark.parametrize("repeats", [pytest.param(50_000_000, marks=soak), 500_000])
def test_one_huge_pretoken(repeats: int) -> None:
    """`abcd` over and over: three merges make it a token, and then the runs of it double."""
    tok = bp.train(texts=[b"abcd" * repeats], num_merges=6, pattern=None)
    assert [tok.bytes_of(id) for id in range(256, 262)] == [b"ab", b"cd", *(b"abcd" * 2**i for i in range(4))]
    assert tok.training is not None
    assert tok.training.counts == (repeats, repeats, repeats, repeats - 1, repeats // 2 - 1, repeats // 4 - 1)
    assert tok.training.fired == (*(repeats,) * 3, repeats // 2, repeats // 4, repeats // 8)
    assert (tok.training.distinct, tok.training.bytes) == (1, 4 * repeats)


@pytest.mark.parametrize("length", [pytest.param(200 * MEGABYTE, marks=soak), 2 * MEGABYTE])
def test_one_huge_pretoken_of_random_letters(length: int) -> None:
    letters = np.random.default_rng(0).integers(0, 26, length, dtype=np.uint8)
    pairs = np.bincount(letters[:-1].astype(np.int32) * 26 + letters[1:], minlength=26 * 26)
    doubled = np.arange(26) * 27
    record = trained(texts=[(letters + ord("a")).tobytes()], num_merges=300, pattern=None)
    assert record.counts[0] == pairs.max()
    assert list(record.counts) == sorted(record.counts, reverse=True)
    # A merge takes places from other pairs of letters and gives them none.
    assert all(record.counts <= np.sort(pairs)[::-1][:300])
    assert pairs[doubled].max() >= min(record.counts)


@pytest.mark.parametrize("number", [pytest.param(10_000_000, marks=soak), 100_000])
def test_as_many_different_pretokens(number: int, tmp_path: Path) -> None:
    pairs = np.zeros(26 * 26, np.int64)
    with (tmp_path / "words.txt").open("wb") as file:
        for words in different_words(number):
            file.write(np.concatenate((words + ord("a"), np.full((len(words), 1), ord("\n"), np.uint8)), 1).tobytes())
            codes = words[:, :-1].astype(np.int64) * 26 + words[:, 1:]
            pairs += np.bincount(codes.ravel(), minlength=26 * 26)
    files = set()
    for threads in (1, 3):
        tok = bp.train(files=tmp_path / "words.txt", num_merges=2_000, pattern="gpt2", threads=threads)
        record = tok.training
        assert record is not None
        assert (record.distinct, record.pretokens, record.bytes) == (number + 1, 2 * number, 10 * number)
        assert record.counts[0] == pairs.max()
        left, right = divmod(int(pairs.argmax()), 26)
        assert tok.bytes_of(256) == bytes([ord("a") + left, ord("a") + right])
        files.add((tok.fingerprint, record.counts, record.fired))
    assert len(files) == 1


def different_words(number: int) -> Iterator[np.ndarray[Any, np.dtype[np.uint8]]]:
    """Words of nine letters as digits to the base 26, all different: multiples of a number that is prime to 26."""
    for start in range(0, number, 1 << 18):
        numbers = np.arange(start, min(number, start + (1 << 18)), dtype=np.int64)
        numbers = numbers * 1_000_003 % 26**9
        yield np.stack([numbers // 26**place % 26 for place in range(9)], 1).astype(np.uint8)


@pytest.mark.parametrize(
    "text", [b"", b"a", b"\0", b"\0" * 1_000, b"a\0b\0a\0b", b"\xff\xfe" * 300, b"\x80\x80a", bytes(range(256)) * 3]
)
def test_texts_of_any_bytes_give_the_merges_of_the_reference(text: bytes) -> None:
    expected = learn(Linked, [(tuple(text), 2)], BYTES, num_merges=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TrainingWarning)
        tok = bp.train(texts=[text, text], num_merges=100, pattern=None, errors="bytes")
    assert [(tok.bytes_of(left), tok.bytes_of(right)) for left, right in tok.merges] == expected.pairs()
    assert tok.training is not None
    assert list(tok.training.counts) == [merge.count for merge in expected.merges]
    assert list(tok.training.fired) == [merge.fired for merge in expected.merges]
