"""What a message says of values of any length, and of one thing or several."""

from __future__ import annotations

__all__ = ["several", "shortened"]

MOST = 60
"""The characters of a value that a message shows."""


def shortened(text: str, most: int = MOST) -> str:
    """The text, or its beginning and three dots: a message has to stay a line.

    >>> shortened("low"), shortened("lowest", 3)
    ('low', 'low...')
    """
    return text if len(text) <= most else text[:most] + "..."


def several(number: int, noun: str) -> str:
    """A number with its noun.

    >>> several(1, "token"), several(1200, "token")
    ('1 token', '1,200 tokens')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
