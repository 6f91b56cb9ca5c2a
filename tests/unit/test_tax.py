"""The language tax, against sums written out here."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.tax import aligned
from implementations import DATA
from texts import declaration

RAW = bp.train(texts=[], vocab_size=256)
ENGLISH = bp.train(texts=[" ".join(declaration()["en"])], vocab_size=1400)
LINES = {"en": ["low", "high"], "de": ["tief", "hoch über"], "xx": ["a", "b"]}


def test_the_bundled_text_is_the_one_of_the_tests() -> None:
    packed = (DATA / "texts" / "udhr.jsonl.xz").read_bytes()
    assert (Path(aligned.__file__).parent / "udhr.jsonl.xz").read_bytes() == packed
    rows = [json.loads(row) for row in lzma.decompress(packed).decode().splitlines()]
    text = aligned.declaration()
    assert text.lines == {row["lang"]: tuple(row["articles"]) for row in rows}
    assert (len(text.lines), {len(lines) for lines in text.lines.values()}) == (75, {30})
    assert "United Nations" in text.source


def test_sums() -> None:
    tax = bp.language_tax({"raw": RAW}, LINES, window=100, price=2.0)
    found = {cost.language: cost for cost in tax.costs}
    assert [cost.language for cost in tax.costs] == ["de", "en", "xx"]
    assert {language: cost.tokens for language, cost in found.items()} == {"de": 14, "en": 7, "xx": 2}
    de = found["de"]
    assert (de.characters, de.bytes, de.ratio, de.cost) == (13, 14, 2.0, 4.0)
    assert de.characters_per_token == 13 / 14
    assert de.window_characters == 100 * 13 // 14
    [spread] = tax.spreads
    assert spread.mean_tokens == 23 / 3
    assert spread.max_tokens == 14
    assert spread.mean_ratio == pytest.approx(23 / 21)
    assert spread.max_ratio == 2.0
    assert spread.max_over_min == 7.0
    every = [14, 7, 2]
    assert spread.gini == pytest.approx(sum(abs(a - b) for a in every for b in every) / (2 * 9 * (23 / 3)))
    assert (spread.difference, spread.difference_low, spread.difference_high) == (None, None, None)


def test_each_line_is_encoded_by_itself() -> None:
    tax = bp.language_tax(ENGLISH)
    for cost in tax.costs:
        lines = declaration()[cost.language]
        assert cost.tokens == sum(map(ENGLISH.count, lines))
        assert cost.characters == sum(map(len, lines))
    assert tax.costs[-1].language == "en"
    assert tax.costs[-1].ratio == 1


def test_side_by_side() -> None:
    tax = bp.language_tax([RAW, ENGLISH])
    assert tax.tokenizers == ("tokenizer 1", "tokenizer 2")
    first, second = tax.spreads
    assert second.difference == pytest.approx(second.mean_ratio - first.mean_ratio)
    assert second.difference is not None
    assert second.difference_low is not None
    assert second.difference_high is not None
    assert second.difference_low < second.difference < second.difference_high
    alone = bp.language_tax({"tokenizer 2": ENGLISH})
    assert alone.costs == tuple(cost for cost in tax.costs if cost.tokenizer == "tokenizer 2")
    assert bp.language_tax([RAW, ENGLISH]).spreads == tax.spreads, "the interval is the same each time"
    same = bp.language_tax([RAW, RAW]).spreads[1]
    assert (same.difference, same.difference_low, same.difference_high) == (0, 0, 0)


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), min_size=1, max_size=5))
def test_any_lines(pairs: list[tuple[str, str]]) -> None:
    tax = bp.language_tax([RAW, ENGLISH], {"en": [one for one, _ in pairs], "de": [two for _, two in pairs]})
    json.dumps(tax.to_dict(), allow_nan=False)
    assert str(tax)
    for cost in tax.costs:
        assert 0 <= cost.tokens <= cost.bytes
        assert (cost.window_characters == 0) == (cost.tokens == 0)


def test_files(tmp_path: Path) -> None:
    paths = {language: tmp_path / f"{language}.txt" for language in LINES}
    for language, path in paths.items():
        path.write_bytes("\r\n".join(LINES[language]).encode("utf-8-sig") + b"\r\n")
    assert bp.language_tax(RAW, {**paths, "de": str(paths["de"])}).costs == bp.language_tax(RAW, LINES).costs
    paths["de"].write_bytes(b"one\n\xff\n")
    with pytest.raises(ValueError, match="is not UTF-8: byte 4\nhint: "):
        bp.language_tax(RAW, paths)
    paths["de"].write_bytes(b"")
    with pytest.raises(ValueError, match="'de' has 0 lines and 'en' has 2\nhint: "):
        bp.language_tax(RAW, paths)


@pytest.mark.parametrize(
    ("kind", "tokenizers", "parallel", "options"),
    [
        (TypeError, 3, None, {}),
        (TypeError, [RAW, "gpt2"], None, {}),
        (ValueError, [], None, {}),
        (ValueError, RAW, {}, {}),
        (ValueError, RAW, {"en": []}, {}),
        (ValueError, RAW, {"en": ["a"], "de": ["a", "b"]}, {}),
        (ValueError, RAW, {"de": ["a"]}, {}),
        (TypeError, RAW, ["a"], {}),
        (TypeError, RAW, {"en": b"bytes"}, {}),
        (TypeError, RAW, {"en": [b"bytes"]}, {}),
        (ValueError, RAW, None, {"base": "tlh"}),
        (ValueError, RAW, None, {"window": 0}),
        (ValueError, RAW, None, {"price": float("nan")}),
        (ValueError, RAW, None, {"price": -1}),
    ],
)
def test_what_is_refused(kind: type[Exception], tokenizers: Any, parallel: Any, options: dict[str, Any]) -> None:
    with pytest.raises(kind, match="\nhint: "):
        bp.language_tax(tokenizers, parallel, **options)


def test_a_tokenizer_that_does_not_know_the_letters() -> None:
    tok = bp.train(texts=["low lower"], alphabet="characters", end_of_word="</w>", num_merges=2)
    with pytest.raises(bp.UnknownSymbolError, match=r"tokenizer: .*\nhint: give a text in languages"):
        bp.language_tax(tok)
    assert bp.language_tax(tok, {"en": ["low", "lower"]}).costs[0].tokens == tok.count("low") + tok.count("lower")


def test_shown_and_as_data() -> None:
    tax = bp.language_tax({"<raw>": RAW, "english": ENGLISH}, price=2.5)
    data = json.loads(json.dumps(tax.to_dict()))
    assert data["source"] == aligned.SOURCE
    assert len(data["rows"]) == 150 == len(tax.rows())
    for drawn in (tax, bp.language_tax(RAW, price=2.5)):
        assert max(map(len, str(drawn).splitlines())) <= 80
        assert "United Nations" in str(drawn)
        assert "<table>" in drawn._repr_html_()
    assert "<raw>" not in tax._repr_html_()
    assert repr(tax) == "<LanguageTax of 75 languages, <raw>, english>"
