"""`verify_shards`: whether shards are what their manifest says, byte for byte.

The idea: a hash tells of every change, and says nothing of where it is. So files are also read as what they are, and
the first thing that is wrong is named: a size, a place in a header, a document, an id. Cost: all files are read twice.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bytepair.errors import FormatError
from bytepair.shards.formats import DAMAGED, format_of
from bytepair.shards.manifest import Settings, Shard
from bytepair.shards.reading import OpenShard, check_size, read_manifest

if TYPE_CHECKING:
    from bytepair.scale.engines import EngineName
    from bytepair.tokenizer import Tokenizer

__all__ = ["Verified", "verify_shards"]

_BLOCK = 1 << 22
"""Ids that are looked at in one go."""
_OURS = re.compile(r"(documents/)?\d{6,}-\d{4,}\.(bin|idx|npy|parquet)")


@dataclass(frozen=True, slots=True)
class Verified:
    """What was looked at, and what is wrong with it."""

    shards: int
    documents: int
    tokens: int
    faults: tuple[FormatError, ...]
    """None if all is as it was written; each names the file and, as far as it can be told, the place."""


def verify_shards(
    path: str | os.PathLike[str],
    tok: Tokenizer | None = None,
    *,
    engine: EngineName = "local",
    workers: int | None = None,
    address: str | None = None,
) -> Verified:
    """Reads all shards of a folder and compares them with their manifest.

    Args:
        path: the folder.
        tok: the tokenizer that the shards are said to be of.
        engine: where files are read, as for `write_shards`.
        workers: how many shards are read at one time.
        address: a cluster that runs.

    Raises:
        FileNotFoundError: there is no folder, or no manifest in it.
        FormatError: the manifest is damaged.
        OSError: a file that cannot be read.
    """
    from bytepair.scale.engines import opened  # noqa: PLC0415

    folder = Path(path)
    manifest = read_manifest(folder)
    faults = list(_around(folder, manifest.shards))
    if tok is not None and tok.fingerprint != manifest.settings.fingerprint:
        what = f"`{folder}` is of a tokenizer with the fingerprint {manifest.settings.fingerprint[:16]}..."
        faults.append(FormatError(f"{what}, and this one's is {tok.fingerprint[:16]}...", "name the tokenizer that was used"))
    checks = [_Check(folder, manifest.settings, shard) for shard in manifest.shards]
    found = dict[int, list[FormatError]]()
    with opened(engine, workers=workers, address=address) as workplace:
        found.update(workplace.map(_checked, checks))
    for number in range(len(checks)):
        faults += found[number]
    return Verified(len(manifest.shards), manifest.documents, manifest.tokens, tuple(faults))


def _around(folder: Path, shards: tuple[Shard, ...]) -> Iterator[FormatError]:
    """Files that look like shards and are none: who reads `*.bin` would read them."""
    known = {file.name for shard in shards for file in shard.files}
    for place in sorted(folder.rglob("*")):
        name = place.relative_to(folder).as_posix()
        if _OURS.fullmatch(name) and name not in known:
            yield FormatError(f"`{place}` is not in the manifest", "delete it, or move it elsewhere")


@dataclass(frozen=True, slots=True)
class _Check:
    """What is checked in one go."""

    folder: Path
    settings: Settings
    shard: Shard

    @property
    def name(self) -> str:
        return str(self.folder / self.shard.files[0].name)


def _checked(check: _Check) -> list[FormatError]:
    """What is wrong with a shard."""
    faults, is_whole = list[FormatError](), True
    for file in check.shard.files:
        place = check.folder / file.name
        try:
            check_size(check.folder, file)
        except (FileNotFoundError, FormatError) as error:
            what, _, hint = str(error).partition("\nhint: ")
            faults.append(FormatError(what, hint))
            is_whole = False
            continue
        with place.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        if digest != file.sha256:
            what = f"`{place}` was changed: its SHA-256 is {digest[:16]}..., and should be {file.sha256[:16]}..."
            faults.append(FormatError(what, DAMAGED))
    if is_whole:
        try:
            _look(check)
        except FormatError as error:
            faults.append(error)
    return faults


def _look(check: _Check) -> None:
    """Reads a shard as what it is.

    Raises:
        FormatError: the first thing that is wrong.
    """
    settings = check.settings
    shard = OpenShard(check.folder, check.shard, format_of(settings.format), np.dtype(settings.dtype))
    offsets = shard.offsets
    falls = np.diff(offsets.astype(np.int64)) < 0
    if falls.any():
        place = check.folder / check.shard.files[1].name
        raise FormatError(f"document {int(falls.argmax())} of `{place}` ends before it begins", DAMAGED)
    for start in range(0, check.shard.tokens, _BLOCK):
        ids = shard.ids[start : min(start + _BLOCK, check.shard.tokens)]
        wrong = (ids < 0) | (ids >= settings.n_vocab)
        if wrong.any():
            place = int(wrong.argmax())
            document = int(np.searchsorted(offsets, start + place, side="right")) - 1
            raise FormatError(
                f"id {ids[place]} stands at place {start + place:,} of `{check.name}`, in its document {document:,}, and "
                f"the vocabulary has {settings.n_vocab:,} ids",
                DAMAGED,
            )
