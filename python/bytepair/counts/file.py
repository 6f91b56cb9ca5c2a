"""Counts of pretokens as a Parquet file, through pyarrow.

The idea: one row a distinct pretoken, in the order of first appearance; what else there is to know is JSON in the
file's metadata. A file that somebody else made has no such JSON: its pattern must then be said, and since nothing says
that its rows are in any order, `ties="first"` is refused.

Invariant: what is read is checked, the fingerprint included; equal counts give equal bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, Literal, cast

from bytepair.arguments import LEFT_OUT, LeftOut
from bytepair.counts.columns import Column
from bytepair.counts.pretoken_counts import Dropped, PretokenCounts
from bytepair.counts.rows import rows
from bytepair.counts.splitting import Splitting, checked_splitting
from bytepair.data.arrow import arrow
from bytepair.data.places import is_address
from bytepair.errors import FormatError, TrainingError
from bytepair.formats.atomic import replacing
from bytepair.formats.strict_json import Field, load, shown
from bytepair.integers import MOST_COUNT

__all__ = [
    "WRITTEN",
    "batches",
    "columns_of",
    "group_rows",
    "joined",
    "load_as_told",
    "load_counts",
    "opened",
    "require",
    "save",
    "write",
]

VERSION: Final = 3
_KEY: Final = b"bytepair"
_GROUP: Final = 1 << 18
"""The rows of a row group, at most."""
_CELLS: Final = 1 << 24
"""The rows of a row group times the columns, at most."""
WRITTEN: Final = {"compression": "zstd", "write_page_checksum": True}
_MOST_BYTES: Final = 2**31 - 1
_DAMAGED: Final = "the file is damaged, or was changed by another program"


def save(counts: PretokenCounts, path: str | os.PathLike[str]) -> None:
    """Writes the file; see `PretokenCounts.save`."""
    require()
    with replacing(path) as file:
        write(counts, file)


def write(counts: PretokenCounts, file: BinaryIO, others: Mapping[str, str] | None = None) -> None:
    """Writes the bytes of the file; `others` stand in its metadata beside what is ours."""
    pa, parquet = _pyarrow()
    metadata = {_KEY.decode(): json.dumps(_metadata(counts), ensure_ascii=False), **(others or {})}
    schema = pa.schema(
        [
            pa.field("pretoken", pa.binary(), nullable=False),
            *(pa.field(name, pa.uint64(), nullable=False) for name in columns_of(counts.sources)),
        ],
        metadata=metadata,
    )
    longest = counts.longest(1)
    if longest and longest[0][1] > _MOST_BYTES:
        raise FormatError(
            f"the longest pretoken has {longest[0][1]:,} bytes, and Parquet holds at most {_MOST_BYTES:,}",
            "use a pattern that cuts the text",
        )
    repeated = columns_of(counts.sources)  # a dictionary of pretokens, none of which stands twice, would be all of them
    with parquet.ParquetWriter(file, schema, use_dictionary=repeated, **WRITTEN) as writer:
        start = 0
        while start < len(counts):
            table, start = _group(counts, start, schema)
            writer.write_table(table)


def load_counts(
    path: str | os.PathLike[str],
    *,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: tuple[str, ...] | list[str] | LeftOut = LEFT_OUT,
) -> PretokenCounts:
    """Reads counts that `PretokenCounts.save` or `count_into` wrote, or a Parquet file of another program.

    Args:
        path: the file; or the folder, a path or an address, that `count_into` has written.
        pattern: how the text was cut; only for another program's file, which has a column `pretoken` of strings or
            bytes and a column `count`, or columns `count:NAME`, of integers. Its rows are in no known order.
        special_tokens: which special tokens were boundaries; only for another program's file. No pretoken holds one.

    >>> import tempfile, bytepair as bp
    >>> counts = bp.count_pretokens(texts=["low lower low"], pattern="gpt2")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     counts.save(f"{folder}/counts.parquet")
    ...     dict(bp.load_counts(f"{folder}/counts.parquet").items())
    {b'low': 1, b' lower': 1, b' low': 1}

    Raises:
        FormatError: a file that is damaged, or no file of counts; a pattern for a file that says its own, or none for
            one that does not; a pretoken that holds a special token; counts past 2^64 - 1.
        ImportError: pyarrow is not installed.
        OSError: the file cannot be read.
    """
    if _is_folder(path):
        if not (isinstance(pattern, LeftOut) and isinstance(special_tokens, LeftOut)):
            raise TypeError("a folder of counts says its own pattern\nhint: leave pattern= and special_tokens= out")
        from bytepair.scale.counts_folder import load_folder  # noqa: PLC0415 - most counts are one file

        return load_folder(path)
    with Path(path).open("rb") as file, opened(file, os.fspath(path)) as source:
        return read(source, pattern, special_tokens)


def load_as_told(
    path: str | os.PathLike[str], *, pattern: str | LeftOut | None, special_tokens: tuple[str, ...]
) -> PretokenCounts:
    """As `load_counts`, but what is said here holds only for another program's file: ours say their own."""
    if _is_folder(path):
        return load_counts(path)
    with Path(path).open("rb") as file, opened(file, os.fspath(path)) as source:
        is_ours = _KEY in (source.schema_arrow.metadata or {})
        return read(source) if is_ours else _read_another(source, pattern, special_tokens)


def _is_folder(path: str | os.PathLike[str]) -> bool:
    return (isinstance(path, str) and is_address(path)) or Path(path).is_dir()


@contextmanager
def opened(file: IO[bytes], name: str) -> Iterator[Any]:
    """The Parquet file that this is, for pyarrow; errors in the block name it.

    Raises:
        FormatError: it cannot be read, or what the block has to say of it.
    """
    pa, parquet = _pyarrow()
    try:
        with parquet.ParquetFile(file, page_checksum_verification=True) as source:
            try:
                yield source
            except (FormatError, TrainingError) as problem:  # of the engine: counts that do not fit 64 bits
                raise FormatError(f"`{name}`: {problem.message}", problem.hint) from None
    except (pa.ArrowException, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno is not None:  # of the system; those of pyarrow have no number
            raise
        reason = " ".join(str(problem).split())
        raise FormatError(f"`{name}`: no Parquet file that can be read ({reason})", _DAMAGED) from None


def require() -> None:
    """Raises `ImportError` if pyarrow is not installed."""
    _pyarrow()


def _pyarrow() -> tuple[Any, Any]:
    need = "a file of counts"
    return arrow(need), arrow(need, ".parquet")


def columns_of(sources: tuple[str, ...]) -> list[str]:
    """The columns of counts, in order."""
    return [f"count:{name}" for name in sources] or ["count"]


def _metadata(counts: PretokenCounts) -> dict[str, object]:
    dropped = counts.dropped
    return {
        "version": VERSION,
        "fingerprint": counts.fingerprint,
        **counts.splitting.plain(),
        "sources": list(counts.sources),
        "documents": counts.documents,
        "scale": counts.scale,
        "ordered": counts.ordered,
        "dropped": dropped.plain(),
        "digest": counts.digest,
    }


def _group(counts: PretokenCounts, start: int, schema: Any) -> tuple[Any, int]:  # noqa: ANN401 - pyarrow has no types
    """A table of the next rows, whose pretokens fit an array of 32-bit offsets, and where the next one starts."""
    import numpy as np  # noqa: PLC0415

    pa, _ = _pyarrow()
    length = group_rows(len(counts.columns))
    data, offsets, sums = rows(counts.table, start, length)
    while offsets[-1] > _MOST_BYTES:
        length //= 2
        data, offsets, sums = rows(counts.table, start, length)
    found = len(sums)
    places = np.frombuffer(offsets, np.uint64).astype(np.int32)
    pretokens = pa.Array.from_buffers(pa.binary(), found, [None, pa.py_buffer(places), pa.py_buffer(data)])
    dense = [column.dense(start, start + found) for column in counts.columns.values()]
    columns = dense or [np.frombuffer(sums, np.uint64)]
    return pa.Table.from_arrays([pretokens, *map(pa.array, columns)], schema=schema), start + found


def group_rows(sources: int) -> int:
    """The rows of a group: all its cells, a source's each, are in memory at one time."""
    return max(1, min(_GROUP, _CELLS // max(sources, 1)))


def read(
    source: Any,  # noqa: ANN401 - pyarrow has no types
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: object = LEFT_OUT,
) -> PretokenCounts:
    """What a file has that is open for pyarrow; see `load_counts`."""
    metadata = (source.schema_arrow.metadata or {}).get(_KEY)
    if metadata is None:
        return _read_another(source, pattern, special_tokens)
    for argument, given in (("pattern", pattern), ("special_tokens", special_tokens)):
        if not isinstance(given, LeftOut):
            raise FormatError(f"{argument} is given, but the file says its own", "leave it out")
    root = load(metadata)
    version = root.get("version").value
    if version != VERSION:
        raise FormatError(f"its counts are of version {shown(version)}", f"this bytepair reads version {VERSION}")
    splitting = _splitting(root)
    if root.get("fingerprint").string() != splitting.fingerprint:
        raise FormatError("its fingerprint is not that of its pattern and settings", _DAMAGED)
    scale = root.get("scale").integer(MOST_COUNT)
    if scale == 0:
        raise root.get("scale").wrong("an integer from 1")
    counts = _rows(
        source,
        splitting,
        _sources(root, source.schema_arrow.names),
        documents=root.get("documents").integer(MOST_COUNT),
        scale=scale,
        ordered=root.get("ordered").boolean(default=False),
        dropped=read_dropped(root.get("dropped")),
    )
    if root.get("digest").string() != counts.digest:
        raise FormatError("its digest is not that of its counts", _DAMAGED)
    return counts


def _read_another(source: Any, pattern: str | LeftOut | None, special_tokens: object) -> PretokenCounts:  # noqa: ANN401
    """Another program's file."""
    if isinstance(pattern, LeftOut):
        raise FormatError("nothing in it says which pattern cut the text", 'say it: pattern="o200k", or another one')
    specials = () if isinstance(special_tokens, LeftOut) else special_tokens
    splitting = checked_splitting(pattern, cast("tuple[str, ...]", specials))
    return _rows(source, splitting, _found(source.schema_arrow.names), ordered=False)


def _sources(root: Field, columns: list[str]) -> list[str]:
    """The names of the sources, which the columns have too."""
    names = [item.string() for item in root.get("sources").items()]
    if len(set(names)) != len(names):
        raise FormatError("two of its sources have one name", _DAMAGED)
    found = _found(columns)
    if found != names:
        raise FormatError(f"its columns are those of the sources {found}, and not of {names}", _DAMAGED)
    return names


def _splitting(root: Field) -> Splitting:
    """How the text was cut, checked as if a person had said it."""
    pattern, mark = root.get("pattern"), root.get("end_of_word")
    splitting = checked_splitting(
        None if pattern.value is None else pattern.string(),
        [item.string() for item in root.get("special_tokens").items()],
        cast(Literal["bytes", "characters"], root.get("alphabet").one_of("bytes", "characters")),
        None if mark.value is None else mark.string(),
        root.get("end_of_word_joined").boolean(default=False),
    )
    known = {field.name: getattr(splitting, field.name) for field in fields(splitting)}
    return Splitting(**known | {"unicode": root.get("unicode").string()})


def read_dropped(field: Field) -> Dropped:
    """What was dropped, as `Dropped.plain` writes it."""
    occurrences, pair = (_fraction(field.get(name)) for name in ("occurrences", "pair"))
    return Dropped(field.get("distinct").integer(MOST_COUNT), occurrences, pair)


def _fraction(field: Field) -> Fraction:
    try:
        return Fraction(field.string())
    except (ValueError, ZeroDivisionError):
        raise field.wrong("a fraction") from None


def _found(columns: list[str]) -> list[str]:
    """The sources that the columns are of."""
    names = [name.removeprefix("count:") for name in columns if name.startswith("count:")]
    if columns not in (["pretoken", "count"], ["pretoken", *columns_of(tuple(names))]):
        raise FormatError(
            f"its columns are {', '.join(columns[:10]) or 'none'}",
            "a file of counts has `pretoken`, then `count` or one `count:NAME` for each source",
        )
    return names


def _rows(source: Any, splitting: Splitting, sources: list[str], documents: int = 0, **others: Any) -> PretokenCounts:  # noqa: ANN401
    import numpy as np  # noqa: PLC0415

    table, found = splitting.table(), 0
    parts: list[list[Column]] = [[] for _ in sources]
    for data, offsets, counts in batches(source):
        sums = np.zeros(len(offsets) - 1, np.uint64)
        for at, column in enumerate(counts):
            if (column > MOST_COUNT - sums).any():
                raise FormatError("the counts of one pretoken pass 2^64 - 1", "divide all counts by a common factor")
            sums += column
            if sources:
                parts[at].append(Column.of(np.arange(found, found + len(column)), column))
        if sources and not sums.all():
            raise FormatError("a pretoken is counted in no source", "leave out the rows whose counts are all 0")
        _check_boundaries(splitting.special_tokens, data, offsets)
        table.add_many(data, offsets, sums)
        found += int(np.count_nonzero(sums))
    if table.distinct != found:
        raise FormatError(f"{found - table.distinct:,} rows repeat the pretoken of another one", "add them up first")
    columns = {name: joined(those) for name, those in zip(sources, parts, strict=True)}
    return PretokenCounts(splitting=splitting, documents=documents, table=table, columns=columns, **others)


def joined(parts: list[Column]) -> Column:
    """Parts of a column, one after the other."""
    import numpy as np  # noqa: PLC0415

    return Column(
        np.concatenate([np.zeros(0, np.uint32), *(part.rows for part in parts)]),
        np.concatenate([np.zeros(0, np.uint64), *(part.counts for part in parts)]),
    )


def _check_boundaries(special_tokens: tuple[str, ...], data: bytes, offsets: Any) -> None:  # noqa: ANN401
    """That no pretoken holds a special token; whole batches are looked through, which costs next to nothing."""
    for special in special_tokens:
        content = special.encode()
        if content not in data:
            continue
        for start, end in pairwise(offsets.tolist()):
            if content in data[start:end]:
                raise FormatError(
                    f"a pretoken holds the special token {special!r}, so it was no boundary: {data[start:end][:40]!r}",
                    "leave it out of special_tokens, or count the text again with it",
                )


def batches(source: Any, groups: list[int] | None = None) -> Iterator[tuple[bytes, Any, list[Any]]]:  # noqa: ANN401
    """Pretokens as bytes and uint64 offsets, and the columns of counts as uint64; of all row groups, or of some."""
    pa, _ = _pyarrow()
    import numpy as np  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    first = 0
    for batch in source.iter_batches(batch_size=group_rows(len(source.schema_arrow.names)), row_groups=groups):
        pretokens, *counts = batch.columns
        if not _is_text(pa, pretokens.type):
            raise FormatError(f"its pretokens are of type {pretokens.type}", "they are strings or bytes")
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if column.null_count:
                row = first + pc.index(pc.is_null(column), True).as_py()
                raise FormatError(f"`{name}` is null in row {row}", "every pretoken has a count, and every count one")
        pretokens = pretokens.cast(pa.large_binary())
        _, places, data = pretokens.buffers()
        offsets = np.frombuffer(places, np.int64)[pretokens.offset : pretokens.offset + len(pretokens) + 1]
        content = memoryview(data)[offsets[0] : offsets[-1]] if data is not None else b""
        yield bytes(content), (offsets - offsets[0]).astype(np.uint64), [_counts(pa, column) for column in counts]
        first += len(batch)


def _is_text(pa: Any, kind: Any) -> bool:  # noqa: ANN401
    types = pa.types
    return bool(
        types.is_binary(kind) or types.is_large_binary(kind) or types.is_string(kind) or types.is_large_string(kind)
    )


def _counts(pa: Any, column: Any) -> Any:  # noqa: ANN401
    if not pa.types.is_integer(column.type):
        raise FormatError(f"its counts are of type {column.type}", "they are integers")
    try:
        return column.cast(pa.uint64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        raise FormatError("a count is below 0", "counts are integers from 0") from None
