"""Where on this machine the file of a name is looked for; nothing here touches a network.

In this order: the folder of bytepair (`BYTEPAIR_HOME`, else a folder in the platform's cache), tiktoken's cache
(`TIKTOKEN_CACHE_DIR`, `DATA_GYM_CACHE_DIR`, else a folder among temporary files), models in Hugging Face's cache
(`HF_HUB_CACHE`, `HF_HOME`) that have it, installed packages that ship it. Content is taken only if its hash is the
published one. `owner/model` is a model in Hugging Face's cache, which names a file's content by its hash, so that can
be verified too.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tempfile
import zlib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats.published import PublishedFile

__all__ = ["find", "home", "model_folder", "models", "places"]

LARGEST: Final = 1 << 27
"""The most bytes that a published file may have."""

_MODEL: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+", re.ASCII)
_HASHED: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def home() -> Path:
    """The folder for files that have been fetched, which need not be there."""
    if named := os.environ.get("BYTEPAIR_HOME"):
        return Path(named)
    import platformdirs  # noqa: PLC0415 - loaded when first needed

    return Path(platformdirs.user_cache_dir("bytepair", appauthor=False))


def places(file: PublishedFile) -> Iterator[Path]:
    """Where a file may be, in order."""
    yield home() / file.name
    if file.url is not None:
        key = hashlib.sha1(file.url.encode(), usedforsecurity=False).hexdigest()
        for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
            if folder := os.environ.get(variable):
                yield Path(folder) / key
        yield Path(tempfile.gettempdir()) / "data-gym-cache" / key
    for model, name in file.models:
        yield from (snapshot / name for _, snapshot in _snapshots(model) if snapshot is not None)
    for package, path in file.packages:
        try:
            yield Path(str(metadata.distribution(package).locate_file(path)))
        except metadata.PackageNotFoundError:
            continue


def find(file: PublishedFile) -> tuple[Path | None, bytes, list[Path]]:
    """The place and the content of a file, and the places on the way where something else was."""
    others: list[Path] = []
    for place in places(file):
        content = _content(place)
        if content is not None and hashlib.sha256(content).hexdigest() == file.sha256:
            return place, content, others
        if content is not None:
            others.append(place)
    return None, b"", others


def _content(place: Path) -> bytes | None:
    """What is in a file, unpacked; None where there is none that can be read, or too much in it."""
    try:
        if place.stat().st_size > LARGEST:
            return b""
        if place.suffix != ".gz":
            return place.read_bytes()
        with gzip.open(place) as packed:
            return packed.read(LARGEST)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return b""
    except OSError:
        return None


def model_folder(name: str) -> tuple[Path | None, list[Path]]:
    """The folder of a model `owner/model` in Hugging Face's cache, and the folders where it was looked for.

    Raises:
        FormatError: a file in it has another content than its name there says.
    """
    if _MODEL.fullmatch(name) is None:
        return None, []
    looked: list[Path] = []
    for repository, snapshot in _snapshots(name):
        looked.append(repository)
        if snapshot is not None:
            _verify(snapshot)
            return snapshot, looked
    return None, looked


def models() -> list[str]:
    """The models in Hugging Face's caches that have a `tokenizer.json`, by name; `model_folder` finds each."""
    found: dict[str, None] = {}
    for cache in _caches():
        for folder in sorted(cache.glob("models--*--*")):
            name = folder.name.removeprefix("models--").replace("--", "/", 1)
            snapshots = (snapshot for _, snapshot in _snapshots(name) if snapshot is not None)
            if _MODEL.fullmatch(name) and any((snapshot / "tokenizer.json").is_file() for snapshot in snapshots):
                found[name] = None
    return list(found)


def _snapshots(model: str) -> Iterator[tuple[Path, Path | None]]:
    """Where a model would be in each cache, and the folder of its files if it is there."""
    for cache in _caches():
        repository = cache / f"models--{model.replace('/', '--')}"
        revision = repository / "refs" / "main"
        commit = revision.read_text("utf-8", "replace").strip() if revision.is_file() else ""
        snapshot = repository / "snapshots" / commit
        yield repository, snapshot if _HASHED.fullmatch(commit) and snapshot.is_dir() else None


def _caches() -> Iterator[Path]:
    if named := os.environ.get("HF_HUB_CACHE"):
        yield Path(named)
    if named := os.environ.get("HF_HOME"):
        yield Path(named) / "hub"
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface" / "hub"


def _verify(snapshot: Path) -> None:
    """Whether the files of tokenizers in a snapshot are what they are called: by SHA-256, or as git names them."""
    for file in sorted([*snapshot.glob("*.json"), *snapshot.glob("*.txt"), *snapshot.glob("*.tiktoken")]):
        name = file.resolve().name
        if _HASHED.fullmatch(name) is None:
            continue
        content = file.read_bytes()
        if len(name) == 64:  # noqa: PLR2004 - hexadecimal digits of SHA-256
            found = hashlib.sha256(content).hexdigest()
        else:
            found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        if found != name:
            raise FormatError(
                f"{file}: its content is not that of the name `{name}` in the cache", "fetch the model again"
            )
