"""`report`: everything that can be said about a tokenizer, as one page for people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

from bytepair.formats.atomic import write_bytes
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading
from bytepair.measuring.tokenizers import checked
from bytepair.reporting.bundle import bundle
from bytepair.reporting.page import drawn
from bytepair.reporting.results import Results, results

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["Report", "report"]


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A page about a tokenizer; `report` makes it."""

    html: str
    """The page. It holds everything that it needs, and asks nothing of a network."""
    results: Results
    """What it shows: `measurement`, `sweep`, `tax`, `audit`, `oddities`, `kinds`, `baselines`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file, whole or not at all.

        Raises:
            OSError: a file that cannot be written.
        """
        write_bytes(path, self.html.encode())

    def to_dict(self) -> dict[str, Any]:
        """Everything that it shows, as plain data; what could not be measured is None, and `reasons` says why."""
        return self.results.to_dict()

    def __repr__(self) -> str:
        return f"<Report on {self.results.name}, {len(self.html):,} characters of HTML>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts" style="width: 100%; height: 80vh; border: 1px solid" '
            f'title="Tokenizer report" srcdoc="{escape(self.html)}"></iframe>'
        )


def report(
    tok: Tokenizer,
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    languages: Iterable[str] | None = None,
    name: str = "tokenizer",
    beside: Mapping[str, Tokenizer] | None = None,
    width: int | None = None,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Report:
    """One page about a tokenizer: samples, every vocabulary size, languages, frequencies, oddities, an audit.

    The same tokenizer and text give the same page, byte by byte.

    Args:
        tok: the tokenizer.
        texts: documents, or a mapping from languages to documents. They are read several times; of an iterator, which
            gives them once, all are held.
        files: paths and globs in place of `texts`. Without either a small bundled text is measured.
        languages: the language of each text, or of each file.
        name: what the tokenizer is called.
        beside: other tokenizers, by name, that are compared with it.
        width: the width of an embedding, to begin with; it can be changed in the page.
        threads: how many count; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: both `texts` and `files`; open files, which can be read once; what is no tokenizer.
        ValueError: one of `beside` has the name of the tokenizer.
        ImportError: vl-convert-python is not installed (`pip install 'bytepair[report]'`).
        UnknownSymbolError: a byte or character of a text that was given, which a vocabulary lacks.

    >>> import bytepair as bp
    >>> page = bp.report(bp.train(texts=["low lower lowest low"], num_merges=3), ["low lower"], name="low")
    >>> page.html.startswith("<!DOCTYPE html>"), page.results.measurement.of("low").tokens
    (True, 4)
    """
    bundle()  # what is missing is told of before all the work
    tokenizers = {name: checked(tok)} | {other: checked(each) for other, each in (beside or {}).items()}
    if beside is not None and name in beside:
        raise ValueError(f"two tokenizers are called {name!r}\nhint: give the first one another name=")
    for each in (files, *(files.values() if isinstance(files, Mapping) else ())):
        for file in each if isinstance(each, (list, tuple)) else (each,):
            if hasattr(file, "read"):
                raise TypeError("files has an open file, and texts are read several times\nhint: give its path")
    found = results(
        tokenizers,
        _held(texts),
        files,
        languages=None if languages is None else list(languages),
        width=width,
        threads=threads,
        **reading,
    )
    return Report(drawn(found), found)


def _held(texts: Any) -> Any:  # noqa: ANN401
    """The texts, so that they can be read again."""
    if isinstance(texts, Mapping):
        return {language: _held(each) for language, each in texts.items()}
    return list(texts) if isinstance(texts, Iterator) else texts
