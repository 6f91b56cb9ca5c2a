"""Where a Chromium is: one that playwright has fetched, or one of the system."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def executable(fetched: str) -> str | None:
    """The program: BYTEPAIR_CHROMIUM, playwright's own, or the system's."""
    if named := os.environ.get("BYTEPAIR_CHROMIUM"):
        return named
    return fetched if Path(fetched).exists() else next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a network; where there is none, a loud skip."""
    with sync_playwright() as playwright:
        program = executable(playwright.chromium.executable_path)
        if program is None:
            said = "no Chromium was found: install one, or `python -m playwright install chromium`"
            warnings.warn(f"NOT TESTED: {said}", stacklevel=2)
            pytest.skip(said)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page with what it asks for and complains of."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
