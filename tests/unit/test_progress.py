"""The estimates of `progress=`: right for work of the kinds that training does, None where nothing can be said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import bytepair as bp
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
    assert seen[0].done == 600
    assert seen[0].eta == pytest.approx(4)


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


def test_training_tells_both_phases() -> None:
    seen: list[bp.Progress] = []
    bp.train(texts=["low lower lowest " * 50_000] * 12, num_merges=5, progress=seen.append)
    counting = [event for event in seen if event.phase == "count"]
    assert counting[-1].done == counting[-1].total == sum(17 * 50_000 for _ in range(12))
    assert all(event.memory for event in counting)
    assert [event.done for event in seen if event.phase == "merge"] == [1, 2, 3, 4, 5]
    assert all(event.seconds >= 0 for event in seen)
