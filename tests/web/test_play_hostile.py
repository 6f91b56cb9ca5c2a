"""Texts and files that mean harm, in a browser: nothing runs, nothing breaks, and what was refused is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

import bytepair as bp
from web.playing import Played, served

SCRIPT = "</textarea></script><script>window.hostile = 1</script><img src=x onerror='window.hostile = 1'>\"'`${1}&lt;"
TEXTS = {
    "script": SCRIPT,
    "nul": "a\0b\x01\x1b[31m\x7f",
    "bidi": "abc\u202edef\u2066ghi\u2069\u200f\u061c",
    "joining": "\u0301" * 300 + "\u200d" * 50 + "\ufe0f",
    "long": "a" * 30_000,
    "lines": "\n" * 3_000 + "\r\n\u2028\u2029\x85",
    "zalgo": "Z" + "\u0334\u0321" * 500,
}
VIEWS = {
    "read": "#text",
    "beside": "#text",
    "size": "#text",
    "learn": "#learn-text",
    "tree": "#tree-text",
    "letters": "#letters-text",
    "tax": "#mine",
    "vocabulary": "#search",
}


@pytest.mark.parametrize("view", VIEWS)
def test_hostile_texts(chrome: Browser, place: str, tmp_path: Path, view: str) -> None:
    played = Played(chrome, place, f"#{view}?tokenizer=alice")
    for text in TEXTS.values():
        played.write(VIEWS[view], text)
        played.calm()
        played.unharmed()
    played.write(VIEWS[view], "low")
    if view in {"read", "size"}:
        played.has(f"#{view}-counts", "1.00" if view == "size" else "3 characters")
    played.complaints = [said for said in played.complaints if "413" not in said]  # the long one, where it may not be
    played.done(f"hostile-{view}", tmp_path)


def test_lone_surrogates(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=bytes")
    page = played.page
    page.evaluate(
        "() => { const node = document.querySelector('#text'); node.value = 'a\\ud800b\\udc00';"
        " node.dispatchEvent(new Event('input', { bubbles: true })) }"
    )
    played.has("#read-counts", "8 bytes")
    played.has("#read-counts", "4 characters")
    page.click("#read-drawn .partial >> nth=0")
    played.has("#card", "ef")
    played.done("surrogates", tmp_path)


def test_a_paste_of_five_megabytes(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=bytes")
    page = played.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('all work and no play\\n'.repeat(250000))")
    page.focus("#text")
    page.keyboard.press("Control+V")
    played.has("#problem", "The text has 5,250,000 characters, and at most 1,048,576 are read here.")
    played.write("#text", "low")
    played.has("#read-counts", "3 tokens")
    assert page.locator("#problem").is_hidden()
    played.done("paste", tmp_path)


def test_files_of_rubbish(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=bytes")
    page = played.page
    for name, content in {
        "<img src=x onerror=hostile>.json": SCRIPT.encode(),
        "nothing.json": b"",
        "nul.json": b"\0" * 9999,
    }.items():
        path = tmp_path / name
        path.write_bytes(content)
        with page.expect_response("**/api/tokenizers/file"):
            page.set_input_files("#opened", path)
        page.locator("#problem").wait_for(state="visible")
        assert page.input_value("#tokenizer") == "bytes"
        played.write("#text", name)
        played.has("#read-counts", f"{len(name)} characters")
        played.unharmed()
    played.complaints = [said for said in played.complaints if "400" not in said]
    played.done("rubbish", tmp_path)


def test_hostile_names_and_tokens(chrome: Browser, tmp_path: Path) -> None:
    tok = bp.train(
        texts=["<script> <img src=x onerror='hostile'> &lt; \"" * 5],
        num_merges=40,
        pattern=None,
        special_tokens=[SCRIPT],
    )
    with served({SCRIPT: tok}) as place:
        played = Played(chrome, place)
        page = played.page
        for view in (*VIEWS, "zipf", "questions", "train"):
            played.go(view)
            if view in VIEWS:
                played.write(VIEWS[view], SCRIPT)
            if view == "read":
                page.check("[data-key=special]")
                played.has("#read-counts", "1 special")
                page.click("#read-drawn .special")
                played.has("#card", "special token")
            played.calm()
            assert page.input_value("#tokenizer") == SCRIPT
            assert page.locator("#problem").is_hidden()
            played.unharmed()
        played.done("names", tmp_path)
