"""The two kinds of sources, as one thing to read: files, each by its layout, and texts, iterated over or of Arrow's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from bytepair.arguments import Text
from bytepair.data import plain, texts
from bytepair.data.arrow import ArrowArray, ArrowStream, arrow, is_arrow
from bytepair.data.batches import Batch
from bytepair.data.characters import shown
from bytepair.data.formats import layout_of, named_layout, needs_arrow
from bytepair.data.options import Options
from bytepair.data.places import File, Files, find, reading
from bytepair.data.streams import Stream, opened
from bytepair.errors import TextError

__all__ = ["Source", "Texts", "check_number", "of_files", "of_stream", "of_texts"]

MOST = 10_000
"""As many sources as there are languages, and more."""

Texts = Iterable[Text] | ArrowStream | ArrowArray
"""Texts, each a document; or a column or table of Arrow's, whose rows are."""


class Source(Protocol):
    """What can be read as batches."""

    @property
    def files(self) -> list[File]:
        """The files that it is read from, if it is."""

    @property
    def total(self) -> int | None:
        """What the batches' sizes add up to; None if that is not known."""

    @property
    def again(self) -> bool:
        """Whether it can be read more than once."""

    def read(self) -> Iterator[Batch]:
        """The batches, from the beginning."""


@dataclass(frozen=True, slots=True)
class _OfFiles:
    files: list[File]
    options: Options

    @property
    def total(self) -> int | None:
        sizes = [file.size for file in self.files]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def again(self) -> bool:
        return all(file.again for file in self.files)

    def read(self) -> Iterator[Batch]:
        for file in self.files:
            with reading(file), opened(file) as stream:
                yield from of_stream(stream, self.options)


@dataclass(frozen=True, slots=True)
class _OfTexts:
    texts: Iterable[Text]
    options: Options

    @property
    def files(self) -> list[File]:
        return []

    @property
    def total(self) -> int | None:
        return texts.total_size(self.texts)

    @property
    def again(self) -> bool:
        return not isinstance(self.texts, Iterator)

    def read(self) -> Iterator[Batch]:
        return texts.documents(self.texts, self.options.errors)


@dataclass(frozen=True, slots=True)
class _OfColumns:
    texts: ArrowStream | ArrowArray
    options: Options

    @property
    def files(self) -> list[File]:
        return []

    @property
    def total(self) -> int | None:
        from bytepair.data import tables  # noqa: PLC0415 - needs pyarrow

        return tables.total_size(self.texts)

    @property
    def again(self) -> bool:
        return not hasattr(self.texts, "read_next_batch")

    def read(self) -> Iterator[Batch]:
        from bytepair.data import tables  # noqa: PLC0415

        return tables.documents(self.texts, self.options)


def of_files(names: list[Files], options: Options) -> list[Source]:
    """Sources of files; all are found before one is read.

    Raises:
        FileNotFoundError, IsADirectoryError, TypeError: as `find`.
        ValueError: an option that no file has use for.
        ImportError: pyarrow is needed and not installed.
    """
    sources = [_OfFiles(find(files), options) for files in names]
    files = [file for source in sources for file in source.files]
    layouts = [named_layout(file.name) if options.format is None else options.format for file in files]
    for file in files:
        if options.format in {"jsonl", "parquet"} or needs_arrow(file.name):
            arrow(f"file `{file.name}`")
    if options.separator is not None and all(layout not in {None, "text"} for layout in layouts):
        raise ValueError(
            "separator cuts plain text, but all files have rows, each a document\nhint: leave separator= out"
        )
    for name, field in (("text_field", options.text_field), ("source_field", options.source_field)):
        if field is not None and all(layout in {None, "text"} for layout in layouts):
            what = f"{name} is {field!r}, but no file is named as one with columns: `{files[0].name}`"
            raise ValueError(f'{what}\nhint: say format="jsonl" or format="parquet", or leave {name}= out')
    if options.source_field is not None and {None, "text"} & set(layouts):
        name = next(file.name for file, layout in zip(files, layouts, strict=True) if layout in {None, "text"})
        what = f"source_field is {options.source_field!r}, but file `{name}` is plain text and has no columns"
        raise ValueError(f"{what}\nhint: name sources with a mapping: files={{'name': files}}")
    return list(sources)


def of_texts(given: list[Texts], options: Options) -> list[Source]:
    """Sources of texts.

    Raises:
        TypeError: one that is no iterable of texts.
        ValueError: an option that texts have no use for.
        ImportError: pyarrow is needed and not installed.
    """
    for name in ("separator", "format"):
        if getattr(options, name) is not None:
            raise ValueError(f"{name} is about files, but texts= holds whole documents\nhint: leave {name}= out")
    return [_of_texts(one, options) for one in given]


def _of_texts(given: Texts, options: Options) -> Source:
    if is_arrow(given):
        arrow("a column or table of Arrow's")
        return _OfColumns(given, options)
    good = texts.checked_texts(given)
    for name in ("text_field", "source_field"):
        if getattr(options, name) is not None:
            what = f"{name} names a column, but texts is a `{type(given).__name__}` and has none"
            raise ValueError(f"{what}\nhint: leave {name}= out, or pass a table or a data frame")
    return _OfTexts(good, options)


def check_number(names: set[str | None], last: str | None) -> None:
    """That there are not so many sources that they can hardly be meant: each has a table of its own.

    Raises:
        TextError: there are more than `MOST`.
    """
    if len(names) > MOST:
        raise TextError(
            f"there are more than {MOST:,} sources; the last one is {shown(last or '')}",
            "name a column of few values with source_field=",
        )


def of_stream(stream: Stream, options: Options, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
    """The documents of a file, by its layout; with `stop`, those that begin from byte `start` to before `stop`.

    What can only be read from its beginning, text and what is compressed, begins all at byte 0.
    """
    layout = layout_of(stream.name, stream.head, options.format)
    if stop is not None and (layout == "text" or stream.compression is not None):
        if start:
            return iter(())
        stop = None
    if layout == "text":
        return plain.documents(stream, options)
    arrow(f"file `{stream.name}` ({layout})")
    if layout == "jsonl":
        from bytepair.data import json_lines  # noqa: PLC0415 - needs pyarrow

        return json_lines.documents(stream, options, start, stop)
    from bytepair.data import parquet  # noqa: PLC0415

    return parquet.documents(stream, options, start, stop)
