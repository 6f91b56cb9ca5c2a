"""`PretokenCounts`: how often each pretoken of a corpus occurs, per source, to keep, add up, weigh and train on.

The idea: a table of rows, one a distinct pretoken, in the order of their first appearance (sources in their order), and
a column of counts for each source. The engine's table holds the rows and their sums; the columns are arrays beside it,
and there are none where the corpus has one source without a name. Weights are fractions, so the counts are integers
over one common denominator, `scale`: nothing is ever rounded.

Invariant: a row's sum is the engine's count; no row is all zeros. Nothing changes a `PretokenCounts`: every operation
gives a new one. Cost: linear in the rows, a hash of each.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bytepair import _core
from bytepair.counts.rows import pieces, rows
from bytepair.counts.splitting import Splitting
from bytepair.counts.weights import Weight, checked_scale, common, exact, for_sources, too_large
from bytepair.errors import TrainingError
from bytepair.integers import MOST_COUNT, checked_integer

if TYPE_CHECKING:
    from bytepair.counts.columns import Column

__all__ = ["Dropped", "PretokenCounts", "together"]


@dataclass(frozen=True, slots=True)
class Dropped:
    """What pruning has dropped, in all."""

    distinct: int = 0
    """Different pretokens."""
    occurrences: Fraction = Fraction(0)
    """How often they occurred together, weighted as the counts were."""
    pair: Fraction = Fraction(0)
    """At how many positions in them any pair of tokens can stand, at most, weighted as the counts are. So much may its
    count lack, and a merge is as it would be without pruning if no other pair is as near as that; see
    `TrainingRecord.doubtful`.
    """

    def plain(self) -> dict[str, object]:
        """It as JSON has it."""
        return {"distinct": self.distinct, "occurrences": str(self.occurrences), "pair": str(self.pair)}

    def plus(self, other: Dropped) -> Dropped:
        """What both have dropped together."""
        return Dropped(self.distinct + other.distinct, self.occurrences + other.occurrences, self.pair + other.pair)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PretokenCounts:
    """How often each pretoken of a corpus occurs; made by `count_pretokens` and `load_counts`.

    >>> import bytepair as bp
    >>> counts = bp.count_pretokens(texts={"en": ["low lower low"], "de": ["low"]}, pattern="gpt2")
    >>> counts
    <PretokenCounts 3 distinct, 4 in all, pattern "gpt2", sources "en", "de">
    >>> list(counts.items()), list(counts.items("de"))
    ([(b'low', 2), (b' lower', 1), (b' low', 1)], [(b'low', 1)])
    """

    splitting: Splitting
    """How text became pretokens."""
    documents: int
    """How many documents were counted."""
    scale: int = 1
    """What weights have made of 1: a pretoken that occurs once counts this much where its source weighs 1."""
    ordered: bool = True
    """Whether the rows are in the order of first appearance, which `ties="first"` needs."""
    dropped: Dropped = Dropped()
    """What `prune` has dropped so far."""
    table: _core.Counts
    """The engine's table, for this package's own use."""
    columns: Mapping[str, Column]
    """The counts of each source, row by row, for this package's own use."""

    def __repr__(self) -> str:
        from bytepair.patterns import preset_of  # noqa: PLC0415

        preset = preset_of(self.pattern)
        pattern = "no pattern" if self.pattern is None else f'pattern "{preset}"' if preset else "a pattern of its own"
        names = ", ".join(f'"{name}"' for name in self.sources)
        sources = f", sources {names}" if names else ""
        return f"<PretokenCounts {len(self)} distinct, {self.total} in all, {pattern}{sources}>"

    def __eq__(self, other: object) -> bool:
        """Whether all is equal: rows and their order, counts, sources, settings. Linear in the rows."""
        if not isinstance(other, PretokenCounts):
            return NotImplemented
        return (len(self), self.total) == (len(other), other.total) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash((len(self), self.total, self.fingerprint))

    def __reduce__(self) -> tuple[object, ...]:
        data, offsets, counts = rows(self.table)
        state = (self.splitting, self.documents, self.scale, self.ordered, self.dropped)
        return _unpickle, (*state, data, bytes(offsets), bytes(counts), dict(self.columns))

    def __len__(self) -> int:
        """How many different pretokens there are."""
        return self.table.distinct

    @property
    def pattern(self) -> str | None:
        """The regular expression that cut the text; None if it was not cut, or at white space with characters."""
        return self.splitting.pattern

    @property
    def fingerprint(self) -> str:
        """The SHA-256, in hex, of all that the pretokens of a text depend on: pattern, Unicode, specials, alphabet."""
        return self.splitting.fingerprint

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The special tokens, which were boundaries."""
        return self.splitting.special_tokens

    @property
    def digest(self) -> str:
        """The SHA-256, in hex, of all that there is here: equal for equal counts. It takes a second a gigabyte."""
        head = (self.fingerprint, self.special_tokens, self.documents, self.scale, self.ordered, self.dropped)
        digest = hashlib.sha256(repr((*head, self.sources, len(self))).encode())
        for data, offsets, counts in pieces(self.table):
            for part in (offsets, counts, data):
                digest.update(part)
        for column in self.columns.values():
            digest.update(b"%d " % len(column.rows))
            digest.update(column.rows.data)
            digest.update(column.counts.data)
        return digest.hexdigest()

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources, in their order; none if the corpus was one without a name."""
        return tuple(self.columns)

    @property
    def total(self) -> int:
        """All pretokens, repeated ones repeatedly, times `scale`."""
        return self.table.total

    @property
    def total_bytes(self) -> int:
        """Bytes of all pretokens, repeated ones repeatedly, times `scale`."""
        return self.table.total_bytes

    def items(self, source: str | None = None) -> Iterator[tuple[bytes, int]]:
        """The pretokens with their counts (times `scale`), in the order of first appearance.

        Args:
            source: only what occurs in this one; its counts.

        Raises:
            TrainingError: there is no source of this name.
        """
        if source is not None and source not in self.columns:
            raise self._no_source(source)
        column = None if source is None else self.columns[source]
        start = 0
        for data, offsets, counts in pieces(self.table):
            shown = counts if column is None else column.dense(start, start + len(counts)).tolist()
            for index, count in enumerate(shown):
                if count:
                    yield data[offsets[index] : offsets[index + 1]], count
            start += len(counts)

    def longest(self, n: int = 1) -> list[tuple[bytes, int, int]]:
        """The n longest pretokens, the longest first: of each the first 200 bytes, its length in bytes, its count.

        >>> import bytepair as bp
        >>> bp.count_pretokens(texts=["low lower lowest"], pattern="gpt2").longest(2)
        [(b' lowest', 7, 1), (b' lower', 6, 1)]
        """
        return self.table.longest(checked_integer("n", n, 0))

    def merge(self, other: PretokenCounts) -> PretokenCounts:
        """The counts of both together. What is new in `other` comes after what is here; equal sources are added up.

        >>> import bytepair as bp
        >>> one, two = (bp.count_pretokens(texts=[text], pattern="gpt2") for text in ("low lower", "low newest"))
        >>> dict(one.merge(two).items())
        {b'low': 2, b' lower': 1, b' newest': 1}

        Raises:
            TrainingError: other patterns, special tokens or alphabets, or another version of Unicode; one of the two
                has named sources and the other none; counts, or a `scale`, past 2^64 - 1.
            TypeError: `other` is no PretokenCounts.
        """
        if not isinstance(other, PretokenCounts):
            raise TypeError(f"other is of type `{type(other).__name__}`\nhint: only PretokenCounts can be merged")
        different = self.splitting.differences(other.splitting)
        if different:
            raise TrainingError(
                f"these counts cannot be merged: {'; '.join(different)}", "count both with the same settings"
            )
        if bool(self.columns) != bool(other.columns) and len(other if self.columns else self):
            raise TrainingError(
                "these counts cannot be merged: one has named sources, the other has none",
                'name the sources of both: texts={"en": texts}, or files={"en": files}',
            )
        scale = checked_scale(math.lcm(self.scale, other.scale))
        left, right = self._times(scale // self.scale), other._times(scale // other.scale)
        table = left.table.copy()
        table.merge(right.table)
        columns: dict[str, Column] = {}
        if left.columns or right.columns:
            from bytepair.counts.columns import added  # noqa: PLC0415 - NumPy is loaded when it is needed

            columns = added(table, left.columns, right.columns, right.table)
        return PretokenCounts(
            splitting=self.splitting,
            documents=self.documents + other.documents,
            scale=scale,
            ordered=self.ordered and other.ordered,
            dropped=self.dropped.plus(other.dropped),
            table=table,
            columns=columns,
        )

    def weigh(self, weight: Weight | Mapping[str, Weight]) -> PretokenCounts:
        """Counts multiplied by a weight, or each source's counts by its own; exactly, whatever the weights.

        Args:
            weight: a number, or a mapping of sources to numbers; the sources that it leaves out weigh 1. A float means
                the decimal that it is written as, so 0.1 is a tenth.

        >>> import bytepair as bp
        >>> counts = bp.count_pretokens(texts={"en": ["low low"], "de": ["low"]}, pattern="gpt2")
        >>> weighed = counts.weigh({"en": 0.3})
        >>> dict(weighed.items()), weighed.scale
        ({b'low': 13, b' low': 3}, 10)

        Raises:
            TrainingError: a weight below 0, sources that do not exist, nothing that weighs anything, counts past
                2^64 - 1, or a `scale` past it.
            TypeError: what is no weight.
        """
        if isinstance(weight, Mapping):
            weights = for_sources(weight, self.sources)
        else:
            weights = [exact("the weight", weight)] * max(1, len(self.columns))
            if not any(weights):
                raise TrainingError("the weight is 0", "give one above 0")
        factors, scale = common(weights)
        dropped = replace(self.dropped, pair=self.dropped.pair * max(weights))
        shared = math.gcd(self.scale * scale, *factors)
        factors = [factor // shared for factor in factors]
        scale = checked_scale(self.scale * scale // shared)
        if not self.columns:
            return self._changed(scale, self._scaled(factors[0]), {}, dropped)
        columns = {
            name: column.times(factor) for (name, column), factor in zip(self.columns.items(), factors, strict=True)
        }
        return self._of_columns(scale, columns, dropped)

    def prune(self, below: int) -> PretokenCounts:
        """Without the pretokens that occur less than `below` times in all sources together; `dropped` says how many.

        >>> import bytepair as bp
        >>> counts = bp.count_pretokens(texts=["low lower low lower low"], pattern="gpt2").prune(2)
        >>> dict(counts.items()), counts.dropped.distinct, int(counts.dropped.occurrences)
        ({b' lower': 2, b' low': 2}, 1, 1)

        Raises:
            ValueError: below is below 0.
        """
        least = min(checked_integer("below", below, 0) * self.scale, MOST_COUNT)
        columns: dict[str, Column] = {}
        if self.columns:
            from bytepair.counts.columns import all_counts  # noqa: PLC0415

            kept = all_counts(self.table) >= least
            columns = {name: column.kept(kept) for name, column in self.columns.items()}
        table, distinct, occurrences, pair = self.table.pruned(least)
        dropped = Dropped(distinct, Fraction(occurrences, self.scale), Fraction(pair, self.scale))
        return self._changed(self.scale, table, columns, self.dropped.plus(dropped))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a Parquet file, whole or not at all; `load_counts` reads it.

        Its columns are `pretoken` (binary) and `count`, or `count:NAME` for each named source (uint64). Everything else
        stands in the metadata, as JSON under `bytepair`. Equal counts give equal bytes.

        Args:
            path: where to write it; the directory exists.

        Raises:
            ImportError: pyarrow is not installed.
            OSError: the file cannot be written; an older one of that name is as it was.
        """
        from bytepair.counts.file import save  # noqa: PLC0415 - pyarrow is loaded when it is needed

        save(self, path)

    def _no_source(self, name: str) -> TrainingError:
        known = ", ".join(self.sources) or "no names"
        return TrainingError(f"no source is called {name!r}", f"the sources are {known}")

    def _scaled(self, factor: int) -> _core.Counts:
        if factor > MOST_COUNT:
            raise too_large(factor)
        table = self.table.copy()
        table.scale(factor)
        return table

    def _times(self, factor: int) -> PretokenCounts:
        """All counts multiplied."""
        if factor == 1:
            return self
        columns = {name: column.times(factor) for name, column in self.columns.items()}
        return self._changed(self.scale * factor, self._scaled(factor), columns)

    def _of_columns(self, scale: int, columns: Mapping[str, Column], dropped: Dropped) -> PretokenCounts:
        """The same rows with other counts; rows that have none any more are left out."""
        from bytepair.counts.columns import summed  # noqa: PLC0415

        if sum(int(column.counts.max(initial=0)) for column in columns.values()) > MOST_COUNT:
            raise too_large(scale)
        counts = summed(columns, len(self))
        table, start = self.table.empty(), 0
        for data, offsets, old in pieces(self.table):
            table.add_many(data, offsets, counts[start : start + len(old)])
            start += len(old)
        left = {name: column.kept(counts != 0) for name, column in columns.items()}
        return self._changed(scale, table, left, dropped)

    def _changed(
        self, scale: int, table: _core.Counts, columns: Mapping[str, Column], dropped: Dropped | None = None
    ) -> PretokenCounts:
        return PretokenCounts(
            splitting=self.splitting,
            documents=self.documents,
            scale=scale,
            ordered=self.ordered,
            dropped=dropped or self.dropped,
            table=table,
            columns=columns,
        )


def _unpickle(
    *state: Any,  # noqa: ANN401 - what `__reduce__` gives
) -> PretokenCounts:
    splitting, documents, scale, ordered, dropped, data, offsets, counts, columns = state
    table = splitting.table()
    table.add_many(data, memoryview(offsets).cast("Q"), memoryview(counts).cast("Q"))
    return PretokenCounts(
        splitting=splitting,
        documents=documents,
        scale=scale,
        ordered=ordered,
        dropped=dropped,
        table=table,
        columns=columns,
    )


def together(splitting: Splitting, documents: int, tables: dict[str | None, _core.Counts]) -> PretokenCounts:
    """The counts of a corpus from the table of each source, which are used up; None is a corpus without names.

    The idea: tables are added to the first one in turn, and then it is seen where their rows stand in it.
    """
    first = next(iter(tables), None)
    whole = tables.pop(first, None) or splitting.table()
    if first is None:
        return PretokenCounts(splitting=splitting, documents=documents, table=whole, columns={})
    from bytepair.counts.columns import of_table  # noqa: PLC0415

    columns = {first: of_table(whole, whole)}
    while tables:
        name = next(iter(tables))
        table = tables.pop(name)
        whole.merge(table)
        columns[str(name)] = of_table(whole, table)
    return PretokenCounts(splitting=splitting, documents=documents, table=whole, columns=columns)
