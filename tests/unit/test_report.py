"""The report: one page that asks nothing of a network, whatever it is given, and has words for every picture."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.reporting import charts
from bytepair.reporting.bundle import bundle, scripts
from bytepair.reporting.page import in_script
from bytepair.reporting.results import samples

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&<!--"
TEXT = "the cat sat on the mat\n\nthe dog ate 1234 rats\n\n“quoted” кот 猫 🌱\n\n" * 20
MOST_BYTES = 2_000_000


class Page(HTMLParser):
    """A page as a browser takes it apart."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[str | None, str]] = []
        self.text = ""
        self._inside = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif self._inside != "style":
            self.text += data

    def data(self) -> dict[str, Any]:
        """The specifications of the charts."""
        [text] = [text for kind, text in self.scripts if kind == "application/json"]
        specs: dict[str, Any] = json.loads(text)
        return specs


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(texts=[TEXT], num_merges=40, special_tokens=["<|end|>", HOSTILE])


@pytest.fixture(scope="module")
def report(tok: bp.Tokenizer) -> bp.Report:
    texts = {"en": ["the cat sat", "the dog"], HOSTILE: [HOSTILE, "кот"]}
    beside = {f"other {HOSTILE}": bp.train(texts=[TEXT], num_merges=9)}
    return bp.report(tok, texts, name=f"mine {HOSTILE}", beside=beside)


@pytest.fixture(scope="module")
def page(report: bp.Report) -> Page:
    return Page(report.html)


def test_it_asks_nothing_of_a_network(report: bp.Report, page: Page) -> None:
    assert len(report.html.encode()) < MOST_BYTES
    tags = {tag for tag, _ in page.elements}
    assert tags & {"link", "img", "iframe", "object", "embed", "base", "audio", "video", "form"} == set()
    places = [value for _, each in page.elements for name, value in each.items() if name in ("src", "href", "action")]
    assert places
    assert all(value is not None and value.startswith("#") for value in places)
    assert not [name for _, each in page.elements for name in each if name.startswith("on")]
    assert "url(" not in re.sub(r"<script.*?</script>", "", report.html, flags=re.DOTALL)


def test_its_policy_names_its_scripts_and_no_others(page: Page) -> None:
    [policy] = [each["content"] for tag, each in page.elements if each.get("http-equiv") == "Content-Security-Policy"]
    programs = [text for kind, text in page.scripts if kind is None]
    assert programs == list(scripts())
    hashes = [f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in programs]
    rules = dict(rule.strip().split(" ", 1) for rule in str(policy).split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].split() == hashes


def test_hostile_names_are_text(page: Page) -> None:
    assert [kind for kind, _ in page.scripts] == ["application/json", None, None]
    assert f"Tokenizer report: mine {HOSTILE}" in page.text
    assert f"other {HOSTILE}" in page.text
    assert page.text.count(HOSTILE) > 5
    assert any(HOSTILE in json.dumps(spec, ensure_ascii=False).replace('\\"', '"') for spec in page.data().values())


def test_every_chart_has_its_table_and_every_part_its_words(page: Page) -> None:
    figures = [each["id"] for tag, each in page.elements if tag == "figure" and each.get("class") == "drawn"]
    assert set(figures) == set(page.data())
    assert len(figures) >= 8
    order = [
        (tag, each.get("class")) for tag, each in page.elements if tag in ("figure", "details", "table", "section")
    ]
    for place, (tag, kind) in enumerate(order):
        if (tag, kind) == ("figure", "drawn"):
            assert order[place + 1 : place + 3] == [("details", "alternative"), ("table", None)]
    labels = [str(each.get("aria-label")) for _, each in page.elements if each.get("class") == "chart"]
    assert len(labels) == len(figures)
    assert all("the table below has the numbers" in label for label in labels)
    identifiers = [each["id"] for _, each in page.elements if "id" in each]
    assert len(set(identifiers)) == len(identifiers)
    links = [str(each["href"]) for tag, each in page.elements if tag == "a"]
    assert {link.removeprefix("#") for link in links} == {
        str(each["id"]) for tag, each in page.elements if tag == "section"
    }
    for word in ("Zipf", "Renyi", "better", "Dearest language", "What is wrong with it", "attention"):
        assert word in page.text


def test_the_same_twice(tok: bp.Tokenizer) -> None:
    assert bp.report(tok, iter([TEXT]), threads=1).html == bp.report(tok, [TEXT], threads=2).html


def test_numbers_are_those_of_the_functions(report: bp.Report, tok: bp.Tokenizer, page: Page) -> None:
    found = report.results
    assert found.sweep is not None
    assert found.tax is not None
    assert found.tax.costs[0] == bp.language_tax({found.name: tok}).costs[0]
    rows = page.data()["sizes-0"]["data"]["values"]
    assert [row["size"] for row in rows] == found.sweep.vocab_sizes.tolist()
    assert [row["tokens"] for row in rows] == found.sweep.tokens().tolist()
    counts = found.measurement.counts[found.name, None] if found.measurement is not None else np.zeros(0)
    assert sum(row["tokens"] for row in page.data()["usage-0"]["data"]["values"]) == len(tok) - 2
    [never] = [row for row in page.data()["usage-0"]["data"]["values"] if row["often"] == "never"]
    assert never["tokens"] == len(tok) - 2 - np.count_nonzero(counts)


def test_without_a_text(tok: bp.Tokenizer) -> None:
    page = Page(bp.report(tok).html)
    assert "since no text was given" in page.text
    assert all(label in page.text for label, _ in samples())
    assert "languages-0" in page.data()


def test_a_tokenizer_of_characters_says_what_it_cannot() -> None:
    tok = bp.train(texts=["low lower"], num_merges=3, alphabet="characters", end_of_word="</w>")
    found = bp.report(tok)
    page = Page(found.html)
    assert found.results.measurement is None
    assert "No text could be measured with it." in page.text
    assert page.text.count("could not be measured: ") >= 3
    with pytest.raises(bp.UnknownSymbolError):
        bp.report(tok, ["слово"])
    known = bp.report(tok, ["low lower"])
    assert known.results.measurement is not None
    assert known.results.tax is None


@pytest.mark.parametrize("texts", [[], [""], ["\0"], ["a"], [b"\xff"]])
def test_texts_of_nearly_nothing(texts: list[str | bytes]) -> None:
    assert Page(bp.report(bp.train(texts=[], vocab_size=256), texts, errors="bytes").html).data()


def test_vocabularies_of_nearly_nothing() -> None:
    parts = bp.Parts(tokens=((7, b"a"),), merges=(), pattern=None)
    found = bp.report(bp.Tokenizer.from_parts(parts), ["aaa"])
    assert found.results.measurement is not None
    assert found.results.measurement.figures[0].tokens == 3
    gaps = bp.Parts(tokens=((7, b"a"), (10**6, b"aa")), merges=((7, 7),), pattern=None)
    assert "1000001" in Page(bp.report(bp.Tokenizer.from_parts(gaps), ["aaa"]).html).text


def test_as_plain_data(report: bp.Report) -> None:
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["names"] == list(report.results.names)
    assert plain["audit"] == json.loads(json.dumps(report.results.audit.to_dict() if report.results.audit else None))
    assert set(plain) == {field.name for field in fields(report.results)} - {"tok", "is_bundled", "sample", "starts"}


def test_a_name_that_is_no_text(tok: bp.Tokenizer, tmp_path: Path) -> None:
    bp.report(tok, ["low"], name="a\udcff\0b").save(tmp_path / "page.html")
    assert b"a\xef\xbf\xbd" in (tmp_path / "page.html").read_bytes()


def test_it_is_saved_whole_and_shown_in_a_frame(report: bp.Report, tmp_path: Path) -> None:
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes().decode() == report.html
    with pytest.raises(FileNotFoundError):
        report.save(tmp_path / "nowhere" / "report.html")
    [(tag, frame)] = Page(report._repr_html_()).elements
    assert (tag, frame["sandbox"], frame["srcdoc"]) == ("iframe", "allow-scripts", report.html)
    assert "Report on mine" in repr(report)


def test_what_is_refused(tok: bp.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    with path.open("rb") as file, pytest.raises(TypeError, match="open file"):
        bp.report(tok, files=[file])
    with pytest.raises(TypeError, match="hint"):
        bp.report(tok, [TEXT], files=[path])
    with pytest.raises(TypeError, match="Tokenizer"):
        bp.report(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two tokenizers"):
        bp.report(tok, name="a", beside={"a": tok})
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    bundle.cache_clear()
    with pytest.raises(ImportError, match=re.escape("pip install 'bytepair[report]'")):
        bp.report(tok)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_data_in_a_script_is_what_it_was_and_ends_nothing(value: object) -> None:
    text = in_script(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


def test_points_hold_both_ends() -> None:
    for size in (*range(1, 400, 7), 10**6):
        places = charts.points(size)
        assert (places[0], places[-1]) == (0, size - 1)
        assert places == sorted(set(places))
        assert len(places) <= charts.POINTS


def every(spec: object) -> Iterator[tuple[str, object]]:
    """All that a specification says, however deep."""
    if isinstance(spec, dict):
        for name, value in spec.items():
            yield name, value
            yield from every(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from every(value)


def test_charts_name_no_colour_and_no_place(page: Page) -> None:
    for spec in page.data().values():
        said = list(every({name: value for name, value in spec.items() if name != "data"}))
        assert not [
            value for _, value in said if isinstance(value, str) and re.search(r"#[0-9a-fA-F]{3}|https?:", value)
        ]
        colours = [value for name, value in said if name.lower().endswith("color")]
        assert all(re.fullmatch(r"var\(--[\w-]+\)", str(value)) for value in colours if not isinstance(value, dict))
        assert not [name for name, _ in said if name in ("url", "href", "loader")]


def test_words_are_known_from_half_of_each_language() -> None:
    texts = {"en": ["low lower\n" * 8], "ru": ["лиса волк\n" * 8]}
    found = bp.report(bp.train(texts=["low"], num_merges=1), texts).results.baselines
    assert found is not None
    assert found.is_held_out
    assert [one.unknown for one in found.systems] == [0.0] * 5
