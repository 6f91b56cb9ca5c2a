r"""JSON read strictly, and walked with the name of every place.

The idea: a file from anywhere may hold anything, so nothing in it is used before its type is known. A `Field` is a
value with the path that leads to it (`model.merges[17]`); it hands its value out only as the type that is asked for,
and otherwise raises an error that names path and value. What JSON leaves open is closed: no duplicate keys, no NaN, no
byte order mark, UTF-8 only, no lone surrogates.

>>> root = load(b'{"model": {"merges": ["a b", 7]}}')
>>> root.get("model").get("merges").items()[1].string()
Traceback (most recent call last):
    ...
bytepair.errors.FormatError: `model.merges[1]` is 7, and should be a string
hint: the file is damaged, or not of the kind that its name says
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from bytepair.errors import FormatError
from bytepair.wording import shortened

__all__ = ["BYTE_ORDER_MARK", "Field", "load", "refuse_mark", "shown"]

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

_DAMAGED: Final = "the file is damaged, or not of the kind that its name says"


def shown(value: object) -> str:
    r"""A value as JSON, shortened, for a message, which has to stay a line; a container by its kind and size.

    >>> print(shown("é\u2028\ud800"), shown([1]), shown(None))
    "é\u2028\ud800" a list of 1 items null
    """
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    if isinstance(value, list):
        return f"a list of {len(value)} items"
    text = value if isinstance(value, str) else repr(value)
    short = shortened(text)
    if isinstance(value, str):
        quoted = json.dumps(short, ensure_ascii=False)
        return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in quoted)
    return {"None": "null", "True": "true", "False": "false"}.get(short, short)


@dataclass(frozen=True, slots=True)
class Field:
    """A JSON value and the path to it; the path of the whole document is empty."""

    value: object
    path: str = ""

    def wrong(self, expected: str, hint: str = _DAMAGED) -> FormatError:
        """The error that this value is not what is expected."""
        place = f"`{self.path}`" if self.path else "the document"
        return FormatError(f"{place} is {shown(self.value)}, and should be {expected}", hint)

    def get(self, key: str) -> Field:
        """The value of a key of an object; null when the key is missing."""
        return Field(self.object().get(key), f"{self.path}.{key}" if self.path else key)

    def items(self) -> list[Field]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return [Field(item, f"{self.path}[{i}]") for i, item in enumerate(self.value)]

    def object(self) -> dict[str, object]:
        """An object, as it is."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return self.value

    def entries(self) -> Iterator[tuple[str, Field]]:
        """The keys and values of an object."""
        for key, value in self.object().items():
            yield key, Field(value, f"{self.path}[{shown(key)}]")

    def string(self) -> str:
        """A string that is text: without lone surrogates."""
        if not isinstance(self.value, str):
            raise self.wrong("a string")
        if not _is_text(self.value):
            raise self.wrong("text; it holds half of a surrogate pair")
        return self.value

    def integer(self, highest: int) -> int:
        """An integer from 0 to `highest`."""
        if type(self.value) is not int or not 0 <= self.value <= highest:
            raise self.wrong(f"an integer from 0 to {highest}")
        return self.value

    def boolean(self, *, default: bool) -> bool:
        """A boolean; null and a missing key are the default."""
        if self.value is None:
            return default
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def one_of(self, *choices: str) -> str:
        """One of a few strings."""
        if not isinstance(self.value, str) or self.value not in choices:
            raise self.wrong(" or ".join(shown(choice) for choice in choices))
        return self.value


def load(data: bytes) -> Field:
    """Reads a document.

    Raises:
        FormatError: what is wrong, with line and column where there is one.
    """
    refuse_mark(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8", "JSON is UTF-8; the file is damaged"
        ) from None
    try:
        return Field(json.loads(text, object_pairs_hook=_object, parse_constant=_constant))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"line {error.lineno}, column {error.colno}: no JSON ({error.msg})", "the file is cut off or damaged"
        ) from None
    except RecursionError:
        raise FormatError("its lists and objects are nested too deeply", _DAMAGED) from None
    except FormatError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise FormatError(f"a number is too long ({error})", _DAMAGED) from None


def refuse_mark(data: bytes) -> None:
    """Raises `FormatError` if a file's content begins with the byte order mark of UTF-8."""
    if data.startswith(BYTE_ORDER_MARK):
        raise FormatError("it begins with a byte order mark", "save it as UTF-8 without one")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise FormatError(f"the key {shown(key)} stands twice in one object", "remove one of the two")
            seen.add(key)
    return made


def _constant(name: str) -> NoReturn:
    raise FormatError(f"it holds {name}, which is no JSON", _DAMAGED)


def _is_text(string: str) -> bool:
    try:
        string.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
