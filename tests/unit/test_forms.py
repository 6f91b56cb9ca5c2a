"""Every report in every form: plain data, Arrow, pandas, text of 80 columns, HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources

import pyarrow as pa
import pytest

import bytepair as bp
from bytepair.measuring.shown import Shown

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
TOK = bp.train(texts=[ALICE[:20_000]], vocab_size=600, special_tokens=["<|end|>"])
TEXTS = [ALICE[:3000], "кот \xff <b> \x1b[31m 1234"]
REPORTS: dict[str, Callable[[], Shown]] = {
    "measure": lambda: bp.measure([TOK, TOK], TEXTS),
    "sweep": lambda: bp.sweep(TOK, {"en": TEXTS[:1], "ru": TEXTS[1:]}, width=8),
    "zipf": lambda: bp.zipf(TOK, TEXTS),
    "kinds": lambda: bp.kinds(TOK, TEXTS),
    "oddities": lambda: bp.oddities(TOK, words=["<b>"]),
    "language_tax": lambda: bp.language_tax(TOK, {"en": ["low"], "ru": ["кот"]}, price=1.0),
    "compare": lambda: bp.compare(TOK, bp.train(texts=[ALICE[:9000]], vocab_size=400), TEXTS),
    "gap_to_optimal": lambda: bp.gap_to_optimal(TOK, TEXTS),
    "baselines": lambda: bp.baselines(TEXTS, tok=TOK),
    "losses": lambda: bp.losses(1.5, TOK, TEXTS),
    "audit": lambda: bp.audit(TOK, TEXTS),
    "alternatives": lambda: bp.alternatives(TOK, TEXTS),
}


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_in_every_form(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    report = REPORTS[name]()
    rows = report.rows()
    json.loads(json.dumps(report.to_dict(), allow_nan=False))
    arrow, frame = report.to_arrow(), report.to_pandas()
    assert isinstance(arrow, pa.Table)
    assert (arrow.num_rows, arrow.column_names) == (len(rows), list(rows[0]))
    assert isinstance(frame, pandas.DataFrame)
    assert (len(frame), list(frame.columns)) == (len(rows), list(rows[0]))
    assert all(list(row) == list(rows[0]) for row in rows)
    drawn, html = str(report), report._repr_html_()
    assert max(map(len, drawn.splitlines())) <= 80
    assert "\x1b" not in drawn + html
    assert "<b>" not in html
    with pytest.raises((AttributeError, TypeError)):
        report.anything = 1  # type: ignore[attr-defined]
