"""Where files lie and what they hold: globs, addresses, open files, compression, and pyarrow that is not installed."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import bytepair as bp
from bytepair import data
from bytepair.data import batches
from bytepair.data.places import find

TEXT = "low lower é €\n".encode() * 50
ROWS = b'{"text": "low"}\n{"text": "lower"}\n'


def packed(content: bytes, kind: str) -> bytes:
    """The content, compressed."""
    return pa.compress(content, kind, asbytes=True)  # type: ignore[no-any-return]


def documents(**source: Any) -> list[Any]:
    return [text for batch in data.corpus(**source).documents() for text in batch.documents]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in {
        "a.txt": TEXT,
        "a.txt.gz": gzip.compress(TEXT),
        "a.jsonl": ROWS,
        "a.jsonl.gz": gzip.compress(ROWS),
        "a.txt.zst": packed(TEXT, "zstd"),
        "a.jsonl.zst": packed(ROWS, "zstd"),
        "sub/b c.txt": b"b c",
        "sub/sub/d[1].txt": b"d",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_compressed_files_are_read_as_what_they_hold(folder: Path, ending: str) -> None:
    for name, wanted in ((f"a.txt{ending}", [TEXT]), (f"a.jsonl{ending}", [b"low", b"lower"])):
        path = folder / name
        corpus = data.corpus(files=path)
        assert [text for batch in corpus.documents() for text in batch.documents] == wanted
        assert sum(batch.size for batch in corpus) == corpus.total == path.stat().st_size
        with path.open("rb") as file:
            assert documents(files=file) == wanted
        assert documents(files=io.BytesIO(path.read_bytes()), format="text" if "txt" in name else "jsonl") == wanted
        # Without its ending, the first bytes tell that it is compressed, and `format` what it holds.
        bare = folder / "bare"
        path.rename(bare)
        assert documents(files=bare, format="text" if "txt" in name else "jsonl") == wanted
    assert documents(files=folder / "a.jsonl.gz", format="text") == [ROWS] if ending == "" else True


@pytest.mark.parametrize("size", [0, 1, 4, 100, 1000])
@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_several_members_are_one_text(kind: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / ("a.txt.gz" if kind == "gzip" else "a.txt.zst")
    path.write_bytes(b"".join(packed(part, kind) for part in (TEXT[:size], b"", TEXT[size:])))
    if kind == "gzip":
        assert gzip.decompress(path.read_bytes()) == TEXT
    assert documents(files=path) == [TEXT]


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt.zst", "a.jsonl.gz", "a.jsonl.zst"])
def test_a_compressed_file_that_is_cut_short_is_an_error(folder: Path, name: str) -> None:
    path = folder / name
    whole = path.read_bytes()
    for length in {1, 2, 3, 4, 5, 10, len(whole) // 2, len(whole) - 9, len(whole) - 1}:
        path.write_bytes(whole[:length])
        with pytest.raises(bp.TextError, match=rf"^file `{path}` is (no|cut short or damaged)[^\n]*\nhint: [^\n]*$"):
            documents(files=path)
    path.write_bytes(whole[:-1])
    kind = "gzip" if name.endswith(".gz") else "zstd"
    message = (
        rf"`{path}` is cut short or damaged: truncated compressed stream, near byte {len(whole) - 1} of its {kind} data"
    )
    with pytest.raises(bp.TextError, match=message):
        documents(files=path)


def test_a_damaged_compressed_file_is_an_error(folder: Path) -> None:
    path = folder / "a.txt.gz"
    whole = bytearray(path.read_bytes())
    whole[-6] ^= 1  # in the checksum
    path.write_bytes(whole)
    with pytest.raises(bp.TextError, match=r"is cut short or damaged: incorrect data check"):
        documents(files=path)
    path.write_bytes(TEXT)
    with pytest.raises(bp.TextError, match=r"is no gzip file: it begins with 6c 6f 77 20\nhint: "):
        documents(files=path)
    path.write_bytes(b"")
    with pytest.raises(bp.TextError, match=r"is no gzip file: it is empty\nhint: "):
        documents(files=path)
    path.write_bytes(gzip.compress(b"ab\xff"))
    with pytest.raises(bp.TextError, match=r"a\.txt\.gz`, offset 2 of its unpacked text: byte 0xff is not UTF-8"):
        documents(files=path)


def test_archives_are_refused(tmp_path: Path) -> None:
    for name in ("a.tar", "a.tar.gz", "a.tgz", "a.zip"):
        (tmp_path / name).write_bytes(gzip.compress(b"x"))
        with pytest.raises(bp.TextError, match="is an archive of files\nhint: "):
            documents(files=tmp_path / name)


def test_addresses_are_found_like_paths(folder: Path) -> None:
    base = folder.as_uri()
    assert documents(files=f"{base}/a.txt") == [TEXT]
    assert documents(files=f"{base}/*.txt") == [TEXT]
    assert documents(files=f"{base}/a.jsonl*") == [b"low", b"lower"] * 3
    assert documents(files=f"{base}/**/*.txt") == documents(files=str(folder / "**/*.txt")) == [TEXT, b"b c", b"d"]
    assert documents(files=f"{base}/sub/b%20c.txt") == [b"b c"]
    assert documents(files=f"{base}/sub/sub/d[[]1].txt") == [b"d"]
    assert documents(files=f"{base}/[!b].txt") == [TEXT]
    corpus = data.corpus(files=f"{base}/a.jsonl.zst")
    [(_, file)] = corpus.files
    assert (file.name, file.size) == (f"{base}/a.jsonl.zst", (folder / "a.jsonl.zst").stat().st_size)
    assert file.changed == (folder / "a.jsonl.zst").stat().st_mtime_ns
    assert sum(batch.size for batch in corpus) == corpus.total == file.size
    for wrong, error, message in (
        ("no.txt", FileNotFoundError, r"^there is no file `file://.*no\.txt`\nhint: "),
        ("*.md", FileNotFoundError, r"^no file matches `file://.*\*\.md`\nhint: "),
        ("no/*.md", FileNotFoundError, r"^no file matches "),
        ("sub", IsADirectoryError, r"^`file://.*sub` is a directory\nhint: .*sub/\*\.txt"),
    ):
        with pytest.raises(error, match=message):
            find(f"{base}/{wrong}")
    with pytest.raises(bp.TextError, match=r"^`\[z-a\]` is no glob: .*\nhint: "):
        find(f"{base}/[z-a]")
    with pytest.raises(bp.TextError, match=r"^`foo://bar/x` cannot be reached: .*\nhint: ") as caught:
        find("foo://key:secret@bar/x?token=secret")
    assert "secret" not in str(caught.value)


def reached_again(address: str) -> list[tuple[str, bytes]]:
    """What an address stands for, found by the address of each, as a worker does."""
    found = []
    for file in find(address):
        assert file.address is not None
        [again] = find(file.address)
        assert (again.name, again.address, again.size) == (file.name, file.address, file.size)
        with again.open() as opened:
            found.append((again.name, opened.read()))
            assert again.size == len(found[-1][1])
    return found


ODD = ["a.txt", "b c.txt", "d%20e.txt", "é[1].txt", "é[2]*.txt"]


def test_every_address_is_found_by_another_process(tmp_path: Path) -> None:
    """Those of pyarrow are quoted, and those of fsspec are not."""
    fsspec = pytest.importorskip("fsspec")
    (tmp_path / "a b").mkdir()
    for name in ODD:
        (tmp_path / "a b" / name).write_text(name)
        fsspec.filesystem("memory").pipe(f"/odd/{name}", name.encode())
    for base in (f"file://{tmp_path}/a b", f"file://{tmp_path}/a%20b", "memory:///odd"):
        found = reached_again(f"{base}/*.txt")
        assert [content.decode() for _, content in found] == sorted(ODD)
        assert reached_again(f"{base}/é[[]1].txt") == [found[-2]]
        assert reached_again(f"{base}/é[1].txt") == [found[-2]]  # what exists under a name is that


def test_paths_that_are_addresses_themselves() -> None:
    """As of fsspec's file system of HTTP, whose listings say no sizes."""
    fsspec = pytest.importorskip("fsspec")
    files = {f"whole://host/odd/{name}": name.encode() for name in ODD if "*" not in name}

    class Whole(fsspec.AbstractFileSystem):  # type: ignore[misc, name-defined]
        protocol = "whole"

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return path

        def info(self, path: str, **_: Any) -> dict[str, Any]:
            if path not in files:
                raise FileNotFoundError(path)
            return {"name": path, "size": len(files[path]), "type": "file"}

        def find(self, path: str, **_: Any) -> dict[str, Any]:
            return {name: {"name": name, "size": None, "type": "file"} for name in files if name.startswith(path)}

        def ls(self, path: str, **_: Any) -> list[Any]:
            return list(self.find(path).values())

        def isdir(self, path: str) -> bool:
            return path == "whole://host/odd"

        def open(self, path: str, *_: Any, **__: Any) -> io.BytesIO:
            return io.BytesIO(files[path])

    fsspec.register_implementation("whole", Whole, clobber=True)
    assert reached_again("whole://host/odd/a.txt") == [("whole://host/odd/a.txt", b"a.txt")]
    assert reached_again("whole://host/odd/*.txt") == sorted(files.items())


class OddError(Exception):
    """As of a library that a file system is made with."""


@pytest.mark.parametrize("kind", [OddError, ValueError])
@pytest.mark.parametrize("when", ["found", "opened", "read"])
def test_what_a_library_raises_names_the_address(
    when: str, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be anything, and is no defect of ours."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/library/a.txt", b"low")

    def fail(*_: Any, **__: Any) -> None:
        raise kind("no token\nat all")

    if when == "read":

        class Broken(io.BytesIO):
            read = readinto = fail  # type: ignore[assignment]

        monkeypatch.setattr(type(memory), "open", lambda *_, **__: Broken())
    else:
        monkeypatch.setattr(type(memory), "info" if when == "found" else "open", fail)
    with pytest.raises(bp.TextError) as caught:
        documents(files="memory://library/a.txt")
    assert str(caught.value).count("\nhint: ") == 1
    assert "memory:///library/a.txt" in str(caught.value).replace("://library", ":///library")
    assert "no token at all" in str(caught.value)


def test_a_parquet_file_at_an_address(tmp_path: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415

    parquet.write_table(pa.table({"text": ["low", "lower"]}), tmp_path / "a.parquet")
    assert documents(files=(tmp_path / "a.parquet").as_uri()) == [b"low", b"lower"]


def test_stdin_and_pipes_are_read_as_they_come(folder: Path) -> None:
    program = (
        "import sys; from bytepair import data; corpus = data.corpus(files={}); "
        "print(corpus.total, [text for batch in corpus.documents() for text in batch.documents])"
    )
    for stdin in ("sys.stdin.buffer", "sys.stdin"):
        for name in ("a.txt", "a.txt.gz")[: 2 if "buffer" in stdin else 1]:
            done = subprocess.run(
                [sys.executable, "-X", "utf8", "-c", program.format(stdin)],
                input=(folder / name).read_bytes(),
                capture_output=True,
                check=True,
            )
            assert done.stdout.decode().split(" ", 1) == ["None", f"{[TEXT]}\n"]
    pipe = folder / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as out:
            for start in range(0, len(TEXT), 100):
                out.write(TEXT[start : start + 100])

    writer = threading.Thread(target=write)
    writer.start()
    assert documents(files=pipe) == [TEXT]
    writer.join()


def test_files_that_python_unpacks_are_not_unpacked_again(folder: Path) -> None:
    with gzip.open(folder / "a.jsonl.gz") as file:
        assert documents(files=file) == [b"low", b"lower"]
    with gzip.open(folder / "a.txt.gz", "rt", encoding="utf-8") as text:
        assert documents(files=text) == [TEXT]
    with (folder / "a.txt.gz").open("rb") as packed_file:
        assert documents(files=packed_file) == [TEXT]
    assert documents(files=io.StringIO("PAR1S")) == [b"PAR1S"]


def test_what_an_open_file_gives_is_checked() -> None:
    class Wrong:
        def read(self, size: int) -> Any:
            return [size]

    with pytest.raises(TypeError, match=r"gives `list`\nhint: open it for reading text or bytes"):
        documents(files=Wrong())
    with pytest.raises(OSError, match="disk"):
        documents(files=Broken())
    with pytest.raises(OSError, match="disk"):
        documents(files=Broken(b"\x1f\x8b" + bytes(8)))


class Broken:
    """A file that cannot be read to its end."""

    name = "a"

    def __init__(self, content: bytes = b"abcd") -> None:
        self.content = content

    def read(self, size: int) -> bytes:
        """The content, and then an error."""
        content, self.content = self.content[:size], self.content[size:]
        if not content:
            raise OSError(5, "the disk is gone")
        return content


def test_files_are_closed(folder: Path) -> None:
    opened = Path("/proc/self/fd")
    before = len(list(opened.iterdir())) if opened.exists() else 0
    documents(files=str(folder / "a.*"))
    for batch in data.corpus(files=[folder / "a.jsonl.gz", folder / "a.txt"]):
        del batch
        break
    after = len(list(opened.iterdir())) if opened.exists() else 0
    assert after == before
    file = io.BytesIO(TEXT)
    assert documents(files=file) == [TEXT]
    assert not file.closed


def test_options_that_no_file_has_a_use_for_are_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"separator cuts plain text, but all files have rows"):
        data.corpus(files=str(folder / "a.jsonl*"), separator="\n")
    with pytest.raises(ValueError, match=r"source_field is 'lang', but file `.*a\.txt.*` is plain text"):
        data.corpus(files=str(folder / "a.*"), source_field="lang")
    mixed = documents(files=[folder / "a.jsonl", folder / "a.txt"], separator="\n", text_field="text")
    assert mixed == [b"low", b"lower", *TEXT.splitlines()]


WITHOUT = """
import sys
sys.modules["pyarrow"] = None
import bytepair as bp
from bytepair import data
def problem(**source):
    try:
        list(data.corpus(**source))
    except ImportError as error:
        print(error)
class Column:
    def __arrow_c_stream__(self, requested_schema=None): raise AssertionError
problem(files="a.jsonl")
problem(files="a.txt.gz")
problem(files="s3://bucket/a.txt")
problem(files=open("bare", "rb"))
problem(texts=Column())
print(bp.train(files="a.txt", texts=None, num_merges=1, pattern=None).training.documents)
print("numpy" in sys.modules)
"""


def test_without_pyarrow_plain_text_works_and_the_rest_says_what_to_install(folder: Path) -> None:
    (folder / "a.jsonl.zst").rename(folder / "bare")
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, cwd=folder)
    said = done.stdout.splitlines()
    assert said[1:10:2] == ["hint: pip install 'bytepair[data]'"] * 5
    for line, what in zip(
        said[:10:2],
        [
            "file `a.jsonl`",
            "file `a.txt.gz`",
            "`s3://bucket/a.txt`",
            "file `bare` (zstd)",
            "a column or table of Arrow's",
        ],
        strict=True,
    ):
        assert line.startswith(f"{what} needs pyarrow, which cannot be imported (")
    assert said[10:] == ["1", "False"]


def test_memory_does_not_grow_with_what_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PART", 1 << 20)
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"low lower lowest\n" * (12 * batches.PART // 17), 1))
    assert path.stat().st_size < batches.PART
    tracemalloc.start()
    sizes = [len(batch.content) for batch in data.corpus(files=path) if isinstance(batch, data.Part)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(sizes) >= 11
    assert peak < 6 * batches.PART
