"""`_core.Counts`: what Python hands over and gets back. What is counted is tested in Rust."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import bytepair as bp
from bytepair import _core

WORDS = r"\w+|\s|[^\w\s]"
TEXT = "low lower lowest, newest widest; 漢字 és\n" * 3


def new(pattern: str | None = WORDS, special_tokens: Iterable[str] = ()) -> _core.Counts:
    return _core.Counts(pattern, "bytes", None, False, list(special_tokens))


def listed(counts: _core.Counts) -> list[tuple[bytes, int]]:
    data, offsets, numbers = counts.export(0, 1 << 62)
    ends = np.frombuffer(offsets, np.uint64).tolist()
    return [
        (data[start:end], count)
        for start, end, count in zip(ends[:-1], ends[1:], np.frombuffer(numbers, np.uint64).tolist(), strict=True)
    ]


def column(
    rows: list[str | None], kind: type[np.integer] = np.int32, before: int = 0
) -> tuple[memoryview, memoryview, memoryview]:
    """The offsets, data and validity of an Arrow array, with some rows before it that are not its own."""
    all_rows = ["other words"] * before + rows
    contents = [(row or "").encode() for row in all_rows]
    offsets = np.cumsum([0, *map(len, contents)]).astype(kind)
    valid = np.packbits([row is not None for row in all_rows], bitorder="little")
    return offsets.data, memoryview(b"".join(contents)), valid.data


def test_what_goes_out_comes_in_again() -> None:
    counts = new()
    counts.add_documents([TEXT, TEXT.encode(), ""], 2, str)
    assert (counts.documents, counts.total, counts.total_bytes) == (3, 96, 2 * len(TEXT.encode()))
    assert listed(counts)[:3] == [(b"low", 6), (b" ", 36), (b"lower", 6)]
    assert counts.distinct == len(listed(counts)) == 11
    again = new()
    for start in range(0, 20, 5):
        data, offsets, numbers = counts.export(start, 5)
        again.add_many(data, np.frombuffer(offsets, np.uint64), np.frombuffer(numbers, np.uint64))
    assert listed(again) == listed(counts)
    assert (again.documents, again.total_bytes) == (0, counts.total_bytes)
    assert counts.export(13, 5) == counts.export(99, 5) == (b"", memoryview(bytes(8)), memoryview(b""))


def test_pretokens_that_come_in_are_taken_as_they_are() -> None:
    counts = new(special_tokens=["<s>"])
    counts.add("a<s>b", 2)
    counts.add_many(b"a<s>b", np.array([0, 0, 5], "u8"), np.array([7, 3], "i8"))
    assert listed(counts) == [(b"a", 2), (b"b", 2), (b"", 7), (b"a<s>b", 3)]


@pytest.mark.parametrize(
    ("offsets", "numbers"), [([0, 2], []), ([0, 3], [1]), ([2, 1], [1]), ([1, 2], [1, 1]), ([0, 2**63], [1])]
)
def test_what_does_not_fit_together_is_refused(offsets: list[int], numbers: list[int]) -> None:
    counts = new()
    with pytest.raises(ValueError, match="\nhint: "):
        counts.add_many(b"ab", np.array(offsets, "u8"), np.array(numbers, "u8"))
    assert counts.total == 0
    with pytest.raises(TypeError, match="int32, int64 or uint64"):
        counts.add_many(b"ab", memoryview(b"ab"), np.array([1], "u8"))


def train(counts: _core.Counts, progress: Callable[..., object] | None = None) -> list[int]:
    """The count of each merge."""
    options: dict[str, Any] = {"ties": "lowest", "min_count": 1, "max_token_bytes": None, "progress": progress}
    _, _, learned, *_ = _core.train(counts, tokens=None, merges=5, **options)
    return learned


def everything(counts: _core.Counts) -> tuple[object, ...]:
    assert counts.memory > 0
    totals = (counts.documents, counts.distinct, counts.total, counts.total_bytes)
    return (*totals, listed(counts), counts.longest(3), counts.symbols([]))


def test_what_is_called_in_a_training_may_read_and_add() -> None:
    counts = new()
    counts.add_documents([TEXT], 2, str)
    expected, before, seen = train(counts), everything(counts), list[object]()

    def look(*_: int) -> None:
        seen.append(everything(counts))
        other = new()
        other.merge(counts)
        assert train(other) == expected

    assert train(counts, look) == expected
    assert seen == [before] * 5
    total, distinct = counts.total, counts.distinct
    # What is added meanwhile is not in the training, and not lost either.
    assert train(counts, lambda *_: counts.add("lowest", 1000)) == expected
    assert (counts.total, counts.distinct) == (total + 5000, distinct)


def test_many_threads_may_read_one_table() -> None:
    """Also while its parts are put together."""
    counts = new()
    text = " ".join(map(str, range(20_000)))
    counts.add_documents([text] * 4, 4, str)
    with ThreadPoolExecutor(8) as pool:
        jobs = [(job, pool.submit(job, counts)) for _ in range(4) for job in (everything, train)]
        for job, running in jobs:
            assert running.result() == job(counts)


def test_an_empty_table_counts_in_the_same_way() -> None:
    counts = _core.Counts(None, "characters", "</w>", False, ["<s>"])
    counts.add_documents(["low lower<s>low"], 1, str)
    other = counts.empty()
    assert (other.documents, other.distinct, other.total, other.total_bytes) == (0, 0, 0, 0)
    other.add_documents(["low lower<s>low"], 1, str)
    assert everything(other) == everything(counts)
    assert counts.empty().symbols([]) == [b"\xff"]
    assert counts.empty().symbols([b"lo</w>", b"</w>"]) == [b"\xff", *(bytes([letter]) for letter in b"/<>low")]


def test_only_the_rows_that_are_asked_for_are_read() -> None:
    """Else a column that is counted in pieces would cost the square of its size."""
    offsets = np.array([-7, 99, 0, 3, 4, 9, -1], np.int64)
    for wanted in (offsets, offsets.data.toreadonly(), offsets.astype(np.int32)):
        counts = new()
        counts.add_array(wanted, b"low lower", None, 2, 3, 1, str)
        assert listed(counts) == [(b"low", 1), (b" ", 1), (b"lower", 1)]
    for first in (0, 1, 5):
        with pytest.raises(ValueError, match="\nhint: "):
            new().add_array(offsets, b"low lower", None, first, 1, 1, str)


def test_tables_are_merged_scaled_and_pruned() -> None:
    one, two = new(), new()
    one.add_documents(["b a"], 1, str)
    two.add_documents(["c b b", "a"], 2, str)
    one.merge(two)
    assert listed(one) == [(b"b", 3), (b" ", 3), (b"a", 2), (b"c", 1)]
    assert (one.documents, one.total, listed(two)[0]) == (3, 9, (b"c", 1))
    one.merge(one)
    one.scale(5)
    assert listed(one) == [(b"b", 30), (b" ", 30), (b"a", 20), (b"c", 10)]
    few, *dropped = one.pruned(11)
    assert dropped == [1, 10, 0]
    assert listed(few) == [(b"b", 30), (b" ", 30), (b"a", 20)]
    assert (few.documents, few.total, few.total_bytes) == (6, 80, 80)
    assert few.pruned(0)[1:] == few.pruned(1)[1:] == (0, 0, 0)
    assert one.distinct == 4
    one.scale(0)
    assert (one.distinct, one.total, one.total_bytes) == (0, 0, 0)


def test_a_copy_is_another_table() -> None:
    one = new()
    one.add_documents(["b a"], 1, str)
    before, copy = listed(one), one.copy()
    copy.add_documents(["c"], 1, str)
    copy.scale(2)
    one.add("z", 7)
    assert (listed(one), one.documents) == ([*before, (b"z", 7)], 1)
    assert (listed(copy), copy.documents, copy.total) == ([(b"b", 2), (b" ", 2), (b"a", 2), (b"c", 2)], 2, 8)


def test_counts_are_exact_to_64_bits() -> None:
    counts = new()
    counts.add("ab", 2**63)
    counts.add("c", 2**63 - 1)
    assert (counts.total, counts.total_bytes) == (2**64 - 1, 3 * 2**63 - 1)
    refused: list[Callable[[], object]] = [
        lambda: counts.add("d", 1),
        lambda: counts.merge(counts),
        lambda: counts.scale(2),
        lambda: counts.add_documents(["d"], 2, "document {}".format),
    ]
    for call in refused:
        with pytest.raises(bp.TrainingError, match=r"pass 2\^64 - 1.*\nhint: "):
            call()
    assert listed(counts) == [(b"ab", 2**63), (b"c", 2**63 - 1)]


def test_the_longest_come_first() -> None:
    counts = new(None)
    counts.add_documents(["ab", "abc", "x" * 1000, "abd", "ab"], 1, str)
    assert counts.longest(3) == [(b"x" * 200, 1000, 1), (b"abc", 3, 1), (b"abd", 3, 1)]
    assert counts.longest(0) == new().longest(5) == []
    assert len(counts.longest(9)) == 4


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_document_may_come_in_parts(size: int) -> None:
    whole, parts = new(special_tokens=["est"]), new(special_tokens=["est"])
    whole.add_documents([TEXT], 1, str)
    data = TEXT.encode()
    for kind in (bytes, bytearray, memoryview):
        for start in range(0, len(data), size):
            parts.add_part(kind(data[start : start + size]), 2, "the document")
        parts.end_document(2, "the document")
    whole.scale(3)
    assert listed(parts) == listed(whole)
    assert (parts.documents, parts.total_bytes) == (3, whole.total_bytes)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("before", [0, 1, 11])
def test_arrow_columns(kind: type[np.integer], before: int) -> None:
    rows = ["low lower", None, "", "lowest", None, "é 漢字", None]
    expected, counts, all_valid = new(), new(), new()
    expected.add_documents([row for row in rows if row is not None], 1, str)
    offsets, data, valid = column(rows, kind, before)
    counts.add_array(offsets, data, valid, before, len(rows), 2, str)
    assert listed(counts) == listed(expected)
    assert counts.documents == 4
    all_valid.add_array(offsets, data.toreadonly(), None, before, len(rows), 2, str)
    assert listed(all_valid) == listed(expected)
    assert all_valid.documents == 7
    nothing = new()
    nothing.add_array(offsets, None, None, 0, 0, 2, str)
    nothing.add_array(memoryview(b"").cast("i"), None, None, 3, 0, 2, str)
    assert (nothing.documents, nothing.distinct) == (0, 0)


@pytest.mark.parametrize(
    ("offsets", "data", "valid", "first", "length"),
    [
        ([0, 3], b"ab", None, 0, 1),
        ([0, 2, 1], b"ab", None, 0, 2),
        ([0, -1], b"ab", None, 0, 1),
        ([0, 1], b"ab", None, 0, 2),
        ([0, 1], b"ab", None, 1, 1),
        ([0, 1], b"ab", None, 2**64 - 1, 2**64 - 1),
        ([0] * 10, b"ab", b"\xff", 0, 9),
    ],
)
def test_columns_that_are_none(offsets: list[int], data: bytes, valid: bytes | None, first: int, length: int) -> None:
    counts = new()
    with pytest.raises(ValueError, match="\nhint: "):
        counts.add_array(np.array(offsets, np.int32), data, valid, first, length, 1, str)
    assert counts.documents == 0


def test_errors_name_the_document() -> None:
    counts = new(r"(a|aa)+\1b|c")
    bad = "c" * 5 + "a" * 60
    offsets, data, valid = column(["c", None, "c", bad])
    jobs: dict[str, Callable[[], object]] = {
        "row 3: ": lambda: counts.add_array(offsets, data, valid, 0, 4, 2, "row {}".format),
        "item 1: ": lambda: counts.add_documents(["c", bad], 2, "item {}".format),
        "file `x`: ": lambda: counts.end_document(1, "file `x`"),
    }
    counts.add_part(bad, 1, "file `x`")
    for place, job in jobs.items():
        with pytest.raises(bp.PatternError, match=r"gave up at (byte|character) 5") as caught:
            job()
        assert str(caught.value).startswith(place)
    with pytest.raises(ZeroDivisionError):
        counts.add_documents([bad], 1, lambda index: str(1 // index))


def test_where_a_document_stops_being_text() -> None:
    cases: list[tuple[str | bytes, int | None]] = [
        ("", None),
        (TEXT, None),
        (TEXT.encode(), None),
        (b"\xff", 0),
        ("é".encode() + b"\xc3", 2),
    ]
    for text, at in cases:
        assert _core.first_invalid(text) == at
    assert _core.first_invalid(memoryview(b"a\xe6\xbc")) == 1


@pytest.mark.parametrize("length", [3_000_000, pytest.param(200_000_000, marks=pytest.mark.soak)])
def test_a_long_pretoken_is_one_pretoken(length: int) -> None:
    long = b"\0\xff" * (length // 2)
    for pattern in (None, r"\s+|\S+"):
        whole, parts = new(pattern), new(pattern)
        whole.add_documents([long, b"x", long], 2, str)
        for start in range(0, length, 7_777_777):
            parts.add_part(memoryview(long)[start : start + 7_777_777], 2, "x")
        parts.end_document(2, "x")
        parts.add_documents([b"x", long], 1, str)
        assert whole.longest(2) == parts.longest(2) == [(long[:200], length, 2), (b"x", 1, 1)]
        assert parts.total_bytes == 2 * length + 1
        assert whole.memory < 3 * length + 10_000_000


@pytest.mark.parametrize("distinct", [200_000, pytest.param(10_000_000, marks=pytest.mark.soak)])
def test_many_distinct_pretokens(distinct: int) -> None:
    """In their order, in the memory of the table and a constant."""
    letters = np.frombuffer(b"abcdefghijklmnop", "u1")
    numbers = np.arange(distinct, dtype="u8") * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(24)
    words = np.full((distinct, 11), ord(" "), "u1")
    for place in range(10):
        words[:, place] = letters[(numbers >> np.uint64(4 * place) & np.uint64(15)).astype("u1")]
    counts = new()
    for start in range(0, distinct, 700_000):
        counts.add_part(words[start : start + 700_000].tobytes(), 2, "x")
        peak = counts.memory
    counts.end_document(2, "x")
    counts.finish()
    assert peak < counts.memory + 100_000_000
    assert counts.memory < 70 * distinct + 10_000_000
    data, _, ones = counts.export(0, distinct + 1)
    assert (counts.distinct, counts.total, ones.nbytes) == (distinct + 1, 2 * distinct, 8 * (distinct + 1))
    assert data.replace(b" ", b"", 1) == words[:, :10].tobytes()
    assert np.frombuffer(ones, "u8").tolist().count(1) == distinct


MANY = """
words = np.random.default_rng(0).integers(97, 123, 60_000_000, "u1")
many = words, np.arange(0, words.size, 10, "u8"), np.ones(words.size // 10 - 1, "u8")
"""
JOBS = {
    "parts": ("", "counts.add_part(text, 1, 'x')"),
    "an array": ("offsets = np.array([0, len(text)], 'i4')", "counts.add_array(offsets, text, None, 0, 1, 2, str)"),
    "adding many": (MANY, "counts.add_many(*many)"),
    "merging": (MANY + "counts.add_many(*many)", "other.merge(counts)"),
}


@pytest.mark.parametrize("job", JOBS)
def test_ctrl_c_ends_it(job: str) -> None:
    before, call = JOBS[job]
    code = f"""
import time
import numpy as np
from bytepair import _core
counts, other = (_core.Counts(r"[a-z]+|[^a-z]", "bytes", None, False, []) for _ in range(2))
text = b"low lower lowest newest widest " * 9_000_000
{before}
began = time.process_time()
try:
    print("started", flush=True)
    {call}
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.process_time() - began, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(0.03)
    os.kill(process.pid, signal.SIGINT)
    said, seconds = process.stdout.readline().split()
    assert said == "interrupted"
    assert float(seconds) < 2  # of the processor's time
    assert process.wait(timeout=60) == 0
