"""One browser for all tests, and one playground for those of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from web.browser import chromium
from web.playing import served


@pytest.fixture(scope="session")
def chrome() -> Iterator[Browser]:
    """The browser. Its event loop runs in this thread from now on, so no later test can call `asyncio.run` here."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    """The address of a playground with the tokenizers that come with it."""
    with served() as found:
        yield found
