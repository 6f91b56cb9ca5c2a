"""Languages that take turns in training: what is chosen, what is recorded, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp

TEXTS = {"en": ["the cat sat on the mat, the cat sat"] * 20, "de": ["die Katze sass auf der Matte, die Katze sass"] * 2}
DEVELOPMENT = {"en": ["a cat sat", "on the mat"], "de": ["die Katze sass", "auf der Matte"]}
BALANCE = bp.Balance(DEVELOPMENT)


def trained(balance: bp.Balance | None = BALANCE, **settings: Any) -> bp.Tokenizer:
    source = {} if settings.keys() & {"files", "counts"} else {"texts": TEXTS}
    return bp.train(**{"num_merges": 20, "balance": balance, **source, **settings})


def chosen(tok: bp.Tokenizer) -> tuple[str | None, ...]:
    assert tok.training is not None
    return tok.training.chosen_by


def test_what_is_longest_chooses_until_both_cost_the_same() -> None:
    plain, fair = trained(None), trained()
    lengths = [{name: sum(map(tok.count, lines)) for name, lines in DEVELOPMENT.items()} for tok in (plain, fair)]
    assert lengths == [{"en": 7, "de": 16}, {"en": 11, "de": 11}]
    assert chosen(plain) == ()
    assert chosen(fair).count("de") > chosen(fair).count("en") > 0
    tax = bp.language_tax({"plain": plain, "fair": fair}, DEVELOPMENT)
    assert [spread.gini for spread in tax.spreads] == [pytest.approx(9 / 46), 0]


def test_each_choice_is_of_the_longest_development_text() -> None:
    tok = trained()
    for rank, language in enumerate(chosen(tok)):
        before = tok.truncated(num_merges=rank).tokenizer
        lengths = {name: sum(map(before.count, lines)) for name, lines in DEVELOPMENT.items()}
        assert lengths[str(language)] == max(lengths.values())
        assert chosen(before) == chosen(tok)[:rank]


def test_classic_merges_are_those_of_a_training_without_balance() -> None:
    plain, hybrid = trained(None), trained(replace(BALANCE, classic=10))
    assert plain.merges[:10] == hybrid.merges[:10]
    assert chosen(hybrid)[:10] == (None,) * 10
    assert None not in chosen(hybrid)[10:]
    assert trained(replace(BALANCE, classic=10**9)).merges == plain.merges


def test_a_window_lets_others_choose() -> None:
    development = {"en": ["xyzzy" * 50], "de": ["Katze"]}
    assert chosen(trained(bp.Balance(development))) == ("en",) * 12 + ("de",) * 8  # then no pair is left in English
    waiting = chosen(trained(bp.Balance(development, window=4, share=1)))
    # A language that has chosen three of the last four waits.
    assert waiting[:10] == ("en", "en", "en", "de", "de", "en", "en", "en", "de", "de")


def test_a_source_without_a_development_text_never_chooses() -> None:
    tok = trained(bp.Balance({**DEVELOPMENT, "en": None}))
    assert set(chosen(tok)) == {"de"}


def test_the_record_is_kept_in_the_file(tmp_path: Path) -> None:
    tok = trained(replace(BALANCE, classic=2))
    tok.save(tmp_path / "tokenizer.json")
    again = bp.load(tmp_path / "tokenizer.json")
    assert again.training == tok.training
    content = json.loads((tmp_path / "tokenizer.json").read_bytes())
    content["model"]["bytepair"]["training"]["chosen_by"].append("en")
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(bp.FormatError, match=r"chosen_by` has 21 names, and there are 20 merges\nhint: "):
        bp.load(tmp_path / "tokenizer.json")


def test_counts_and_files_give_the_same(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    expected = trained()
    counts = bp.count_pretokens(texts=TEXTS)
    counts.save(tmp_path / "counts.parquet")
    paths: dict[str, Any] = {}
    lines: dict[str, Any] = {}
    for name, texts in TEXTS.items():
        (tmp_path / name).mkdir()
        for number, text in enumerate(texts):
            (tmp_path / name / f"{number:02}.txt").write_text(text, "utf-8")
        paths[name] = str(tmp_path / name / "*.txt")
        lines[name] = tmp_path / f"{name}.dev"
        lines[name].write_text("\n".join(DEVELOPMENT[name]) + "\n", "utf-8")
    for tok in (
        trained(counts=counts),
        trained(counts=bp.load_counts(tmp_path / "counts.parquet")),
        trained(files=paths, threads=3),
        trained(bp.Balance(lines), files=paths),
        trained(weights={"en": 1}),
    ):
        assert tok == expected
        assert chosen(tok) == chosen(expected)


def test_special_tokens_that_the_counts_did_not_know_are_boundaries() -> None:
    texts = {
        name: [text.replace(" the", "<|x|>the").replace("der", "<|x|>") for text in given]
        for name, given in TEXTS.items()
    }
    expected = trained(texts=texts, special_tokens=["<|x|>"], pattern="[^ ]+| +")
    with pytest.warns(bp.TrainingWarning, match="without the special token"):
        tok = trained(counts=bp.count_pretokens(texts=texts, pattern="[^ ]+| +"), special_tokens=["<|x|>"])
    assert tok.merges == expected.merges
    assert chosen(tok) == chosen(expected)


def test_with_a_base_and_seeds() -> None:
    base = bp.train(texts=["auf der Matte"], num_merges=5)
    tok = trained(base=base, seed_tokens=["zebra"])
    assert tok.merges[:5] == base.merges
    assert chosen(tok)[:4] == (None,) * 4
    assert set(chosen(tok)[4:]) == {"en", "de"}


@pytest.mark.parametrize("stopped", [0, 1, 11, 19])
def test_a_training_that_was_stopped_goes_on(tmp_path: Path, stopped: int) -> None:
    class StopError(Exception):
        pass

    def stop(progress: bp.Progress) -> None:
        if progress.phase == "merge" and progress.done > stopped:
            raise StopError

    balance = replace(BALANCE, classic=3, window=5)
    with pytest.raises(StopError):
        trained(balance, checkpoint=tmp_path / "run", progress=stop)
    seen: list[int] = []
    note = lambda progress: seen.append(progress.done) if progress.phase == "merge" else None  # noqa: E731
    tok = trained(balance, checkpoint=tmp_path / "run", resume=True, progress=note)
    assert (tok, tok.training) == (trained(balance), trained(balance).training)
    assert seen == list(range(stopped + 2, 21))
    for other in (None, BALANCE, replace(balance, development={**DEVELOPMENT, "de": ["die Katze", "auf der Matte"]})):
        with pytest.raises(bp.TrainingError, match=r"made with something else: balance is .*\nhint: "):
            trained(other, checkpoint=tmp_path / "run", resume=True)


@pytest.mark.parametrize(
    ("balance", "settings", "message"),
    [
        (BALANCE, {"ties": "first"}, 'ties="first" and balance'),
        (BALANCE, {"alphabet": "characters"}, 'alphabet="characters" and balance'),
        (BALANCE, {"texts": ["a b"]}, "the sources have no names"),
        (BALANCE, {"counts": {"a": 1}}, "the sources have no names"),
        (BALANCE, {"texts": {"en": ["a"]}}, "development has 'de', and no source is called so"),
        (BALANCE, {"texts": {**TEXTS, "fr": ["a"]}}, "the source 'fr' has no development text"),
    ],
)
def test_what_cannot_be_balanced(balance: bp.Balance, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(bp.TrainingError, match=message + r".*\nhint: "):
        trained(balance, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"development": ["a"]}, "development is of type `list`"),
        ({"development": DEVELOPMENT, "classic": -1}, "classic is -1"),
        ({"development": DEVELOPMENT, "window": 0}, "window is 0"),
        ({"development": DEVELOPMENT, "share": 0}, "share is 0"),
        ({"development": DEVELOPMENT, "window": 1.5}, "window is of type `float`"),
    ],
)
def test_settings_that_are_none(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message + r"\nhint: "):
        bp.Balance(**settings)


@pytest.mark.parametrize(
    ("development", "error", "message"),
    [
        ({"en": ["a"], "de": ["a", "b"]}, ValueError, "'de' has 2 lines and 'en' has 1"),
        ({"en": [b"a"], "de": ["a"]}, TypeError, "line 0 of 'en' is of type `bytes`"),
        ({"en": None, "de": None}, ValueError, "development names no language"),
        ({}, ValueError, "development names no language"),
        ({"en": "missing.txt", "de": ["a"]}, FileNotFoundError, "missing.txt"),
    ],
)
def test_development_texts_that_are_none(development: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        trained(bp.Balance(development))


def test_another_thing_in_its_place() -> None:
    with pytest.raises(TypeError, match=r"balance is of type `dict`\nhint: pass a bytepair.Balance"):
        trained({"en": ["a"]})  # type: ignore[arg-type]
