"""The texts that are measured: a corpus whose sources are languages.

`languages` names them: one name for each item of `texts`, or for each of `files`. A mapping from names to texts, or to
files, says the same, and so does `source_field` of files with columns. Without any of these all text is of one language
without a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from bytepair.data import Corpus, Files, Reading, Texts, corpus

__all__ = ["LanguageFiles", "LanguageTexts", "Reading", "read"]

LanguageTexts = Texts | Mapping[str, Texts]
"""Texts, or texts of several languages."""
LanguageFiles = Files | Mapping[str, Files]
"""Files, or files of several languages."""


def read(
    texts: LanguageTexts | None,
    files: LanguageFiles | None,
    languages: Iterable[str] | None,
    reading: Reading,
) -> Corpus:
    """The texts, to be read in batches, each of one language.

    >>> [(batch.source, batch.documents) for batch in read(["low", "niz", "lower"], None, ["en", "ru", "en"], {})]
    [('en', ['low', 'lower']), ('ru', ['niz'])]

    Raises:
        TypeError: none or both of `texts` and `files`; what are neither texts nor files; languages named twice.
        ValueError: more or fewer names than texts.
        FileNotFoundError, IsADirectoryError: files that are not there.
    """
    if languages is None:
        return corpus(texts=texts, files=files, **reading)
    corpus(texts=texts, files=files)  # what is refused there is refused here
    given: Any = files if texts is None else texts
    if isinstance(given, Mapping):
        raise TypeError("languages are named twice, by languages and by a mapping\nhint: leave languages= out")
    if isinstance(languages, str):
        raise TypeError(f"languages is one str, {languages!r}\nhint: pass a list of names, one for each text")
    parts = _by_language([given] if isinstance(given, (str, PathLike)) else list(given), list(languages))
    return corpus(texts=parts, **reading) if files is None else corpus(files=parts, **reading)


def _by_language(items: list[Any], names: list[str]) -> dict[str, list[Any]]:
    if len(items) != len(names):
        fewer = "more" if len(items) < len(names) else "fewer"
        raise ValueError(
            f"there are {fewer} languages ({len(names)}) than texts ({len(items)})\nhint: give one name for each text"
        )
    parts: dict[str, list[Any]] = {}
    for name, item in zip(names, items, strict=True):
        parts.setdefault(name, []).append(item)
    return parts
