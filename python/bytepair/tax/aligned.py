"""Aligned texts: the same lines in several languages."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SOURCE", "Aligned", "Parallel", "aligned", "declaration"]

SOURCE = "Universal Declaration of Human Rights, 30 articles. Source: United Nations"
"""What the bundled text is and where it comes from."""
Parallel = Mapping[str, Sequence[str] | str | os.PathLike[str]]
"""Languages and their lines, or the file that holds them, one a line; all have as many."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """The same lines in several languages; every language has as many."""

    source: str
    """What the text is."""
    lines: Mapping[str, tuple[str, ...]]
    """Language -> lines."""
    names: Mapping[str, str]
    """Language -> what it is called in English."""


def declaration() -> Aligned:
    """The bundled text.

    >>> text = declaration()
    >>> len(text.lines), len(text.lines["ta"]), text.names["ta"]
    (75, 30, 'Tamil')
    """
    import json  # noqa: PLC0415 - what a caller with a text of their own does not need
    import lzma  # noqa: PLC0415
    from importlib import resources  # noqa: PLC0415

    packed = resources.files("bytepair.tax").joinpath("udhr.jsonl.xz").read_bytes()
    rows = [json.loads(row) for row in lzma.decompress(packed).decode().splitlines()]
    lines = {row["lang"]: tuple(row["articles"]) for row in rows}
    return Aligned(SOURCE, lines, {row["lang"]: row["name"] for row in rows})


def aligned(parallel: Parallel | None, name: str = "parallel") -> Aligned:
    """The bundled text for None, or what was given as the argument `name`, checked.

    >>> aligned({"en": ["low", "high"], "de": ["tief", "hoch"]}).lines["de"]
    ('tief', 'hoch')

    Raises:
        TypeError: no mapping, or lines that are no texts.
        ValueError: no language, no line, or languages with different numbers of lines.
        OSError: a file that cannot be read.
    """
    if parallel is None:
        return declaration()
    if not isinstance(parallel, Mapping):
        raise TypeError(
            f"{name} is of type `{type(parallel).__name__}`\nhint: pass a mapping of languages to lines or files"
        )
    lines = {language: _lines(language, given) for language, given in parallel.items()}
    if not lines:
        raise ValueError(f"{name} names no language\nhint: pass a mapping of languages to lines or files")
    (first, wanted), *others = ((language, len(each)) for language, each in lines.items())
    for language, count in others:
        if count != wanted:
            raise ValueError(
                f"{language!r} has {count} lines and {first!r} has {wanted}\n"
                "hint: line i of every language says the same"
            )
    if not wanted:
        raise ValueError(f"{first!r} has no lines\nhint: give at least one line for each language")
    return Aligned("aligned text, as given", lines, {language: language for language in lines})


def _lines(language: str, given: Sequence[str] | str | os.PathLike[str]) -> tuple[str, ...]:
    if isinstance(given, (str, os.PathLike)):
        return tuple(_read(Path(given)).removesuffix("\n").split("\n")) if Path(given).stat().st_size else ()
    if not isinstance(given, Sequence) or isinstance(given, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"the lines of {language!r} are of type `{type(given).__name__}`\nhint: pass a list of str, or a path"
        )
    for index, text in enumerate(given):
        if not isinstance(text, str):
            raise TypeError(f"line {index} of {language!r} is of type `{type(text).__name__}`\nhint: lines are str")
    return tuple(given)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"`{path}` is not UTF-8: byte {error.start}\nhint: convert it to UTF-8") from None
