"""`tax_curve`: the spread of costs at every size is that of really truncated tokenizers."""

from __future__ import annotations

import pytest

import bytepair as bp

TOK = bp.train(texts=["the cat sat on the mat", "die Katze sass auf der Matte", "le chat"], num_merges=30)
OTHER = bp.train(texts=["the cat sat on the mat"], num_merges=9)
LINES = {
    "en": ["the cat", "sat on the mat"],
    "de": ["die Katze", "sass auf der Matte"],
    "fr": ["le chat", "sur le tapis"],
}


def test_every_size_is_that_of_a_truncated_tokenizer() -> None:
    curve = bp.tax_curve({"one": TOK, "other": OTHER}, LINES, show="all")
    assert len(curve.points) == 31 + 10
    assert [point.vocab_size for point in curve.points] == sorted(point.vocab_size for point in curve.points)
    for point in curve.points:
        tok = {"one": TOK, "other": OTHER}[point.tokenizer].truncated(vocab_size=point.vocab_size).tokenizer
        tax = bp.language_tax(tok, LINES)
        [spread] = tax.spreads
        assert (point.mean_tokens, point.max_tokens, point.gini) == (spread.mean_tokens, spread.max_tokens, spread.gini)
        assert (point.max_over_min, point.dearest) == (spread.max_over_min, tax.worst(1)[0])


def test_tables_and_rows() -> None:
    curve = bp.tax_curve(TOK, LINES, show=[260, 286])
    assert repr(curve) == "<TaxCurve of 3 languages, tokenizer>"
    assert [row["vocab_size"] for row in curve.to_dict()["rows"]] == [260, 286]
    assert "Gini" in str(curve)
    assert bp.tax_curve(TOK, {"en": [""]}, show=[256]).rows()[0]["max_over_min"] is None
    assert len(bp.tax_curve(TOK).languages) == 75


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="vocab_size is 9"):
        bp.tax_curve(TOK, LINES, show=[9])
    with pytest.raises(TypeError, match="is no tokenizer"):
        bp.tax_curve("tok", LINES)  # type: ignore[arg-type]
