"""How texts are read: what the keywords of every call that takes files or texts say, checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TypedDict, get_args

from bytepair.data.characters import Errors, in_utf8
from bytepair.data.formats import Layout, checked_format
from bytepair.integers import checked_integer

__all__ = ["Options", "Reading", "checked_options"]


class Reading(TypedDict, total=False):
    """How texts are read; each as in `count_pretokens`."""

    format: Layout | None
    """What all files are: "text", "jsonl" or "parquet"; None to recognise each."""
    text_field: str | None
    """The column of texts."""
    source_field: str | None
    """The column that names the source of each row."""
    separator: str | bytes | None
    """What stands between two documents of a plain text file."""
    errors: Errors
    """What is done with bytes that are not UTF-8: "strict", "replace" or "bytes"."""
    sample: int | None
    """Take at most so many bytes, in whole documents that a hash chooses."""
    seed: int
    """Another number chooses other documents."""


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of reading."""

    format: Layout | None = None
    """The layout of all files; None to recognise each."""
    text_field: str | None = None
    """The column of texts, where there are columns; None for the one called `text`."""
    source_field: str | None = None
    """The column that names the source of each row."""
    separator: bytes | None = None
    """What stands between two documents of a plain text file."""
    errors: Errors = "strict"
    """What is done with bytes that are not UTF-8."""
    sample: int | None = None
    """The most bytes that are taken; None for all."""
    seed: int = 0
    """What chooses the documents of a sample."""

    def plain(self) -> dict[str, object]:
        """Them as JSON has them."""
        return asdict(self) | {"separator": None if self.separator is None else repr(self.separator)}

    @property
    def column(self) -> str:
        """The name of the column of texts."""
        return "text" if self.text_field is None else self.text_field


def checked_options(
    *,
    format: str | None,
    text_field: str | None,
    source_field: str | None,
    separator: str | bytes | None,
    errors: str,
    sample: int | None,
    seed: int,
) -> Options:
    """The options that these keywords say.

    Raises:
        ValueError: a value that is none of those allowed.
        TypeError: a value of another type.
    """
    if errors not in get_args(Errors):
        names = ", ".join(f'"{name}"' for name in get_args(Errors))
        raise ValueError(f"errors is {errors!r}\nhint: it is one of {names}")
    for name, field in (("text_field", text_field), ("source_field", source_field)):
        if field is not None and not isinstance(field, str):
            raise TypeError(f"{name} is of type `{type(field).__name__}`\nhint: it is the name of a column, a str")
    column = "text" if text_field is None else text_field
    if source_field == column:
        raise ValueError(f"text_field and source_field are both {column!r}\nhint: they are two columns")
    return Options(
        format=checked_format(format),
        text_field=text_field,
        source_field=source_field,
        separator=_separator(separator),
        errors=errors,  # type: ignore[arg-type]
        sample=None if sample is None else checked_integer("sample", sample, 1),
        seed=checked_integer("seed", seed, 0),
    )


def _separator(separator: str | bytes | None) -> bytes | None:
    if separator is None:
        return None
    if not isinstance(separator, (str, bytes)):
        raise TypeError(f"separator is of type `{type(separator).__name__}`\nhint: it is a str or bytes")
    if not separator:
        raise ValueError('separator is empty\nhint: give what stands between two documents, such as "\\n\\n"')
    return in_utf8(separator) if isinstance(separator, str) else separator
