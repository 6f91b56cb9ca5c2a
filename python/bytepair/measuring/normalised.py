"""Texts as a tokenizer that normalises sees them: what its ids stand for.

The idea: ids of a tokenizer of bytes say all of the normalised text, so encoding and decoding gives it, and a
tokenizer with the same vocabulary and no normalizer makes the same ids of it. So what needs places in the text, or
pretokens, works on that text with that tokenizer.

Cost: one more encoding. The engine keeps a document that comes in parts until its end (docs/design/normalising.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bytepair import _core
from bytepair.data import Documents, Part
from bytepair.normalizing import Decoder, Normalizer

if TYPE_CHECKING:
    from bytepair.arguments import Text
    from bytepair.data import Batch
    from bytepair.tokenizer import Tokenizer

__all__ = ["Parted", "bare", "is_readable", "normalised", "texts_of"]


def is_readable(tok: Tokenizer) -> bool:
    """Whether a tokenizer normalises, and its ids say what the normalised text is."""
    engine = tok._engine  # noqa: SLF001 - for this package's own use
    return engine.normalises and engine.alphabet[0] == "bytes" and tok.parts.decoder == Decoder()


def bare(tok: Tokenizer) -> Tokenizer:
    """The same vocabulary without the normalizer and the special tokens."""
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415 - it imports much of the package

    return Tokenizer.from_parts(replace(tok.parts, normalizer=Normalizer(), specials=(), training=None))


def texts_of(tok: Tokenizer, documents: Sequence[Text], threads: int) -> list[bytes]:
    r"""The normalised documents.

    >>> from bytepair import Parts, Tokenizer
    >>> from bytepair.normalizing import Normalizer, Step
    >>> tokens = tuple((byte, bytes([byte])) for byte in range(256))
    >>> tok = Tokenizer.from_parts(Parts(tokens=tokens, merges=(), normalizer=Normalizer((Step("nfc"),))))
    >>> texts_of(tok, ["e\u0301", "a"], 1)
    [b'\xc3\xa9', b'a']
    """
    ids, offsets = tok.encode_batch_to_numpy(documents, threads=threads)
    return tok.decode_bytes_batch(ids, offsets=offsets, threads=threads)


class Parted:
    """The normalised text of one document that comes in parts."""

    def __init__(self, tok: Tokenizer, threads: int) -> None:
        self._tok = tok
        self._encoder = _core.StreamEncoder(tok._engine, threads, False)  # noqa: SLF001 - as the engine has it

    def feed(self, part: bytes, *, is_last: bool) -> bytes:
        """What one more part adds; it may lag behind."""
        self._encoder.feed(part)
        if is_last:
            self._encoder.finish()
        return self._tok.decode_bytes(np.frombuffer(self._encoder.take(), dtype=np.uint32))


def normalised(tok: Tokenizer, batches: Iterable[Batch], threads: int) -> Iterator[Batch]:
    """The batches as the tokenizer sees them."""
    open_: Parted | None = None
    for batch in batches:
        if isinstance(batch, Part):
            open_ = open_ or Parted(tok, threads)
            yield replace(batch, content=open_.feed(batch.content, is_last=batch.last))
            open_ = None if batch.last else open_
        else:
            held = batch if isinstance(batch, Documents) else batch.documents()
            texts: list[Text] = [*texts_of(tok, held.documents, threads)]
            yield replace(held, documents=texts)
            del held, texts
        del batch  # or it would be held while the next one is read
