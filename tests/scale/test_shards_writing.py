"""Making shards: what is read, what is refused, and work that goes on where it was stopped."""

from __future__ import annotations

import gzip
import json
import os
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import bytepair as bp
from bytepair.data import batches
from bytepair.scale import engines
from bytepair.scale.folder import folder_at
from bytepair.shards import job, plain, writing
from scale import shard_readers, sharding
from scale.sharding import END, TEXTS, Inline

pytestmark = pytest.mark.usefixtures("inline")
CORPUS: list[list[str | None]] = [
    [*TEXTS],
    ["another", None, "file"],
    ["one"],
    [],
    ["the cat sat on the mat " * 20, "low"],
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Five files of JSON lines, of which one has no line."""
    for number, texts in enumerate(CORPUS):
        sharding.jsonl(tmp_path / f"{number}.jsonl", texts)
    return tmp_path


def make(tok: bp.Tokenizer, corpus: Path, out: str = "out", **options: Any) -> Any:
    asked: dict[str, Any] = {"append": END, "shard_tokens": 20}
    asked |= {"files": f"{corpus}/*.jsonl"} | options
    return bp.write_shards(tok, corpus / out, **asked)


@pytest.mark.usefixtures("small_items")
def test_results_do_not_depend_on_the_order(tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for seed in range(3):

        def shuffled(count: int, seed: int = seed) -> list[int]:
            return random.Random(seed).sample(range(count), count)

        monkeypatch.setattr(writing, "opened", Inline(shuffled).opened)
        make(tok, corpus, f"out{seed}")
        found.append(sharding.files_of(corpus / f"out{seed}"))
    assert len(found[0]) > 10
    assert found[0] == found[1] == found[2]


def test_results_do_not_depend_on_the_engine(tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tok, corpus, "inline")
    expected = sharding.files_of(corpus / "inline")
    monkeypatch.setattr(writing, "opened", engines.opened)
    for workers in (1, 2):
        make(tok, corpus, f"local{workers}", workers=workers)
        assert sharding.files_of(corpus / f"local{workers}") == expected


@pytest.mark.usefixtures("small_items")
def test_all_documents_are_there_in_order(tok: bp.Tokenizer, corpus: Path, inline: Inline) -> None:
    manifest = make(tok, corpus)
    assert len(inline.worked) >= 5
    texts = [text for file in CORPUS for text in file if text is not None]
    documents = [document for shard in shard_readers.read(corpus / "out") for document in shard]
    assert documents == sharding.expected(tok, texts, after=tok.special_tokens[END])
    assert (manifest.documents, manifest.nulls) == (len(texts), 1)
    assert not [name for name in sharding.files_of(corpus / "out") if name.startswith(("items", "."))]


def test_all_kinds_of_files(tok: bp.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("low|lower|")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress("lowest|\u00e9".encode()))
    sharding.jsonl(tmp_path / "c.jsonl", ["", "cat"])
    (tmp_path / "d.jsonl.zst").write_bytes(pa.compress(b'{"text": "sat"}\n', codec="zstd", asbytes=True))
    parquet.write_table(pa.table({"text": ["on", None, "the"]}), tmp_path / "e.parquet")
    files = [tmp_path / name for name in ("a.txt", "b.txt.gz", "c.jsonl", "d.jsonl.zst", "e.parquet")]
    manifest = bp.write_shards(tok, tmp_path / "out", files=files, separator="|")
    texts = ["low", "lower", "lowest", "\u00e9", "", "cat", "sat", "on", "the"]
    assert [document for shard in shard_readers.read(tmp_path / "out") for document in shard] == sharding.expected(
        tok, texts
    )
    assert manifest.nulls == 1
    with pytest.raises(bp.TextError, match="has no column `body`"):
        bp.write_shards(tok, tmp_path / "two", files=files[-1], text_field="body")


def test_a_document_in_parts(tok: bp.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is read in parts is one document, and a shard, however large."""
    monkeypatch.setattr(batches, "PART", 64)
    text = "the cat sat on the mat \u00e9\U0001f331 " * 50
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "b.txt").write_text("low")
    formats: tuple[Any, ...] = ("nanogpt", "parquet")
    for format in formats:
        out = tmp_path / format
        bp.write_shards(tok, out, files=f"{tmp_path}/*.txt", append=END, shard_tokens=10, format=format)
        after = tok.special_tokens[END]
        assert shard_readers.read(out) == [
            [document] for document in sharding.expected(tok, [text, "low"], after=after)
        ]


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_no_document(tok: bp.Tokenizer, content: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(content)
    with pytest.warns(bp.TextWarning, match="there was no document"):
        manifest = bp.write_shards(tok, tmp_path / "out", files=tmp_path / "a.jsonl")
    assert (manifest.documents, manifest.shards) == (0, ())
    shards = bp.open_shards(tmp_path / "out")
    assert (len(shards), shards.tokens, list(shards), shards.lengths.tolist()) == (0, 0, [], [])
    assert bp.verify_shards(tmp_path / "out", tok).faults == ()


def test_documents_without_a_token(tok: bp.Tokenizer, tmp_path: Path) -> None:
    formats: tuple[Any, ...] = ("nanogpt", "llm.c", "megatron", "npy", "parquet")
    for format in formats:
        sharding.jsonl(tmp_path / "a.jsonl", ["", ""])
        out = tmp_path / format
        bp.write_shards(tok, out, files=tmp_path / "a.jsonl", format=format)
        shards = bp.open_shards(out)
        assert [ids.tolist() for ids in shards] == [[], []]
        assert bp.verify_shards(out).faults == ()


class Stopping:
    """A job that is stopped when it has done so many items."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
        self.noted = 0
        real = job.Job.__call__

        def call(job: Any, item: Any) -> Any:
            if self.noted == after:
                raise KeyboardInterrupt
            self.noted += 1
            return real(job, item)

        monkeypatch.setattr(job.Job, "__call__", call)


@pytest.mark.usefixtures("small_items")
@pytest.mark.parametrize("after", [0, 1, 3])
def test_work_that_was_stopped_goes_on(
    after: int, tok: bp.Tokenizer, corpus: Path, inline: Inline, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tok, corpus, "whole")
    expected, total = sharding.files_of(corpus / "whole"), len(inline.worked)
    with monkeypatch.context() as patched:
        Stopping(patched, after)
        with pytest.raises(KeyboardInterrupt):
            make(tok, corpus)
    with pytest.raises(FileNotFoundError, match="are not finished\nhint: run the command that makes"):
        bp.open_shards(corpus / "out")
    inline.worked.clear()
    make(tok, corpus)
    assert len(inline.worked) == total - after
    assert sharding.files_of(corpus / "out") == expected
    inline.worked.clear()
    make(tok, corpus)  # when all is done, there is nothing to do
    assert inline.worked == []


@pytest.mark.usefixtures("small_items")
def test_what_is_missing_is_made_again(tok: bp.Tokenizer, corpus: Path, inline: Inline) -> None:
    """As the hints say: a shard that was deleted, or cut short, and nothing else."""
    make(tok, corpus)
    out, expected, total = corpus / "out", sharding.files_of(corpus / "out"), len(inline.worked)
    for damage in (Path.unlink, lambda path: os.truncate(path, 1)):
        for name in ("000000-000000.bin", "documents/000000-000000.npy"):
            inline.worked.clear()
            damage(out / name)
            make(tok, corpus)
            assert len(inline.worked) == 1 < total
            assert sharding.files_of(out) == expected


@pytest.mark.usefixtures("small_items")
def test_a_note_that_is_damaged_counts_for_nothing(
    tok: bp.Tokenizer, corpus: Path, inline: Inline, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tok, corpus, "whole")
    expected = sharding.files_of(corpus / "whole")
    with monkeypatch.context() as patched:
        Stopping(patched, 4)
        with pytest.raises(KeyboardInterrupt):
            make(tok, corpus)
    notes = sorted((corpus / "out" / "items").glob("0*.json"))
    assert len(notes) == 4
    notes[0].write_text("{")
    notes[1].write_text("{}")
    notes[2].write_text(notes[2].read_text().replace('"settings": "', '"settings": "0'))
    inline.worked.clear()
    make(tok, corpus)
    assert sharding.files_of(corpus / "out") == expected
    assert inline.worked[:3] == [str(corpus / "0.jsonl")] * 3


def touched(corpus: Path) -> dict[str, Any]:
    os.utime(corpus / "0.jsonl", (1, 1))
    return {}


def added(corpus: Path) -> dict[str, Any]:
    (corpus / "5.jsonl").write_text("")
    return {}


CHANGES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "format is": lambda _: {"format": "npy"},
    "append is": lambda _: {"append": ()},
    "shard_tokens is 20 there, and 21 here": lambda _: {"shard_tokens": 21},
    'errors is "strict" there, and "bytes" here': lambda _: {"errors": "bytes"},
    'input_format is null there, and "jsonl" here': lambda _: {"input_format": "jsonl"},
    "0.jsonl` has changed since": touched,
    "there are 5 files there and 6 here": added,
    "fingerprint is": lambda _: {"tok": bp.train(texts=[], vocab_size=257, special_tokens=[END])},
}


@pytest.mark.usefixtures("small_items")
@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("is_finished", [True, False])
def test_other_settings_are_never_mixed(
    what: str, *, is_finished: bool, tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        if is_finished:
            make(tok, corpus)
        else:
            Stopping(patched, 2)
            with pytest.raises(KeyboardInterrupt):
                make(tok, corpus)
    before = sharding.files_of(corpus / "out")
    options = CHANGES[what](corpus)
    with pytest.raises(bp.FormatError, match="was made with something else") as caught:
        make(options.pop("tok", tok), corpus, **options)
    assert what in str(caught.value)
    assert sharding.files_of(corpus / "out") == before


@pytest.mark.usefixtures("small_items")
def test_a_folder_in_which_nothing_is_done(tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another try with other settings is no mixture, and nothing is left of the first."""
    with monkeypatch.context() as patched:

        def fail(*_: Any) -> None:
            raise RuntimeError("the note")

        patched.setattr(job, "note", fail)
        with pytest.raises(RuntimeError, match="the note"):
            make(tok, corpus, shard_tokens=1)
    assert len(list((corpus / "out").glob("*.bin"))) == 1
    make(tok, corpus, format="npy")
    assert not list((corpus / "out").glob("*.bin"))
    make(tok, corpus, "other", format="npy")
    assert sharding.files_of(corpus / "out") == sharding.files_of(corpus / "other")


def test_folders_of_something_else(tok: bp.Tokenizer, corpus: Path) -> None:
    with pytest.raises(bp.FormatError, match=r"is no folder of shards, and not empty: it holds `0.jsonl`"):
        make(tok, corpus, ".")
    with pytest.raises(NotADirectoryError, match=r"0.jsonl` is a file"):
        make(tok, corpus, "0.jsonl")
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        make(tok, corpus, "no/such")
    make(tok, corpus)
    with pytest.MonkeyPatch.context() as patched:
        Stopping(patched, 1)
        patched.setattr(writing, "SIZE", 1)
        with pytest.raises(KeyboardInterrupt):
            make(tok, corpus, "stopped")
    place = corpus / "stopped" / "items" / "settings.json"
    place.write_bytes(place.read_bytes()[:-1])
    with pytest.raises(bp.FormatError, match=r"stopped/items/settings.json`: line \d+, column \d+: no JSON"):
        make(tok, corpus, "stopped")
    place.unlink()
    with pytest.raises(bp.FormatError, match=r"no folder of shards, and not empty: it holds `items/000000.json`"):
        make(tok, corpus, "stopped")
    (corpus / "out" / "manifest.json").write_bytes((corpus / "out" / "manifest.json").read_bytes()[:-9])
    with pytest.raises(bp.FormatError, match=r"manifest.json`: line \d+, column \d+: no JSON"):
        make(tok, corpus)


def test_one_at_a_time(tok: bp.Tokenizer, corpus: Path) -> None:
    (corpus / "out").mkdir()
    with (
        folder_at(corpus / "out").alone(),
        pytest.raises(bp.FormatError, match="another process is at work in"),
    ):
        make(tok, corpus)
    make(tok, corpus)


def test_wrong_settings(tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(writing, "opened", engines.opened)
        with pytest.raises(ValueError, match="engine is 'x'"):
            make(tok, corpus, engine="x")
    for error, match, options in (
        (ValueError, "format is 'bin'\nhint: shards are in one of \"nanogpt\"", {"format": "bin"}),
        (ValueError, "unknown is 'x'", {"unknown": "x"}),
        (ValueError, "shard_tokens is 0", {"shard_tokens": 0}),
        (ValueError, 'input_format is \'x\'\nhint: it is "text", "jsonl"', {"input_format": "x"}),
        (
            ValueError,
            'hint: say input_format="jsonl" or input_format="parquet"',
            {"files": __file__, "text_field": "x"},
        ),
        (bp.SpecialTokenError, "append is 'low', which is no special token", {"append": ["low"]}),
        (
            bp.SpecialTokenError,
            "prepend is '<x>', which is no special token of this .*\nhint: it has '<|endof",
            {"prepend": "<x>"},
        ),
    ):
        with pytest.raises(error, match=match):
            make(tok, corpus, **options)
    with pytest.raises(FileNotFoundError, match="no file matches"):
        bp.write_shards(tok, corpus / "out", files=f"{corpus}/*.txt")
    with pytest.raises(TypeError, match="which another process cannot open"):
        bp.write_shards(tok, corpus / "out", files=(corpus / "0.jsonl").open("rb"))


@pytest.mark.usefixtures("small_items")
def test_a_damaged_file_in_the_middle(tok: bp.Tokenizer, corpus: Path) -> None:
    """One error that names it; when it is mended (and so has changed), the rest need be done again, and is right."""
    (corpus / "2.jsonl").write_text('{"text": "one"}\n{"text": \n')
    with pytest.raises(bp.TextError, match=r'file `.*2.jsonl`, line 2 is no JSON.*\nhint: .* input_format="text"'):
        make(tok, corpus)
    assert not (corpus / "out" / "manifest.json").exists()
    assert not list((corpus / "out").rglob("*.tmp"))
    sharding.jsonl(corpus / "2.jsonl", ["one"])
    with pytest.raises(bp.FormatError, match=r"2.jsonl` has changed since"):
        make(tok, corpus)
    make(tok, corpus, "new")
    assert bp.open_shards(corpus / "new").manifest.documents == 11


@pytest.mark.usefixtures("small_items")
@pytest.mark.parametrize("turn", range(0, 14, 3))
@pytest.mark.parametrize("format", ["nanogpt", "parquet"])
def test_a_disk_that_fills(
    format: Any, turn: int, tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tok, corpus, "whole", format=format)
    expected = sharding.files_of(corpus / "whole")
    real, calls = os.fsync, iter(range(100))

    def full(handle: int) -> None:
        if next(calls) >= turn:
            raise OSError(28, "No space left on device")
        real(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left on device") as caught:
            make(tok, corpus, format=format)
    assert str(caught.value.filename).startswith(str(corpus / "out"))
    assert not list((corpus / "out").rglob("*.tmp"))
    assert not (corpus / "out" / "manifest.json").exists()
    make(tok, corpus, format=format)
    assert sharding.files_of(corpus / "out") == expected


def test_a_write_that_fails_names_the_shard(tok: bp.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(plain.PlainPen, "add", full)
    with pytest.raises(OSError, match=r"No space left on device: .*000000-000000.bin"):
        make(tok, corpus)


def test_names_and_times_of_all_kinds(tok: bp.Tokenizer, tmp_path: Path) -> None:
    """A file that is no UTF-8 by name, and of before 1970."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff \xc3\xa9.jsonl"))
    sharding.jsonl(path, ["low"])
    os.utime(path, (-10, -10))
    bp.write_shards(tok, tmp_path / "out", files=path)
    shards = bp.open_shards(tmp_path / "out")
    assert shards.manifest.settings.files == ((None, str(path), 16, -10 * 10**9),)
    assert bp.write_shards(tok, tmp_path / "out", files=path) == shards.manifest


def test_the_manifest_says_how(tok: bp.Tokenizer, corpus: Path) -> None:
    make(tok, corpus, errors="replace")
    root = json.loads((corpus / "out" / "manifest.json").read_text())
    assert root["settings"]["append"] == [[END, tok.special_tokens[END]]]
    assert root["settings"]["reading"]["errors"] == "replace"
    assert [file[1] for file in root["settings"]["files"]] == [str(corpus / f"{number}.jsonl") for number in range(5)]
    assert list(root)[-1] == "sha256"


def test_progress(tok: bp.Tokenizer, corpus: Path, inline: Inline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "SIZE", 1)
    events: list[bp.Progress] = []
    with monkeypatch.context() as patched:
        Stopping(patched, 2)
        with pytest.raises(KeyboardInterrupt):
            make(tok, corpus, progress=events.append)
    assert [event.phase for event in events] == ["shard"] * 3
    total = sum(path.stat().st_size for path in corpus.glob("*.jsonl"))
    assert (events[0].done, events[0].eta, events[0].total) == (0, None, total)
    before = events.copy()
    events.clear()
    inline.worked.clear()
    make(tok, corpus, progress=events.append)  # what was done before is done
    assert (events[0].done, events[0].eta, events[0].total) == (before[-1].done, None, total)
    assert [event.done for event in events] == sorted(event.done for event in events)
    assert len(events) == len(inline.worked) + 1
    assert events[-1].done == events[-1].total
    assert events[-1].eta == 0


@settings(max_examples=25)
@given(
    texts=st.lists(st.lists(st.one_of(st.none(), st.text(max_size=30)), max_size=5), min_size=1, max_size=4),
    format=st.sampled_from(["nanogpt", "llm.c", "megatron", "npy", "parquet"]),
    most=st.integers(1, 40),
    around=st.tuples(st.booleans(), st.booleans()),
)
def test_what_goes_in_comes_out(
    texts: list[list[str | None]],
    format: Any,
    most: int,
    around: tuple[bool, bool],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Any texts, in any files: the documents that others read, that we read, and that `encode` gives, are the same."""
    tok, folder = sharding.tokenizer(), tmp_path_factory.mktemp("any")
    for number, rows in enumerate(texts):
        sharding.jsonl(folder / f"{number}.jsonl", rows)
    before, after = around
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TextWarning)
        patched.setattr(writing, "opened", Inline().opened)
        patched.setattr(writing, "SIZE", 1)
        bp.write_shards(
            tok,
            folder / "out",
            files=f"{folder}/*.jsonl",
            format=format,
            shard_tokens=most,
            prepend=[sharding.START] * before,
            append=[END] * after,
        )
    special = tok.special_tokens
    there = [text.encode("utf-8", "replace").decode() for rows in texts for text in rows if text is not None]
    expected = sharding.expected(
        tok, there, before=special[sharding.START] if before else None, after=special[END] if after else None
    )
    assert [document for shard in shard_readers.read(folder / "out") for document in shard] == expected
    assert [ids.tolist() for ids in bp.open_shards(folder / "out")] == expected


def test_a_folder_that_is_far(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    """The same files wherever they are written; checked there, and found out there."""
    near = tmp_path / "near"
    near.mkdir()
    for format in ("nanogpt", "npy", "llm.c", "megatron", "parquet"):
        asked: dict[str, Any] = {"files": f"{corpus}/*.jsonl", "append": END, "shard_tokens": 20, "format": format}
        bp.write_shards(tok, near / format, **asked)
        far = f"memory://{tmp_path.name}/{format}"
        bp.write_shards(tok, far, **asked)
        folder = folder_at(far)
        assert {name: folder.read(name) for name in folder.names()} == sharding.files_of(near / format)
        assert bp.verify_shards(far, tok).faults == ()
        name = next(name for name in folder.names() if name.startswith("000000-000000"))
        content = folder.read(name)
        with folder.write(name) as file:
            file.write(content[:-1])
        (fault,) = bp.verify_shards(far, tok).faults
        assert f"`{folder.shown(name)}` is cut short" in fault.message
        folder.remove(name)
        (fault,) = bp.verify_shards(far, tok).faults
        assert "is not there" in fault.message
        bp.write_shards(tok, far, **asked)
        assert folder.read(name) == content
