"""What a batch of texts looks like, for a digest that tells if it is another one than before."""

from __future__ import annotations

from collections.abc import Iterable

from bytepair import _core
from bytepair.data.batches import Batch, Documents, Part, Rows

__all__ = ["contents", "samples"]

_SAMPLE = 4096


def contents(batch: Batch) -> Iterable[bytes | memoryview]:
    """All bytes of a batch, and where its documents end."""
    match batch:
        case Documents():
            contents = list(map(_core.raw, batch.documents))
            yield repr(list(map(len, contents))).encode()
            yield b"".join(contents)
        case Rows():
            offsets = batch.offsets[batch.first : batch.first + batch.length + 1]
            start, end = offsets[0], offsets[-1]
            yield repr([offset - start for offset in offsets.tolist()]).encode()
            yield repr([row for row in range(batch.length) if not batch.is_there(row)] if batch.nulls else []).encode()
            yield batch.data[start:end]
        case Part():
            yield b"last" if batch.last else b"more"
            yield batch.content


def samples(batch: Batch) -> Iterable[bytes]:
    """The ends of a batch, and how many documents it has."""
    match batch:
        case Documents():
            yield b"%d" % len(batch.documents)
            for document in batch.documents[:1] + batch.documents[-1:]:
                yield from (_core.raw(document[:_SAMPLE]), _core.raw(document[-_SAMPLE:]))
        case Rows():
            yield b"%d" % batch.length
            start, end = batch.offsets[batch.first], batch.offsets[batch.first + batch.length]
            yield bytes(batch.data[start : min(end, start + _SAMPLE)])
            yield bytes(batch.data[max(start, end - _SAMPLE) : end])
        case Part():
            yield batch.content[:_SAMPLE]
            yield batch.content[-_SAMPLE:]
