"""What a request may hold: each field is read once, by its kind, and refused in two lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from bytepair.playground.limits import MOST_TEXT

__all__ = ["Request", "RequestError", "choice", "flag", "integer", "integers", "name", "names", "text"]

Request: TypeAlias = Mapping[str, Any]
_LONGEST_NAME = 1_000


class RequestError(ValueError):
    """A request that cannot be answered; the page shows both lines."""

    def __init__(self, what: str, hint: str, status: int = 400) -> None:
        """Each of the two is one line; `status` is HTTP's."""
        super().__init__(what)
        self.what, self.hint, self.status = what, hint, status


def text(request: Request, field: str = "text", *, most: int = MOST_TEXT) -> str:
    """A text of at most so many bytes.

    >>> text({"text": "low"})
    'low'
    """
    value = request.get(field, "")
    if not isinstance(value, str):
        raise _wrong(field, "text", value)
    size = len(value) if len(value) > most else len(value.encode("utf-8", "surrogatepass"))
    if size > most:
        raise RequestError(
            f"the text has {size:,} bytes, and at most {most:,} are read here",
            "take a part of it; on the command line there is no limit: `bytepair count -f FILE`",
            413,
        )
    return value


def name(request: Request, field: str) -> str:
    """A short text; empty where there is none."""
    value = request.get(field, "")
    if not isinstance(value, str):
        raise _wrong(field, "text", value)
    if len(value) > _LONGEST_NAME:
        raise RequestError(f"`{field}` has {len(value):,} characters", f"it has at most {_LONGEST_NAME}")
    return value


def names(request: Request, field: str, *, most: int) -> list[str]:
    """A list of short texts."""
    value = request.get(field, [])
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise _wrong(field, "a list of texts", value)
    if len(value) > most:
        raise RequestError(f"`{field}` has {len(value):,} items", f"it has at most {most}")
    return [one[:_LONGEST_NAME] for one in value]


def integer(request: Request, field: str, default: int, least: int, most: int) -> int:
    """A whole number in a range.

    >>> integer({"most": 3}, "most", 1, 0, 5), integer({}, "most", 1, 0, 5)
    (3, 1)
    """
    value = request.get(field, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(field, "a whole number", value)
    if not least <= value <= most:
        raise RequestError(f"`{field}` is {value if abs(value) < 1 << 64 else 'huge'}", f"it is from {least} to {most}")
    return value


def integers(request: Request, field: str, *, most: int) -> list[int]:
    """A list of ids."""
    value = request.get(field, [])
    if not isinstance(value, list) or any(isinstance(one, bool) or not isinstance(one, int) for one in value):
        raise _wrong(field, "a list of whole numbers", value)
    if len(value) > most:
        raise RequestError(f"`{field}` has {len(value):,} items", f"it has at most {most:,}", 413)
    return value


def flag(request: Request, field: str) -> bool:
    """True or false; false where it is not said."""
    value = request.get(field, False)
    if not isinstance(value, bool):
        raise _wrong(field, "true or false", value)
    return value


def choice(request: Request, field: str, of: Sequence[str]) -> str:
    """One of some words; the first where it is not said.

    >>> choice({}, "view", ("tokens", "ids"))
    'tokens'
    """
    value = request.get(field, of[0])
    if value not in of:
        raise RequestError(f"`{field}` is none of its values", f"it is one of {', '.join(of)}")
    return str(value)


def _wrong(field: str, wanted: str, value: object) -> RequestError:
    return RequestError(f"`{field}` is of the type `{type(value).__name__}`", f"it is {wanted}")
