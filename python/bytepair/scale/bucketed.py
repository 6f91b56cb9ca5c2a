"""The counts of an item as a Parquet file, cut into buckets: a run of row groups for each.

The idea: a hash of a pretoken says in which bucket it is, so the same bucket of all items can be added up by itself, by
a process that reads no other. What a row looks like is as in any file of counts (`counts.file`); what is known of the
item stands in the metadata. An item is one file, and so it is there whole or not at all.

Cost: some passes of NumPy over the rows, and one sort by bucket; the rows once in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import IO, Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from bytepair.counts.file import WRITTEN, batches, columns_of, group_rows
from bytepair.counts.pretoken_counts import PretokenCounts
from bytepair.counts.rows import rows

__all__ = ["Facts", "bucket_of", "facts_of", "read_bucket", "write_buckets"]

_KEY = b"bytepair.item"
_WORD = 8
"""The bytes at each end of a pretoken that its hash sees; and its length."""
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
"""Odd numbers whose bits look like chance."""
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
"""What is left of a word of which so many bytes count."""
_WRITTEN = {**WRITTEN, "compression": "lz4", "use_dictionary": False, "write_statistics": False}
"""Fast to write and to read: the file does not stay, and no pretoken stands twice in it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an item that was counted."""

    sources: tuple[str, ...]
    """The names of its sources, in the order in which they appear; none if they have no names."""
    documents: int
    """How many documents it has."""
    nulls: int
    """Rows without a text that were left out."""


def bucket_of(data: bytes, offsets: NDArray[np.uint64], buckets: int) -> NDArray[np.uint16]:
    """The bucket of each row: a hash of the first and the last bytes and the length, the same on every machine.

    >>> bucket_of(b"lowlower", np.array([0, 3, 8], np.uint64), 8).tolist()
    [6, 3]
    """
    sizes = np.diff(offsets)
    starts = offsets[:-1].astype(np.intp)
    words = np.lib.stride_tricks.sliding_window_view(np.frombuffer(data + bytes(_WORD), np.uint8), _WORD)
    first = words[starts].view("<u8").reshape(-1)
    first &= _MASKS[np.minimum(sizes, np.uint64(_WORD)).astype(np.intp)]
    hashed = (first ^ sizes) * _MIX[0]
    long = np.flatnonzero(sizes > _WORD)
    hashed[long] ^= words[offsets[1:][long].astype(np.intp) - _WORD].view("<u8").reshape(-1) * _MIX[1]
    hashed ^= hashed >> np.uint64(29)
    hashed *= _MIX[1]
    return ((hashed >> np.uint64(32)).astype(np.uint32) % np.uint32(buckets)).astype(np.uint16)


def write_buckets(counts: PretokenCounts, facts: Facts, buckets: int, file: BinaryIO) -> None:
    """Writes the counts of an item."""
    data, offsets, sums = rows(counts.table)
    places = np.frombuffer(offsets, np.uint64)
    bucket = bucket_of(data, places, buckets)
    order = np.argsort(bucket, kind="stable")
    edges = np.searchsorted(bucket[order], np.arange(buckets + 1)).tolist()
    pretokens = pa.Array.from_buffers(
        pa.large_binary(), len(sums), [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    ).take(pa.array(order))
    in_order = _in_order(counts, np.frombuffer(sums, np.uint64), order)
    most = group_rows(len(facts.sources))
    groups = [0]
    for start, stop in pairwise(edges):
        groups.append(groups[-1] + -(-(stop - start) // most))
    known = json.dumps(asdict(facts) | {"groups": groups}, ensure_ascii=False)
    fields = [pa.field("pretoken", pa.large_binary(), nullable=False)]
    fields += [pa.field(name, pa.uint64(), nullable=False) for name in columns_of(facts.sources)]
    schema = pa.schema(fields, metadata={_KEY: known.encode()})
    with parquet.ParquetWriter(file, schema, **_WRITTEN) as writer:
        for first, last in pairwise(edges):
            for start in range(first, last, most):
                stop = min(start + most, last)
                arrays = [pretokens.slice(start, stop - start), *map(pa.array, in_order(start, stop))]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _in_order(
    counts: PretokenCounts, sums: NDArray[np.uint64], order: NDArray[np.intp]
) -> Callable[[int, int], list[NDArray[np.uint64]]]:
    """What gives the columns of some rows, where all stand in another order."""
    if not counts.columns:
        moved = sums[order]
        return lambda start, stop: [moved[start:stop]]
    places = np.empty(len(order), np.uint64)
    places[order] = np.arange(len(order), dtype=np.uint64)
    columns = [column.moved(places) for column in counts.columns.values()]
    return lambda start, stop: [column.dense(start, stop) for column in columns]


def facts_of(file: IO[bytes]) -> Facts | None:
    """What is known of an item whose file this is; None if it is no such file, or none that is whole."""
    try:
        known = _known(parquet.read_schema(file))
    except (pa.ArrowException, OSError, KeyError, ValueError):
        return None
    return Facts(tuple(known["sources"]), known["documents"], known["nulls"])


def read_bucket(source: Any, bucket: int) -> Iterator[tuple[bytes, NDArray[np.uint64], list[NDArray[np.uint64]]]]:  # noqa: ANN401
    """The rows of one bucket of a file that is open for pyarrow: pretokens, offsets, and a column for each source."""
    first, last = _known(source.schema_arrow)["groups"][bucket : bucket + 2]
    if first < last:
        yield from batches(source, list(range(first, last)))


def _known(schema: pa.Schema) -> dict[str, Any]:
    known: dict[str, Any] = json.loads((schema.metadata or {})[_KEY])
    return known
