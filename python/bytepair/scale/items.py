"""What a job on files consists of: items, each worked on by itself.

The idea: an item is a run of small files, one file, or a span of a large one that can be read from the middle (JSON
lines, from a line's beginning; Parquet, from a row group's). Only names and sizes say where files are cut, and never
the number of workers: so the same files give the same items, and an item's fingerprint tells if it was done before.
What a span holds is found by who reads it, so the driver opens no file.

Invariant: in their order, the items hold each document of the files once and in their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from itertools import pairwise

from bytepair.data.batches import Batch, gathered
from bytepair.data.corpus import Corpus
from bytepair.data.formats import Layout, named_compression, named_layout
from bytepair.data.options import Options
from bytepair.data.places import File, find, reading, without_keys
from bytepair.data.sources import of_stream
from bytepair.data.streams import opened
from bytepair.errors import BytepairError, TextError, TextWarning
from bytepair.scale.folder import Folder
from bytepair.told import tell
from bytepair.wording import several

__all__ = ["Item", "Part", "apart", "items_of", "naming", "size_for"]

SIZE = 128 << 20
"""The bytes of an item, about: enough that what an item costs beside its bytes is little, and few enough to be held."""
MANY = 1 << 13
"""With more items than this they are made larger, twice and twice again."""
FILES = 1 << 12
"""No more files than this are one item."""


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Work with a file whose errors name it, as those of `bytepair.data` do: they bear its name, and get no other."""
    try:
        yield
    except BytepairError as error:
        error.place = error.place or place
        raise


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or a span of one."""

    source: str | None
    """The name of the source that it belongs to, if sources have names."""
    name: str
    """What it is called in an error."""
    address: str
    """Where it is found; it may hold keys."""
    size: int
    """The bytes of the whole file."""
    changed: int | None
    """When the file was last changed, in nanoseconds since 1970; None if that is not known."""
    start: int = 0
    """The byte at which the span begins."""
    stop: int | None = None
    """The byte before which it ends; None for the whole file."""

    @property
    def bytes(self) -> int:
        """How many bytes it has."""
        return self.size if self.stop is None else self.stop - self.start

    def batches(self, options: Options) -> Iterator[Batch]:
        """The documents that begin in it.

        Raises:
            TextError: texts that are not what they are said to be; a file that has changed.
            OSError: it cannot be read.
        """
        with naming(self.name), self._named_by_system():
            file = replace(self._found(), name=self.name)
            with reading(file), opened(file) as stream:
                for batch in of_stream(stream, options, self.start, self.stop):
                    yield batch if self.source is None else replace(batch, source=self.source)
                    del batch  # or it would be held while the next one is read
            self._found()  # nor has it changed while it was read

    @contextmanager
    def _named_by_system(self) -> Iterator[None]:
        """An error of the system names the file as it was given, and not by its whole path."""
        try:
            yield
        except OSError as error:
            if error.errno is not None:
                error.filename = self.name
            raise

    def _found(self) -> File:
        """The file, which has not changed; errors as `batches`."""
        (file,) = find(self.address)
        if (file.size, file.changed) != (self.size, self.changed):
            raise TextError(f"file `{self.name}` has changed since the work began", "run the same again")
        return file


@dataclass(frozen=True, slots=True)
class Item:
    """Parts of one source, in their order."""

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """What it is called in an error."""
        first, last = self.parts[0], self.parts[-1]
        if first is last:
            return first.name
        return f"{first.name}` to `{last.name}"

    @property
    def bytes(self) -> int:
        """How many bytes it has."""
        return sum(part.bytes for part in self.parts)

    def fingerprint(self, settings: str) -> str:
        """What tells if it was done before, with the same settings: in hex, of what is known of its files."""
        digest = hashlib.sha256(settings.encode())
        for part in self.parts:
            known = replace(part, name="", address=without_keys(part.address))
            digest.update(repr(astuple(known)).encode("utf-8", "surrogateescape"))
        return digest.hexdigest()[:32]

    def batches(self, options: Options) -> Iterator[Batch]:
        """Its documents in order, in batches; `sample` is nothing that an item knows of. Errors as `Part.batches`."""
        return gathered(batch for part in self.parts for batch in part.batches(options))


def size_for(total: int) -> int:
    """How large items are in a job of so many bytes.

    >>> size_for(10**9) >> 20, size_for(10**13) >> 20
    (128, 2048)
    """
    size = SIZE
    while total > size * MANY:
        size *= 2
    return size


def apart(given: Corpus, folder: Folder) -> Corpus:
    """The corpus without files of the folder that is written: a glob that reaches into it finds them the second time.

    Where nothing else is left, it stays as it is: such a folder is one of something else, or of other texts.

    Warns:
        TextWarning: some were left out.
    """
    kept = given.without(folder.holds)
    left = len(given.files) - len(kept.files)
    if left == 0 or not kept.files:
        return given
    what = f"{several(left, 'file')} in `{folder.shown('')}`, which is written, {'is' if left == 1 else 'are'} not read"
    tell(TextWarning, what, "name the files to be read so that none lies there")
    return kept


def items_of(corpus: Corpus, size: int) -> list[Item]:
    """The items of a corpus of files, of about `size` bytes each.

    Raises:
        TypeError: a file that another process cannot open.
    """
    items, run = list[Item](), list[Part]()
    left = 0
    for source, file in corpus.files:
        for part in _parts(source, file, size, corpus.options.format):
            is_next = bool(run) and run[0].source == source and len(run) < FILES and part.bytes <= left
            if not is_next:
                if run:
                    items.append(Item(tuple(run)))
                run, left = [], size
            run.append(part)
            left -= part.bytes
    return [*items, Item(tuple(run))] if run else items


def _parts(source: str | None, file: File, size: int, format: Layout | None) -> Iterator[Part]:
    """The file as one part, or as several where it is large and can be cut."""
    if file.address is None or file.size is None:
        what = "another process cannot open" if file.address is None else "has no size that is known"
        raise TypeError(f"files holds `{file.name}`, which {what}\nhint: pass paths or addresses of files")
    whole = Part(source, file.name, file.address, file.size, file.changed)
    layout = format or named_layout(file.name)
    if file.size <= size or layout in {None, "text"} or named_compression(file.name) is not None:
        yield whole
        return
    number = -(-file.size // size)
    edges = [file.size * index // number for index in range(number + 1)]
    for start, stop in pairwise(edges):
        yield replace(whole, start=start, stop=stop)
