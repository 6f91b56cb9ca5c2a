"""Rows of a report as CSV on stdout, with a line of headings."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from bytepair.cli import output

__all__ = ["write_csv"]


def write_csv(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> None:
    """Write the rows, of which each has these names; None is an empty cell."""
    file = StringIO()
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(row)
    output.write(file.getvalue().encode("utf-8", "surrogateescape"))
