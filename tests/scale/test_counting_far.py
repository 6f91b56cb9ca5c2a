"""Files and folders that have an address: S3, by a stand-in on this machine, and what fsspec knows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from bytepair.data.places import without_keys
from bytepair.errors import FormatError, TextError
from bytepair.scale import items
from bytepair.scale.folder import folder_at

moto = pytest.importorskip("moto.server")
boto3 = pytest.importorskip("boto3")
LINES = "".join(json.dumps({"text": f"low lower {number} é"}, ensure_ascii=False) + "\n" for number in range(400))


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An S3 with a bucket: what stands behind the names of its files to reach it, keys among it."""
    server = moto.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    host = "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104 - where it listens, not where it is
    client = boto3.client(
        "s3",
        endpoint_url=f"http://{host}:{port}",
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",  # noqa: S106 - nobody's
    )
    client.create_bucket(Bucket="texts")
    for name in ("a.jsonl", "b c#%.jsonl"):
        client.put_object(Bucket="texts", Key=f"corpus/{name}", Body=LINES.encode())
    client.put_object(Bucket="texts", Key="corpus/bad.jsonl.gz", Body=b"\x1f\x8b\x08\x00cut")
    yield f"?endpoint_override={host}%3A{port}&scheme=http&region=us-east-1"
    server.stop()


def test_reads_and_writes(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "SIZE", 3_000)
    given, place = f"s3://testing:testing@texts/corpus/*.jsonl{bucket}", f"s3://testing:testing@texts/counts/{bucket}"
    done = bp.count_into(place, files=given, workers=2)
    assert done.path == "s3://texts/counts"
    assert done.items > 4
    ours = bp.load_counts(place)
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(LINES)
    whole = bp.count_pretokens(files=str(tmp_path / "*.jsonl"))
    assert dict(ours.items()) == dict(whole.items())
    assert (ours.documents, ours.total) == (whole.documents, whole.total)
    assert bp.count_into(place, files=given, workers=1).counted == 0
    names = folder_at(place).names()
    assert names == [*(f"counts-{number:04}-of-0008.parquet" for number in range(8)), "counts.json", "settings.json"]
    assert b"testing" not in folder_at(place).read("settings.json") + folder_at(place).read("counts.json")


@pytest.mark.parametrize("place", ["s3://testing:testing@texts/a%20b{options}", "local://{folder}/a"])
def test_a_glob_that_reaches_into_the_result(place: str, bucket: str, tmp_path: Path) -> None:
    """The second time it finds what the first has made, and that is not read."""
    address = place.format(options=bucket, folder=tmp_path)
    with folder_at(address).write("t.txt") as file:
        file.write(b"low lower low")
    whole, mark, options = address.partition("?")
    asked: dict[str, Any] = {"files": f"{whole}/**/*.*{mark}{options}", "format": "text", "errors": "bytes"}
    first = bp.count_into(f"{whole}/counts{mark}{options}", workers=1, **asked)
    with pytest.warns(bp.TextWarning, match="10 files in `.*/counts`, which is written, are not read"):
        assert bp.count_into(f"{whole}/counts{mark}{options}", workers=1, **asked).plan == first.plan
    assert first.documents == 1


def test_a_corrupt_file_is_named_without_keys(bucket: str) -> None:
    with pytest.raises(TextError, match=r"file `s3://texts/corpus/bad\.jsonl\.gz` is cut short"):
        bp.count_into(
            f"s3://testing:testing@texts/bad/{bucket}",
            files=f"s3://testing:testing@texts/corpus/*.gz{bucket}",
            workers=1,
        )
    with pytest.raises(FormatError, match=r"the counting in `s3://texts/bad` is not done"):
        bp.load_counts(f"s3://testing:testing@texts/bad/{bucket}")


def test_what_is_not_there(bucket: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file `s3://texts/nothing\.txt`"):
        bp.count_into(tmp_path / "counts", files=f"s3://testing:testing@texts/nothing.txt{bucket}")
    with pytest.raises((TextError, FileNotFoundError), match="s3://nobucket"):
        bp.count_into(
            f"s3://testing:testing@nobucket/counts{bucket}", files=f"s3://testing:testing@texts/corpus/a.jsonl{bucket}"
        )


@pytest.mark.parametrize("kind", ["near", "file", "memory"])
def test_folders(kind: str, tmp_path: Path) -> None:
    """What every folder does: `memory://` is one of fsspec's, and `file://` is near."""
    place: Any = {"near": tmp_path / "f", "file": f"file://{tmp_path}/f", "memory": f"memory://{os.getpid()}{kind}"}
    folder = folder_at(place[kind])
    with folder.alone():
        assert folder.names() == []
        with folder.write("items/b") as file:
            file.write(b"low")
        with folder.write("a") as file:
            file.write(b"er")
        assert folder.sizes() == {"a": 2, "items/b": 3}
        assert folder.names() == ["a", "items/b"]
        with folder.open("items/b") as opened:
            opened.seek(1)
            assert opened.read() == b"ow"
        with pytest.raises(TypeError), folder.write("a") as file:
            file.writelines([b"half", None])  # type: ignore[list-item]
        assert folder.read("a") == b"er"  # the old one, and whole
        with pytest.raises(FileNotFoundError):
            folder.read("c")
        folder.remove("items/b")
        folder.remove("items/b")
        assert folder.names() == ["a"]


def test_keys_are_not_shown() -> None:
    assert without_keys("s3://key:secret@bucket/a/b.txt?token=1") == "s3://bucket/a/b.txt"
    assert folder_at("s3://key:secret@bucket/a?token=1").shown("b") == "s3://bucket/a/b"
