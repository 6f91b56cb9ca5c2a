"""The figures of README.md and docs/design/performance.md are those of the record that they name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches.paths import RECORDS, ROOT
from benches.quote import PAGES, QUOTE, quoted


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_quotes_its_record(page: Path) -> None:
    content = page.read_text(encoding="utf-8")
    [found] = QUOTE.finditer(content)
    assert (RECORDS / found["name"]).is_file()
    assert found[0].count("\n|") > 5
    assert quoted(content) == content


def test_a_figure_that_is_typed_in_is_found(tmp_path: Path) -> None:
    [record] = {found["name"] for page in PAGES for found in QUOTE.finditer(page.read_text(encoding="utf-8"))}
    kept = json.loads((RECORDS / record).read_text(encoding="utf-8"))
    for contest in kept["contests"].values():
        for standings in contest["steps"].values():
            for standing in standings:
                standing["ratio"] = standing.get("ratio", 0) + 1
    (tmp_path / record).write_text(json.dumps(kept), encoding="utf-8")
    content = PAGES[0].read_text(encoding="utf-8")
    assert quoted(content, folder=tmp_path) != content
