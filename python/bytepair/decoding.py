"""Ids -> text: the part of `Tokenizer` that decodes.

`decode` is the engine's own method, so that a short call costs no more than it must.
"""

from __future__ import annotations

from bytepair.integers import checked_integer, processors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    import numpy as np
    from numpy.typing import NDArray

    from bytepair import _core
    from bytepair.streaming import StreamDecoder

    UnknownId = Literal["raise", "skip", "replace"]
    Errors = Literal["replace", "strict", "ignore"]

__all__ = ["Decoding"]


class Decoding:
    """What `Tokenizer` does with ids."""

    __slots__ = ()

    _engine: _core.Tokenizer

    def decode_bytes(
        self,
        ids: Sequence[int] | NDArray[np.integer],
        *,
        skip_special: bool = False,
        unknown: UnknownId = "raise",
    ) -> bytes:
        r"""The bytes of ids: exactly those that were encoded, valid UTF-8 or not. Arguments and errors as `decode`.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=256)
        >>> tok.decode_bytes(tok.encode(b"\xff\x00"))
        b'\xff\x00'
        """
        return self._engine.decode_bytes(ids, skip_special, unknown)

    def decode_batch(
        self,
        batch: Iterable[Sequence[int] | NDArray[np.integer]] | Sequence[int] | NDArray[np.integer],
        *,
        offsets: Sequence[int] | NDArray[np.integer] | None = None,
        pad_id: int | None = None,
        threads: int | None = None,
        errors: Errors = "replace",
        skip_special: bool = False,
        unknown: UnknownId = "raise",
    ) -> list[str]:
        """The text of each row of ids, on many threads; None for as many as there are processors.

        Padding that is a control token goes away with `skip_special`, padding of any other number with `pad_id`. Where
        the lengths of the rows are known, decode `[row[:length] for row, length in zip(batch, lengths)]`.

        Args:
            batch: lists or arrays of ids, or one array of integers of shape (rows, tokens); with `offsets`, all ids in
                one list or array.
            offsets: where each row begins and ends, of shape (rows + 1,), as `encode_batch_to_numpy` gives them.
            pad_id: an integer, such as 0 or -100, that is left out at both ends of each row; between ids, it is one.
            threads: how many threads at most.
            errors: as for `decode`.
            skip_special: as for `decode`.
            unknown: as for `decode`.

        Returns:
            As many texts as there are rows, in their order.

        Raises:
            ValueError: an array of another number of dimensions, offsets that do not ascend or reach past the ids.
            TypeError: a batch that is one text, or is no batch; and all that `decode` raises, naming the row.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=256)
        >>> tok.decode_batch([[97], [], [98, 99]])
        ['a', '', 'bc']
        >>> tok.decode_batch([[97, 98, 0, 0], [0, 0, 99, 100]], pad_id=0)
        ['ab', 'cd']
        >>> ids, offsets = tok.encode_batch_to_numpy(["one", "two"])
        >>> tok.decode_batch(ids, offsets=offsets)
        ['one', 'two']
        """
        pad = _padding(offsets, pad_id)
        return self._engine.decode_batch(batch, processors(threads), offsets, pad, errors, skip_special, unknown)

    def decode_bytes_batch(
        self,
        batch: Iterable[Sequence[int] | NDArray[np.integer]] | Sequence[int] | NDArray[np.integer],
        *,
        offsets: Sequence[int] | NDArray[np.integer] | None = None,
        pad_id: int | None = None,
        threads: int | None = None,
        skip_special: bool = False,
        unknown: UnknownId = "raise",
    ) -> list[bytes]:
        r"""The bytes of each row of ids. Arguments and errors as `decode_batch`.

        >>> import bytepair as bp
        >>> bp.train(texts=[], vocab_size=256).decode_bytes_batch([[97], [255, 0]])
        [b'a', b'\xff\x00']
        """
        pad = _padding(offsets, pad_id)
        return self._engine.decode_batch(batch, processors(threads), offsets, pad, None, skip_special, unknown)

    def stream_decoder(self, *, skip_special: bool = False, unknown: UnknownId = "raise") -> StreamDecoder:
        """A decoder for ids that arrive one by one; options as `decode`."""
        from bytepair.streaming import StreamDecoder

        return StreamDecoder(self._engine, skip_special=skip_special, unknown=unknown)


def _padding(offsets: object, pad_id: int | None) -> int | None:
    """The integer that is padding."""
    if pad_id is None:
        return None
    if offsets is not None:
        raise ValueError("both offsets and pad_id are given\nhint: rows that lie end to end have no padding")
    return checked_integer("pad_id", pad_id, -(1 << 63), (1 << 63) - 1)
