"""`verify_shards`: whether shards are what their manifest says, byte for byte.

The idea: a hash tells of every change, and says nothing of where it is. So files are also read as what they are, and
the first thing that is wrong is named: a size, a place in a header, a document, an id. Shards that are far away are
copied, one at a time for each worker. Cost: all files are read twice.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from bytepair.data.places import is_address
from bytepair.errors import FormatError
from bytepair.scale.engines import opened
from bytepair.scale.folder import Folder, folder_at
from bytepair.shards.formats import DAMAGED, MISSING
from bytepair.shards.manifest import OURS, Settings, Shard
from bytepair.shards.reading import OpenShard, check_size, kind_of, read_manifest

if TYPE_CHECKING:
    from bytepair.scale.engines import EngineName
    from bytepair.tokenizer import Tokenizer

__all__ = ["Verified", "verify_shards"]

_BLOCK = 1 << 22
"""Ids that are looked at in one go."""


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
        path: the folder, or its address.
        tok: the tokenizer that the shards are said to be of.
        engine: where files are read, as for `write_shards`.
        workers: how many shards are read at one time.
        address: a cluster that runs.

    Raises:
        FileNotFoundError: there is no folder, or no manifest in it.
        FormatError: the manifest is damaged.
        OSError: a file that cannot be read.
    """
    folder = folder_at(path)
    manifest = read_manifest(folder)
    sizes = folder.sizes()
    faults = list(_around(folder, sizes, manifest.shards))
    if tok is not None and tok.fingerprint != manifest.settings.fingerprint:
        theirs, ours = manifest.settings.fingerprint[:16], tok.fingerprint[:16]
        what = f"`{folder.shown('')}` is of a tokenizer with the fingerprint {theirs}..., and this one's is {ours}..."
        faults.append(FormatError(what, "name the tokenizer that was used"))
    place = os.fspath(path)
    near = None if is_address(place) else Path(place).absolute()
    checks = [_Check(folder, near, manifest.settings, shard) for shard in manifest.shards]
    with opened(engine, workers=workers, address=address) as workplace:
        found = dict(workplace.map(_checked, checks))
    for number in range(len(checks)):
        faults += found[number]
    return Verified(len(manifest.shards), manifest.documents, manifest.tokens, tuple(faults))


def _around(folder: Folder, sizes: Mapping[str, int], shards: tuple[Shard, ...]) -> Iterator[FormatError]:
    """Files that look like shards and are none: who reads `*.bin` would read them."""
    known = {file.name for shard in shards for file in shard.files}
    for name in sorted(sizes):
        if OURS.fullmatch(name) and name not in known:
            yield FormatError(f"`{folder.shown(name)}` is not in the manifest", "delete it, or move it elsewhere")


@dataclass(frozen=True, slots=True)
class _Check:
    """What is checked in one go."""

    folder: Folder
    near: Path | None
    """Where the folder is, if it is on this machine."""
    settings: Settings
    shard: Shard

    @property
    def name(self) -> str:
        return self.folder.shown(self.shard.files[0].name)

    @contextmanager
    def at_hand(self) -> Iterator[Path]:
        """A folder of this machine that has the shard's files."""
        if self.near is not None:
            yield self.near
            return
        with TemporaryDirectory(prefix="bytepair-") as copies:
            for file in self.shard.files:
                place = Path(copies, file.name)
                place.parent.mkdir(exist_ok=True)
                with self.folder.open(file.name) as source, place.open("wb") as copy:
                    shutil.copyfileobj(source, copy)
            yield Path(copies)


def _checked(check: _Check) -> list[FormatError]:
    """What is wrong with a shard."""
    shown = check.folder.shown("").removesuffix("/")
    try:
        with check.at_hand() as place:
            faults = list(_faults(check, place))
    except FileNotFoundError:
        faults, place = [FormatError(f"a file of the shard `{check.name}` is not there", MISSING)], Path(shown)
    return [FormatError(fault.message.replace(str(place), shown), fault.hint) for fault in faults]


def _faults(check: _Check, folder: Path) -> Iterator[FormatError]:
    is_whole = True
    for file in check.shard.files:
        place = folder / file.name
        try:
            check_size(folder, file)
        except (FileNotFoundError, FormatError) as error:
            what, _, hint = str(error).partition("\nhint: ")
            yield FormatError(what, hint)
            is_whole = False
            continue
        with place.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        if digest != file.sha256:
            what = f"`{place}` was changed: its SHA-256 is {digest[:16]}..., and should be {file.sha256[:16]}..."
            yield FormatError(what, DAMAGED)
    if is_whole:
        try:
            _look(check, folder)
        except FormatError as error:
            yield error


def _look(check: _Check, folder: Path) -> None:
    """Reads a shard as what it is.

    Raises:
        FormatError: the first thing that is wrong.
    """
    settings = check.settings
    shard = OpenShard(folder, check.shard, *kind_of(settings))
    offsets = shard.offsets
    falls = np.diff(offsets.astype(np.int64)) < 0
    if falls.any():
        place = folder / check.shard.files[1].name
        raise FormatError(f"document {int(falls.argmax())} of `{place}` ends before it begins", DAMAGED)
    for start in range(0, check.shard.tokens, _BLOCK):
        ids = shard.ids[start : min(start + _BLOCK, check.shard.tokens)]
        wrong = (ids < 0) | (ids >= settings.n_vocab)
        if wrong.any():
            first = int(wrong.argmax())
            document = int(np.searchsorted(offsets, start + first, side="right")) - 1
            raise FormatError(
                f"id {ids[first]} stands at place {start + first:,} of `{check.name}`, in its document {document:,}, "
                f"and the vocabulary has {settings.n_vocab:,} ids",
                DAMAGED,
            )
