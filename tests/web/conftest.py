"""One browser and one playground for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from web.browser import chromium
from web.playing import served


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    """The address of a playground with the tokenizers that come with it."""
    with served() as found:
        yield found
