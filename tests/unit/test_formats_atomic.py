"""Several files that belong together are written all, or none of them, wherever the writing fails."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import bytepair as bp
from bytepair.formats import atomic

OLD = {"vocab.json": b"old vocabulary", "merges.txt": b"old merges"}


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(texts=["low lower lowest"], num_merges=5, pattern="gpt2")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def fail_at(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, turn: int) -> None:
    """Lets the call of that turn fail, and no other."""
    function, calls = getattr(owner, name), iter(range(100))

    def failing(*args: object) -> object:
        if next(calls) == turn:
            raise OSError(28, "No space left on device")
        return function(*args)

    monkeypatch.setattr(owner, name, failing)


@pytest.mark.parametrize("at", [(os, "fsync", 0), (os, "fsync", 1), (Path, "replace", 0), (Path, "replace", 1)])
@pytest.mark.parametrize("old", [OLD, {"vocab.json": b"old vocabulary"}, {"merges.txt": b"old merges"}, {}])
def test_a_pair_that_fails_is_as_before(
    tok: bp.Tokenizer,
    old: dict[str, bytes],
    at: tuple[object, str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for file, content in old.items():
        (tmp_path / file).write_bytes(content)
    fail_at(monkeypatch, *at)
    with pytest.raises(OSError, match="No space"):
        tok.save(tmp_path / "vocab.json")
    assert contents(tmp_path) == old
    monkeypatch.undo()
    tok.save(tmp_path / "vocab.json")
    assert contents(tmp_path).keys() == OLD.keys()
    assert bp.load(tmp_path / "merges.txt") == tok


@pytest.mark.parametrize("turn", [0, 1])
def test_a_folder_that_was_made_does_not_stay(
    tok: bp.Tokenizer, turn: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, Path, "replace", turn)
    with pytest.raises(OSError, match="No space"):
        tok.save(f"{tmp_path}/model/")
    assert contents(tmp_path) == {}


def test_a_directory_in_the_place_of_the_second_file(tok: bp.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_bytes(b"old")
    (tmp_path / "merges.txt").mkdir()
    with pytest.raises(IsADirectoryError):
        tok.save(tmp_path / "vocab.json")
    assert (tmp_path / "vocab.json").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["merges.txt", "vocab.json"]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files have no names here")
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        atomic.write_all({Path(f"/dev/fd/{writing}"): b"through", tmp_path / "file": b"beside"})
        assert os.read(reading, 100) == b"through"
    finally:
        os.close(reading)
        os.close(writing)
    assert contents(tmp_path) == {"file": b"beside"}


def test_where_a_file_cannot_have_two_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    for name, content in OLD.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(Path, "hardlink_to", no_links)
    fail_at(monkeypatch, Path, "replace", 1)
    with pytest.raises(OSError, match="No space"):
        atomic.write_all({tmp_path / name: b"new" for name in OLD})
    assert contents(tmp_path) == OLD


KILLED = """
import os, signal, sys
from bytepair.formats.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="files without a name are Linux's")
def test_a_process_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """Where the file system cannot have files without a name, what is left has one that tells what it is."""
    (tmp_path / "a").write_bytes(b"old")
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a")], env=paths, check=False)
    assert done.returncode == -signal.SIGKILL
    left = contents(tmp_path)
    assert left.pop("a") == b"old"
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_RDWR))
    except OSError:
        assert all(name.startswith(".bytepair-") and name.endswith(".tmp") for name in left)
    else:
        assert left == {}


@pytest.mark.parametrize("lacks", ["files without a name", "names for them"])
def test_file_systems_that_can_do_less(lacks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def refusing(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(95, "Operation not supported")
        return opened(path, flags, mode)

    def no_links(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    if lacks == "names for them":
        monkeypatch.setattr(os, "link", no_links)
    elif sys.platform == "linux":
        monkeypatch.setattr(os, "open", refusing)
    for content in (b"one", b"", b"x" * 100_000):
        atomic.write_bytes(tmp_path / "a", content)
        assert contents(tmp_path) == {"a": content}
    with pytest.raises(TypeError), atomic.replacing(tmp_path / "a") as file:
        file.writelines([b"half", None])  # type: ignore[list-item]
    assert contents(tmp_path) == {"a": b"x" * 100_000}


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    atomic.write_bytes(tmp_path / "a", b"one")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "a").chmod(0o640)
    atomic.write_bytes(tmp_path / "a", b"two")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_what_cannot_be_undone_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in OLD.items():
        (tmp_path / name).write_bytes(content)
    replace = Path.replace

    def once(self: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "replace", never)
        return replace(self, target)

    def never(*_: object) -> Path:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "replace", once)
    with pytest.raises(OSError, match=r"written.*could not be put back.*vocab\.json"):
        atomic.write_all({tmp_path / name: b"new" for name in OLD})
    assert contents(tmp_path) == {**OLD, "vocab.json": b"new"}
