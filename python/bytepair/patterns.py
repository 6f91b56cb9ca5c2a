"""The presets, and what a person may write for a pattern."""

from __future__ import annotations

from types import MappingProxyType

from bytepair import _core
from bytepair.errors import PatternError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

__all__ = ["DEFAULT", "PATTERNS", "preset_of", "resolve"]

PATTERNS: Mapping[str, str] = MappingProxyType(_core.presets())
"""The presets: name -> regular expression.

>>> PATTERNS["gpt2"] in PATTERNS.values()
True
"""


class _Default(str):
    """A preset's name that nobody wrote, so that it can give way where one that somebody wrote may not."""

    __slots__ = ()


DEFAULT: Final[str] = _Default("o200k")
"""The preset that training uses where none is named."""


def resolve(pattern: str | None) -> str | None:
    r"""The regular expression of a preset; any other pattern as it is.

    >>> resolve("gpt2") == PATTERNS["gpt2"], resolve(r"\S+|\s+"), resolve(None)
    (True, '\\S+|\\s+', None)

    Raises:
        PatternError: a name that no preset has.
    """
    if pattern is None or pattern in PATTERNS:
        return pattern if pattern is None else PATTERNS[pattern]
    if not isinstance(pattern, str):
        raise TypeError(
            f"the pattern is of type `{type(pattern).__name__}`\nhint: it is a preset, a regular expression or None"
        )
    if any("\ud800" <= character <= "\udfff" for character in pattern):
        raise PatternError(f"the pattern holds a surrogate: {pattern!r}", "leave it out: no text holds one")
    import re  # noqa: PLC0415 - loaded when first needed

    # Three letters or more and nothing else would match only themselves: a mistyped name.
    if re.fullmatch(r"[A-Za-z]\w{2,}", pattern):
        raise PatternError(
            f"no preset is called `{pattern}`",
            f"the presets are {', '.join(PATTERNS)}; for a regular expression that matches these letters, "
            f"write (?:{pattern})",
        )
    return pattern


def preset_of(pattern: str | None) -> str | None:
    """The name of the preset that has this regular expression, if one has.

    >>> preset_of(PATTERNS["o200k"]), preset_of("a+")
    ('o200k', None)
    """
    return next((name for name, source in PATTERNS.items() if source == pattern), None)
