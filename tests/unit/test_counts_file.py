"""Files of counts: what is saved is what is loaded; other programs' files; rubbish."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import _core

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

documents = st.lists(st.binary(max_size=12) | st.sampled_from(["low lower", "é", "\0"]).map(str.encode), max_size=5)


def same(one: bp.PretokenCounts, two: bp.PretokenCounts) -> None:
    assert list(one.items()) == list(two.items())
    assert one.sources == two.sources
    for name in one.sources:
        assert list(one.items(name)) == list(two.items(name))
    for what in ("pattern", "special_tokens", "fingerprint", "documents", "scale", "ordered", "dropped", "total"):
        assert getattr(one, what) == getattr(two, what)


@given(
    documents=documents | st.dictionaries(st.text(max_size=3), documents, min_size=1, max_size=3),
    below=st.integers(0, 2),
)
def test_saving_and_loading_is_a_fixed_point(
    documents: Any, below: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("counts")
    counts = bp.count_pretokens(texts=documents, pattern="gpt2", special_tokens=["é"], errors="bytes")
    counts = counts.weigh(0.3).prune(below)
    counts.save(folder / "one.parquet")
    loaded = bp.load_counts(folder / "one.parquet")
    same(loaded, counts)
    loaded.save(folder / "two.parquet")
    assert (folder / "one.parquet").read_bytes() == (folder / "two.parquet").read_bytes()


@pytest.mark.parametrize(
    "settings",
    [
        {"pattern": None},
        {"pattern": r"\p{L}+|."},
        {"alphabet": "characters", "end_of_word": "</w>"},
        {"alphabet": "characters", "end_of_word": "_", "end_of_word_joined": True},
    ],
)
def test_settings_travel(settings: dict[str, Any], tmp_path: Path) -> None:
    counts = bp.count_pretokens(texts=["low lower lowest"], **settings)
    counts.save(tmp_path / "counts.parquet")
    loaded = bp.load_counts(tmp_path / "counts.parquet")
    same(loaded, counts)
    assert bp.train(counts=loaded, num_merges=4) == bp.train(texts=["low lower lowest"], num_merges=4, **settings)


def test_many_rows_in_several_groups(tmp_path: Path) -> None:
    letters = str.maketrans("0123456789", "ghijklmnop")
    texts = [" ".join(f"{number:x}" for number in range(300_000)).translate(letters)]
    counts = bp.count_pretokens(texts={"a": texts, "b": []}, pattern="gpt2")
    counts.save(tmp_path / "counts.parquet")
    assert parquet.ParquetFile(tmp_path / "counts.parquet").num_row_groups > 1
    same(bp.load_counts(tmp_path / "counts.parquet"), counts)


def test_what_the_file_says_of_itself(tmp_path: Path) -> None:
    bp.count_pretokens(texts={"en": ["low"], "de": ["low"]}, pattern="gpt2").save(tmp_path / "counts.parquet")
    table = parquet.read_table(tmp_path / "counts.parquet")
    assert table.schema.names == ["pretoken", "count:en", "count:de"]
    metadata = json.loads(table.schema.metadata[b"bytepair"])
    assert metadata["pattern"] == bp.PATTERNS["gpt2"]
    assert metadata["unicode"] == _core.UNICODE_VERSION
    assert len(metadata["fingerprint"]) == 64
    assert metadata["ordered"] is True


# Files of other programs


def write(path: Path, columns: dict[str, Any], metadata: dict[bytes, bytes] | None = None) -> Path:
    parquet.write_table(pa.table(columns).replace_schema_metadata(metadata), path)
    return path


def test_another_programs_file(tmp_path: Path) -> None:
    path = write(
        tmp_path / "other.parquet", {"pretoken": ["low", "lower", "zero"], "count": pa.array([5, 2, 0], "int32")}
    )
    with pytest.raises(bp.FormatError, match=r"nothing in it says which pattern.*\nhint: say it"):
        bp.load_counts(path)
    counts = bp.load_counts(path, pattern="gpt2", special_tokens=["<s>"])
    assert dict(counts.items()) == {b"low": 5, b"lower": 2}
    assert not counts.ordered
    assert bp.train(counts=counts, num_merges=2).special_tokens == {"<s>": 258}
    with pytest.raises(bp.TrainingError, match='ties="first" needs the order'):
        bp.train(counts=counts, num_merges=2, ties="first")
    own = bp.count_pretokens(texts=["low"], pattern="gpt2", special_tokens=["<s>"])
    assert not own.merge(counts).ordered
    counts.save(tmp_path / "again.parquet")
    assert not bp.load_counts(tmp_path / "again.parquet").ordered


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"word": ["a"], "count": [1]}, "its columns are word, count\nhint: a file of counts has `pretoken`"),
        ({"pretoken": ["a"]}, "its columns are pretoken\n"),
        ({"pretoken": ["a"], "count": [1], "count:en": [1]}, "its columns are"),
        ({"pretoken": ["a"], "count:en": [1], "count:en ": [1], "x": [1]}, "its columns are"),
        ({"pretoken": [1], "count": [1]}, "its pretokens are of type int64"),
        ({"pretoken": ["a"], "count": [1.5]}, "its counts are of type double"),
        ({"pretoken": ["a"], "count": ["1"]}, "its counts are of type string"),
        ({"pretoken": ["a", "b"], "count": [1, -1]}, "a count is below 0"),
        ({"pretoken": ["a", None], "count": [1, 1]}, "`pretoken` is null in row 1"),
        ({"pretoken": ["a", "b"], "count": [1, None]}, "`count` is null in row 1"),
        ({"pretoken": ["a", "b", "a"], "count": [1, 1, 1]}, "1 rows repeat the pretoken"),
        ({"pretoken": ["a"], "count:x": [0], "count:y": [0]}, "counted in no source"),
        ({"pretoken": ["a"], "count:x": pa.array([2**64 - 1], "uint64"), "count:y": [1]}, r"pass 2\^64 - 1"),
        ({"pretoken": ["a", "b"], "count": pa.array([2**64 - 1, 1], "uint64")}, r"2\^64"),
    ],
)
def test_columns_that_are_no_counts(columns: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "bad.parquet", columns)
    with pytest.raises((bp.FormatError, bp.TrainingError), match=message):
        bp.load_counts(path, pattern="gpt2")


def test_counts_past_64_bits_name_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "big.parquet", {"pretoken": ["ab", "cd"], "count": pa.array([2**64 - 1, 5], pa.uint64())})
    with pytest.raises(bp.FormatError, match=r"big\.parquet`: .*2\^64"):
        bp.load_counts(path, pattern="gpt2")


def test_a_special_token_in_a_pretoken_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "other.parquet", {"pretoken": ["a<", "s>b", "low", "a<s>b"], "count": [1, 1, 1, 1]})
    with pytest.raises(bp.FormatError, match=r"other\.parquet`: a pretoken holds the special token '<s>'.*b'a<s>b'"):
        bp.load_counts(path, pattern="gpt2", special_tokens=["<s>"])
    path = write(tmp_path / "other.parquet", {"pretoken": ["a<", "s>b", "low"], "count": [1, 1, 1]})
    assert len(bp.load_counts(path, pattern="gpt2", special_tokens=["<s>"])) == 3


# Damage


def saved(path: Path) -> dict[str, Any]:
    """Saves some counts and gives their metadata."""
    bp.count_pretokens(texts=["low lower"], pattern="gpt2").save(path)
    metadata: dict[str, Any] = json.loads(parquet.read_table(path).schema.metadata[b"bytepair"])
    return metadata


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 1}, "version 1"),
        ({"version": None}, "version"),
        ({"pattern": "x+"}, "its fingerprint is not"),
        ({"unicode": "1.0.0"}, "its fingerprint is not"),
        ({"pattern": 3}, "`pattern` is 3"),
        ({"fingerprint": None}, "`fingerprint` is null"),
        ({"alphabet": "words"}, "`alphabet`"),
        ({"sources": ["en"]}, "its columns are those of"),
        ({"sources": ["en", "en"]}, "two of its sources have one name"),
        ({"sources": None}, "`sources` is null"),
        ({"documents": -1}, "`documents` is -1"),
        ({"scale": 3}, "its digest is not"),
        ({"documents": 2}, "its digest is not"),
        ({"digest": None}, "`digest` is null"),
        ({"scale": 0}, "`scale` is 0"),
        ({"scale": "1"}, "`scale` is"),
        ({"dropped": None}, "`dropped`"),
        ({"dropped": {"distinct": 0, "occurrences": "1/0"}}, "occurrences"),
        ({"ordered": "yes"}, "`ordered`"),
        ({"special_tokens": [""]}, "special_tokens"),
    ],
)
def test_metadata_that_is_wrong(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    metadata = saved(path) | change
    table = parquet.read_table(path).replace_schema_metadata({b"bytepair": json.dumps(metadata).encode()})
    parquet.write_table(table, path)
    with pytest.raises((bp.FormatError, bp.SpecialTokenError), match=message):
        bp.load_counts(path)


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"rubbish" * 99, b"PAR1" + b"\0" * 99 + b"PAR1", b"\xff" * 12 + b"PAR1"]
)
def test_rubbish_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    path.write_bytes(content)
    with pytest.raises(bp.FormatError, match=r"counts.parquet`: no Parquet file.*\nhint: "):
        bp.load_counts(path)


def test_a_cut_or_changed_file_never_gives_other_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    saved(path)
    whole, counts = path.read_bytes(), dict(bp.load_counts(path).items())
    chance = random.Random(1)
    for _ in range(60):
        path.write_bytes(whole[: chance.randrange(len(whole))])
        with pytest.raises(bp.FormatError):
            bp.load_counts(path)
    for _ in range(300):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        try:
            read = dict(bp.load_counts(path).items())
        except bp.FormatError:
            continue
        assert read == counts


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        bp.load_counts(tmp_path / "none.parquet")
    with pytest.raises(FileNotFoundError, match="no such directory"):
        bp.count_pretokens(texts=[]).save(tmp_path / "none" / "counts.parquet")
    saved(tmp_path / "counts.parquet")
    with pytest.raises(bp.FormatError, match="pattern is given, but the file says its own"):
        bp.load_counts(tmp_path / "counts.parquet", pattern="gpt2")


def test_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    saved(path)
    before = path.read_bytes()
    counts = bp.count_pretokens(texts=["low"], pattern="gpt2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bytepair.counts.file._group", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            counts.save(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["counts.parquet"]


def test_what_pruning_dropped_travels(tmp_path: Path) -> None:
    counts = bp.count_pretokens(texts=["low low lower"], pattern="gpt2").weigh(0.5).prune(1)
    counts.save(tmp_path / "counts.parquet")
    assert bp.load_counts(tmp_path / "counts.parquet").dropped == bp.Dropped(3, Fraction(3, 2), Fraction(3, 2))
