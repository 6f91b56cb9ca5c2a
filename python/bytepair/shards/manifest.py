"""What shards are: how they were made, from what, and what is in which file; in JSON.

The idea: the manifest is written last, so shards without one are unfinished. It holds nothing of the machine, the
engine or the hour (but the times of change of the files that were read), so equal work gives equal manifests. A hash of
its own text stands in its last line: a manifest that was changed by accident is found out like any other file.

While work goes on, what each item gave is kept in a file of its own, in the same form.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from bytepair.errors import FormatError
from bytepair.formats.strict_json import Field, load

__all__ = ["Done", "Manifest", "Settings", "Shard", "ShardFile", "shard_name", "stem_of"]

NAME: Final = "manifest.json"
OURS: Final = re.compile(r"(documents/)?\d{6,}-\d{4,}\.(bin|idx|npy|parquet)")
"""The names of shards' files; older ones have four digits."""
MOST_SHARDS: Final = 10**6
"""Of an item: more would not stand in their order where names are sorted."""
VERSION: Final = 1
_MOST: Final = 2**63 - 1
_HASH: Final = "sha256"
_DAMAGED: Final = "the manifest is damaged; take the one that was written, or make the shards again"


def stem_of(number: int, items: int) -> str:
    """What the names of an item's shards begin with: its number, in as many digits as the last of so many items has.

    >>> stem_of(3, 5), stem_of(3, 1_000_001)
    ('000003', '0000003')
    """
    return f"{number:0{max(6, len(str(items - 1)))}}"


def shard_name(stem: str, number: int) -> str:
    """What a shard is called: names in alphabetical order are shards in theirs.

    Raises:
        FormatError: an item has too many shards.

    >>> shard_name(stem_of(3, 5), 10_000)
    '000003-010000'
    """
    if number >= MOST_SHARDS:
        raise FormatError(
            f"a file makes more than {MOST_SHARDS:,} shards", "make shards larger with shard_tokens=, or cut the file"
        )
    return f"{stem}-{number:06}"


@dataclass(frozen=True, slots=True)
class ShardFile:
    """One file of a shard."""

    name: str
    """Its name in the folder."""
    bytes: int
    sha256: str
    """64 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Whole documents in the order in which they were read, in one file of ids and one of where documents end."""

    name: str
    """What its files' names begin with."""
    documents: int
    tokens: int
    """The ids, those that were put before and after each document among them."""
    files: tuple[ShardFile, ...]
    """The ids; where documents end (in Parquet the ids' file says it, too)."""


@dataclass(frozen=True, slots=True)
class Done:
    """What one item gave: a run of files that were read, or a piece of one."""

    text_bytes: int
    """The bytes of its documents."""
    nulls: int
    """Rows without a text, which are no documents."""
    shards: tuple[Shard, ...]
    """None if there was no document."""

    def plain(self) -> dict[str, object]:
        """It as JSON has it."""
        return asdict(self)

    @classmethod
    def of(cls, field: Field) -> Done:
        """The same, read.

        Raises:
            FormatError: a value of another kind; it is named.
        """
        shards = tuple(map(_shard, field.get("shards").items()))
        return cls(field.get("text_bytes").integer(_MOST), field.get("nulls").integer(_MOST), shards)


def _shard(field: Field) -> Shard:
    files = tuple(
        ShardFile(_name(file.get("name")), file.get("bytes").integer(_MOST), file.get("sha256").string())
        for file in field.get("files").items()
    )
    if len(files) != 2:  # noqa: PLR2004 - ids and documents
        raise field.get("files").wrong("two files, ids and documents", _DAMAGED)
    return Shard(
        _name(field.get("name")), field.get("documents").integer(_MOST), field.get("tokens").integer(_MOST), files
    )


def _name(field: Field) -> str:
    """A name that leads to nowhere else."""
    name = field.string()
    if not name or name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
        raise field.wrong("the name of a file in the folder", _DAMAGED)
    return name


@dataclass(frozen=True, slots=True)
class Settings:
    """All that shards depend on."""

    format: str
    dtype: str
    """"uint16", "uint32", or "int32" (Megatron has no uint32)."""
    fingerprint: str
    """The tokenizer's."""
    n_vocab: int
    prepend: tuple[tuple[str, int], ...]
    """Special tokens that stand before each document, and their ids."""
    append: tuple[tuple[str, int], ...]
    """Those after each document."""
    unknown: str
    """What was done with a character that the vocabulary lacks."""
    shard_tokens: int
    """The document that reaches so many tokens is a shard's last."""
    reading: Mapping[str, object]
    """How files were read."""
    files: tuple[tuple[str | None, str, int | None, int | None], ...]
    """Of each file that was read: its source, name, bytes, and time of change in ns since 1970."""
    bytepair: str
    """The version of this package."""

    def plain(self) -> dict[str, Any]:
        """Them as JSON has them."""
        return json.loads(json.dumps({"version": VERSION} | asdict(self)))  # type: ignore[no-any-return]

    @property
    def key(self) -> str:
        """What tells these settings from others: 64 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.plain()).encode()).hexdigest()

    @classmethod
    def of(cls, field: Field) -> Settings:
        """The same, read; errors as `Done.of`."""
        if field.get("version").integer(_MOST) != VERSION:
            raise field.get("version").wrong(
                f"{VERSION}", "read these shards with the version that made them, or newer"
            )
        return cls(
            format=field.get("format").one_of("nanogpt", "llm.c", "megatron", "npy", "parquet"),
            dtype=field.get("dtype").one_of("uint16", "uint32", "int32"),
            fingerprint=field.get("fingerprint").string(),
            n_vocab=field.get("n_vocab").integer(2**32),
            prepend=_specials(field.get("prepend")),
            append=_specials(field.get("append")),
            unknown=field.get("unknown").string(),
            shard_tokens=field.get("shard_tokens").integer(_MOST),
            reading=field.get("reading").object(),
            files=tuple(map(_file, field.get("files").items())),
            bytepair=field.get("bytepair").string(),
        )


def _specials(field: Field) -> tuple[tuple[str, int], ...]:
    pairs = [item.items() for item in field.items()]
    if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004
        raise field.wrong("a list of pairs", _DAMAGED)
    return tuple((name.string(), id.integer(2**32)) for name, id in pairs)


def _file(field: Field) -> tuple[str | None, str, int | None, int | None]:
    values = field.items()
    if len(values) != 4:  # noqa: PLR2004
        raise field.wrong("a source, a name, a size and a time", _DAMAGED)
    source, name, size, changed = (value.value for value in values)
    if not isinstance(name, str) or not isinstance(source, str | None):  # they may hold halves of surrogate pairs
        raise field.wrong("a source, a name, a size and a time", _DAMAGED)
    if not isinstance(size, int | None) or not isinstance(changed, int | None):
        raise field.wrong("a source, a name, a size and a time", _DAMAGED)
    return source, name, size, changed


@dataclass(frozen=True, slots=True)
class Manifest:
    """What shards are, as a whole.

    >>> settings = Settings("npy", "uint16", "0" * 64, 256, (), (), "raise", 100, {}, (), "0.1.0")
    >>> manifest = Manifest(settings, (Done(3, 0, ()),))
    >>> Manifest.read(manifest.written()) == manifest, manifest.documents, manifest.text_bytes
    (True, 0, 3)
    """

    settings: Settings
    items: tuple[Done, ...]
    """What was read, item by item."""

    @property
    def shards(self) -> tuple[Shard, ...]:
        """The shards, in order."""
        return tuple(shard for item in self.items for shard in item.shards)

    @property
    def documents(self) -> int:
        """The documents of all shards."""
        return sum(shard.documents for shard in self.shards)

    @property
    def tokens(self) -> int:
        """The ids of all shards."""
        return sum(shard.tokens for shard in self.shards)

    @property
    def text_bytes(self) -> int:
        """The bytes of all documents."""
        return sum(item.text_bytes for item in self.items)

    @property
    def nulls(self) -> int:
        """Rows without a text that were left out."""
        return sum(item.nulls for item in self.items)

    def written(self) -> bytes:
        """It as a file."""
        plain: dict[str, object] = {
            "kind": "bytepair shards",
            "settings": self.settings.plain(),
            "documents": self.documents,
            "tokens": self.tokens,
            "text_bytes": self.text_bytes,
            "nulls": self.nulls,
            "items": [item.plain() for item in self.items],
        }
        body = json.dumps(plain, indent=1).removesuffix("\n}")  # ASCII, since names of files may be no UTF-8
        digest = hashlib.sha256(body.encode()).hexdigest()
        return f'{body},\n "{_HASH}": "{digest}"\n}}\n'.encode()

    @classmethod
    def read(cls, content: bytes) -> Manifest:
        """The same, read.

        Raises:
            FormatError: it is damaged, or none; it says where.
        """
        root = load(content)
        if root.object().get("kind") != "bytepair shards":
            raise root.get("kind").wrong('"bytepair shards"', "name a folder that `bytepair shard` wrote")
        body, found, end = content.rpartition(f',\n "{_HASH}": "'.encode())
        if not found or end.partition(b'"')[0].decode("ascii", "replace") != hashlib.sha256(body).hexdigest():
            raise FormatError("its text is not the one that its own hash was made of", _DAMAGED)
        manifest = cls(Settings.of(root.get("settings")), tuple(map(Done.of, root.get("items").items())))
        for name in ("documents", "tokens", "text_bytes", "nulls"):
            if root.get(name).integer(_MOST) != getattr(manifest, name):
                raise root.get(name).wrong(f"{getattr(manifest, name)}, the sum of the shards", _DAMAGED)
        return manifest
