"""Codes of subword-nmt, versions 0.1 and 0.2; see `codes.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bytepair.formats import codes
from bytepair.parts import Parts

__all__ = ["looks_like", "parse", "render"]


def looks_like(data: bytes) -> bool:
    r"""Whether the first merge is one of such a file.

    >>> looks_like(b"#version: 0.2\nl o</w>\n")
    True
    """
    return codes.looks_like(data, counted=False)


def parse(data: bytes, *, special_tokens: Mapping[str, int] | Sequence[str] | None = None) -> Parts:
    """Reads the content of such a file; arguments and errors as `codes.parse`."""
    return codes.parse(data, counted=False, special_tokens=special_tokens)


def render(parts: Parts) -> bytes:
    """Writes the content of such a file; errors as `codes.render`."""
    return codes.render(parts, counted=False)
