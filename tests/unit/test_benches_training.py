"""The contests in training work: steps run apart, merges are judged, the rows of the targets are those that are run."""

from __future__ import annotations

import dataclasses
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mutation
import texts
from benches import host_memory, pretokens, record, reference, rows, table, training_plan, training_texts, verdicts
from benches.contest import Training, UnsupportedError, Vocabulary
from benches.contestants import TRAINERS, contestant
from benches.contestants.plain_python import learned
from benches.driver import Contest, compete, run_apart
from benches.job import Job, Step
from benches.patterns import GPT2, OWN
from benches.ranking import OURS, rank
from benches.replay import replay
from benches.workloads import interrupting
from benches.workloads import training as workload
from bytepair.reference.linked import Linked
from bytepair.reference.training import BYTES, learn

TRAINER, WRONG, OWN_WAY = "fakes.trainer", "fakes.wrong_trainer", "fakes.own_way"
ROOT = Path(__file__).resolve().parents[2]
STEPS: dict[str, Any] = {
    "small": {"size": 400},
    "own pattern": {"size": 300, "pattern": OWN},
    "strings": {"size": 300, "piece": 200},
}


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(ROOT / part) for part in ("", "tests", "python")))
    monkeypatch.setattr(verdicts, "CACHE", tmp_path)
    monkeypatch.setattr(host_memory, "SIZE", 1 << 16)
    text = tmp_path / "text.txt"
    text.write_text(texts.sample("en", 50_000), encoding="utf-8", newline="")
    pattern = Vocabulary("", None, "", "", GPT2, "gpt2", {"<|end|>": 0})
    return Job("", "training", pattern, str(text), options={"steps": STEPS})


def test_right_merges_are_ranked_and_wrong_ones_refused(job: Job, tmp_path: Path) -> None:
    asked = Contest("train/en", job, (OURS, TRAINER, WRONG, OWN_WAY), 1, apart=True)
    assert reference.steps(job) == []
    results, notes = verdicts.judged(job, compete(asked, [], lambda _: None), lambda _: None)
    ranked = rank(results, [])
    assert list(ranked) == ["small", "small memory", "own pattern", "own pattern memory", "strings"]
    by_name = {step: {one.name: one for one in found} for step, found in ranked.items()}
    for step in ("small", "strings"):
        assert [by_name[step][name].refused for name in (OURS, TRAINER, OWN_WAY)] == ["", "", ""]
        assert by_name[step][WRONG].refused.startswith(f"1 of {STEPS[step]['size'] - 257} merges were no maximum; ")
    assert by_name["small memory"][WRONG].refused == by_name["small"][WRONG].refused
    assert by_name["small"][TRAINER].runs == by_name["small"][OURS].runs == 1
    assert by_name["small"][OURS].ratio == 1.0
    assert by_name["own pattern"][TRAINER].refused == "cuts by GPT-2's pattern alone"
    assert by_name["own pattern"][OURS].refused == ""
    assert set(notes) == set(STEPS)
    assert (
        notes["small"][OURS] == notes["small"][TRAINER] == "each merge a maximum; ties: huggingface; documents: files"
    )
    assert notes["small"][OWN_WAY] == "merges not judged: it cuts text in its own way"
    kept = record.new("short", ["a command"])
    record.add(kept, asked, ranked, reference.judge(job), notes)
    record.write(kept, tmp_path / "record.json")
    assert record.read(tmp_path / "record.json")["contests"]["train/en"]["notes"] == notes
    assert max(map(len, table.contest_lines("train/en", ranked, notes))) <= 100


def test_a_verdict_is_found_once(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = run_apart(dataclasses.replace(job, contestant=OURS), 60)
    results = {OURS: {step.name: [step] for step in steps}}
    first = verdicts.judged(job, results, lambda _: None)
    assert len(list((tmp_path / "replays").iterdir())) == len(STEPS)
    monkeypatch.setattr(pretokens, "counted", None)
    assert verdicts.judged(job, results, lambda _: None) == first


def test_a_step_that_takes_too_long_does_not_stop_the_others(job: Job) -> None:
    slow = {"slow": {"size": 100_000, "piece": 1}, **STEPS}
    steps = run_apart(dataclasses.replace(job, contestant=OURS, options={"steps": slow}), 0.0)
    assert [(step.name, step.error) for step in steps] == [(name, "took more than 0 s") for name in slow]


def test_several_threads_are_measured_on_the_wall(job: Job) -> None:
    options = {"steps": {"small": {"size": 300, "table": True, "judged": False}}}
    [step, memory, above] = run_apart(dataclasses.replace(job, contestant=OURS, threads=2, options=options), 60)
    assert step.cost == step.wall
    assert memory.cost == memory.amount > above.amount >= 0
    assert step.merges == memory.merges == ""
    assert Step("small", "trainings", cpu=3.0, wall=4.0, amount=1).cost == 3.0


@pytest.mark.parametrize("name", ["bytepair", "plain_python", "tokenizers"])
@pytest.mark.parametrize("source", ["file", "strings"])
def test_adapters_train(name: str, source: str, job: Job) -> None:
    content = Path(job.text).read_text(encoding="utf-8")
    asked = Training(job.text, [content] if source == "strings" else None, 500, OWN, OWN, ("<|end|>",), 1)
    merges = contestant(name).train(asked)()
    assert len(merges) == 500 - 256 - 1
    counts = pretokens.counted(asked, contestant(name).documents)
    assert replay(counts, merges).wrong == 0


def test_an_adapter_that_cannot_says_so() -> None:
    asked = Training("", [], 300, OWN, OWN, (), 1)
    for name in TRAINERS:
        if name in {"gigabpe", "gigatoken"}:
            with pytest.raises((UnsupportedError, ImportError)):
                contestant(name).train(asked)


def test_the_plain_trainer_gives_the_merges_of_the_reference() -> None:
    words = Counter(texts.sample("en", 5_000).split(" "))
    counted = [(tuple(word.encode()), count) for word, count in words.items()]
    expected = learn(Linked, counted, BYTES, num_merges=250)
    found = list(learned(words, 250))
    assert replay({bytes(word): count for word, count in counted}, found).wrong == 0
    assert found[:20] == expected.pairs()[:20]
    assert list(learned(Counter(["aaa", "aaaa"]), 9)) == [(b"a", b"a"), (b"aa", b"a"), (b"aa", b"aa")]


def test_every_row_is_a_step_of_a_contest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(training_texts, "prepare", lambda kind, _: tmp_path / kind)
    monkeypatch.setattr(training_texts, "enlarged", lambda path, *_: path)
    for extent in (training_plan.SHORT, training_plan.FULL):
        steps: dict[str, set[str]] = {}
        for name, make in training_plan.contests(extent):
            made = make()
            assert made.name == name
            assert made.apart
            memory = {step + end for step in made.job.options["steps"] for end in (workload.MEMORY, workload.ABOVE)}
            steps[name] = set(made.job.options["steps"]) | (memory if made.job.workload == "training" else set())
        for entry in rows.tables():
            for name, step in rows.places(entry):
                if name.startswith("train/"):
                    assert step in steps[name]
                    assert entry.get("over", step) in steps[name]
                    assert {entry.get("peer", OURS), *entry.get("without", ())} <= {OURS, "plain_python", *TRAINERS}


def test_rows_are_held_against_the_peer_that_they_name() -> None:
    kept = record.new("short", [])

    def standing(name: str, cost: float) -> dict[str, Any]:
        return {"name": name, "cost": cost, "unit": "trainings", "ratio": cost, "low": cost, "high": cost}

    found = [
        standing("bytepair", 1.0),
        standing("sentencepiece", 1.5),
        standing("gigabpe", 2.5),
        standing("rustbpe", 7),
    ]
    hundred = [standing("bytepair", 1.25), standing("gigabpe", 2.0)]
    kept["contests"] = {
        "train/en": {"steps": {"32k": found, "100k": hundred}},
        "train/one_word": {"steps": {"32k": found}},
    }
    by_name = {(row.what, row.peer): row for row in rows.rows(kept) if row.measured}
    assert by_name["train English, one core", "gigabpe"].met is True
    assert by_name["train English, one core", "gigabpe"].value == 2.5
    assert by_name["train English, one core", "rustbpe"].met is False
    assert by_name["train on one_word", "gigabpe"].value == 2.5
    assert by_name["train on one_word", "sentencepiece"].value == 1.5
    assert by_name["train 100 k / 32 k tokens", ""].value == 1.25
    assert by_name["train 100 k / 32 k tokens", ""].met is True
    assert by_name["train English, one core", "gigabpe"].ours == "1.00 s"


def test_where_all_peers_were_stopped_their_limit_is_what_we_are_held_against() -> None:
    kept = record.new("short", [])
    ours = {"name": "bytepair", "cost": 0.5, "unit": "trainings", "ratio": 1.0, "low": 1.0, "high": 1.0}
    stopped = {"name": "gigabpe", "refused": "took more than 25 s"}
    failed = {"name": "rustbpe", "refused": "was ended by signal 9"}
    kept["contests"] = {"train/one_word": {"steps": {"32k": [ours, failed, stopped]}}}
    [row] = [row for row in rows.rows(kept) if row.measured]
    assert (row.what, row.peer, row.theirs, row.value, row.met) == (
        "train on one_word",
        "gigabpe",
        "not in 25 s",
        50.0,
        True,
    )
    kept["contests"]["train/one_word"]["steps"]["32k"].pop()
    assert not any(row.measured for row in rows.rows(kept))


def test_an_interrupt_is_timed(job: Job) -> None:
    options = {"steps": {"file": {"size": 300}}}
    [step] = run_apart(dataclasses.replace(job, contestant=OURS, workload="interrupting", options=options), 60)
    assert step.error == ""
    assert 0 <= step.amount < 2
    assert interrupting.latency(lambda: None, 0.05) is None

    def deaf() -> None:
        end = time.monotonic() + 0.3
        try:
            while time.monotonic() < end:
                pass
        except KeyboardInterrupt:
            time.sleep(0.2)
            raise

    waited = interrupting.latency(deaf, 0.05)
    assert waited is not None
    assert waited >= 0.2


def test_texts_are_made_where_there_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BYTEPAIR_CORPORA", raising=False)
    monkeypatch.setattr(training_texts, "CACHE", tmp_path)
    monkeypatch.setattr("benches.corpus.CACHE", tmp_path)
    size = 1_200_000
    made = {kind: training_texts.prepare(kind, size).read_bytes() for kind in (*training_texts.MADE, "en")}
    assert all(abs(len(content) - size) < 20_000 for kind, content in made.items() if kind != "distinct")
    assert b"\n" not in made["one_line"]
    assert made["one_word"].isalpha()
    assert len(set(made["distinct"].split())) > 99_000
    again = training_texts.prepare("cjk", size)
    assert again.read_bytes() == made["cjk"]
    bigger = training_texts.enlarged(again, 5, 3 * size).read_bytes()
    assert len(bigger) == 3 * size
    assert bigger.startswith(made["cjk"])


def test_copies_bring_new_words_at_a_falling_rate() -> None:
    text = b" ".join(b"%x" % (n * 2654435761 % 2**40) for n in range(2_000))
    copies = list(mutation.copies(text, 2_000, 5 * len(text) - 7))
    assert [len(copy) for copy in copies] == [*(len(text),) * 4, len(text) - 7]
    assert copies[0] == text
    words: set[bytes] = set()
    new = []
    for copy in copies:
        before = len(words)
        words.update(copy.split(b" "))
        new.append(len(words) - before)
    assert new[0] == 2_000
    assert new[1] > new[2] > new[3] > 100
    assert list(mutation.copies(b"12", 5, 3)) == [b"12", b"1"]
    assert list(mutation.copies(text, 2_000, 5 * len(text) - 7)) == copies
