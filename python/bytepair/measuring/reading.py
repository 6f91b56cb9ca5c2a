"""The texts that are measured, in batches of whole documents, each with the language it is in.

`languages` names them: one name for each item of `texts`, or for each file. A mapping from names to texts, or to files,
says the same. Without either all text is of one language without a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bytepair import sources
from bytepair.arguments import Text
from bytepair.sources import Files

__all__ = ["Documents", "Texts", "read"]

Texts = Iterable[Text] | Mapping[str, Iterable[Text]]


@dataclass(frozen=True, slots=True)
class Documents:
    """Some documents of one language."""

    language: str | None
    """What it is called."""
    texts: list[Text]
    """The documents."""


def read(
    texts: Texts | None, files: Files | Mapping[str, Files] | None, languages: Iterable[str] | None = None
) -> Iterator[Documents]:
    """The documents, read as they are asked for.

    >>> [(batch.language, batch.texts) for batch in read(["low", "niz", "lower"], None, ["en", "ru", "en"])]
    [('en', ['low', 'lower']), ('ru', ['niz'])]

    Raises:
        TypeError: none or both of `texts` and `files`; what are neither texts nor files.
        ValueError: more or fewer names than texts.
    """
    if (texts is None) == (files is None):
        raise TypeError(f"got {'none' if files is None else 'both'} of texts and files\nhint: give exactly one of them")
    given = files if texts is None else texts
    if isinstance(given, Mapping):
        if languages is not None:
            raise TypeError("languages are named twice, by languages and by a mapping\nhint: leave languages= out")
        for name, part in given.items():
            yield from _of_one(name, part, is_files=texts is None)
        return
    if languages is None:
        yield from _of_one(None, given, is_files=texts is None)
        return
    if isinstance(languages, str):
        raise TypeError("languages is one str\nhint: pass a list of names, one for each text")
    names = iter(languages)
    for batch in _of_one(None, given, is_files=texts is None):
        parts: dict[str, list[Text]] = {}
        for text in batch.texts:
            name = next(names, None)
            if name is None:
                raise ValueError("there are more texts than languages\nhint: give one name for each text")
            parts.setdefault(name, []).append(text)
        yield from (Documents(name, part) for name, part in parts.items())
    if next(names, None) is not None:
        raise ValueError("there are more languages than texts\nhint: give one name for each text")


def _of_one(language: str | None, given: object, *, is_files: bool) -> Iterator[Documents]:
    if is_files:
        batches = sources.batches_of_files(sources.find(given))  # type: ignore[arg-type]
    else:
        batches = sources.batches_of_texts(given)  # type: ignore[arg-type]
    for batch in batches:
        yield Documents(language, batch.documents)
