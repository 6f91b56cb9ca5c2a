"""The report in a browser: on a phone, a laptop and paper, light and dark, with and without JavaScript."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

import bytepair as bp
from web.browser import Watched

HOSTILE = "</script><script>window.hostile = 1</script><img src=x onerror='window.hostile = 1'>\"'"
TEXT = "the cat sat on the mat\n\nthe dog ate 1234 rats\n\n“quoted” кот مرحبا 猫 🌱\n\n" * 20
WIDTHS = {"phone": 360, "tablet": 768, "laptop": 1280}
CHARTS = "figure.drawn .chart"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    tok = bp.train(texts=[TEXT], num_merges=40, special_tokens=[HOSTILE])
    texts = {"en": [TEXT], HOSTILE: [HOSTILE * 3]}
    bp.report(tok, texts, name=f"mine {HOSTILE}", beside={HOSTILE: tok}).save(path)
    return path.as_uri()


def opened(chrome: Browser, address: str, width: int = 1280, *, scheme: str = "light", script: bool = True) -> Watched:
    """The page with its charts drawn."""
    context = chrome.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
        java_script_enabled=script,
        offline=True,
    )
    context.set_default_timeout(60_000)  # only a test that fails waits for it
    watched = Watched(context.new_page())
    watched.page.goto(address)
    if script:
        count = watched.page.locator(CHARTS).count()
        watched.page.wait_for_function(f"document.querySelectorAll('{CHARTS} svg').length === {count}")
    return watched


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_it_fits_and_asks_for_nothing(chrome: Browser, address: str, width: int, scheme: str) -> None:
    watched = opened(chrome, address, width, scheme=scheme)
    page = watched.page
    assert page.locator(CHARTS).count() >= 8
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        f"[...document.querySelectorAll('{CHARTS} svg')].every(one => one.getBoundingClientRect().width > 200)"
    )
    assert watched.requests == [address]
    assert watched.complaints == []
    assert page.evaluate("window.hostile") is None
    assert page.evaluate("document.images.length") == 0
    page.context.close()


def test_light_dark_and_paper(chrome: Browser, address: str) -> None:
    grounds = {}
    for scheme in ("light", "dark"):
        page = opened(chrome, address, scheme=scheme).page
        grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        line = page.evaluate(f"getComputedStyle(document.querySelector('{CHARTS} svg path[stroke]')).stroke")
        assert line.startswith("rgb")
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.locator("nav").is_visible()
        page.context.close()
    assert grounds["light"] == "rgb(255, 255, 255)"
    assert grounds["dark"] != grounds["light"]


def test_the_page_around_it_decides(chrome: Browser, address: str) -> None:
    page = opened(chrome, address).page
    dark = [("data-theme", "dark"), ("data-jp-theme-light", "false"), ("class", "vscode-dark"), ("theme", "dark")]
    light = [("data-theme", "light"), ("data-jp-theme-light", "true"), ("class", "vscode-light"), ("theme", "light")]
    for system, around in (("light", dark), ("dark", light)):
        page.emulate_media(color_scheme="dark" if system == "dark" else "light")
        for name, value in around:
            page.evaluate("([name, value]) => document.documentElement.setAttribute(name, value)", [name, value])
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") == (system == "dark"), name
            page.evaluate("(name) => document.documentElement.removeAttribute(name)", name)
    page.context.close()


def test_the_slider(chrome: Browser, address: str) -> None:
    page = opened(chrome, address).page
    size, tokens = page.locator("[data-show=size]"), page.locator("[data-show=tokens]")
    before = (size.inner_text(), tokens.inner_text())
    points = (
        "[...document.querySelectorAll('#sizes-0 .mark-symbol path')].map(one => one.getAttribute('transform')).join()"
    )
    drawn = page.evaluate(points)
    slider = page.locator("#size")
    slider.focus()
    page.keyboard.press("Home")
    assert size.inner_text() == "256"
    assert int(tokens.inner_text().replace(",", "")) > int(before[1].replace(",", ""))
    assert page.locator("[data-show=value]").inner_text() == "1.00"
    assert page.evaluate(points) != drawn
    assert slider.get_attribute("aria-valuetext") == "256 tokens in the vocabulary, 1.00 bytes a token"
    page.locator("input[type=number]").fill("10")
    assert page.locator("[data-show=embedding]").inner_text() == "2,560"
    page.locator("input[type=number]").fill("")
    assert page.locator("[data-show=embedding]").inner_text() == "-"
    slider.focus()
    page.keyboard.press("End")
    assert (size.inner_text(), tokens.inner_text()) == before
    page.context.close()


def test_without_javascript_the_tables_say_it(chrome: Browser, address: str) -> None:
    page = opened(chrome, address, script=False).page
    assert page.locator(f"{CHARTS} svg").count() == 0
    said = page.locator("noscript p")
    assert said.count() == page.locator(CHARTS).count()
    assert said.first.is_visible()
    assert page.locator("[data-show=size]").inner_text() == "296"
    first = page.locator("details.alternative").first
    first.locator("summary").click()
    assert first.locator("table").is_visible()
    page.context.close()


def test_tokens_stand_in_the_order_in_which_they_are_read(chrome: Browser, tmp_path: Path) -> None:
    from bytepair.render.html import html  # noqa: PLC0415 - a page of its own
    from bytepair.render.style import page as whole  # noqa: PLC0415
    from bytepair.render.tokens import token_flow  # noqa: PLC0415

    path = tmp_path / "tokens.html"
    words = ["مرحبا".encode(), b" ", "שלום".encode(), b" 12", b"hello", b"\xd0"]
    path.write_text(whole("tokens", html([token_flow(words)])), "utf-8")
    context = chrome.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    rights = page.evaluate(
        "[...document.querySelectorAll('.token, .partial')].map(one => one.getBoundingClientRect().right)"
    )
    assert rights == sorted(rights, reverse=True)
    assert len(rights) == len(words)
    context.close()
