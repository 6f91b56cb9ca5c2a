"""The folder of counts that is done: its table of contents, and all of it as one `PretokenCounts`.

    counts.json                    what is counted, and which buckets there are; written last
    counts-0000-of-0008.parquet    a bucket: a file of counts as any other, whose rows stand in no other bucket
    settings.json, items/          of work under way; see `counting`

The idea: who trains on counts holds them all, so they are read into one table, bucket after bucket. Their rows stand in
no order of appearance, which the file says.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bytepair.counts.columns import Column
from bytepair.counts.file import joined, opened, read, read_dropped
from bytepair.counts.pretoken_counts import Dropped, PretokenCounts
from bytepair.errors import FormatError
from bytepair.formats.strict_json import Field, load
from bytepair.integers import MOST_COUNT
from bytepair.scale.folder import Folder, folder_at

__all__ = [
    "CONTENTS",
    "PLAN",
    "SETTINGS",
    "CountsFolder",
    "bucket_name",
    "load_folder",
    "plan_of",
    "read_contents",
    "write_contents",
]

CONTENTS, SETTINGS = "counts.json", "settings.json"
PLAN = "bytepair.plan"
"""What is said of the plan in the metadata of a bucket."""
_VERSION = 1
_DAMAGED = "count again, into another folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsFolder:
    """What `count_into` has written; `load_counts` reads it."""

    path: str
    """Where it is, without keys."""
    sources: tuple[str, ...]
    """The names of the sources, in their order; none if the corpus was one without a name."""
    documents: int
    """How many documents were counted."""
    distinct: int
    """How many different pretokens there are."""
    total: int
    """All pretokens, repeated ones repeatedly."""
    total_bytes: int
    """Bytes of all pretokens, repeated ones repeatedly."""
    dropped: Dropped
    """What was pruned."""
    buckets: int
    """How many files the counts are in."""
    plan: str
    """The fingerprint of all that they depend on: the settings, and of each file place, size and time of change."""
    items: int
    """Into how many items the corpus was cut."""
    counted: int = 0
    """How many of them this call has counted; the others were counted before."""


def bucket_name(number: int, buckets: int) -> str:
    """The file of a bucket.

    >>> bucket_name(3, 8)
    'counts-0003-of-0008.parquet'
    """
    return f"counts-{number:04}-of-{buckets:04}.parquet"


def write_contents(folder: Folder, done: CountsFolder) -> None:
    """Writes the table of contents."""
    content = {
        "version": _VERSION,
        "plan": done.plan,
        "buckets": done.buckets,
        "items": done.items,
        "sources": list(done.sources),
        "documents": done.documents,
        "distinct": done.distinct,
        "pretokens": done.total,
        "bytes": done.total_bytes,
        "dropped": done.dropped.plain(),
    }
    with folder.write(CONTENTS) as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace"))


def read_contents(folder: Folder) -> CountsFolder | None:
    """The table of contents; None where there is none.

    Raises:
        FormatError: it is damaged.
    """
    try:
        content = folder.read(CONTENTS)
    except FileNotFoundError:
        return None
    try:
        return _contents(load(content), folder)
    except (FormatError, ValueError) as problem:
        why = problem.message if isinstance(problem, FormatError) else str(problem)
        raise FormatError(f"`{folder.shown(CONTENTS)}`: {why}", _DAMAGED) from None


def _contents(root: Field, folder: Folder) -> CountsFolder:
    version = root.get("version").integer(MOST_COUNT)
    if version != _VERSION:
        raise FormatError(f"its version is {version}", f"this bytepair reads version {_VERSION}")
    numbers = {
        key: root.get(name).integer(2**80)
        for key, name in {
            "buckets": "buckets",
            "items": "items",
            "documents": "documents",
            "distinct": "distinct",
            "total": "pretokens",
            "total_bytes": "bytes",
        }.items()
    }
    return CountsFolder(
        path=folder.shown(""),
        sources=tuple(item.string() for item in root.get("sources").items()),
        dropped=read_dropped(root.get("dropped")),
        plan=root.get("plan").string(),
        **numbers,
    )


def load_folder(place: str | os.PathLike[str]) -> PretokenCounts:
    """All counts of a folder.

    Raises:
        FormatError: it is no folder of counts, or one whose counting is not done; a bucket is missing or damaged.
        OSError: it cannot be read.
    """
    folder = folder_at(place)
    contents = read_contents(folder)
    if contents is None:
        where = folder.shown("")
        if SETTINGS in folder.names():
            raise FormatError(f"the counting in `{where}` is not done", "give the same command again: it goes on")
        raise FormatError(
            f"`{where}` is no folder of counts: it has no `{CONTENTS}`",
            "name one that `count_into` or `bytepair pretokens` wrote",
        )
    first, columns = _bucket(folder, contents, 0), dict[str, list[Column]]()
    table = first.table
    for number in range(contents.buckets):
        counts = first if number == 0 else _bucket(folder, contents, number)
        before = table.distinct if number else 0
        for name, column in counts.columns.items():
            columns.setdefault(name, []).append(Column(column.rows + np.uint32(before), column.counts))
        if number:
            table.merge(counts.table)
            if table.distinct != before + counts.table.distinct:
                raise FormatError(
                    f"`{folder.shown(bucket_name(number, contents.buckets))}` is of other counts", _DAMAGED
                )
    return replace(
        first,
        documents=contents.documents,
        columns={name: joined(those) for name, those in columns.items()},
        dropped=contents.dropped,
    )


def _bucket(folder: Folder, contents: CountsFolder, number: int) -> PretokenCounts:
    name = bucket_name(number, contents.buckets)
    shown = folder.shown(name)
    try:
        with folder.open(name) as file, opened(file, shown) as source:
            if plan_of(source) != contents.plan:
                raise FormatError("it is of other counts than the others", _DAMAGED)
            return read(source)
    except FileNotFoundError:
        raise FormatError(f"`{shown}` is missing", "count the same again: what is missing is made") from None


def plan_of(source: Any) -> str | None:  # noqa: ANN401 - pyarrow has no types
    """The plan that a bucket was made for, which is open for pyarrow."""
    plan = (source.schema_arrow.metadata or {}).get(PLAN.encode())
    return None if plan is None else str(plan.decode("utf-8", "replace"))
