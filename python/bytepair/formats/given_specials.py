"""Special tokens that the caller names, for files that hold none or do not say which they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bytepair.errors import FormatError
from bytepair.parts import MAX_ID, SpecialToken

__all__ = ["named"]


def named(given: Mapping[str, int] | Sequence[str] | None, first: int) -> tuple[SpecialToken, ...]:
    """The special tokens of a mapping of text to id; or of a list of texts, which take ids from `first` on.

    Raises:
        FormatError: a text or an id that is none.

    >>> [(special.content, special.id) for special in named({"<end>": 9}, 3) + named(["<a>"], 3)]
    [('<end>', 9), ('<a>', 3)]
    """
    if given is None:
        return ()
    if isinstance(given, str):
        raise FormatError(
            f"`special_tokens` is the string {given!r}", "give a mapping of text to id, or a list of texts"
        )
    pairs = given.items() if isinstance(given, Mapping) else zip(given, range(first, first + len(given)), strict=True)
    specials = tuple(SpecialToken(content, id_) for content, id_ in pairs)
    for special in specials:
        if not isinstance(special.content, str) or not special.content:
            raise FormatError(f"the special token {special.content!r} is not a text", "name it by its text")
        if type(special.id) is not int or not 0 <= special.id <= MAX_ID:
            raise FormatError(
                f"the special token {special.content!r} has the id {special.id!r}", f"ids are 0 to {MAX_ID}"
            )
    return specials
