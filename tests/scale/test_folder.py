"""Folders: what is left in them by processes that were killed, and by moves that fail."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from bytepair.errors import TextError
from bytepair.scale.folder import folder_at

pytest.importorskip("fsspec")


@pytest.fixture(params=["near", "far"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """One of this machine, and the same as one of a file system that is far away and no object store."""
    return {"near": str(tmp_path / "out"), "far": f"local://{tmp_path}/out"}[request.param]


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_what_killed_processes_left_goes(place: str, tmp_path: Path) -> None:
    folder = folder_at(place)
    (tmp_path / "out").mkdir()
    for left in (".bytepair-0123.tmp", "kept"):
        (tmp_path / "out" / left).write_bytes(b"half")
        os.utime(tmp_path / "out" / left, (0, 0))
    assert folder.names() == ["kept"]
    with folder.alone():
        assert names(tmp_path / "out") == ["kept"]


def test_a_move_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_at(f"local://{tmp_path}/out")
    with folder.write("a") as file:
        file.write(b"old")

    system, base = folder._system  # type: ignore[attr-defined] # noqa: SLF001

    class Immovable:
        """The same, but for one thing."""

        def __getattr__(self, name: str) -> Any:
            return getattr(system, name)

        def move(self, *_: str) -> None:
            raise OSError(5, "Input/output error")

    monkeypatch.setitem(folder.__dict__, "_system", (Immovable(), base))
    with pytest.raises(TextError, match=r"cannot be reached: .*Input/output error"), folder.write("a") as file:
        file.write(b"new")
    assert names(tmp_path / "out") == ["a"]
    assert folder.read("a") == b"old"
