"""The two stages of counting a corpus, as functions that an engine maps over items.

Stage one counts an item into a file of its own (`bucketed`). Stage two adds up one bucket over all these files, and
writes a file of counts as any other (`counts.file`). What is there already is not done again: the name of an item's
file is the fingerprint of the item and the settings, and a bucket says which items it was made of.

Invariant: rows stand in the order in which the items, in theirs, first have them, and sources in the order of the
driver. So the bytes of a bucket depend on the items alone.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from zipfile import BadZipFile

import numpy as np

from bytepair import _core
from bytepair.counts.count import add_batch
from bytepair.counts.file import opened, write
from bytepair.counts.pretoken_counts import PretokenCounts, together
from bytepair.counts.splitting import Splitting
from bytepair.data.batches import Batch
from bytepair.data.options import Options
from bytepair.data.sampling import Keys, Taken, keys_of, taken
from bytepair.data.sources import check_number
from bytepair.errors import FormatError
from bytepair.scale.bucketed import Facts, facts_of, read_bucket, write_buckets
from bytepair.scale.counts_folder import PLAN, plan_of
from bytepair.scale.folder import Folder
from bytepair.scale.items import Item, naming

__all__ = ["ITEMS", "AddUp", "Bucket", "BucketFacts", "Chosen", "Count", "Counted", "FindKeys"]

ITEMS = "items"
"""The folder in the folder of counts that has the items' files, until all is done."""
_FACTS = "bytepair.facts"


@dataclass(frozen=True, slots=True)
class Counted:
    """What stage one gives."""

    facts: Facts
    is_new: bool
    """Whether it was counted now, and not found."""


@dataclass(frozen=True)
class FindKeys:
    """Before stage one, where a sample is taken: what each item has to offer for it."""

    folder: Folder
    settings: str
    options: Options

    def __call__(self, item: Item) -> Keys:
        """Looks through an item, if that was not done before."""
        place = f"{ITEMS}/{item.fingerprint(self.settings)}.keys"
        with suppress(FileNotFoundError, ValueError, KeyError, TypeError, BadZipFile):  # not there, or not whole
            return _keys(self.folder.read(place))
        assert self.options.sample is not None  # noqa: S101 - or there would be nothing to do
        keys = keys_of(item.batches(self.options), self.options.sample, self.options.seed)
        with self.folder.write(place) as file:
            known = json.dumps([keys.limit, keys.seen, keys.larger, keys.first]).encode()
            large = np.array(keys.large, np.uint64).reshape(-1, 2)
            np.savez(file, kept=keys.kept, large=large, known=np.frombuffer(known, np.uint8))
        return keys


def _keys(content: bytes) -> Keys:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        limit, seen, larger, first = json.loads(file["known"].tobytes())
        large = tuple((hashed, length) for hashed, length in file["large"].tolist())
        return Keys(
            kept=file["kept"],
            limit=None if limit is None else (limit[0], limit[1]),
            large=large,
            seen=seen,
            larger=larger,
            first=None if first is None else (first[0], first[1]),
        )


@dataclass(frozen=True, slots=True)
class Chosen:
    """An item, and what a sample takes of it."""

    item: Item
    taken: Taken | None = None
    """None for all of it."""
    large: tuple[tuple[int, int], ...] = ()
    """As of `Keys`."""

    @property
    def name(self) -> str:
        """What it is called in an error."""
        return self.item.name

    def fingerprint(self, settings: str) -> str:
        """What tells if it was done before."""
        return self.item.fingerprint(f"{settings} {self.taken}")

    def batches(self, options: Options) -> Iterator[Batch]:
        """What is taken of it."""
        batches = self.item.batches(options)
        return batches if self.taken is None else taken(batches, replace(self.taken), self.large, options.seed)


@dataclass(frozen=True)
class Count:
    """Stage one."""

    folder: Folder
    settings: str
    """All that a file depends on beside its item."""
    splitting: Splitting
    options: Options
    buckets: int
    threads: int

    def place(self, item: Chosen) -> str:
        """The name of an item's file."""
        return f"{ITEMS}/{item.fingerprint(self.settings)}.parquet"

    def __call__(self, item: Chosen) -> Counted:
        """Counts an item, if it was not counted before."""
        place = self.place(item)
        try:
            with self.folder.open(place) as file:
                facts = facts_of(file)
            if facts is not None:
                return Counted(facts, is_new=False)
        except FileNotFoundError:
            pass
        tables: dict[str | None, _core.Counts] = {}
        nulls = 0
        for batch in item.batches(self.options):
            table = tables.get(batch.source)
            if table is None:
                table = tables.setdefault(batch.source, self.splitting.table())
                check_number(set(tables), batch.source)
            with naming(item.name):
                add_batch(table, batch, self.threads)
            nulls += batch.nulls
            del batch  # or two would be held while the next one is collected
        documents = sum(table.documents for table in tables.values())
        facts = Facts(tuple(name for name in tables if name is not None), documents, nulls)
        counts = together(self.splitting, documents, tables)
        with self.folder.write(place) as file:
            write_buckets(counts, facts, self.buckets, file)
        return Counted(facts, is_new=True)


@dataclass(frozen=True, slots=True)
class Bucket:
    """An item of stage two."""

    number: int
    name: str
    """Of its file."""


@dataclass(frozen=True, slots=True)
class BucketFacts:
    """What is known of a bucket that was added up."""

    distinct: int
    """Different pretokens."""
    pretokens: int
    """All of them, repeated ones repeatedly."""
    bytes: int
    """Their bytes."""
    dropped_distinct: int
    dropped_pretokens: int
    dropped_pair: int
    """These three as in `Dropped`."""
    longest_bytes: int
    """The bytes of the longest pretoken."""
    longest_begins: str
    """Its beginning, as hexadecimal digits."""


@dataclass(frozen=True)
class AddUp:
    """Stage two."""

    folder: Folder
    plan: str
    """Which items, and all that a bucket depends on beside them."""
    splitting: Splitting
    places: tuple[str, ...]
    """The items' files, in the order of the items."""
    sources: tuple[str, ...]
    documents: int
    """Of all items; the first bucket says so."""
    prune: int | None

    def __call__(self, bucket: Bucket) -> BucketFacts:
        """Adds up a bucket, if that was not done before."""
        facts = self._found(bucket)
        if facts is not None:
            return facts
        documents = 0 if bucket.number else self.documents
        counts = together(self.splitting, documents, self._tables(bucket.number))
        counts = replace(counts, ordered=False)
        if self.prune is not None:
            counts = counts.prune(self.prune)
        facts = _facts(counts)
        with self.folder.write(bucket.name) as file:
            write(counts, file, {PLAN: self.plan, _FACTS: json.dumps(asdict(facts))})
        return facts

    def _tables(self, bucket: int) -> dict[str | None, _core.Counts]:
        """The table of each source."""
        names: tuple[str | None, ...] = self.sources or (None,)
        tables = {name: self.splitting.table() for name in names}
        for place in self.places:
            try:
                self._add(bucket, place, tables)
            except FormatError as problem:
                hint = f"delete `{self.folder.shown(place)}`, and run the same again"
                raise FormatError(problem.message, hint) from None
        return tables

    def _add(self, bucket: int, place: str, tables: dict[str | None, _core.Counts]) -> None:
        """Adds a bucket of an item."""
        with self.folder.open(place) as file, opened(file, self.folder.shown(place)) as source:
            known = [name.removeprefix("count:") for name in source.schema_arrow.names[1:]]
            of = known if self.sources else [None]
            for data, offsets, columns in read_bucket(source, bucket):
                for name, column in zip(of, columns, strict=True):
                    tables[name].add_many(data, offsets, column)

    def _found(self, bucket: Bucket) -> BucketFacts | None:
        try:
            with self.folder.open(bucket.name) as file, opened(file, bucket.name) as source:
                if plan_of(source) != self.plan:
                    return None
                return BucketFacts(**json.loads(source.schema_arrow.metadata[_FACTS.encode()]))
        except (FileNotFoundError, FormatError, KeyError, TypeError, ValueError):  # another one, or none that is whole
            return None


def _facts(counts: PretokenCounts) -> BucketFacts:
    longest = counts.longest(1)
    return BucketFacts(
        distinct=len(counts),
        pretokens=counts.total,
        bytes=counts.total_bytes,
        dropped_distinct=counts.dropped.distinct,
        dropped_pretokens=int(counts.dropped.occurrences),
        dropped_pair=int(counts.dropped.pair),
        longest_bytes=longest[0][1] if longest else 0,
        longest_begins=longest[0][0].hex() if longest else "",
    )
