"""`corpus`: the texts that a call works on, whatever they lie in, as one iterable of batches.

The idea: arguments are checked and files found when the corpus is made, and nothing is read until it is iterated over.
Every kind of source becomes the same batches; sampling and gathering work on batches and know no files. What lies in
memory is a few batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from bytepair.data.batches import Batch, Documents, gathered, joined, of_source
from bytepair.data.characters import Errors
from bytepair.data.formats import Layout
from bytepair.data.options import Options, checked_options
from bytepair.data.places import File, Files
from bytepair.data.sources import Source, Texts, check_number, of_files, of_texts
from bytepair.errors import TextError

__all__ = ["Corpus", "corpus"]


class Corpus:
    """Texts to be read, in batches; `corpus` makes it.

    It can be iterated over again if what it reads from can: paths and lists, not open files and iterators.
    """

    def __init__(self, names: tuple[str, ...] | None, sources: list[Source], options: Options) -> None:
        self.names = names
        """The names of the sources; None if there are none, or as long as only the rows know them."""
        self.files = [
            (name, file) for name, source in zip(names or (None,), sources, strict=True) for file in source.files
        ]
        """The files that are read, in order, each with the name of its source."""
        self._sources = sources
        self.options = options
        """How they are read."""
        self._is_read = False

    @cached_property
    def total(self) -> int | None:
        """What the sizes of the batches add up to, in bytes; None if that is not known."""
        sizes = [source.total for source in self._sources]
        known = [size for size in sizes if size is not None]
        readings = 2 if self.options.sample is not None and self._is_read_twice else 1
        return readings * sum(known) if len(known) == len(sizes) else None

    @property
    def are_known(self) -> bool:
        """Whether the files, as `plain` lists them, say if the texts are those of another time."""
        return bool(self.files) and all(None not in (file.size, file.changed) for _, file in self.files)

    def plain(self) -> dict[str, object]:
        """What the texts depend on, as JSON has it; of each file its source, name, size, and time of change in ns."""
        listed = [[source, file.name, file.size, file.changed] for source, file in self.files]
        return self.options.plain() | {"files": listed or None}

    @property
    def again(self) -> bool:
        """Whether it can be iterated over more than once."""
        return all(source.again for source in self._sources)

    def without(self, is_left_out: Callable[[File], bool]) -> Corpus:
        """The same without some of its files."""
        sources = list[Any](self._sources)
        for place, source in enumerate(sources):
            if source.files:
                sources[place] = replace(source, files=[file for file in source.files if not is_left_out(file)])
        return Corpus(self.names, sources, self.options)

    @property
    def _is_read_twice(self) -> bool:
        """Whether a sample is taken in two readings, rather than held: of files."""
        return bool(self.files) and self.again

    def __iter__(self) -> Iterator[Batch]:
        """The batches, in order.

        Raises:
            TextError: texts that are not what they are said to be; the place is named.
            OSError: a file that cannot be read.
            TypeError: an item that is no text.
            ValueError: the second time, if what is read can be read only once.
        """
        if self._is_read and not self.again:
            raise ValueError(
                "the texts were read already, and can be read only once\nhint: pass paths, or a list of texts"
            )
        self._is_read = True
        sample = self.options.sample
        return gathered(self._batches() if sample is None else self._sampled(sample))

    def _batches(self) -> Iterator[Batch]:
        names = set[str | None]()
        for name, source in zip(self.names or (None,), self._sources, strict=True):
            for batch in of_source(source.read(), name):
                if batch.source not in names:
                    names.add(batch.source)
                    check_number(names, batch.source)
                yield batch
                del batch  # or it would be held while the next one is read

    def _sampled(self, size: int) -> Iterator[Batch]:
        from bytepair.data import sampling  # noqa: PLC0415 - needs NumPy

        if self._is_read_twice:
            return sampling.of_files(self._batches, size, self.options.seed)
        return sampling.of_texts(self._batches(), size, self.options.seed)

    def documents(self) -> Iterator[Documents]:
        """The same as whole documents, whatever their size.

        >>> [batch.documents for batch in corpus(texts=["low", b"lower"]).documents()]
        [['low', b'lower']]
        """
        return joined(self)


def corpus(
    *,
    files: Files | Mapping[str, Files] | None = None,
    texts: Texts | Mapping[str, Texts] | None = None,
    format: Layout | None = None,
    text_field: str | None = None,
    source_field: str | None = None,
    separator: str | bytes | None = None,
    errors: Errors = "strict",
    sample: int | None = None,
    seed: int = 0,
) -> Corpus:
    r"""The texts that files or other sources hold. Nothing is read yet.

    Args:
        files: a path, a glob, an address (`s3://`, `gs://`, `file://`), an open file, or a list of them; plain text,
            JSON lines or Parquet; the first two may be compressed with gzip or zstd. Or a mapping from the names of
            sources to such files.
        texts: an iterable of str or bytes, each one document; an Arrow array, or a table or data frame with a column of
            texts. Or a mapping from the names of sources to such texts. Exactly one of `files` and `texts` is given.
        format: what all files are: "text", "jsonl" or "parquet"; None to recognise each.
        text_field: the column of texts, in files and tables with columns; None for `text`.
        source_field: the column that names the source of each row.
        separator: what stands between two documents of a plain text file; None: each file is one document.
        errors: what is done with bytes that are not UTF-8: "strict" raises, "replace" puts U+FFFD there, "bytes" keeps
            them.
        sample: take at most so many bytes, in whole documents that a hash chooses; None for all.
        seed: another number chooses other documents.

    Returns:
        The corpus, an iterable of `Documents`, `Rows` and `Part`.

    Raises:
        TypeError: both or none of `files` and `texts`; an argument of another type.
        ValueError: a setting that is none of its values, or that has no use for what is given.
        FileNotFoundError, IsADirectoryError: files that are not there.
        ImportError: pyarrow is needed and not installed.

    >>> from bytepair import data
    >>> [batch.documents for batch in data.corpus(texts=["low lower", b"lowest"])]
    [['low lower', b'lowest']]
    """
    if (files is None) == (texts is None):
        raise TypeError(f"got {'none' if files is None else 'both'} of files and texts\nhint: give exactly one of them")
    options = checked_options(
        format=format,
        text_field=text_field,
        source_field=source_field,
        separator=separator,
        errors=errors,
        sample=sample,
        seed=seed,
    )
    given = files if texts is None else texts
    names: tuple[str, ...] | None = None
    parts: list[Any] = [given]
    if isinstance(given, Mapping):
        names, parts = _named(given, source_field)
    sources = of_files(parts, options) if texts is None else of_texts(parts, options)
    return Corpus(names, sources, options)


def _named(given: Mapping[str, Any], source_field: str | None) -> tuple[tuple[str, ...], list[Any]]:
    """The names of sources, and what they are."""
    if source_field is not None:
        raise ValueError("sources are named twice, by source_field and by a mapping\nhint: leave source_field= out")
    if not given:
        raise TextError("there is no source: the mapping is empty", "map names of sources to files or texts")
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"a source is named by a `{type(name).__name__}`: {name!r}\nhint: names of sources are str")
    return tuple(given), list(given.values())
