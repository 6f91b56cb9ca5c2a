"""Damage of any kind is found, and named with its place; and nothing whole is blamed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import re
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytepair as bp
from bytepair.shards import verifying, writing
from bytepair.shards.manifest import Manifest
from damaging import damaged
from scale import sharding
from scale.sharding import END, TEXTS, Inline

pytestmark = pytest.mark.usefixtures("inline")
FORMATS: tuple[Any, ...] = ("nanogpt", "llm.c", "megatron", "npy", "parquet")


@pytest.fixture(scope="module")
def whole(tok: bp.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Shards of each format, made once."""
    made = dict[str, Path]()

    def make(format: Any) -> Path:
        if format not in made:
            folder = tmp_path_factory.mktemp("whole")
            source = sharding.jsonl(folder / "a.jsonl", TEXTS)
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(writing, "opened", Inline().opened)
                bp.write_shards(tok, folder / "out", files=source, format=format, append=END, shard_tokens=4)
            made[format] = folder / "out"
        return made[format]

    return make


@pytest.fixture
def copied(whole: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """The same, to be damaged."""

    def copy(format: str) -> Path:
        shutil.copytree(whole(format), tmp_path / "out")
        return tmp_path / "out"

    return copy


def faults(folder: Path) -> list[str]:
    """What is said, without the hints."""
    found = bp.verify_shards(folder).faults
    assert all(fault.hint for fault in found)
    return [fault.message for fault in found]


@pytest.mark.parametrize("format", FORMATS)
def test_whole_shards(format: str, whole: Callable[[str], Path], tok: bp.Tokenizer) -> None:
    found = bp.verify_shards(whole(format), tok)
    assert found.faults == ()
    assert (found.shards, found.documents) == (5, len(TEXTS))


@pytest.mark.parametrize("format", FORMATS)
def test_every_byte_counts(format: str, copied: Callable[[str], Path]) -> None:
    """Any bit of any file: a fault that names the file, and no exception of another kind."""
    folder = copied(format)
    numbers = random.Random(format)
    for path in sorted(folder.rglob("*-0001.*")):
        content = path.read_bytes()
        for at in sorted(
            {*range(12), *numbers.sample(range(len(content)), min(len(content), 30))} & set(range(len(content)))
        ):
            path.write_bytes(content[:at] + bytes([content[at] ^ 1 << numbers.randrange(8)]) + content[at + 1 :])
            found = faults(folder)
            assert found
            assert str(path) in found[0]
            assert "was changed: its SHA-256 is" in found[0]
        path.write_bytes(content)
    assert faults(folder) == []


@pytest.mark.parametrize("format", FORMATS)
def test_files_that_are_cut_or_gone(format: str, copied: Callable[[str], Path]) -> None:
    folder = copied(format)
    for path in sorted(folder.rglob("*-0003.*")):
        content = path.read_bytes()
        for size in (0, 1, len(content) - 1, len(content) + 1):
            os.truncate(path, size)
            how = "cut short" if size < len(content) else "longer than it should be"
            assert f"`{path}` is {how}: it has {size:,} bytes, and should have {len(content):,}" in faults(folder)
            with pytest.raises(bp.FormatError, match="bytes, and should have"):
                bp.open_shards(folder)
            path.write_bytes(content)
        path.unlink()
        assert f"there is no file `{path}`" in faults(folder)
        with pytest.raises(FileNotFoundError, match="there is no file"):
            bp.open_shards(folder)
        path.write_bytes(content)
    assert faults(folder) == []


def rewritten(folder: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
    """A manifest that says something else, and is whole: as if other files had been written."""
    place = folder / "manifest.json"
    root = json.loads(place.read_text())
    del root["sha256"]
    for item in root["items"]:
        for shard in item["shards"]:
            for file in shard["files"]:
                content = (folder / file["name"]).read_bytes() if (folder / file["name"]).exists() else b""
                file |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    change(root)
    body = json.dumps(root, indent=1).removesuffix("\n}")
    digest = hashlib.sha256(body.encode()).hexdigest()
    place.write_text(f'{body},\n "sha256": "{digest}"\n}}\n')


def put(path: Path, at: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_done_to_files(format: str, copied: Callable[[str], Path]) -> None:
    """Damage of all kinds: a reader says so or reads something, and never fails in another way; checking finds it."""
    folder, numbers = copied(format), random.Random(f"damage {format}")
    paths = sorted(path for path in folder.rglob("*-*.*") if path.is_file())
    for _ in range(40):
        path = numbers.choice(paths)
        content = path.read_bytes()
        bad = damaged(numbers, content)
        if numbers.random() < 0.7:  # as long as it was, or else that is all that is seen
            bad = (bad + content)[: len(content)]
        path.write_bytes(bad)
        with contextlib.suppress(bp.FormatError):
            shards = bp.open_shards(folder)
            assert len([ids.tolist() for ids in shards]) == len(shards.lengths)
            assert len([window.tolist() for window in shards.windows(3, count=9)]) == 9
        assert bool(faults(folder)) == (bad != content)
        path.write_bytes(content)


WRONG: list[tuple[str, str, int, bytes, str]] = [
    (
        "nanogpt",
        "000000-000001.bin",
        2,
        struct.pack("<H", 999),
        "id 999 stands at place 1 of .*, in its document 1, and",
    ),
    ("llm.c", "000000-000001.bin", 0, b"\x01", "byte 0 of the header is 0x01, and should be 0x88"),
    ("llm.c", "000000-000001.bin", 8, b"\x01", "byte 8 of the header is 0x01, and should be 0x16"),
    ("llm.c", "000000-000001.bin", 1024, b"\xff\xff", "id 65535 stands at place 0"),
    (
        "npy",
        "000000-000001.npy",
        0,
        b"x",
        "does not begin as 22 ids of uint16 in npy do: byte 0 of the header is 0x78, and should be 0x93",
    ),
    ("npy", "000000-000001.npy", 21, b"<u4", "byte 23 of the header is 0x34, and should be 0x32"),
    ("npy", "000000-000001.npy", 128, b"\xff\xff", "id 65535 stands at place 0"),
    ("nanogpt", "documents/000000-000001.npy", 128, b"\x01", "lie between ids 1 and"),
    ("nanogpt", "documents/000000-000001.npy", 136, b"\xff", "document 1 of .* ends before it begins"),
    ("megatron", "000000-000001.idx", 0, b"x", "the magic number of .* is b'xMIDIDX"),
    ("megatron", "000000-000001.idx", 9, b"\x02", "the version of .* is 2, and should be 1"),
    ("megatron", "000000-000001.idx", 17, b"\x04", "the type of ids of .* is 4, and should be 8"),
    ("megatron", "000000-000001.idx", 18, b"\x03", "number of sequences of .* is 3, and should be 2"),
    ("megatron", "000000-000001.idx", 34, b"\xff", "does not begin where the one before it ends|document 1"),
    ("megatron", "000000-000001.idx", 38 + 4, b"\x01", "does not begin where the one before it ends"),
    ("megatron", "000000-000001.idx", -8, b"\x09", "the document indices of .* are not 0, 1, 2"),
    ("parquet", "000000-000001.parquet", -4, b"xxxx", "is no whole Parquet file"),
]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_named(wrong: tuple[str, str, int, bytes, str], copied: Callable[[str], Path]) -> None:
    """Files that are not what the format says, and of which the manifest has the hash: only their structure tells."""
    format, name, at, content, said = wrong
    folder = copied(format)
    path = folder / name
    size = path.stat().st_size
    put(path, at % size, content)
    rewritten(folder)
    found = bp.verify_shards(folder).faults
    assert len(found) == 1, found
    assert re.search(said, found[0].message), found[0].message
    assert str(folder) in found[0].message


def test_a_manifest_that_is_damaged(copied: Callable[[str], Path]) -> None:
    """Any byte of it: an error, and never other shards."""
    folder = copied("nanogpt")
    place = folder / "manifest.json"
    content = place.read_bytes()
    manifest = Manifest.read(content)
    numbers = random.Random(1)
    for _ in range(300):
        bad = damaged(numbers, content)
        if bad == content:
            continue
        try:
            read = Manifest.read(bad)
        except bp.FormatError as error:
            assert error.hint  # noqa: PT017
        else:  # what stands after the hash is no part of it
            assert read == manifest
    place.write_bytes(content[:-30])
    with pytest.raises(bp.FormatError, match=r"manifest.json`: line \d+, column \d+: no JSON"):
        bp.open_shards(folder)
    place.write_bytes(content.replace(b'"errors": "strict"', b'"errors": "bytes"'))
    with pytest.raises(bp.FormatError, match="its text is not the one that its own hash was made of"):
        bp.verify_shards(folder)
    place.unlink()
    with pytest.raises(FileNotFoundError, match=r"there is no `manifest.json` in"):
        bp.verify_shards(folder)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "", "c:x", "a\\b"])
def test_a_manifest_leads_to_nowhere_else(name: str, copied: Callable[[str], Path]) -> None:
    folder = copied("nanogpt")

    def change(root: dict[str, Any]) -> None:
        root["items"][0]["shards"][0]["files"][0]["name"] = name

    rewritten(folder, change)
    with pytest.raises(bp.FormatError, match="should be the name of a file in the folder"):
        bp.open_shards(folder)


def test_sums_that_are_wrong(copied: Callable[[str], Path]) -> None:
    folder = copied("nanogpt")
    rewritten(folder, lambda root: root.update(tokens=7))
    with pytest.raises(bp.FormatError, match=r"`tokens` is 7, and should be \d+, the sum of the shards"):
        bp.open_shards(folder)
    rewritten(folder, lambda root: root.update(tokens=81))
    for dtype in ("int32", "uint32"):
        rewritten(folder, lambda root, dtype=dtype: root["settings"].update(dtype=dtype))  # type: ignore[misc]
        with pytest.raises(bp.FormatError, match=f"`settings.dtype` is {dtype}, and 273 ids in nanogpt are uint16"):
            bp.open_shards(folder)
        assert all("in nanogpt are uint16" in fault.message for fault in bp.verify_shards(folder).faults)
    rewritten(folder, lambda root: root["settings"].update(dtype="uint16", format="x"))
    with pytest.raises(bp.FormatError, match=r'`settings.format` is "x", and should be "nanogpt" or'):
        bp.open_shards(folder)
    rewritten(folder, lambda root: root["settings"].update(version=99))
    with pytest.raises(bp.FormatError, match=r"`settings.version` is 99, and should be 1"):
        bp.open_shards(folder)


def test_what_is_not_in_the_manifest(copied: Callable[[str], Path]) -> None:
    folder = copied("nanogpt")
    shutil.copy(folder / "000000-000001.bin", folder / "000000-000009.bin")
    (folder / "train.bin").write_bytes(b"a person's own")
    assert faults(folder) == [f"`{folder}/000000-000009.bin` is not in the manifest"]


def test_another_tokenizer(whole: Callable[[str], Path]) -> None:
    other = bp.train(texts=[], vocab_size=256)
    (fault,) = bp.verify_shards(whole("npy"), other).faults
    assert f"and this one's is {other.fingerprint[:16]}" in fault.message


def test_several_faults_in_order(copied: Callable[[str], Path], inline: Inline) -> None:
    folder = copied("nanogpt")
    for number in (4, 1):
        (folder / f"000000-00000{number}.bin").unlink()
    inline.order = lambda count: list(reversed(range(count)))
    assert [fault.rpartition("/")[2] for fault in faults(folder)] == ["000000-000001.bin`", "000000-000004.bin`"]


def test_ids_are_checked_far_into_a_shard(copied: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "_BLOCK", 4)
    folder = copied("nanogpt")
    ids = np.fromfile(folder / "000000-000001.bin", np.uint16)
    put(folder / "000000-000001.bin", 2 * (len(ids) - 1), b"\xff\xff")
    rewritten(folder)
    assert f"id 65535 stands at place {len(ids) - 1}" in faults(folder)[0]
