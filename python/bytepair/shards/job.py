"""What is done with one item: it is read, encoded and written as shards, and then what it gave is noted.

The idea: the note is written when the shards are there, so an item with a note is done, whatever happened afterwards.
It says of which settings it is, and one of others counts for nothing. An item can be worked on twice, even at the same
time, and gives the same files.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bytepair.data import corpus
from bytepair.data.batches import Batch
from bytepair.errors import BytepairError
from bytepair.formats.strict_json import load
from bytepair.shards.cutting import Cutting
from bytepair.shards.encoding import Encoding
from bytepair.shards.folder import Folder
from bytepair.shards.formats import format_of
from bytepair.shards.manifest import Done, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bytepair.scale.items import Item
    from bytepair.tokenizer import Tokenizer

__all__ = ["Job", "noted"]


@dataclass(frozen=True, slots=True)
class Job:
    """The function that an engine maps over items."""

    tok: bytes = field(repr=False)
    """The tokenizer, pickled: a worker that does several items makes it once."""
    settings: Settings
    folder: Folder
    reading: dict[str, Any]
    """How files are read."""
    threads: int
    """Of each worker."""

    def __call__(self, item: Item) -> Done:
        """Makes the shards of an item.

        Raises:
            BytepairError: texts that are not what they are said to be, or that cannot be encoded.
            OSError: a file that cannot be read, or written.
        """
        settings, counted = self.settings, _Sums()
        format, dtype = format_of(settings.format), np.dtype(settings.dtype)
        encoding = Encoding(
            _tokenizer(self.tok),
            dtype,
            before=tuple(id for _, id in settings.prepend),
            after=tuple(id for _, id in settings.append),
            unknown=settings.unknown,  # type: ignore[arg-type] # checked when the job was made
            threads=self.threads,
        )
        stem = f"{item.number:06}"
        with Cutting(self.folder, format, dtype, most=settings.shard_tokens, stem=stem) as cutting:
            for some in encoding.encoded(item.batches(**self.reading)):
                cutting.add(some.ids, some.ends)
                counted.text_bytes += some.text_bytes
                counted.nulls += some.nulls
            done = Done(counted.text_bytes, counted.nulls, cutting.end())
        note(self.folder, settings, item.number, done)
        return done


@dataclass(slots=True)
class _Sums:
    text_bytes: int = 0
    nulls: int = 0


@lru_cache(maxsize=1)
def _tokenizer(pickled: bytes) -> Tokenizer:
    return pickle.loads(pickled)  # type: ignore[no-any-return] # noqa: S301 - the driver made it


def _place(number: int) -> str:
    return f"items/{number:06}.json"


def _key(settings: Settings) -> str:
    return hashlib.sha256(json.dumps(settings.plain()).encode()).hexdigest()


def note(folder: Folder, settings: Settings, number: int, done: Done) -> None:
    """Notes what an item gave."""
    content = json.dumps({"settings": _key(settings)} | done.plain(), indent=1)
    with folder.writing(_place(number)) as file:
        file.write(content.encode())


def noted(folder: Folder, settings: Settings, sizes: dict[str, int], number: int) -> Done | None:
    """What an item gave, if it is noted, and if its files are there."""
    if _place(number) not in sizes:
        return None
    try:
        root = load(folder.read(_place(number)))
        done = Done.of(root)
        is_ours = root.get("settings").string() == _key(settings)
    except BytepairError:  # one that is damaged says nothing, and the item is done again
        return None
    return done if is_ours and is_there(done, sizes) else None


def is_there(done: Done, sizes: dict[str, int]) -> bool:
    """Whether the files of an item are there, as far as their sizes tell."""
    return all(sizes.get(file.name) == file.bytes for shard in done.shards for file in shard.files)
