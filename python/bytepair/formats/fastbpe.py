"""Codes of fastBPE: as those of subword-nmt 0.2, with a column of counts; see `codes.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bytepair.formats import codes
from bytepair.parts import Parts

__all__ = ["looks_like", "parse", "render"]


def looks_like(data: bytes) -> bool:
    r"""Whether the first merge is one of such a file.

    >>> looks_like(b"l o</w> 5\n")
    True
    """
    return codes.looks_like(data, counted=True)


def parse(data: bytes, *, special_tokens: Mapping[str, int] | Sequence[str] | None = None) -> Parts:
    """Reads the content of such a file; arguments and errors as `codes.parse`."""
    return codes.parse(data, counted=True, special_tokens=special_tokens)


def render(parts: Parts) -> bytes:
    """Writes the content of such a file; errors as `codes.render`."""
    return codes.render(parts, counted=True)
