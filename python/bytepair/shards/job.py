"""What is done with one item: it is read, encoded and written as shards, and then what it gave is noted.

The idea: the note is written when the shards are there, so an item with a note is done, whatever happened afterwards.
It says of which settings it is, and one of others counts for nothing. An item can be worked on twice, even at the same
time, and gives the same files.
"""

from __future__ import annotations

import json
import pickle
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bytepair.errors import BytepairError
from bytepair.formats.strict_json import load
from bytepair.scale.items import naming
from bytepair.shards.cutting import Cutting
from bytepair.shards.encoding import Encoded, Encoding
from bytepair.shards.formats import format_of
from bytepair.shards.manifest import Done

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bytepair.data.batches import Batch
    from bytepair.data.options import Options
    from bytepair.encoding import UnknownSymbol
    from bytepair.scale.folder import Folder
    from bytepair.scale.items import Item
    from bytepair.tokenizer import Tokenizer

__all__ = ["Job", "NumberedItem", "in_our_words", "is_there", "note", "noted"]


@dataclass(frozen=True, slots=True)
class NumberedItem:
    """An item and its number among all of them, which its shards are named by."""

    number: int
    stem: str
    """The number as it stands in names."""
    item: Item

    @property
    def name(self) -> str:
        """What it is called in an error."""
        return self.item.name

    def batches(self, options: Options) -> Iterator[Batch]:
        """Its documents."""
        return self.item.batches(options)


@dataclass(frozen=True, slots=True)
class Job:
    """The function that an engine maps over items."""

    tok: bytes = field(repr=False)
    """The tokenizer, pickled: a worker that does several items makes it once."""
    format: str
    dtype: str
    before: tuple[int, ...]
    """The ids before each document."""
    after: tuple[int, ...]
    unknown: UnknownSymbol
    shard_tokens: int
    options: Options
    """How files are read."""
    folder: Folder
    key: str
    """What tells these settings from others."""
    threads: int
    """Of each worker."""

    def __call__(self, item: NumberedItem) -> Done:
        """Makes the shards of an item.

        Raises:
            BytepairError: texts that are not what they are said to be, or that cannot be encoded.
            OSError: a file that cannot be read, or written.
        """
        dtype, text_bytes, nulls = np.dtype(self.dtype), 0, 0
        encoding = Encoding(
            _tokenizer(self.tok),
            dtype,
            before=self.before,
            after=self.after,
            unknown=self.unknown,
            threads=self.threads,
        )
        shape = format_of(self.format)
        with Cutting(self.folder, shape, dtype, most=self.shard_tokens, stem=item.stem) as cutting:
            for some in self._encoded(encoding, item):
                cutting.add(some.ids, some.ends)
                text_bytes += some.text_bytes
                nulls += some.nulls
            done = Done(text_bytes, nulls, cutting.end())
        note(self.folder, self.key, item.number, done)
        return done

    def _encoded(self, encoding: Encoding, item: NumberedItem) -> Iterator[Encoded]:
        with naming(item.name), in_our_words():
            yield from encoding.encoded(item.batches(self.options))


@contextmanager
def in_our_words() -> Iterator[None]:
    """What reading says of its `format=` is said of `input_format=`: here `format=` is that of the shards."""
    try:
        yield
    except BytepairError as error:
        raise type(error)(_renamed(error.message), _renamed(error.hint)) from None
    except ValueError as error:
        raise ValueError(_renamed(str(error))) from None


def _renamed(text: str) -> str:
    return re.sub(r"\bformat=", "input_format=", text)


@lru_cache(maxsize=1)
def _tokenizer(pickled: bytes) -> Tokenizer:
    return pickle.loads(pickled)  # type: ignore[no-any-return] # noqa: S301 - the driver made it


def _place(number: int) -> str:
    return f"items/{number:06}.json"


def note(folder: Folder, key: str, number: int, done: Done) -> None:
    """Notes what an item gave."""
    content = json.dumps({"settings": key} | done.plain(), indent=1)
    with folder.write(_place(number)) as file:
        file.write(content.encode())


def noted(folder: Folder, key: str, sizes: Mapping[str, int], number: int) -> Done | None:
    """What an item gave, if it is noted, and if its files are there."""
    if _place(number) not in sizes:
        return None
    try:
        root = load(folder.read(_place(number)))
        done = Done.of(root)
        is_ours = root.get("settings").string() == key
    except BytepairError:  # one that is damaged says nothing, and the item is done again
        return None
    return done if is_ours and is_there(done, sizes) else None


def is_there(done: Done, sizes: Mapping[str, int]) -> bool:
    """Whether the files of an item are there, as far as their sizes tell."""
    return all(sizes.get(file.name) == file.bytes for shard in done.shards for file in shard.files)
