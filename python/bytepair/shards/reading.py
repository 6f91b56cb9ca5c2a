"""`open_shards`: the documents of shards, mapped into memory, and windows of them.

The idea: nothing is read that is not asked for. The manifest says how many documents and ids each shard has, so the
place of any of them is found by bisection; a shard's files are mapped when something of it is wanted first. An array
that is handed out is the file itself, mapped for reading, not a copy (but for Parquet, whose rows are unpacked).

What is opened can be pickled, as workers of a data loader want it: it travels as its path.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bytepair.data.places import is_address, system_of, without_keys
from bytepair.errors import FormatError
from bytepair.scale.folder import Folder, folder_at
from bytepair.shards import manifest as manifests
from bytepair.shards.arrays import Arrays
from bytepair.shards.formats import DAMAGED, MISSING, Format, Stored, checked, format_of
from bytepair.shards.manifest import Manifest, Settings, Shard, ShardFile
from bytepair.wording import several

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.shards.formats import Ids, Offsets
    from bytepair.shards.windows import Windows

__all__ = ["OpenShard", "Shards", "check_size", "kind_of", "open_shards", "read_manifest"]

_UNFINISHED: Final = "run the command that makes the shards again: it goes on where it was stopped"


def open_shards(path: str | os.PathLike[str]) -> Shards:
    """Opens a folder of shards that `write_shards` or `bytepair shard` wrote.

    Args:
        path: the folder, on this machine.

    Raises:
        FileNotFoundError: there is no folder, or no manifest in it, or a shard is missing.
        FormatError: the manifest is damaged, or a file has another size than it says.
        ValueError: an address of another one.

    >>> import bytepair as bp
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> tok = bp.train(texts=[], vocab_size=257, special_tokens=["<|endoftext|>"])
    >>> with TemporaryDirectory() as directory:
    ...     _ = Path(directory, "a.txt").write_text("low|lower|lowest")
    ...     _ = bp.write_shards(tok, f"{directory}/out", files=f"{directory}/a.txt", separator="|")
    ...     shards = bp.open_shards(f"{directory}/out")
    ...     len(shards), shards.tokens, tok.decode(shards[1]), shards.lengths.tolist()
    (3, 14, 'lower', [3, 5, 6])
    """
    place = os.fspath(path)
    if is_address(place) and place.startswith("file://"):
        place = system_of(place)[1]
    if is_address(place):
        hint = "copy the folder to this machine: shards are mapped into memory"
        raise ValueError(f"`{without_keys(place)}` is no folder of this machine\nhint: {hint}")
    folder = Path(place)
    manifest = read_manifest(folder_at(folder))
    for shard in manifest.shards:
        for file in shard.files:
            check_size(folder, file)
    return Shards(folder, manifest)


def read_manifest(folder: Folder) -> Manifest:
    """The manifest of a folder; errors as `open_shards`."""
    shown = folder.shown("").removesuffix("/")
    try:
        content = folder.read(manifests.NAME)
    except (FileNotFoundError, NotADirectoryError):
        if any(name.startswith("items/") for name in folder.names()):
            raise FileNotFoundError(f"the shards in `{shown}` are not finished\nhint: {_UNFINISHED}") from None
        what = f"there is no `{manifests.NAME}` in `{shown}`"
        raise FileNotFoundError(f"{what}\nhint: name the folder that `bytepair shard -o` was given") from None
    try:
        return Manifest.read(content)
    except FormatError as error:
        raise FormatError(f"`{folder.shown(manifests.NAME)}`: {error.message}", error.hint) from None


def kind_of(settings: Settings) -> tuple[Format, np.dtype[Any]]:
    """The format and the type of ids.

    Raises:
        FormatError: they do not go together.
    """
    format = format_of(settings.format)
    dtype = format.dtype(settings.n_vocab)
    if dtype.name != settings.dtype:
        what = f"`settings.dtype` is {settings.dtype}, and {settings.n_vocab:,} ids in {format.name} are {dtype.name}"
        raise FormatError(what, "make the shards again")
    return format, dtype


def check_size(folder: Path, file: ShardFile) -> None:
    """That a file is there, and as long as it should be; errors as `open_shards`."""
    place = folder / file.name
    try:
        size = place.stat().st_size
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file `{place}`\nhint: {MISSING}") from None
    checked(size, file.bytes, place)


@dataclass(frozen=True)
class OpenShard:
    """One shard. An iterable of its documents, each an array of ids."""

    folder: Path
    shard: Shard
    format: Format
    dtype: np.dtype[Any]

    @cached_property
    def offsets(self) -> Offsets:
        """Between which ids documents lie: of shape (documents + 1,).

        Raises:
            FormatError: the file is not what the manifest says.
        """
        path = self.folder / self.shard.files[1].name
        offsets = self.format.documents(path, self.shard.documents, self.dtype)
        if offsets[0] != 0 or offsets[-1] != self.shard.tokens:
            what = f"the documents of `{path}` lie between ids {offsets[0]:,} and {offsets[-1]:,}"
            raise FormatError(f"{what}, and the shard has ids 0 to {self.shard.tokens:,}", DAMAGED)
        return offsets

    @cached_property
    def ids(self) -> Stored:
        """All ids, as something that can be sliced: an array, but for Parquet; errors as `offsets`."""
        return self.format.stored(self.folder / self.shard.files[0].name, self.offsets, self.dtype)

    def document(self, index: int) -> Ids:
        """One document."""
        return self.ids[int(self.offsets[index]) : int(self.offsets[index + 1])]

    def __len__(self) -> int:
        return self.shard.documents

    def __iter__(self) -> Iterator[Ids]:
        """The documents, in order."""
        return map(self.document, range(len(self)))


class Shards(Arrays):
    """The documents of a folder of shards, each an array of ids of shape (tokens,); `open_shards` opens them."""

    _called = "document"

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        """How the shards were made: the tokenizer's fingerprint, the settings, the files, the hashes."""
        format, self.dtype = kind_of(manifest.settings)
        self.shards = [OpenShard(folder, shard, format, self.dtype) for shard in manifest.shards]
        self._documents = [0, *accumulate(shard.documents for shard in manifest.shards)]

    @property
    def tokens(self) -> int:
        """The ids of all documents, those before and after each among them."""
        return self.manifest.tokens

    @property
    def lengths(self) -> NDArray[np.uint64]:
        """The ids of each document: of shape (documents,). It takes 8 bytes for each."""
        return np.concatenate([np.empty(0, np.uint64), *(np.diff(shard.offsets) for shard in self.shards)])

    def __len__(self) -> int:
        return self._documents[-1]

    def _at(self, number: int) -> Ids:
        """A document."""
        place = bisect_right(self._documents, number) - 1
        return self.shards[place].document(number - self._documents[place])

    def __iter__(self) -> Iterator[Ids]:
        """The documents, in order."""
        for shard in self.shards:
            yield from shard

    def windows(self, length: int, *, seed: int | None = 0, count: int | None = None) -> Windows:
        """Windows of ids, for a model to be trained on: a sequence of arrays of shape (length,).

        Args:
            length: the ids of a window; for inputs and targets, one more than the model sees.
            seed: where windows lie: window i begins at any id, each as likely, in a shard, chosen by a hash of the seed
                and i; so it does not depend on what was asked for before, or in which process. None: windows lie end to
                end, in order, and what is left over at the end of a shard is in none.
            count: how many there are; None for as many as lie end to end. With seed=None it cannot be more.

        Raises:
            ValueError: no shard has so many ids; a number out of its range.
        """
        from bytepair.shards.windows import Windows  # noqa: PLC0415 - this module is needed there

        return Windows(self, length, seed, count)

    def __reduce__(self) -> tuple[object, ...]:
        return _opened_again, (self.folder, self.manifest)

    def __repr__(self) -> str:
        settings = self.manifest.settings
        shards, documents = several(len(self.shards), "shard"), several(len(self), "document")
        return f"<Shards {documents}, {several(self.tokens, 'token')}, {shards}, {settings.format}, {settings.dtype}>"


def _opened_again(folder: Path, manifest: Manifest) -> Shards:
    return Shards(folder, manifest)
