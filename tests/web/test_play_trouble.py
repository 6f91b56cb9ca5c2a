"""What can go wrong around the page: addresses that are broken, a server that is gone, two tabs, files that went."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

import bytepair as bp
from bytepair.playground import limits
from web.playing import Played, Waited, asked, served

ADDRESSES = (
    "#read?tokenizer=<img src=x onerror=hostile>&show=nothing&context=-1",
    "#read?context=99999999999999999999&special=maybe&text=%00%ED%A0%80%E2%80%AE",
    "#vocabulary?at=-5&filter=nothing",
    "#vocabulary?at=1e300&search=%5B%5E",
    "#learn?step=99999999999&alphabet=nothing",
    "#learn?step=-1&cut=nothing",
    "#size?size=1e99&width=-1",
    "#size?size=NaN&width=99999999999",
    "#tax?article=999&language=nothing",
    "#beside?beside=a,b,c,d,e,f&prices=NaN,Infinity,-1,1e999",
    "#beside?beside=%25,%252C,alice,alice,bytes,cat",
    "#tree?id=99999999999999",
    "#tree?id=4294967295",
    "#tree?id=-1&word=%F0%9F%8C",
    "#letters?berry=" + "x" * 5000,
    "#train?trainSize=1e9&trainPattern=(a%2B)%2B%24&trainOn=xx",
    "#zipf?corpus=nothing",
    "#__proto__?constructor=1&toString=2",
    "#constructor",
    "#read?%ff%00=%",
    "#read?" + "&".join(f"text={number}" for number in range(5000)),
    "#%",
)
TRAIN = bp.train
GONE = "The playground does not answer. Is `bytepair play` still running?"


@pytest.fixture(scope="module")
def played(chrome: Browser, place: str) -> Iterator[Played]:
    """One page for all addresses; each is loaded anew."""
    found = Played(chrome, place)
    yield found
    found.page.context.close()


@pytest.mark.parametrize("fragment", ADDRESSES, ids=lambda fragment: fragment[:40])
def test_addresses_that_are_broken(played: Played, fragment: str) -> None:
    page = played.page
    played.complaints.clear()
    page.goto("about:blank")
    page.goto(f"{played.place}/{fragment}")
    played.calm()
    played.unharmed()
    assert [said for said in played.complaints if "status of 4" not in said] == []
    problem = page.inner_text("#problem")
    assert problem.endswith(".") or not problem
    played.go("letters")
    played.has("#letters-table", "The model is given" if "berry" not in fragment else "")


def test_a_server_that_went_away_and_came_back(chrome: Browser, tmp_path: Path) -> None:
    """Every view says so, those that were never loaded too, and works again when it is back."""
    with served() as place:
        played = Played(chrome, place, "#read?tokenizer=bytes")
        played.has("#read-counts", "tokens")
    page = played.page
    played.write("#text", "low")
    played.has("#problem", GONE)
    views = page.eval_on_selector_all("nav a", "all => all.map(one => one.hash.slice(1))")
    for view in views:
        played.go(view)
        if view != "train" or page.evaluate("document.querySelector('#train').inert"):
            played.has("#problem", GONE)
        played.unharmed()
    assert [said for said in played.complaints if "ERR_CONNECTION_REFUSED" not in said] == []
    played.complaints.clear()
    with served(port=urlsplit(place).port or 0):
        for view in views:
            played.go(view)
            assert page.locator("#problem").is_hidden(), view
            assert page.locator(f"#{view}").get_attribute("inert") is None
            played.unharmed()
        played.go("read")
        played.has("#read-counts", "3 tokens")
        played.done("came-back", tmp_path)


def test_a_page_says_what_is_no_json(chrome: Browser, place: str) -> None:
    played = Played(chrome, place)
    found = played.page.evaluate("fetch('/api/read', {method: 'POST', body: 'x'}).then(one => one.text())")
    assert json.loads(found)["error"] == "the body is no JSON"
    played.page.context.close()


def endless(**settings: Any) -> bp.Tokenizer:
    """A training that ends when it is stopped, if it is for the largest vocabulary."""
    while settings["vocab_size"] == limits.MOST_VOCABULARY:
        settings["progress"](SimpleNamespace(phase="count", done=0, total=None, eta=None, merge=None))
        time.sleep(0.02)
    return TRAIN(**settings)


def test_two_tabs(chrome: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What one trains, the other can use; one training at a time; what went is replaced, and that is said."""
    monkeypatch.setattr(import_module("bytepair.training.train"), "train", endless)
    with served() as place:
        one, other = Played(chrome, place, "#train?trainSize=300"), Played(chrome, place, "#train?trainSize=65536")
        other.page.click("#train-start")
        other.has("#train-said", "The text is counted")
        one.page.click("#train-start")
        one.has("#problem", "Another training runs. Wait for it, or cancel it.")
        other.page.click("#train-cancel")
        other.has("#train-said", "The training was cancelled.")
        one.page.click("#train-start")
        one.has("#train-said", "“trained-1” is among the tokenizers")
        one.page.click("#train-use")
        one.has("#about", "trained-1: 300 tokens")
        other.page.evaluate("location.hash = '#read?tokenizer=trained-1&text=low'")
        other.has("#about", "trained-1: 300 tokens")
        for _ in range(limits.MOST_TRAINED):
            job = asked(f"{place}/api/train", {"text": "low lower", "vocab_size": 257})[1]["job"]
            trained = Waited(lambda job=job: asked(f"{place}/api/train/{job}")[1]["state"])  # type: ignore[misc]
            assert trained.until(lambda state: state == "done")
        one.write("#text", "lower")
        one.has("#problem", "There is no tokenizer “trained-1” here. “alice” is used instead.")
        one.has("#about", "alice")
        one.complaints = [said for said in one.complaints if "status of 4" not in said]
        one.done("two-tabs", tmp_path)
        other.page.context.close()


def test_a_file_that_is_gone_is_said(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#train")
    path = tmp_path / "gone.txt"
    path.write_text("low lower lowest")
    played.page.set_input_files("#picked", path)
    path.unlink()
    played.page.click("#train-start")
    played.has("#problem", "“gone.txt” cannot be read. Is it a folder, or was it changed since it was chosen?")
    assert played.page.locator("#train-start").is_enabled()
    played.page.click("#files button")
    played.has("#files", "")
    path.write_text("low lower lowest")
    played.page.set_input_files("#picked", path)
    played.has("#files", "gone.txt, 16 bytes")
    played.page.context.close()


def test_names_of_any_kind(chrome: Browser, tmp_path: Path) -> None:
    """With commas, per cent signs, halves of surrogate pairs; very long ones."""
    tok = bp.train(texts=["low lower lowest"], num_merges=3)
    names = ["a,b", "100%", "%2C", "half \udcff", "x" * 900, "__proto__", " ", "😀 &amp;"]
    with served(dict.fromkeys(names, tok)) as place:
        played = Played(chrome, place, "#beside")
        page = played.page
        for name in names:
            page.select_option("#beside-1", name)
            played.calm()
            assert page.locator(".side h3").all_inner_texts()[1].strip() == name.strip()
            assert page.input_value("#beside-1") == name
        played.go("read")
        for name in names:
            page.select_option("#tokenizer", name)
            played.calm()
            assert page.locator("#problem").is_hidden()
            assert page.input_value("#tokenizer") == name
        played.done("any-name", tmp_path)


def test_a_long_text_is_there_again_when_one_goes_back(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=bytes")
    page = played.page
    played.write("#text", "low " * 2000)
    played.has("#read-counts", "8,000 tokens")
    page.locator("#unshared").wait_for()
    played.go("tree")
    page.go_back()
    played.has("#read-counts", "8,000 tokens")
    page.fill("#text", "just typed")
    page.click("nav a[href='#tree']")  # before the address is written, which waits for the last key
    page.locator("#tree").wait_for()
    page.go_back()
    page.locator("#read").wait_for()
    assert page.input_value("#text") == "just typed"
    played.done("back", tmp_path)


def test_a_text_that_is_dropped_has_an_end_too(chrome: Browser, place: str) -> None:
    played = Played(chrome, place, "#read?tokenizer=bytes")
    let_in = played.page.evaluate(
        "() => { const data = 'x'.repeat(2 ** 20 + 1); const drop = new InputEvent('beforeinput', { data,"
        " inputType: 'insertFromDrop', bubbles: true, cancelable: true });"
        " return document.querySelector('#text').dispatchEvent(drop) }"
    )
    assert let_in is False
    played.has("#problem", "The text has 1,048,577 characters, and at most 1,048,576 are read here.")
    played.page.context.close()
