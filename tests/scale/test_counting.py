"""Counting into a folder gives what one process gives, whatever the engine, the items and the interruptions."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import bytepair as bp
from bytepair import _core, data
from bytepair.data import sampling
from bytepair.data.batches import Batch, joined
from bytepair.errors import FormatError, TextError, TextWarning, TrainingError
from bytepair.scale import counting, items
from bytepair.scale.engines import opened
from bytepair.scale.engines.guarded import Guarded, unguarded
from scale.running import ENGINES, run_on

ROWS = [
    {"text": f"Zeile {number} low lower lowest " + "é\n" * (number % 7), "lang": ("en", "de", "fi")[number % 3]}
    for number in range(300)
]


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of all kinds."""
    folder = tmp_path_factory.mktemp("corpus")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    (folder / "a.jsonl").write_text(lines)
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    table = pa.Table.from_pylist([*ROWS, {"text": None, "lang": "en"}])
    parquet.write_table(table, folder / "c.parquet", row_group_size=11)
    for number in range(5):
        (folder / f"t{number}.txt").write_text(str(ROWS[number]["text"]))
    (folder / "empty.txt").write_text("")
    return folder


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items are small, so that there are many."""
    monkeypatch.setattr(items, "SIZE", 6_000)


@pytest.fixture(autouse=True)
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is done in this process: starting others would take most of a test's time."""

    class Inline:
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def map(self, function: Any, things: list[Any]) -> Iterator[tuple[int, Any]]:
            guarded = Guarded(function)
            for number in reversed(range(len(things))):
                yield number, unguarded(things[number], guarded(things[number]))

    monkeypatch.setattr(counting, "opened", lambda *_, **__: Inline())


def files(folder: Path) -> dict[str, bytes]:
    """What is in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def assert_same(ours: bp.PretokenCounts, theirs: bp.PretokenCounts) -> None:
    """Equal but for the order of rows."""
    assert (len(ours), ours.total, ours.documents, ours.sources) == (
        len(theirs),
        theirs.total,
        theirs.documents,
        theirs.sources,
    )
    assert (ours.fingerprint, ours.dropped.distinct, ours.dropped.occurrences) == (
        theirs.fingerprint,
        theirs.dropped.distinct,
        theirs.dropped.occurrences,
    )
    for source in (None, *ours.sources):
        assert dict(ours.items(source)) == dict(theirs.items(source))


CASES: list[dict[str, Any]] = [
    {"files": ["a.jsonl", "b.jsonl.gz", "c.parquet", "*.txt"]},
    {"files": ["a.jsonl", "c.parquet"], "source_field": "lang", "pattern": "gpt2"},
    {"files": {"x": "c.parquet", "none": "empty.txt", "y": ["t*.txt", "a.jsonl"]}, "special_tokens": ["low"]},
    {"files": ["a.jsonl", "b.jsonl.gz", "t*.txt"], "sample": 4_000, "seed": 5},
    {"files": "t*.txt", "alphabet": "characters", "end_of_word": "</w>"},
    {"files": ["*.txt", "t1.txt"], "separator": "\n", "pattern": r"\w+|\W"},
]


def named(case: dict[str, Any], corpus: Path) -> dict[str, Any]:
    """The case, its files by their paths."""

    def path(name: Any) -> Any:
        return [f"{corpus}/{one}" for one in ([name] if isinstance(name, str) else name)]

    given = case["files"]
    return {**case, "files": {key: path(one) for key, one in given.items()} if isinstance(given, dict) else path(given)}


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
@pytest.mark.filterwarnings("ignore::bytepair.TextWarning")
def test_equal_to_one_process(case: dict[str, Any], corpus: Path, tmp_path: Path) -> None:
    chosen = named(case, corpus)
    whole = bp.count_pretokens(**chosen)
    told: list[bp.Progress] = []
    done = bp.count_into(tmp_path / "counts", progress=told.append, **chosen)
    ours = bp.load_counts(tmp_path / "counts")
    assert_same(ours, whole)
    assert (done.documents, done.distinct, done.total, done.total_bytes, done.sources) == (
        whole.documents,
        len(whole),
        whole.total,
        whole.total_bytes,
        whole.sources,
    )
    assert done.counted == done.items
    assert told[-1].done == told[-1].total
    for phase in ("count", "add up"):  # before anything is done, too
        assert next(event for event in told if event.phase == phase).done == 0
    assert [event.done for event in told if event.phase == "count"][-1] == next(
        event.total for event in told if event.phase == "count"
    )
    for rule in ("lowest", "huggingface", "greatest") if chosen.get("alphabet") is None else ("greatest",):
        weights = dict.fromkeys(whole.sources[:1], 0.3) or None
        one, other = (bp.train(counts=counts, num_merges=40, ties=rule, weights=weights) for counts in (ours, whole))
        assert one.parts == other.parts
    again = bp.count_into(tmp_path / "counts", **chosen)
    assert (again.counted, again.distinct) == (0, done.distinct)
    with pytest.raises(TrainingError, match="needs the order in which pretokens first appeared"):
        bp.train(counts=ours, num_merges=4, ties="first")


@pytest.mark.parametrize("size", [150, 2_000, 10**6])
@pytest.mark.filterwarnings("ignore::bytepair.TextWarning")
def test_items_of_any_size(size: int, corpus: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(items, "SIZE", size)
    monkeypatch.setattr(items, "MANY", 10**9)
    chosen = named({"files": ["t*.txt", "empty.txt", "c.parquet"] if size < 1_000 else CASES[0]["files"]}, corpus)
    bp.count_into(tmp_path / "counts", **chosen)
    assert_same(bp.load_counts(tmp_path / "counts"), bp.count_pretokens(**chosen))


@given(
    documents=st.lists(st.text(alphabet="ab é\n", max_size=12), min_size=1, max_size=12),
    size=st.integers(1, 90),
    sample=st.integers(1, 60),
    seed=st.integers(0, 3),
)
@settings(max_examples=30 if settings().max_examples == 100 else settings().max_examples)
@pytest.mark.filterwarnings("ignore::bytepair.TextWarning")
def test_the_sample_is_that_of_one_process(documents: list[str], size: int, sample: int, seed: int) -> None:
    """As documents; that counting takes them is tested above."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_text("".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in documents))
        try:
            whole = texts_of(data.corpus(files=path, sample=sample, seed=seed))
        except TextError as problem:
            whole = problem.hint
        given = data.corpus(files=path)
        parts = items.items_of(given, size)
        keys = [sampling.keys_of(part.batches(given.options), sample, seed) for part in parts]
        if isinstance(whole, str):
            with pytest.raises(TextError, match=whole):
                sampling.chosen(keys, sample)
            return
        chosen = sampling.chosen(keys, sample)
        shares = [
            texts_of(sampling.taken(part.batches(given.options), share, one.large, seed))
            for part, share, one in zip(parts, chosen, keys, strict=True)
        ]
        assert sorted(text for share in shares for text in share) == whole


def texts_of(batches: Iterable[Batch]) -> Any:
    """All documents, in an order of their own."""
    return sorted(_core.raw(document) for batch in joined(batches) for document in batch.documents)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.filterwarnings("ignore::bytepair.TextWarning")
def test_engines_give_the_same_bytes(name: Any, corpus: Path, tmp_path: Path) -> None:
    chosen = named(CASES[1], corpus)
    bp.count_into(tmp_path / "plain", **chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.undo()
        patch.setattr(counting, "opened", opened)
        done = bp.count_into(tmp_path / "counts", engine=name, **run_on(name), **chosen)
    assert done.counted == done.items
    assert files(tmp_path / "counts") == files(tmp_path / "plain")


def test_prune_drops_as_in_one_process(corpus: Path, tmp_path: Path) -> None:
    chosen = named({"files": "a.jsonl", "source_field": "lang"}, corpus)
    done = bp.count_into(tmp_path / "counts", prune=3, **chosen)
    whole = bp.count_pretokens(**chosen).prune(3)
    ours = bp.load_counts(tmp_path / "counts")
    assert_same(ours, whole)
    assert done.dropped == ours.dropped
    assert ours.dropped.pair >= whole.dropped.pair > 0  # of each bucket the most, which may be another pair


def test_rows_without_a_text_are_told_of(corpus: Path, tmp_path: Path) -> None:
    with pytest.warns(TextWarning, match="1 row has no text and was left out"):
        bp.count_into(tmp_path / "counts", files=f"{corpus}/c.parquet")


def test_a_pattern_that_does_not_cut_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 70_000)
    with pytest.warns(bp.TrainingWarning, match="the longest has 70,000 bytes and begins with 'xxx"):
        bp.count_into(tmp_path / "counts", files=str(tmp_path / "a.txt"))


def test_a_corrupt_file_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "SIZE", 1_000)  # each file is an item
    for number in range(5):
        content = gzip.compress(" ".join(map(str, range(number * 900, number * 900 + 900))).encode())
        (tmp_path / f"{number}.txt.gz").write_bytes(content)
    bad = tmp_path / "2.txt.gz"
    good = bad.read_bytes()
    bad.write_bytes(good[: len(good) // 2])
    chosen: dict[str, Any] = {"files": str(tmp_path / "*.gz")}
    with pytest.raises(TextError, match=rf"file `{bad}` is cut short or damaged"):
        bp.count_into(tmp_path / "counts", **chosen)
    with pytest.raises(FormatError, match="is not done\nhint: give the same command again"):
        bp.load_counts(tmp_path / "counts")
    found = len(list((tmp_path / "counts" / "items").iterdir()))
    bad.write_bytes(good)
    done = bp.count_into(tmp_path / "counts", **chosen)
    assert (done.items, done.counted) == (5, 5 - found)
    assert found == 2  # those that came before the corrupt one
    assert_same(bp.load_counts(tmp_path / "counts"), bp.count_pretokens(**chosen))


@pytest.mark.parametrize(
    "place",
    [
        "s3://nowhere/a.jsonl?endpoint_override=127.0.0.1:1&scheme=http&region=x",
        "nosuch://there/a.txt",
        "http://127.0.0.1:1/a.jsonl",  # needs what need not be installed
    ],
)
def test_an_unreadable_address(place: str, tmp_path: Path) -> None:
    with pytest.raises((TextError, ImportError, FileNotFoundError), match=place.partition("?")[0]) as caught:
        bp.count_into(tmp_path / "counts", files=place)
    assert str(caught.value).count("\nhint: ") == 1


def test_other_work_is_refused(corpus: Path, tmp_path: Path) -> None:
    place = tmp_path / "counts"
    bp.count_into(place, files=f"{corpus}/t*.txt")
    with pytest.raises(TrainingError, match="made with other settings: pattern is"):
        bp.count_into(place, files=f"{corpus}/t*.txt", pattern="gpt2")
    with pytest.raises(TrainingError, match="prune is null there, and 2 here"):
        bp.count_into(place, files=f"{corpus}/t*.txt", prune=2)
    with pytest.raises(TrainingError, match="are done, and of other files"):
        bp.count_into(place, files=f"{corpus}/a.jsonl")
    with pytest.raises(TrainingError, match=r"no folder of counts, and not empty: it holds `a.jsonl`"):
        bp.count_into(corpus, files=f"{corpus}/a.jsonl")
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        bp.count_into(tmp_path / "no" / "counts", files=f"{corpus}/a.jsonl")
    with (corpus / "a.jsonl").open() as file, pytest.raises(TypeError, match="which another process cannot open"):
        bp.count_into(tmp_path / "other", files=file)


def test_settings_of_work_in_which_nothing_is_done_are_replaced(corpus: Path, tmp_path: Path) -> None:
    place, one = tmp_path / "counts", tmp_path / "one.jsonl"
    one.write_text('{"text": "low"}\n')
    with pytest.raises(TextError, match="has no column `other`"):
        bp.count_into(place, files=one, text_field="other")
    assert [path.name for path in place.iterdir() if path.is_file()] == ["settings.json"]
    assert bp.count_into(place, files=one).counted == 1
    (tmp_path / "another").mkdir()
    (tmp_path / "another" / "settings.json").write_text('{"mine": 1}')
    with pytest.raises(TrainingError, match=r"no folder of counts, and not empty: it holds `settings.json`"):
        bp.count_into(tmp_path / "another", files=f"{corpus}/a.jsonl")


def test_what_is_missing_is_made_again(corpus: Path, tmp_path: Path) -> None:
    place = tmp_path / "counts"
    bp.count_into(place, files=f"{corpus}/t*.txt")
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    (place / "counts-0003-of-0008.parquet").unlink()
    bp.count_into(place, files=f"{corpus}/t*.txt")
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


def test_a_file_that_grows_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "low"}\n')
    given = data.corpus(files=str(file))
    (item,) = items.items_of(given, 1 << 20)
    reading = item.parts[0].batches(given.options)
    next(reading)
    file.write_text('{"text": "low"}\n{"text": "lower"}\n')
    with pytest.raises(TextError, match=r"a\.jsonl` has changed since the work began"):
        list(reading)


def test_a_damaged_item_is_named(corpus: Path, tmp_path: Path) -> None:
    place = tmp_path / "counts"

    def stop(told: bp.Progress) -> None:
        if told.phase == "add up":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bp.count_into(place, files=f"{corpus}/t*.txt", progress=stop)
    for bucket in place.glob("counts-*"):
        bucket.unlink()
    (item,) = place.glob("items/*.parquet")
    content = item.read_bytes()
    item.write_bytes(content[:4] + b"\xff" * 40 + content[44:])
    with pytest.raises(FormatError, match=rf"hint: delete `{item}`, and run the same again"):
        bp.count_into(place, files=f"{corpus}/t*.txt")
    item.unlink()
    bp.count_into(place, files=f"{corpus}/t*.txt")
    assert_same(bp.load_counts(place), bp.count_pretokens(files=f"{corpus}/t*.txt"))


def test_a_damaged_folder_is_refused(corpus: Path, tmp_path: Path) -> None:
    place = tmp_path / "counts"
    bp.count_into(place, files=f"{corpus}/t*.txt")
    bucket = place / "counts-0003-of-0008.parquet"
    content = bucket.read_bytes()
    for damaged in (content[:-9], content[:40] + b"\xff" * 30 + content[70:]):
        bucket.write_bytes(damaged)
        with pytest.raises(FormatError, match="counts-0003-of-0008"):
            bp.load_counts(place)
    bucket.write_bytes((place / "counts-0002-of-0008.parquet").read_bytes())
    with pytest.raises(FormatError, match=r"counts-0003-of-0008\.parquet`.* of other counts"):
        bp.load_counts(place)
    bucket.unlink()
    with pytest.raises(FormatError, match="is missing"):
        bp.load_counts(place)
    with pytest.raises(FormatError, match="is no folder of counts"):
        bp.load_counts(tmp_path)


START = """
import sys
import bytepair as bp
from bytepair.scale import items
items.SIZE = 1_500
if {limit}:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    done = bp.count_into({place!r}, files={files!r}, workers=2)
    print(done.items, done.counted)
except Exception as problem:
    print(problem)
"""


def start(place: Path, files: str, limit: int = 0) -> subprocess.Popen[str]:
    """Begins counting in another process."""
    script = START.format(place=str(place), files=files, limit=limit)
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("finished", [0, 4])
def test_a_driver_that_is_killed(finished: int, corpus: Path, tmp_path: Path) -> None:
    place, given = tmp_path / "counts", f"{corpus}/a.jsonl"
    with start(place, given) as driver:
        while len(list(place.glob("items/*.parquet"))) < finished or not place.exists():
            if driver.poll() is not None:
                break  # it was faster
            time.sleep(0.001)
        driver.send_signal(signal.SIGKILL)
    time.sleep(0.5)  # its workers end with it
    found = len(list(place.glob("items/*.parquet")))
    was_done = (place / "counts.json").exists()
    done = bp.count_into(place, files=given)
    assert done.counted == (0 if was_done else done.items - found)
    assert_same(bp.load_counts(place), bp.count_pretokens(files=given))
    assert {path.name for path in place.iterdir()} == {"settings.json", "counts.json"} | {
        f"counts-{number:04}-of-0008.parquet" for number in range(8)
    }


def test_a_worker_that_is_killed_again_and_again(corpus: Path, tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    with start(tmp_path / "counts", f"{corpus}/a.jsonl") as driver:
        process, killed = psutil.Process(driver.pid), set[int]()
        while driver.poll() is None and len(killed) < 3:
            for worker in process.children():
                if len(list(tmp_path.glob("counts/items/*"))) > len(killed) and worker.pid not in killed:
                    killed.add(worker.pid)
                    worker.kill()
                    break
        out, _ = driver.communicate()
    assert killed
    items, counted = map(int, out.split())
    assert items - len(killed) <= counted <= items  # one that was killed before it could say that it was done is found
    assert_same(bp.load_counts(tmp_path / "counts"), bp.count_pretokens(files=f"{corpus}/a.jsonl"))


def test_a_disk_that_fills(corpus: Path, tmp_path: Path) -> None:
    place, given = tmp_path / "counts", f"{corpus}/a.jsonl"
    with start(place, given, limit=1_500) as driver:
        out, _ = driver.communicate()
    assert "a.jsonl" in out
    assert "items/" in out
    assert "`: file too large: `" in out
    found = len(list(place.glob("items/*.parquet")))
    done = bp.count_into(place, files=given)
    assert done.counted == done.items - found
    assert_same(bp.load_counts(place), bp.count_pretokens(files=given))


def test_a_glob_that_reaches_into_the_result(tmp_path: Path) -> None:
    """The second time it finds what the first has made, and that is not read."""
    (tmp_path / "a.txt").write_text("low lower low")
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    asked: dict[str, Any] = {"files": f"{tmp_path}/**/*.*", "errors": "bytes", "format": "text"}
    first = bp.count_into(tmp_path / "counts", workers=1, **asked)
    there = files(tmp_path / "counts")
    for place in (tmp_path / "counts", f"file://{tmp_path}/counts"):
        with pytest.warns(TextWarning, match=r"files in `.*/counts`, which is written, are not read"):
            assert bp.count_into(place, workers=1, **asked).plan == first.plan
    (tmp_path / "counts" / "counts.json").unlink()
    with pytest.warns(TextWarning, match="not read"):
        bp.count_into(tmp_path / "counts", workers=1, **asked)
    assert files(tmp_path / "counts") == there
    with pytest.raises(TrainingError, match=r"of other files than these|made with other settings"):
        bp.count_into(tmp_path / "counts", files=f"file://{tmp_path}/counts/*.parquet", workers=1)


def test_two_at_a_time_are_refused(corpus: Path, tmp_path: Path) -> None:
    from bytepair.scale.folder import folder_at  # noqa: PLC0415

    with (
        folder_at(tmp_path / "counts").alone(),
        pytest.raises(FormatError, match="another process is at work in"),
    ):
        bp.count_into(tmp_path / "counts", files=f"{corpus}/t*.txt")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line."""
    return subprocess.run(
        [sys.executable, "-m", "bytepair.cli", *arguments], capture_output=True, text=True, check=False
    )


def test_the_command_line(corpus: Path, tmp_path: Path) -> None:
    given, place, out = f"{corpus}/t*.txt", f"{tmp_path}/counts/", str(tmp_path / "tokenizer.json")
    done = run("pretokens", given, "-o", place, "--workers", "1", "--prune", "2", "--json", "-q")
    assert done.returncode == 0, done.stderr
    whole = bp.count_pretokens(files=given).prune(2)
    summary = json.loads(done.stdout)
    assert (summary["distinct"], summary["documents"], summary["dropped_distinct"]) == (
        len(whole),
        5,
        whole.dropped.distinct,
    )
    done = run("train", "--counts", place, "--merges", "9", "-o", out, "-q")
    assert done.returncode == 0, done.stderr
    assert bp.load(out).parts.merges == bp.train(counts=whole, num_merges=9).parts.merges
    for wrong, said in (
        (["--engine", "ray", "-o", "counts.parquet"], "`counts.parquet` is a file, and an engine writes a folder"),
        (["-o", place, "--threads", "2"], "`--threads`, and the result is a folder"),
        (["-o", place, "--checkpoint", "work"], "a checkpoint, and the result is a folder"),
    ):
        done = run("pretokens", given, *wrong)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
