"""Fixtures of the tests of shards."""

from __future__ import annotations

import pytest

import bytepair as bp
from bytepair.scale import items
from bytepair.shards import verifying, writing
from scale import sharding


@pytest.fixture(scope="session")
def tok() -> bp.Tokenizer:
    """A small tokenizer with two special tokens."""
    return sharding.tokenizer()


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> sharding.Inline:
    """Work is done in this process: starting others would take most of a test's time."""
    engine = sharding.Inline()
    monkeypatch.setattr(writing, "opened", engine.opened)
    monkeypatch.setattr(verifying, "opened", engine.opened)
    return engine


@pytest.fixture
def small_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items are as small as shards."""
    monkeypatch.setattr(writing, "SIZE", 1)
    assert items.SIZE > 1
