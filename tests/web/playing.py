"""A playground that is served while a test runs, and a browser that looks at it."""

from __future__ import annotations

import json
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from bytepair.playground import serving
from bytepair.tokenizer import Tokenizer
from web.browser import Watched

SECONDS = 60
"""How long something may take before it is missed: only a test that fails waits for it."""
SCREENSHOTS = os.environ.get("BYTEPAIR_SCREENSHOTS")
"""A folder for pictures of every view, for a person to look at."""


@contextmanager
def served(tokenizers: Mapping[str, Tokenizer] | None = None, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Its address, without the slash at the end."""
    ready = threading.Event()
    servers: list[serving.Server] = []

    def listens(server: serving.Server) -> None:
        servers.append(server)
        ready.set()

    listening = serving.bound(host, port)
    place = serving.address(host, listening.getsockname()[1]).removesuffix("/")
    thread = threading.Thread(target=serving.serve, args=(tokenizers or {}, host, listening, listens))
    thread.start()
    assert ready.wait(SECONDS)
    try:
        yield place
    finally:
        servers[0].should_exit = True
        thread.join(SECONDS)
        assert not thread.is_alive()


def asked(
    place: str, body: Any = None, *, method: str | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, Any]:
    """The status and the answer; a body that is no bytes is sent as JSON."""
    raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    kind = {"Content-Type": "application/json"} if raw is not None else {}
    request = urllib.request.Request(place, raw, {**kind, **(headers or {})}, method=method)  # noqa: S310 - our server
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


class Waited:
    """Something that comes after a while."""

    def __init__(self, look: Callable[[], Any]) -> None:
        self.look = look

    def until(self, wanted: Callable[[Any], bool]) -> bool:
        """Whether it came before it is missed."""
        end = time.monotonic() + SECONDS
        while not wanted(self.look()):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True


CONTRASTS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const light = (colour) => {
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    const [r, g, b] = colour.map((part) => linear(part / 255))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor)
      if (colour[3] === 255) return colour
    }
    return [255, 255, 255, 255]
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const pale = new Set()
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement
    if (!texts.currentNode.data.trim() || !node.checkVisibility({ visibilityProperty: true }) || node.disabled) continue
    const style = getComputedStyle(node)
    const [one, other] = [light(rgba(node.closest('svg') ? style.fill : style.color)), light(behind(node))]
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    if (contrast < 4.5) pale.add(`${contrast.toFixed(2)}: ${node.className} ${texts.currentNode.data.slice(0, 40)}`)
  }
  return [...pale]
}"""


class Played(Watched):
    """A page of the playground."""

    def __init__(
        self, browser: Browser, place: str, fragment: str = "", *, width: int = 1280, dark: bool = False
    ) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 900 if width > 500 else 760}, color_scheme="dark" if dark else "light"
        )
        context.set_default_timeout(SECONDS * 1000)
        super().__init__(context.new_page())
        self.place = place
        self.page.goto(f"{place}/{fragment}")
        self.calm()

    def has(self, selector: str, text: str) -> None:
        """Waits until an element holds a text; says what it held where it does not."""
        said = "(selector) => (document.querySelector(selector)?.innerText ?? '').replaceAll('\\u00a0', ' ')"
        end = time.monotonic() + SECONDS
        while text not in (found := self.page.evaluate(said, selector)):
            assert time.monotonic() < end, f"{selector} says {found!r}, not {text!r}"
            self.page.wait_for_timeout(20)

    def until(self, expression: str) -> None:
        """Waits until this is true. Playwright's own way has the page evaluate a string, which the page forbids."""
        end = time.monotonic() + SECONDS
        # What it asks of may not be there yet.
        asked = f"(() => {{ try {{ return {expression} }} catch {{ return false }} }})()"
        while not self.page.evaluate(asked):
            assert time.monotonic() < end, f"never true: {expression}"
            self.page.wait_for_timeout(20)

    def calm(self) -> None:
        """Waits until the view that was asked for takes keys and clicks, and is drawn with all that was typed."""
        self.until("document.querySelector('#main').ariaBusy === 'false'")

    def go(self, view: str) -> None:
        """Follows the link to a view, and waits until it is there."""
        self.page.click(f"nav a[href='#{view}']")
        self.page.locator(f"#{view}").wait_for()
        self.calm()

    def pale(self) -> list[str]:
        """Visible texts whose contrast with what is behind them is less than 4.5 (WCAG 2.2, AA)."""
        found = self.page.evaluate(CONTRASTS)
        assert isinstance(found, list)
        return found

    def write(self, selector: str, text: str) -> None:
        """Puts a text into a field at once, as a paste does; typing it would take the browser long."""
        self.page.evaluate(
            "([selector, text]) => { const node = document.querySelector(selector); node.value = text;"
            " node.dispatchEvent(new Event('input', { bubbles: true })) }",
            [selector, text],
        )

    def done(self, name: str, folder: Path) -> None:
        """Nothing was complained of, nothing came from outside, the page is no wider than the window; a picture."""
        page = self.page
        assert self.complaints == []
        outside = [url for url in self.requests if not url.startswith((f"{self.place}/", "blob:"))]
        assert outside == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        self.picture(name, folder)
        page.context.close()

    def unharmed(self) -> None:
        """No script of a text ran, no image of it was asked for, and no value that code does not know is shown."""
        page = self.page
        assert page.evaluate("[window.hostile, document.images.length, document.scripts.length]") == [None, 0, 1]
        shown = "#problem, #about, #told, .counts, .note, output"
        said = page.evaluate("(shown) => [...document.querySelectorAll(shown)].map(one => one.innerText)", shown)
        assert not [text for text in said if re.search(r"undefined|NaN|\[object|\bnull\b", text)]

    def picture(self, name: str, folder: Path) -> None:
        """A picture of what is seen."""
        path = Path(SCREENSHOTS or folder) / f"play-{name}.png"
        self.page.screenshot(path=path)
        assert path.stat().st_size > 1000
