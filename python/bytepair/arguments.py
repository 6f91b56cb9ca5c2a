"""What arguments may be, in a module that needs no other: `Text`, and `LEFT_OUT` for one that was not given."""

from __future__ import annotations

__all__ = ["LEFT_OUT", "LeftOut", "Text"]

Text = str | bytes | bytearray | memoryview
"""What a text may be; bytes need not be UTF-8."""


class LeftOut:
    """An argument that was not given, where None says something."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<left out>"


LEFT_OUT = LeftOut()
"""The only one there is."""
