"""Blocks for a notebook: what `_repr_html_` gives."""

from __future__ import annotations

from collections.abc import Iterable

from bytepair.render.html import html
from bytepair.render.spans import Block
from bytepair.render.style import standalone

__all__ = ["notebook"]


def notebook(blocks: Iterable[Block]) -> str:
    """HTML that stands by itself in a page of somebody else's."""
    return standalone(html(blocks))
