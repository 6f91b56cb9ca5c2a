"""An iterable of texts -> documents; it is read once and no further ahead than one batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from bytepair.arguments import Text
from bytepair.data import batches
from bytepair.data.batches import Batch, Documents
from bytepair.data.characters import Errors, checked

__all__ = ["checked_texts", "documents", "numbered", "total_size"]


def checked_texts(texts: object) -> Iterable[Text]:
    """An iterable of texts, as far as can be seen.

    Raises:
        TypeError: the whole is one text, or nothing that holds texts.
    """
    if isinstance(texts, Text):
        kind = type(texts).__name__
        raise TypeError(f"texts is one {kind}, whose items are no texts\nhint: pass a list of documents: [text]")
    if not isinstance(texts, Iterable):
        kind = type(texts).__name__
        lazy = f"collect it first: {kind}.collect()" if hasattr(texts, "collect") else None  # of polars, or DuckDB
        raise TypeError(f"texts is of type `{kind}`\nhint: {lazy or 'pass an iterable of str or bytes'}")
    return texts


def total_size(texts: Iterable[Text]) -> int | None:
    """What the batches' sizes will add up to, where that is known before."""
    if not isinstance(texts, Sequence):
        return None
    return sum(
        memoryview(text).nbytes if isinstance(text, memoryview) else len(text)
        for text in texts
        if isinstance(text, Text)
    )


def documents(texts: Iterable[Text], errors: Errors) -> Iterator[Batch]:
    """The documents, in order.

    Raises:
        TypeError: an item that is no text.
        TextError: bytes that are not UTF-8.
    """
    first, size, held = 0, 0, list[Text]()
    for index, text in enumerate(texts):
        held.append(_item(text, index, errors))
        size += len(held[-1])
        if size >= batches.PART or len(held) >= batches.MANY:
            yield Documents(held, numbered("item", first), size)
            first, size, held = index + 1, 0, []
        del text  # or it would be held while the next one is made
    if held:
        yield Documents(held, numbered("item", first), size)


def _item(text: object, index: int, errors: Errors) -> str | bytes:
    if isinstance(text, str):
        return text
    if isinstance(text, (bytes, bytearray, memoryview)):
        content = bytes(text)  # a buffer may be filled anew before the batch is read
        return checked(content, errors, lambda offset: f"item {index} of texts, offset {offset}")
    raise TypeError(f"item {index} of texts is of type `{type(text).__name__}`\nhint: every item is a str or bytes")


def numbered(what: str, first: int) -> Callable[[int], str]:
    """How items, or rows, are called from number `first` on."""
    return lambda index: f"{what} {first + index} of texts"
