"""A report without rows still names its columns: in CSV, in Arrow and in pandas."""

from __future__ import annotations

import importlib.util

import pytest

import bytepair as bp
from bytepair.measuring.shown import Several, Shown

TOK = bp.train(texts=["low lower lowest"] * 3, num_merges=6)
OTHER = bp.train(texts=["low lower lowest"] * 3, num_merges=2)

# With rows, and without.
PAIRS: list[tuple[Shown, Shown]] = [
    (bp.compare(TOK, OTHER, ["low lower lowest"]), bp.compare(TOK, TOK, ["lower"])),
    (bp.zipf(TOK, ["lower"]), bp.zipf(TOK, [])),
    (bp.audit(TOK), bp.audit(TOK)["unreachable"]),
    (Several({"one": bp.zipf(TOK, ["lower"])}), Several({"one": bp.zipf(TOK, [])})),
]


@pytest.mark.parametrize(("full", "empty"), PAIRS)
def test_columns(full: Shown, empty: Shown) -> None:
    assert full.rows()
    assert not empty.rows()
    assert tuple(full.rows()[0]) == full.column_names() == empty.column_names()
    if importlib.util.find_spec("pyarrow"):
        assert empty.to_arrow().column_names == full.to_arrow().column_names
    if importlib.util.find_spec("pandas"):
        assert list(empty.to_pandas().columns) == list(full.to_pandas().columns)


def test_gap() -> None:
    parts = bp.Parts(
        tokens=((0, b"a"), (1, b"b"), (2, b"c"), (3, b"ab"), (4, b"bc"), (5, b"abc")), merges=((0, 1), (1, 2), (0, 4))
    )
    tok = bp.Tokenizer.from_parts(parts)
    full, empty = bp.gap_to_optimal(tok, ["abc"]), bp.gap_to_optimal(tok, ["a"])
    assert tuple(full.rows()[0]) == full.column_names() == empty.column_names()
