"""The cases of `testdata/load.json`: files as people have them, read, and saved again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from implementations import cases

CASES = cases("load")


@pytest.mark.filterwarnings("ignore:`tokenizers` will refuse this file")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_load(case: dict[str, Any], tmp_path: Path) -> None:
    for name, content in case["files"].items():
        (tmp_path / name).write_text(content, encoding="utf-8", newline="")
    path, options = tmp_path / case["load"], case.get("options", {})
    if "raises" in case:
        with pytest.raises(ValueError, match="hint: ") as caught:
            bp.load(path, **options)
        assert [part for part in case["raises"] if part not in str(caught.value)] == []
        return
    tok = bp.load(path, **options)
    tok.save(tmp_path / "saved.json")
    for each in (tok, bp.load(tmp_path / "saved.json")):
        assert each.encode(case["input"], allowed_special="all") == case["ids"]


def test_saving_keeps_special_tokens_and_the_pattern(tmp_path: Path) -> None:
    tok = bp.train(texts=["xyz xyz"], num_merges=2, special_tokens=["<SEP>"], pattern=r"\w+| |<|>")
    for name in ("tokenizer.json", "folder/"):
        tok.save(f"{tmp_path}/{name}")
        again = bp.load(tmp_path / name)
        assert again == tok
        assert again.encode("x<SEP>y", allowed_special="all") == tok.encode("x<SEP>y", allowed_special="all")
