"""Values of any length in a message, which has to stay a line."""

from __future__ import annotations

__all__ = ["shortened"]

MOST = 60
"""The characters of a value that a message shows."""


def shortened(text: str, most: int = MOST) -> str:
    """The text, or its beginning and three dots.

    >>> shortened("low"), shortened("lowest", 3)
    ('low', 'low...')
    """
    return text if len(text) <= most else text[:most] + "..."
