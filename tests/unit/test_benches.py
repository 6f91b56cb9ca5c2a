"""The benchmark works: contests run, wrong ids lose the rank, failures are reported, records and targets are read."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

import bytepair as bp
import texts
from benches import host_memory, record, reference, rows, table
from benches.contest import Vocabulary
from benches.contestants import CHOOSE_THREADS, ENCODERS, READERS, TRAINERS, contestant
from benches.driver import Contest, compete, run
from benches.job import CHECK, Job, Step
from benches.patterns import CL100K
from benches.ranking import OURS, best_peer, rank
from bytepair import formats

RIGHT, WRONG, BROKEN = "fakes.right", "fakes.wrong", "fakes.broken"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    folder = tmp_path_factory.mktemp("vocabulary")
    tok = bp.train(texts=[texts.sample("en", 20_000)], vocab_size=600, pattern=CL100K)
    ranks, json = folder / "own.tiktoken", folder / "own.json"
    formats.write(tok.parts, ranks, allow_loss=True)
    tok.save(json)
    return Vocabulary("test", None, str(ranks), str(json), CL100K, CL100K, {})


@pytest.fixture
def job(vocabulary: Vocabulary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(ROOT / part) for part in ("", "tests", "python")))
    monkeypatch.setattr(reference, "CACHE", tmp_path)
    monkeypatch.setattr(host_memory, "SIZE", 1 << 16)
    text = tmp_path / "text.txt"
    text.write_text(texts.sample("en", 60_000), encoding="utf-8", newline="")
    return Job("", "bulk", vocabulary, str(text), budget=0.01)


def contest(job: Job, *names: str, rounds: int = 1) -> Contest:
    return Contest("bulk/test/en", job, (OURS, *names), rounds)


def test_contestants_with_the_ids_of_the_reference_are_ranked_and_the_others_refused(job: Job) -> None:
    asked = contest(job, RIGHT, WRONG, BROKEN, rounds=2)
    truth = reference.steps(job)
    said: list[str] = []
    results = compete(asked, truth, said.append)
    ranked = rank(results, truth)
    assert list(ranked) == ["cold", "steady", "warm", "lists", "large"]
    for found in ranked.values():
        by_name = {one.name: one for one in found}
        assert not by_name[OURS].refused
        assert by_name[OURS].ratio == 1.0
        assert by_name[OURS].runs == 2
        assert not by_name[RIGHT].refused
        assert 0 < by_name[RIGHT].low <= by_name[RIGHT].ratio <= by_name[RIGHT].high
        assert by_name[WRONG].refused == "wrong ids in `lists`"
        assert by_name[WRONG].cost == 0.0
        assert by_name[BROKEN].refused == "knows no such vocabulary"
        best = best_peer(found)
        assert best is not None
        assert best.name == RIGHT
    assert [sum(name in line for line in said) for name in (OURS, RIGHT, WRONG, BROKEN)] == [2, 2, 1, 1]
    assert said[0] == f"bulk/test/en: round 1 of 2, {OURS}"


def test_the_reference_answers_once(job: Job, tmp_path: Path) -> None:
    first = reference.steps(job)
    assert all(step.digests for step in first)
    [kept] = (tmp_path / "reference").iterdir()
    kept.write_text(kept.read_text(encoding="utf-8").replace('"cold"', '"from the cache"'), encoding="utf-8")
    assert reference.steps(job)[0].name == "from the cache"


def test_a_crash_and_a_time_limit_are_reported(job: Job) -> None:
    crash = dataclasses.replace(job, contestant=BROKEN, vocabulary=dataclasses.replace(job.vocabulary, name="crash"))
    [step] = run(crash, limit=60)
    assert step.error == "was ended by signal 6"
    [step] = run(dataclasses.replace(job, contestant=RIGHT), limit=0.0)
    assert step.error == "took more than 0 s"


def test_what_comes_after_a_step_that_was_stopped_is_run_in_a_new_process(job: Job) -> None:
    names = ["letters", "letters x2", "spaces", "spaces x2", "digits", "digits x2"]
    options = {"size": 6_000, "steps": names}
    asked = dataclasses.replace(job, contestant="fakes.fragile", workload="runs", text="", options=options)
    steps = run(asked, limit=60, restart=True)
    assert [step.name for step in steps] == [CHECK, *names]
    failed = {step.name: step.error for step in steps if step.error}
    assert failed == dict.fromkeys(("spaces", "spaces x2"), "was ended by signal 6")


def test_where_the_reference_fails_those_that_were_right_elsewhere_agree() -> None:
    def steps(check: str, long: str) -> dict[str, list[Step]]:
        return {
            CHECK: [Step(CHECK, CHECK, amount=1, digests=[check])],
            "long": [Step("long", "bytes", cpu=1, amount=1, digests=[long])],
        }

    results = {"a": steps("right", "x"), "b": steps("wrong", "y"), "c": steps("wrong", "y")}
    ranked = rank(results, [Step(CHECK, CHECK, digests=["right"]), Step("long", error="took too long")], ours="a")
    assert list(ranked) == ["long"]
    assert {one.name: one.refused for one in ranked["long"]} == {
        "a": "",
        "b": "wrong ids in `check`",
        "c": "wrong ids in `check`",
    }


@pytest.mark.parametrize("workload", ["calls", "decoding", "memory", "threads", "files", "start", "process"])
def test_every_workload_runs_with_us(job: Job, workload: str) -> None:
    options = {"megabytes": 1}
    steps = run(dataclasses.replace(job, contestant=OURS, workload=workload, options=options, threads=2), limit=120)
    assert [step.error for step in steps] == [""] * len(steps)
    assert all(step.cost >= 0 and step.unit for step in steps)


def test_a_record_comes_back_and_its_targets_are_judged(job: Job, tmp_path: Path) -> None:
    truth = reference.steps(job)
    ranked = rank(compete(contest(job, RIGHT), truth, lambda _: None), truth)
    kept = record.new("short", ["a command"])
    named = dataclasses.replace(contest(job, RIGHT), name="bulk/cl100k/zh")
    record.add(kept, named, ranked, "tiktoken")
    record.write(kept, tmp_path / "record.json")
    again = record.read(tmp_path / "record.json")
    assert again["versions"][OURS] == bp.__version__
    assert again["command"] == "a command"
    assert again["machine"]["processors"] >= 1
    [row] = [row for row in rows.rows(again) if row.what == "Chinese, steady"]
    assert row.measured
    assert row.peer == RIGHT
    assert row.met == (row.value >= 3.0)
    assert row.low <= row.value <= row.high
    lines = [*table.contest_lines("a name", ranked), *table.target_lines(rows.rows(again))]
    assert max(map(len, lines)) <= 100
    assert any(line.startswith(("+ Chinese, steady", "- Chinese, steady")) for line in lines)


def test_every_row_names_a_contest_and_a_step_that_there_are() -> None:
    places = [place for entry in rows.tables() for place in rows.places(entry)]
    names = {"bulk", "calls", "decoding", "runs", "start", "process", "memory", "threads", "files", "train"}
    assert {name.split("/")[0] for name, _ in places} == names
    assert len(set(places)) > 50


@pytest.mark.parametrize("name", sorted({*ENCODERS, *READERS, *CHOOSE_THREADS, *TRAINERS}))
def test_every_adapter_says_how_its_peer_is_used(name: str) -> None:
    adapter = contestant(name)
    assert adapter.settings
    assert adapter.package
    for threads in (1, 2):
        assert all(isinstance(value, str) for value in adapter.environment(threads).values())
