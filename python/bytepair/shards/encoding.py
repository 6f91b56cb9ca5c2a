"""Batches of text -> ids with what stands before and after each document, and where documents end.

The idea: a batch is encoded in one call, whatever it is made of, and special tokens are put between documents in one
go; a document that comes in parts is encoded as it comes. So there is no Python object for a token, and no document is
in memory as a whole that is larger than a part. Special tokens in a text are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bytepair import _core
from bytepair.arguments import Text
from bytepair.data.batches import Batch, Documents, Part, Rows
from bytepair.errors import BytepairError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.encoding import UnknownSymbol
    from bytepair.shards.formats import Dtype, Ids
    from bytepair.tokenizer import Tokenizer

__all__ = ["Encoded", "Encoding"]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Some ids."""

    ids: Ids
    ends: NDArray[np.int64]
    """Before which of them documents end; what follows the last end belongs to a document that goes on."""
    text_bytes: int
    """The bytes of text that they are of."""
    nulls: int
    """Rows without a text that were left out."""


class Encoding:
    """What is done with batches."""

    def __init__(
        self,
        tok: Tokenizer,
        dtype: Dtype,
        *,
        before: tuple[int, ...],
        after: tuple[int, ...],
        unknown: UnknownSymbol,
        threads: int,
    ) -> None:
        self._tok, self._dtype = tok, dtype
        self._before, self._after = np.array(before, dtype), np.array(after, dtype)
        self._unknown, self._threads = unknown, threads
        self._stream: _core.StreamEncoder | None = None
        """Of the document that comes in parts."""

    def encoded(self, batches: Iterable[Batch]) -> Iterator[Encoded]:
        """Their ids.

        Raises:
            BytepairError: what `encode` raises, with the name of the document.
        """
        for batch in batches:
            if isinstance(batch, Part):
                yield self._of_part(batch)
            elif isinstance(batch, Rows):
                yield self._of_rows(batch)
            else:
                yield self._of_documents(batch)
            del batch  # or it would be held while the next one is read

    def _of_documents(self, batch: Documents) -> Encoded:
        tok, is_narrow = self._tok, self._dtype == np.uint16
        try:
            ids, offsets = tok.encode_batch_to_numpy(
                batch.documents,
                threads=self._threads,
                dtype="uint16" if is_narrow else "uint32",
                unknown=self._unknown,
            )
        except BytepairError:
            self._explain(batch)
            raise
        return self._framed(ids, offsets.astype(np.int64), sum(map(_size, batch.documents)), batch.nulls)

    def _explain(self, batch: Documents) -> None:
        """Raises what one of the documents raises, with its name."""
        for index, text in enumerate(batch.documents):
            try:
                self._tok.encode(text, unknown=self._unknown)
            except BytepairError as error:
                raise type(error)(f"{batch.name(index)}: {error.message}", error.hint) from None

    def _of_rows(self, batch: Rows) -> Encoded:
        is_wide = batch.offsets.format == "q"
        ids, ends = _core.encode_column(
            self._tok._engine,  # noqa: SLF001 - as the engine has it
            batch.offsets,
            batch.data,
            batch.validity,
            batch.first,
            batch.length,
            is_wide,
            self._threads,
            batch.name,
            (),
            (),
            self._unknown,
        )
        offsets = np.frombuffer(ends, np.int64 if is_wide else np.int32).astype(np.int64)
        if batch.validity is not None:  # a null row has no ids, so leaving out its end is enough
            bits = np.unpackbits(np.asarray(batch.validity), bitorder="little")
            there = bits[batch.first : batch.first + batch.length].astype(bool)
            offsets = np.concatenate([offsets[:1], offsets[1:][there]])
        texts = np.asarray(batch.offsets)
        text_bytes = int(texts[batch.first + batch.length] - texts[batch.first]) if batch.length else 0
        return self._framed(np.frombuffer(ids, np.uint32), offsets, text_bytes, batch.nulls)

    def _of_part(self, part: Part) -> Encoded:
        is_first = self._stream is None
        if self._stream is None:
            engine, is_narrow = self._tok._engine, self._dtype == np.uint16  # noqa: SLF001
            self._stream = _core.StreamEncoder(engine, self._threads, is_narrow, (), (), self._unknown)
        stream = self._stream
        try:
            stream.feed(part.content)
            if part.last:
                stream.finish()
        except BytepairError as error:
            raise type(error)(f"{part.name}: {error.message}", error.hint) from None
        ids = np.frombuffer(stream.take(), np.uint16 if self._dtype == np.uint16 else np.uint32)
        pieces = [self._before[: len(self._before) * is_first], ids.view(self._dtype)]
        if part.last:
            pieces.append(self._after)
            self._stream = None
        whole = np.concatenate(pieces)
        ends = np.array([len(whole)] * part.last, np.int64)
        return Encoded(whole, ends, len(part.content), part.nulls)

    def _framed(self, ids: Ids, offsets: NDArray[np.int64], text_bytes: int, nulls: int) -> Encoded:
        """Whole documents, with what stands before and after each."""
        typed = ids.view(self._dtype) if ids.dtype.itemsize == self._dtype.itemsize else ids.astype(self._dtype)
        before, after = len(self._before), len(self._after)
        if not before + after:
            return Encoded(typed, offsets[1:], text_bytes, nulls)
        moved = offsets + np.arange(len(offsets)) * (before + after)
        whole = np.empty(int(moved[-1]), self._dtype)
        of_text = np.ones(len(whole), bool)
        for places, special in (
            *((moved[:-1] + place, id) for place, id in enumerate(self._before)),
            *((moved[1:] - after + place, id) for place, id in enumerate(self._after)),
        ):
            whole[places] = special
            of_text[places] = False
        whole[of_text] = typed
        return Encoded(whole, moved[1:], text_bytes, nulls)


def _size(text: Text) -> int:
    """The bytes of a text; of files they are bytes."""
    return len(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else memoryview(text).nbytes
