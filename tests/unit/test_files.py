"""Files are encoded as their contents are, however large, and written whole or not at all."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import bytepair as bp
import bytepair.files
from texts import sample

SPECIALS = ["<|end|>", "<|end|>\n"]
TEXT = (
    f"{sample('en', 60_000)} 12345678 <|end|>\n{sample('ja', 30_000)}\r\n\r\n   x".encode() + b"\xff\xe7\x8c \xf0\x9f"
)


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(texts=[sample("en", 50_000), sample("ja", 20_000)], vocab_size=600, special_tokens=SPECIALS)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A long file, an empty one, and a short one."""
    contents = {"a.txt": TEXT, "b.txt": b"", "c.txt": b"<|end|>"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return [tmp_path / name for name in contents]


@pytest.mark.parametrize("block", [1, 7, 1000, 1 << 20])
@pytest.mark.parametrize("threads", [1, 3])
def test_wherever_a_block_ends(
    block: int, threads: int, tok: bp.Tokenizer, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bytepair.files, "BLOCK", block)
    for allowed in ("all", {"<|end|>"}, ()):
        expected = tok.encode_batch_to_numpy([file.read_bytes() for file in files], allowed_special=allowed)
        ids, offsets = tok.encode_files(files, threads=threads, allowed_special=allowed)
        np.testing.assert_array_equal(ids, expected[0])
        np.testing.assert_array_equal(offsets, expected[1])
        assert (ids.dtype.name, offsets.dtype.name) == ("uint32", "uint64")


@pytest.mark.parametrize("dtype", ["uint32", "uint16", "smallest"])
def test_out_holds_the_ids(dtype: str, tok: bp.Tokenizer, files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "ids.bin"
    out.write_bytes(b"something old")
    ids, offsets = tok.encode_files(files, out=out, dtype=dtype)  # type: ignore[arg-type]
    again, ends = tok.encode_files(files, dtype=dtype)  # type: ignore[arg-type]
    assert isinstance(ids, np.memmap)
    assert ids.dtype == again.dtype == (np.uint32 if dtype == "uint32" else np.uint16)
    np.testing.assert_array_equal(ids, again)
    np.testing.assert_array_equal(np.fromfile(out, dtype=ids.dtype), again)
    np.testing.assert_array_equal(offsets, ends)
    assert sorted(tmp_path.iterdir()) == [*files, out]


def test_nothing_is_an_array_too(tok: bp.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    given: list[tuple[list[Path], list[int]]] = [([], [0]), ([tmp_path / "empty"], [0, 0])]
    for files, ends in given:
        for out in (None, tmp_path / "ids"):
            ids, offsets = tok.encode_files(files, out=out)
            assert (ids.tolist(), ids.dtype.name, offsets.tolist()) == ([], "uint32", ends)
    assert (tmp_path / "ids").read_bytes() == b""


def test_globs_and_open_files(tok: bp.Tokenizer, files: list[Path], tmp_path: Path) -> None:
    expected = [tok.encode(file.read_bytes()) for file in files]
    assert tok.encode_files(str(tmp_path / "*.txt"))[0].tolist() == list(chain(*expected))
    with files[0].open("rb") as opened:
        opened.seek(100)
        ids, offsets = tok.encode_files([opened, io.StringIO("naïve 😀"), files[2]])
    texts: list[str | bytes] = [TEXT[100:], "naïve 😀", b"<|end|>"]
    assert ids.tolist() == list(chain(*(tok.encode(text) for text in texts)))
    assert len(offsets) == 4


def test_what_cannot_be_read(tok: bp.Tokenizer, files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "ids"
    wrong: list[tuple[object, type[Exception], str]] = [
        (tmp_path / "none", FileNotFoundError, "there is no file"),
        (str(tmp_path / "*.none"), FileNotFoundError, "no file matches"),
        (tmp_path, IsADirectoryError, "is a directory"),
        ([files[0], tmp_path / "none"], FileNotFoundError, "there is no file"),
        (b"a.txt", TypeError, "of type `bytes`"),
        ([files[0], 1], TypeError, "`int`"),
        (None, TypeError, "`NoneType`"),
    ]
    if os.geteuid() != 0:  # root reads everything
        files[1].chmod(0)
        wrong.append((files[1], PermissionError, "b.txt"))
    for given, kind, words in wrong:
        with pytest.raises(kind, match=words):
            tok.encode_files(given, out=out)  # type: ignore[arg-type]

    class Odd(io.RawIOBase):
        def read(self, _: int = -1) -> int:
            return 7

    with pytest.raises(TypeError, match="gives `int`"):
        tok.encode_files(Odd(), out=out)  # type: ignore[arg-type]

    class Ended(io.BytesIO):
        def read(self, _: int | None = -1) -> bytes:
            if self.tell():
                return next(iter(()))
            return super().read(7)

    with pytest.raises(RuntimeError, match="raised StopIteration"):
        tok.encode_files(Ended(TEXT), out=out)
    assert sorted(tmp_path.iterdir()) == files


def test_where_cannot_be_written(tok: bp.Tokenizer, files: list[Path], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tok.encode_files(files, out=tmp_path / "none" / "ids")
    with pytest.raises(ValueError, match="no regular file"):
        tok.encode_files(files, out=tmp_path)
    with pytest.raises(ValueError, match="no regular file"):
        tok.encode_files(files, out=os.devnull)


def test_an_error_names_the_file_and_leaves_the_old_one(tok: bp.Tokenizer, files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "ids"
    out.write_bytes(b"old")
    at = TEXT.index(b"<|end|>")
    with pytest.raises(bp.SpecialTokenError, match=rf"^file `.*a\.txt`: .* at byte {at}, which"):
        tok.encode_files(files, out=out, disallowed_special="all")
    assert out.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == [*files, out]


def test_an_interrupt_leaves_nothing(tok: bp.Tokenizer, tmp_path: Path) -> None:
    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise KeyboardInterrupt
            return super().read(size)

    with pytest.raises(KeyboardInterrupt):
        tok.encode_files(Interrupted(b"some words " * 1000), out=tmp_path / "ids")
    assert list(tmp_path.iterdir()) == []


def test_options_are_checked_before_a_file_is_read(tok: bp.Tokenizer, tmp_path: Path) -> None:
    for wrong in ({"dtype": "uint8"}, {"threads": 0}, {"allowed_special": ["<|none|>"]}, {"unknown": "no"}):
        with pytest.raises(ValueError, match="hint"):
            tok.encode_files(tmp_path / "none", **wrong)


def test_a_stream_of_parts(tok: bp.Tokenizer) -> None:
    chance = random.Random(3)
    for longest in (1, 10, 5000):
        parts, read = [], 0
        while read < len(TEXT):
            parts.append(TEXT[read : read + chance.randint(0, longest)])
            read += len(parts[-1])
        lists = list(tok.encode_stream(iter(parts), allowed_special="all"))
        assert list(chain(*lists)) == tok.encode(TEXT, allowed_special="all")
        assert all(lists)
    assert list(tok.encode_stream([])) == list(tok.encode_stream([""])) == []
    with pytest.raises(TypeError, match="the parts are one text"):
        tok.encode_stream("text")
    with pytest.raises(TypeError, match="hint: text is a str or bytes"):
        list(tok.encode_stream([1]))  # type: ignore[list-item]
    with pytest.raises(bp.SpecialTokenError, match="no special token"):
        tok.encode_stream(["text"], allowed_special=["<|none|>"])


def test_a_stream_gives_ids_before_its_end(tok: bp.Tokenizer) -> None:
    """What is certain comes out: at most some kilobytes of ordinary text wait."""
    sent = 0

    def parts() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(100):
            part = b"some ordinary words " * 100
            sent += len(part)
            yield part

    came = 0
    for ids in tok.encode_stream(parts()):
        came += len(tok.decode_bytes(ids))
        assert sent - came < 10_000
    assert came == sent


GROWTH = r"""
import re, sys
import bytepair as bp
def peak():  # getrusage would count what the parent had before it became this process
    return 1024 * int(re.search(r"VmHWM:\s*(\d+) kB", open("/proc/self/status").read())[1])
small, large, out = sys.argv[1:4]
tok = bp.train(texts=[open(small).read()], vocab_size=600).with_cache_bytes(4 << 20)
def counted(name):
    counter = tok.counter()
    with open(name, "rb") as file:
        while part := file.read(1 << 20):
            counter.append(part)
    return counter.count
def encoded(name):
    ids, offsets = tok.encode_files(name, out=out, threads=int(sys.argv[4]))
    assert len(ids) == offsets[-1]
    return len(ids)
assert encoded(small) == counted(small)
before = peak()
assert encoded(large) == counted(large)
print(peak() - before)
"""


def growth(small: Path, large: Path, threads: int) -> int:
    """How much more memory, in bytes, a large file takes than a small one."""
    out = small.with_name("ids")
    arguments = [sys.executable, "-c", GROWTH, str(small), str(large), str(out), str(threads)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.fixture
def large(tmp_path: Path) -> Callable[[int], tuple[Path, Path]]:
    """A file of sixteen megabytes, which is several blocks, and one of so many."""

    def make(megabytes: int) -> tuple[Path, Path]:
        text = sample("en", 1 << 20).encode()
        (tmp_path / "small").write_bytes(text * 16)
        with (tmp_path / "large").open("wb") as file:
            for _ in range(megabytes):
                file.write(text)
        return tmp_path / "small", tmp_path / "large"

    return make


def test_memory_does_not_grow_with_the_file(large: Callable[[int], tuple[Path, Path]]) -> None:
    assert growth(*large(48), threads=1) < 16 << 20


@pytest.mark.soak
def test_memory_does_not_grow_with_a_file_of_a_gigabyte(large: Callable[[int], tuple[Path, Path]]) -> None:
    """Two threads: their allocators take some more at times, however long the file is."""
    assert growth(*large(1024), threads=2) < 64 << 20
