"""Which characters are better written as a number: they cannot be seen, or not be told from others.

By fixed ranges and not by the running Python's tables, so that what is written does not depend on its version.
"""

from __future__ import annotations

__all__ = ["is_invisible"]


def is_invisible(code: int) -> bool:
    r"""Controls, spaces but the plain one, surrogates, and format characters of every Unicode version.

    >>> [is_invisible(ord(sign)) for sign in "a \n\u2028"]
    [False, False, True, True]
    """
    return (
        code < 0x20  # noqa: PLR2004
        or 0x7F <= code <= 0xA0  # noqa: PLR2004
        or 0x2000 <= code <= 0x206F  # noqa: PLR2004
        or 0xD800 <= code <= 0xDFFF  # noqa: PLR2004
        or code in {0xAD, 0x3000, 0xFEFF}
        or code >= 0xE0000  # noqa: PLR2004
    )
