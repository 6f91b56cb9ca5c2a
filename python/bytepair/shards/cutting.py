"""Documents -> shards: which document goes into which, and their files.

The rule: a shard takes documents until it has so many tokens as a shard shall have; the document that reaches them is
its last. So no document is cut, none is looked at ahead, and one that is larger than a shard does no harm. Documents
without a token still go into a full shard, since a shard without a token is of no use: there is one only where nothing
but such documents was read. What goes where depends on the documents and their order, and on nothing else.
"""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from bytepair.errors import FormatError
from bytepair.formats.atomic import naming
from bytepair.shards.manifest import Shard, ShardFile, shard_name
from bytepair.wording import several

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.scale.folder import Folder
    from bytepair.shards.formats import Dtype, Format, Ids

__all__ = ["Cutting"]


class Cutting:
    """Writes shards. A context manager: after an error nothing is left of the shard that was being written."""

    def __init__(self, folder: Folder, format: Format, dtype: Dtype, *, most: int, stem: str) -> None:
        """Nothing is written yet.

        Args:
            folder: where to.
            format: what files.
            dtype: the type of the ids.
            most: the tokens of a shard.
            stem: what the names of the files begin with.
        """
        self._folder, self._format, self._dtype = folder, format, dtype
        self._most, self._stem = most, stem
        self._done = list[Shard]()
        self._open: _Open | None = None

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drops what is not whole."""
        if self._open is not None:
            self._open.drop()

    def add(self, ids: Ids, ends: NDArray[np.int64]) -> None:
        """Takes ids, in which documents end before the places `ends`.

        Raises:
            FormatError: a shard that the format cannot hold.
            OSError: it cannot be written.
        """
        start = first = 0
        while start < len(ids) or first < len(ends):
            if self._open is None:
                name = shard_name(self._stem, len(self._done))
                self._open = _Open(self._folder, self._format, self._dtype, name)
            stop = self._stop(self._open, start, ends)
            last = int(np.searchsorted(ends, len(ids) if stop is None else stop, side="right"))
            self._open.add(ids[start:stop], ends[first:last] - start)
            start, first = len(ids) if stop is None else stop, last
            if start < len(ids):
                self._close(self._open)

    def end(self) -> tuple[Shard, ...]:
        """The shards that were written."""
        if self._open is not None:
            self._close(self._open)
        return tuple(self._done)

    def _stop(self, open: _Open, start: int, ends: NDArray[np.int64]) -> int | None:
        """Up to where ids go into the shard; None for all."""
        missing = self._most - open.tokens
        if missing <= 0 and not open.is_in_document:
            return start
        place = int(np.searchsorted(ends, start + max(missing, 0)))
        return int(ends[place]) if place < len(ends) else None

    def _close(self, open: _Open) -> None:
        self._open = None
        self._done.append(open.end())


class _Open:
    """The shard that is being written."""

    def __init__(self, folder: Folder, format: Format, dtype: Dtype, name: str) -> None:
        self._folder, self._format, self._dtype, self._name = folder, format, dtype, name
        self._file_name, self._second_name = format.names(name)
        self._ends: list[NDArray[np.int64]] = []
        self.tokens = 0
        self.is_in_document = False
        """Whether ids of a document are there that has not ended."""
        with ExitStack() as stack:
            self._file = stack.enter_context(folder.write(self._file_name))
            self._pen = format.pen(self._file, dtype)
            self._stack = stack.pop_all()

    def add(self, ids: Ids, ends: NDArray[np.int64]) -> None:
        """Writes ids."""
        with self._named():
            self._pen.add(ids, ends)
        if len(ids):
            self.is_in_document = not len(ends) or int(ends[-1]) < len(ids)
        elif len(ends):
            self.is_in_document = False
        if len(ends):
            self._ends.append(ends + self.tokens)
        self.tokens += len(ids)

    def _named(self) -> AbstractContextManager[None]:
        return naming(Path(self._folder.shown(self._file_name)))

    def end(self) -> Shard:
        """The shard, whose files are there now."""
        try:
            shard = self._ended()
        except BaseException:
            self.drop()
            raise
        return shard

    def _ended(self) -> Shard:
        if self.tokens > self._format.most_tokens:
            most, name = self._format.most_tokens, self._format.name
            raise FormatError(
                f"shard `{self._name}` has {several(self.tokens, 'token')}, and in {name} it has at most {most:,}",
                "cut the files into documents with separator=, or make shards smaller",
            )
        offsets = np.concatenate([[0], *self._ends]).astype(np.uint64)
        second = self._format.offsets(offsets, self._dtype)
        with self._named():
            self._pen.end()
            self._file.flush()
            size = self._file.seek(0, 2)
            self._file.seek(0)
            digest = hashlib.file_digest(self._file, "sha256").hexdigest()  # type: ignore[arg-type] # it can be read
        self._stack.close()
        with self._folder.write(self._second_name) as file:
            file.write(second)
        files = (
            ShardFile(self._file_name, size, digest),
            ShardFile(self._second_name, len(second), hashlib.sha256(second).hexdigest()),
        )
        return Shard(self._name, len(offsets) - 1, self.tokens, files)

    def drop(self) -> None:
        """Nothing is left of it."""
        self._pen.drop()
        self._stack.__exit__(GeneratorExit, GeneratorExit(), None)
