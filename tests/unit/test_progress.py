"""The estimates of `progress=`: right for work of the kinds that training does, None where nothing can be said."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytepair as bp
from bytepair import memory
from bytepair.data import batches
from bytepair.progress import CountWatch, MergeWatch


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def counted(total: int | None, step: int, memory: Callable[[float], float]) -> list[bp.Progress]:
    clock, seen = Clock(), list[bp.Progress]()
    watch = CountWatch(seen.append, total, clock)
    for done in range(step, 1001, step):
        clock.now += step / 100
        watch.read(step, int(memory(done)))
    return seen


def test_counting_goes_at_a_steady_speed() -> None:
    for event in counted(1000, 20, lambda done: 5 * done):
        if event.seconds < 0.5:
            assert event.eta is None
        else:
            assert event.eta == pytest.approx(10 - event.seconds)


@pytest.mark.parametrize("power", [0.0, 0.5, 0.8, 1.0])
def test_memory_grows_by_a_power(power: float) -> None:
    seen = counted(1000, 10, lambda done: 1e6 * done**power)
    told = [event for event in seen if event.memory_at_end is not None]
    assert len(told) > 90
    for event in told:
        assert event.memory_at_end == pytest.approx(1e6 * 1000**power, rel=0.01)


def test_without_a_total_nothing_is_estimated() -> None:
    assert {(event.eta, event.memory_at_end) for event in counted(None, 100, lambda done: done)} == {(None, None)}


def test_more_than_was_said_is_no_negative_time() -> None:
    assert counted(500, 100, lambda done: done)[-1].eta == 0
    assert all(event.eta is None for event in counted(0, 100, lambda done: done) if event.seconds < 0.5)


def test_what_was_counted_before_is_no_speed() -> None:
    clock, seen = Clock(), list[bp.Progress]()
    watch = CountWatch(seen.append, 1000, clock)
    watch.skip(500)
    clock.now += 1
    watch.read(100, 1)
    assert seen[0] == bp.Progress("count", 500, 1000)
    assert seen[1].done == 600
    assert seen[1].eta == pytest.approx(4)


@pytest.mark.parametrize("power", [0.0, 0.3, 0.6])
def test_merges_become_quicker_by_a_power(power: float) -> None:
    clock = Clock()
    times = [rank**-power for rank in range(1, 20_001)]
    whole, passed = sum(times), 0.0
    watch = MergeWatch(20_000, 0, clock)
    clock.now += 1000  # before the first merge
    for rank, seconds in enumerate(times):
        clock.now += seconds
        passed += seconds
        told, left = watch.learned(rank)
        assert told == pytest.approx(1000 + passed)
        if rank > 500:
            assert left is not None
            assert left == pytest.approx(whole - passed, rel=0.1, abs=whole / 100)


def test_merges_after_others_go_on_as_they_went() -> None:
    clock = Clock()
    watch = MergeWatch(1000, 500, clock)
    for rank in range(500, 600):
        clock.now += 0.25
        _, left = watch.learned(rank)
    assert left == pytest.approx(100)


def test_no_estimate_without_a_size_or_in_the_first_moment() -> None:
    clock = Clock()
    for watch in (MergeWatch(None, 0, clock), MergeWatch(100, 0, clock)):
        assert watch.learned(0) == (0.0, None)
    clock.now += 0.4
    assert watch.learned(1)[1] is None


def test_many_different_pretokens_have_a_phase_between() -> None:
    words = np.random.default_rng(0).integers(97, 123, (200_000, 8), np.uint8)
    words[:, 7] = ord(" ")
    seen: list[bp.Progress] = []
    settings: dict[str, Any] = {"num_merges": 3, "pattern": "gpt2", "threads": 1}
    tok = bp.train(texts=[words.tobytes()], progress=seen.append, **settings)
    phases = [event.phase for event in seen]
    assert [phase for phase, _ in groupby(phases)] == ["count", "lay out", "merge"]
    laid = [event for event in seen if event.phase == "lay out"]
    assert [event.done for event in laid] == sorted(event.done for event in laid)
    assert all(event.total is not None and 0 <= event.done <= event.total and event.peak for event in laid)
    assert tok == bp.train(texts=[words.tobytes()], **settings)

    def stop(event: bp.Progress) -> None:
        if event.phase == "lay out":
            raise RuntimeError("it is enough")

    with pytest.raises(RuntimeError, match="it is enough"):
        bp.train(texts=[words.tobytes()], progress=stop, **settings)


def test_too_little_memory_is_told_early(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(batches, "PART", 1 << 16)
    (tmp_path / "text.txt").write_text(" ".join(map(str, range(100_000))))
    seen: list[bp.Progress] = []
    for needed, there in ((2_000_000, True), (10**15, False)):
        monkeypatch.setattr(memory, "limit", lambda needed=needed: needed)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            bp.train(files=tmp_path / "text.txt", num_merges=1, pattern="gpt2", progress=seen.append)
            counts = bp.count_pretokens(files=tmp_path / "text.txt", pattern="gpt2")
            bp.train(counts=counts, num_merges=1)
        lines = [str(one.message) for one in told]
        assert len(lines) == 3 * there
        assert all(
            re.match(r"it looks as if this takes \d+ MB of memory, and there are 2 MB\nhint: ", line) for line in lines
        )
        assert all(one.filename == __file__ for one in told)
    peaks = [event.peak for event in seen if event.peak is not None]
    assert peaks
    assert max(peaks) < 4 * min(peaks)


def test_a_limit_of_a_group_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine = memory.limit()
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "memory" / "c").mkdir(parents=True)
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    monkeypatch.setattr(memory, "_OWN", tmp_path / "own")
    assert memory.limit() is not None
    (tmp_path / "own").write_text("7:cpu:/x\n3:memory,hugetlb:/c\n0::/a/b\n")
    (tmp_path / "a" / "memory.max").write_text("5000\n")
    (tmp_path / "a" / "b" / "memory.max").write_text("max\n")
    assert memory.limit() == 5000
    (tmp_path / "memory" / "c" / "memory.limit_in_bytes").write_text("400\n")
    assert memory.limit() == 400
    (tmp_path / "own").write_text("rubbish")
    assert memory.limit() is not None
    assert machine is None or machine > 10**6


def test_training_tells_both_phases() -> None:
    seen: list[bp.Progress] = []
    bp.train(texts=["low lower lowest " * 50_000] * 12, num_merges=5, progress=seen.append)
    counting = [event for event in seen if event.phase == "count"]
    assert counting[-1].done == counting[-1].total == sum(17 * 50_000 for _ in range(12))
    assert all(event.memory for event in counting)
    assert [event.done for event in seen if event.phase == "merge"] == [1, 2, 3, 4, 5]
    assert all(event.seconds >= 0 for event in seen)
