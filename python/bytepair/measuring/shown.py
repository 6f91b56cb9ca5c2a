"""What every report can do: be printed, drawn in a notebook, and turned into plain data, Arrow or pandas.

A report says what it holds as rows (dictionaries of numbers and text) and what is drawn as blocks (`render`); all else
follows from these two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bytepair.data.arrow import arrow, imported
from bytepair.render.columns import columns
from bytepair.render.notebook import notebook
from bytepair.render.spans import Block, Line, Span, Table, heading, line

__all__ = ["Row", "Several", "Shown", "number", "plain_value", "share", "table"]

LARGE = 1e15
"""From here on a number that is no integer is written with a power of ten."""
Row = dict[str, Any]
"""A row: a name and a number, a text or None for each column."""


@dataclass(frozen=True)
class Shown:
    """A report."""

    def rows(self) -> list[Row]:
        """The rows, one dictionary each, all with the same keys."""
        raise NotImplementedError

    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, also of no rows."""
        return tuple(next(iter(self.rows()), ()))

    def flat(self) -> list[Row]:
        """All of it as one table, with the same keys in each row; what a row has no value for is None."""
        return self.rows()

    def flat_names(self) -> tuple[str, ...]:
        """The names of the columns of that table, also of no rows."""
        return self.column_names()

    def blocks(self) -> list[Block]:
        """What is drawn."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data that JSON can hold; what is no number is None."""
        return {"rows": self.rows()}

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow has no types
        """The rows as a `pyarrow.Table`.

        Raises:
            ImportError: pyarrow is not installed.
        """
        rows, pyarrow = self.rows(), arrow("to_arrow()")
        return pyarrow.Table.from_pylist(rows) if rows else pyarrow.table({name: [] for name in self.column_names()})

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is optional
        """The rows as a `pandas.DataFrame`.

        Raises:
            ImportError: pandas is not installed.
        """
        rows = self.rows()
        return imported("pandas", "to_pandas()").DataFrame(rows, columns=None if rows else list(self.column_names()))

    def __str__(self) -> str:
        return columns(self.blocks())

    def _repr_html_(self) -> str:
        return notebook(self.blocks())


@dataclass(frozen=True)
class Several(Shown):
    """Reports of one kind on several tokenizers, one below the other."""

    reports: Mapping[str, Shown]
    """By the names of the tokenizers."""

    def rows(self) -> list[Row]:
        """The rows of all, with the tokenizer's name."""
        return [{"tokenizer": name, **row} for name, report in self.reports.items() for row in report.rows()]

    def column_names(self) -> tuple[str, ...]:
        """As of each, after the tokenizer's name."""
        return tuple(dict.fromkeys(["tokenizer", *next(iter(self.reports.values())).column_names()]))

    def flat(self) -> list[Row]:
        """The tables of all, with the tokenizer's name."""
        return [{"tokenizer": name, **row} for name, report in self.reports.items() for row in report.flat()]

    def flat_names(self) -> tuple[str, ...]:
        """As of each, after the tokenizer's name."""
        return tuple(dict.fromkeys(["tokenizer", *next(iter(self.reports.values())).flat_names()]))

    def to_dict(self) -> dict[str, Any]:
        """All of it, by the names."""
        return {name: report.to_dict() for name, report in self.reports.items()}

    def blocks(self) -> list[Block]:
        """Each under its name."""
        drawn: list[Block] = []
        for name, report in self.reports.items():
            drawn += [*([line("")] if drawn else []), heading(f"== {name} =="), line(""), *report.blocks()]
        return drawn


def plain_value(value: Any) -> Any:  # noqa: ANN401
    """A value as JSON can hold it: NumPy's numbers become Python's, and what is no number None.

    >>> plain_value(float("nan")) is None
    True
    """
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def number(value: float | None, digits: int = 3) -> str:
    """A number as tables show it; a dash where there is none.

    >>> number(1234567), number(3.14159), number(float("nan")), number(1e150)
    ('1,234,567', '3.142', '-', '1.000e+150')
    """
    value = plain_value(value)
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3e}" if abs(value) >= LARGE else f"{value:,.{digits}f}"


def share(value: float | None) -> str:
    """A share as tables show it.

    >>> share(0.1234)
    '12.3 %'
    """
    value = plain_value(value)
    return "-" if value is None else f"{100 * value:.1f} %"


def table(headings: Sequence[str], rows: Sequence[Sequence[str | Line]], left: int = 1, *, fold: bool = False) -> Table:
    """A table whose first `left` columns align left, the others right; with `fold` the last one too aligns left."""
    drawn = tuple(tuple(cell if isinstance(cell, Line) else line(Span(cell)) for cell in row) for row in rows)
    right = frozenset(range(left, len(headings) - 1 if fold else len(headings)))
    return Table(tuple(headings), drawn, right, fold=fold)
