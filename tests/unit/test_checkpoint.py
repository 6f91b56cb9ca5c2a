"""Checkpoints: what was stopped anywhere goes on to the same bytes; what does not fit, or is damaged, is refused.

Here the work is stopped by an error in the callback, at every batch and merge in turn; `test_checkpoint_kill` does it
with SIGKILL.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from bytepair.checkpoint import directory
from bytepair.data import batches
from bytepair.data.corpus import Corpus

TEXTS = [f"low lower lowest {number * number} newest newer new {chr(233 + number)}" for number in range(12)]


class StopError(Exception):
    """How the tests stop a training."""


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is small, and counts are saved after each."""
    monkeypatch.setattr(batches, "PART", 64)
    monkeypatch.setattr(directory, "EVERY", 0.0)
    monkeypatch.setattr(directory, "SHARE", 0)


def is_work(event: bp.Progress) -> bool:
    """Whether something new was done, and not only known text passed over."""
    return event.memory is not None or event.merge is not None


def stopping(at: int) -> Callable[[bp.Progress], None]:
    """Raises at the so-manieth call that tells of new work."""
    calls = iter(range(at))

    def progress(event: bp.Progress) -> None:
        if is_work(event) and next(calls, None) is None:
            raise StopError

    return progress


def stopping_at_merge(rank: int) -> Callable[[bp.Progress], None]:
    """Raises at the merge of this rank."""

    def progress(event: bp.Progress) -> None:
        if event.merge is not None and event.merge.rank == rank:
            raise StopError

    return progress


def content(tok: bp.Tokenizer, folder: Path) -> bytes:
    """The bytes of the file that the tokenizer is written to, its training record among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FormatWarning)
        tok.save(folder / "saved.json")
    return (folder / "saved.json").read_bytes()


SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "first": {"ties": "first"},
    "specials": {"special_tokens": ["est", "<x>"], "pattern": "gpt2"},
    "characters": {"alphabet": "characters", "end_of_word": "</w>"},
    "seeds": {"seed_tokens": ["newest", "lowest"], "pattern": r"\w+|\s"},
    "short": {"max_token_bytes": 3, "whole_characters": True},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_stopped_anywhere_it_goes_on_to_the_same(name: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"texts": TEXTS, "num_merges": 25, "threads": 1} | SETTINGS[name]
    calls: list[bp.Progress] = []
    whole = bp.train(**settings, progress=calls.append)
    assert sum(call.phase == "count" for call in calls) > 3
    for at in range(0, len(calls), 6):
        folder = tmp_path / str(at)
        with pytest.raises(StopError):
            bp.train(**settings, checkpoint=folder, progress=stopping(at))
        later: list[bp.Progress] = []
        again = bp.train(**settings, checkpoint=folder, resume=True, progress=later.append)
        assert content(again, tmp_path) == content(whole, tmp_path)
        assert sum(map(is_work, later)) <= len(calls) - at + 1
        merges, rest = ([call.merge for call in seen if call.merge] for seen in (calls, later))
        assert merges[len(merges) - len(rest) :] == rest


def test_stopped_again_and_again(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"texts": {"a": TEXTS[::2], "b": TEXTS[1::2]}, "num_merges": 30, "weights": {"a": 0.7}}
    whole = bp.train(**settings)
    stops = 0
    while True:
        try:
            tok = bp.train(**settings, checkpoint=tmp_path / "run", resume=True, progress=stopping(2))
            break
        except StopError:
            stops += 1
    assert stops > 10
    assert content(tok, tmp_path) == content(whole, tmp_path)
    done = bp.train(**settings, checkpoint=tmp_path / "run", resume=True, progress=stopping(0))
    assert content(done, tmp_path) == content(whole, tmp_path)


def test_files_sources_and_samples_go_on_too(tmp_path: Path) -> None:
    rows = [json.dumps({"text": text, "lang": "ab"[number % 2]}) for number, text in enumerate(TEXTS)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows), "utf-8")
    (tmp_path / "long.txt").write_text(" ".join(TEXTS) * 2, "utf-8")
    for settings in (
        {"files": tmp_path / "rows.jsonl", "source_field": "lang", "weights": {"a": 2}},
        {"files": [tmp_path / "long.txt"]},
        {"files": tmp_path / "long.txt", "separator": "newer", "sample": 400},
    ):
        whole = bp.train(**settings, num_merges=12)
        for at in (0, 1, 4, 9):
            folder = tmp_path / f"{list(settings)[-1]} {at}"
            with pytest.raises(StopError):
                bp.train(**settings, num_merges=12, checkpoint=folder, progress=stopping(at))
            again = bp.train(**settings, num_merges=12, checkpoint=folder, resume=True)
            assert content(again, tmp_path) == content(whole, tmp_path)


def test_a_base_and_counts_go_on_too(tmp_path: Path) -> None:
    base = bp.train(texts=TEXTS[:3], num_merges=5)
    counts = bp.count_pretokens(texts=TEXTS)
    for source in ({"counts": counts}, {"texts": TEXTS}, {"counts": dict(counts.items())}):
        settings: dict[str, Any] = {"base": base, "num_merges": 20, **source}
        whole = bp.train(**settings)
        folder = tmp_path / next(iter(source))
        shutil.rmtree(folder, ignore_errors=True)
        with pytest.raises(StopError):
            bp.train(**settings, checkpoint=folder, progress=stopping(13))
        assert content(bp.train(**settings, checkpoint=folder, resume=True), tmp_path) == content(whole, tmp_path)


def test_counting_alone_goes_on_too(tmp_path: Path) -> None:
    whole = bp.count_pretokens(texts=TEXTS)
    for at in range(5):
        with pytest.raises(StopError):
            bp.count_pretokens(texts=TEXTS, checkpoint=tmp_path / str(at), progress=stopping(at))
        again = bp.count_pretokens(texts=TEXTS, checkpoint=tmp_path / str(at), resume=True)
        assert again.digest == whole.digest


@pytest.mark.parametrize("pattern", ["gpt2", None])
def test_a_document_in_parts_goes_on_within(pattern: str | None, tmp_path: Path) -> None:
    """Nothing is counted twice, though the document ends with the last part only."""
    (tmp_path / "long.txt").write_text(" ".join(TEXTS) * 3, "utf-8")
    settings: dict[str, Any] = {"files": tmp_path / "long.txt", "pattern": pattern, "threads": 1}
    parts: list[bp.Progress] = []
    whole = bp.count_pretokens(**settings, progress=parts.append)
    assert (whole.documents, len(parts) > 9) == (1, True)
    for at in range(0, len(parts), 4):
        folder = tmp_path / str(at)
        with pytest.raises(StopError):
            bp.count_pretokens(**settings, checkpoint=folder, progress=stopping(at))
        later: list[bp.Progress] = []
        again = bp.count_pretokens(**settings, checkpoint=folder, resume=True, progress=later.append)
        assert again == whole
        assert sum(map(is_work, later)) == len(parts) - at - 1


def test_files_that_were_counted_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text(" ".join(TEXTS), "utf-8")
    settings: dict[str, Any] = {"files": tmp_path / "a.txt", "num_merges": 9}
    whole = bp.train(**settings)
    with pytest.raises(StopError):
        bp.train(**settings, checkpoint=tmp_path / "run", progress=stopping_at_merge(3))
    monkeypatch.setattr(Corpus, "__iter__", lambda _: pytest.fail("it was read"))
    assert content(bp.train(**settings, checkpoint=tmp_path / "run", resume=True), tmp_path) == content(whole, tmp_path)


OTHERS: dict[str, list[str]] = {
    "none": [],
    "one less": TEXTS[:-1],
    "one more": [*TEXTS, "low"],
    "cut elsewhere": [TEXTS[0] + TEXTS[1], "", *TEXTS[2:]],
    "of the same sizes": [*TEXTS[:4], TEXTS[4].replace("lower", "tower"), *TEXTS[5:]],
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("part", [64, 8 << 20])
def test_other_texts_are_refused_when_all_was_counted(
    name: str, part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "PART", part)
    whole = bp.train(texts=TEXTS, num_merges=9, checkpoint=tmp_path / "run")
    with pytest.raises(bp.TrainingError, match=r"the texts are (not|more than|fewer than) those that were counted in"):
        bp.train(texts=OTHERS[name], num_merges=9, checkpoint=tmp_path / "run", resume=True)
    with pytest.raises(bp.TrainingError, match="the texts are "):
        bp.train(texts=iter(OTHERS[name]), num_merges=9, checkpoint=tmp_path / "run", resume=True)
    assert bp.train(texts=iter(TEXTS), num_merges=9, checkpoint=tmp_path / "run", resume=True) == whole


def test_another_open_file_is_refused_when_all_was_counted(tmp_path: Path) -> None:
    text = " ".join(TEXTS * 9).encode() + b"."
    run = tmp_path / "run"
    counts = bp.count_pretokens(files=io.BytesIO(text), checkpoint=run)
    assert bp.count_pretokens(files=io.BytesIO(text), checkpoint=run, resume=True) == counts
    middle = text[:900] + b"x" + text[901:]
    for other in (b"", text[:-1], text + b" ", middle):
        with pytest.raises(bp.TrainingError, match=r"the texts are .* those that were counted in"):
            bp.count_pretokens(files=io.BytesIO(other), checkpoint=run, resume=True)


def test_other_rows_are_refused_when_all_was_counted(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    texts: list[str | None] = [*TEXTS, None, "low"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TextWarning)
        counts = bp.count_pretokens(texts=pa.array(texts), checkpoint=tmp_path)
        assert bp.count_pretokens(texts=pa.array(texts), checkpoint=tmp_path, resume=True) == counts
        for other in (texts[:-1], [*TEXTS, "low", None], [*TEXTS, None, "law"]):
            with pytest.raises(bp.TrainingError, match=r"the texts are .* those that were counted in"):
                bp.count_pretokens(texts=pa.array(other), checkpoint=tmp_path, resume=True)


# What is refused


@pytest.fixture
def stopped(tmp_path: Path) -> dict[str, Any]:
    """The settings of a training that was stopped while it learned merges."""
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(TEXTS[number] * 4, "utf-8")
    settings = {"files": str(tmp_path / "*.txt"), "num_merges": 9, "checkpoint": tmp_path / "run"}
    with pytest.raises(StopError):
        bp.train(**settings, progress=stopping_at_merge(6))  # type: ignore[arg-type]
    return settings


def test_a_checkpoint_is_not_overwritten(stopped: dict[str, Any]) -> None:
    with pytest.raises(bp.TrainingError, match=r"there is a checkpoint in .*\nhint: pass resume=True"):
        bp.train(**stopped)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_merges": 10}, "num_merges is 9 there, and 10 here"),
        ({"num_merges": None, "vocab_size": 300}, "vocab_size is null there, and 300 here"),
        ({"pattern": "gpt2"}, "pattern is "),
        ({"special_tokens": ["<x>"]}, r"special_tokens is \[\] there, and \[\"<x>\"\] here"),
        ({"ties": "first"}, 'ties is "lowest" there, and "first" here'),
        ({"min_count": 2}, "min_count is 1 there, and 2 here"),
        ({"errors": "bytes"}, 'errors is "strict" there, and "bytes" here'),
        ({"sample": 99}, "sample is null there, and 99 here"),
        ({"seed": 1}, "seed is 0 there"),
        ({"separator": "x"}, "separator is null there"),
        ({"seed_tokens": ["low"]}, "seed_tokens is "),
        ({"whole_characters": True}, "whole_characters is false there"),
    ],
)
def test_other_settings_are_refused(change: dict[str, Any], message: str, stopped: dict[str, Any]) -> None:
    with pytest.raises(bp.TrainingError, match=f"made with something else: {message}.*\nhint: "):
        bp.train(**stopped | change, resume=True)
    bp.train(**stopped, resume=True, threads=3)


def test_changed_files_are_refused(stopped: dict[str, Any], tmp_path: Path) -> None:
    def refused(message: str) -> None:
        with pytest.raises(bp.TrainingError, match=f"made with something else: {message}"):
            bp.train(**stopped, resume=True)

    (tmp_path / "3.txt").touch()
    refused("there are 3 files there and 4 here; `.*3.txt` is only here")
    (tmp_path / "3.txt").unlink()
    (tmp_path / "2.txt").rename(tmp_path / "kept")
    refused("there are 3 files there and 2 here; `.*2.txt` is only there")
    (tmp_path / "10.txt").touch()
    refused("file `.*2.txt` comes there where `.*10.txt` comes here")
    (tmp_path / "10.txt").unlink()
    (tmp_path / "kept").rename(tmp_path / "2.txt")
    bp.train(**stopped, resume=True)
    (tmp_path / "1.txt").write_text("other", "utf-8")
    refused("`.*1.txt` has changed since")


def test_other_texts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StopError):
        bp.train(texts=TEXTS, num_merges=9, checkpoint=tmp_path, progress=stopping(3))
    for texts in (TEXTS[::-1], TEXTS[:1] + TEXTS[2:], ["x" + TEXTS[0][1:], *TEXTS[1:]], TEXTS[:1]):
        with pytest.raises(bp.TrainingError, match=r"the texts are (not|fewer than) those"):
            bp.train(texts=texts, num_merges=9, checkpoint=tmp_path, resume=True)
    counts = {"low": 3, "lower": 2}
    with pytest.raises(bp.TrainingError, match="made with something else"):
        bp.train(counts=counts, num_merges=9, checkpoint=tmp_path, resume=True)


def test_other_counts_are_refused(tmp_path: Path) -> None:
    bp.train(counts={"low": 3, "lower": 2}, num_merges=2, checkpoint=tmp_path)
    with pytest.raises(bp.TrainingError, match="counts is "):
        bp.train(counts={"low": 3, "lower": 3}, num_merges=2, checkpoint=tmp_path, resume=True)


def test_directories_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    with pytest.raises(bp.TrainingError, match=r"is no checkpoint, and not empty: it holds `thesis\.tex`"):
        bp.train(texts=TEXTS, num_merges=1, checkpoint=tmp_path / "full", resume=True)
    with pytest.raises(NotADirectoryError, match=r"is a file\nhint: "):
        bp.train(texts=TEXTS, num_merges=1, checkpoint=tmp_path / "full" / "thesis.tex")
    with pytest.raises(FileNotFoundError, match=r"there is no directory .*\nhint: make it"):
        bp.train(texts=TEXTS, num_merges=1, checkpoint=tmp_path / "a" / "b")
    with pytest.raises(TypeError, match="resume is True, but there is no checkpoint"):
        bp.train(texts=TEXTS, num_merges=1, resume=True)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".bytepair-0123.tmp").write_bytes(b"of one that was killed")
    bp.train(texts=TEXTS, num_merges=1, checkpoint=tmp_path / "empty")
    assert sorted(path.name for path in (tmp_path / "empty").iterdir()) == ["counts", "merges", "settings.json"]


def test_two_at_once_are_refused(stopped: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("fcntl")

    def refused(progress: bp.Progress) -> None:
        for resume in (False, True):
            with pytest.raises(bp.TrainingError, match=r"another process is at work in the checkpoint `.*run`\nhint: "):
                bp.train(**stopped, resume=resume)
        seen.append(progress)

    seen: list[bp.Progress] = []
    (stopped["checkpoint"] / ".bytepair-0.tmp").touch()
    tok = bp.train(**stopped, resume=True, progress=refused)
    assert seen
    assert content(bp.train(**stopped, resume=True), tmp_path) == content(tok, tmp_path)


def test_weights_in_another_order_are_the_same(tmp_path: Path) -> None:
    weights = {"a": 2, "b": 3}
    settings: dict[str, Any] = {"texts": {"a": TEXTS[::2], "b": TEXTS[1::2]}, "num_merges": 9, "checkpoint": tmp_path}
    with pytest.raises(StopError):
        bp.train(**settings, weights=weights, progress=stopping_at_merge(6))
    seen: list[bp.Progress] = []
    bp.train(**settings, weights=dict(reversed(weights.items())), resume=True, progress=seen.append)
    assert [call.merge.rank for call in seen if call.merge] == [7, 8]


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file can become larger in the block, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_names_the_file(stopped: dict[str, Any], tmp_path: Path) -> None:
    merges = stopped["checkpoint"] / "merges"
    with pytest.raises(OSError, match="too large") as caught, files_of_at_most(merges.stat().st_size + 4):
        bp.train(**stopped, resume=True)
    assert caught.value.filename == str(merges)
    with pytest.raises(OSError, match="too large") as caught, files_of_at_most(10):
        bp.train(**stopped | {"checkpoint": tmp_path / "other"})
    assert caught.value.filename == str(tmp_path / "other" / "settings.json")
    whole = bp.train(files=stopped["files"], num_merges=9)
    assert content(bp.train(**stopped, resume=True), tmp_path) == content(whole, tmp_path)


# Damage


def test_a_torn_end_of_the_merges_is_cut_off(stopped: dict[str, Any], tmp_path: Path) -> None:
    whole = bp.train(files=stopped["files"], num_merges=9)
    merges = stopped["checkpoint"] / "merges"
    before = merges.read_bytes()
    assert len(before) > 100
    for length in range(0, len(before), 13):
        for tail in (b"", b"\0" * 40, b"rubbish"):
            merges.write_bytes(before[:length] + tail)
            if length < 18 and tail and not b"bytepair merges 1\n".startswith(before[:length] + tail):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if tail else "error", bp.TrainingWarning)
                tok = bp.train(**stopped, resume=True)
            assert content(tok, tmp_path) == content(whole, tmp_path)
            assert merges.read_bytes().startswith(before[:length])


def test_a_changed_byte_in_the_merges_changes_nothing(stopped: dict[str, Any], tmp_path: Path) -> None:
    whole = bp.train(files=stopped["files"], num_merges=9)
    merges = stopped["checkpoint"] / "merges"
    before = merges.read_bytes()
    for at in range(18, len(before), 14):
        merges.write_bytes(before[:at] + bytes([before[at] ^ 4]) + before[at + 1 :])
        kept = (at - 18) // 32
        seen: list[bp.Progress] = []
        with pytest.warns(bp.TrainingWarning, match=f"only the first {kept} can be read; the others are learned"):
            tok = bp.train(**stopped, resume=True, progress=seen.append)
        assert content(tok, tmp_path) == content(whole, tmp_path)
        assert [call.merge.rank for call in seen if call.merge] == list(range(kept, 9))
    merges.write_bytes(b"rubbish")
    with pytest.raises(bp.FormatError, match=r"merges` is damaged: it is no file of merges\nhint: delete"):
        bp.train(**stopped, resume=True)


def test_merges_of_another_training_are_not_taken(stopped: dict[str, Any], tmp_path: Path) -> None:
    bp.train(texts=["zz zz zz yy yy"], num_merges=2, checkpoint=tmp_path / "other")
    shutil.copy(tmp_path / "other" / "merges", stopped["checkpoint"] / "merges")
    with pytest.warns(bp.TrainingWarning, match="only the first 0 can be read"):
        tok = bp.train(**stopped, resume=True)
    assert tok == bp.train(files=stopped["files"], num_merges=9)


def test_a_cut_or_changed_file_of_counts_is_refused(stopped: dict[str, Any]) -> None:
    counts = stopped["checkpoint"] / "counts"
    before = counts.read_bytes()
    chance = random.Random(1)
    for _ in range(30):
        counts.write_bytes(before[: chance.randrange(len(before))])
        with pytest.raises(bp.FormatError, match=r"counts` is damaged: .*\nhint: delete the directory"):
            bp.train(**stopped, resume=True)
    for _ in range(60):
        at = chance.randrange(len(before))
        counts.write_bytes(before[:at] + bytes([before[at] ^ (1 << chance.randrange(8))]) + before[at + 1 :])
        with pytest.raises(bp.FormatError, match=r"counts` is damaged: .*\nhint: delete the directory"):
            bp.train(**stopped, resume=True)
    for rubbish in (b"", b"\0" * 99, b"bytepair counts 1\n", before + b"x", bytes(range(256)) * 9):
        counts.write_bytes(rubbish)
        with pytest.raises(bp.FormatError, match="counts` is damaged"):
            bp.train(**stopped, resume=True)
    counts.write_bytes(before)
    bp.train(**stopped, resume=True)


@pytest.mark.parametrize("rubbish", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"a": 1, "a": 2}'])
def test_rubbish_for_settings_is_refused(rubbish: bytes, stopped: dict[str, Any]) -> None:
    (stopped["checkpoint"] / "settings.json").write_bytes(rubbish)
    with pytest.raises(bp.FormatError, match=r"settings.json`: .*\nhint: delete the directory"):
        bp.train(**stopped, resume=True)
