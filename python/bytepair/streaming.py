"""Decoding ids as they come, one by one, into text that is always whole characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from bytepair import _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["StreamDecoder"]


class StreamDecoder:
    """Turns the ids of one stream into text; `Tokenizer.stream_decoder` makes one.

    A character that is not whole yet is held back; bytes that can start none come out at once as U+FFFD. All that
    `feed` and `flush` return, joined, is what `Tokenizer.decode` gives for all ids. Not for two threads at a time.

    >>> import bytepair as bp
    >>> stream = bp.train(texts=[], vocab_size=256).stream_decoder()
    >>> [stream.feed(byte) for byte in "ď€".encode()]
    ['', 'ď', '', '', '€']
    >>> stream.feed([240, 159, 140]), stream.flush()
    ('', '�')
    """

    __slots__ = ("_core",)

    def __init__(
        self,
        core: _core.Tokenizer,
        *,
        skip_special: bool = False,
        unknown: Literal["raise", "skip", "replace"] = "raise",
    ) -> None:
        self._core = _core.StreamDecoder(core, skip_special, unknown)

    def feed(self, ids: int | Sequence[int] | NDArray[np.integer]) -> str:
        """The text that is complete after one more id, or several.

        Raises:
            UnknownTokenError: an id that no token has. Nothing of this call is kept then.
        """
        return self._core.feed(ids)

    def flush(self) -> str:
        """The end of the stream: U+FFFD for an incomplete character, else nothing. The decoder is as new afterwards."""
        return self._core.flush()
