"""Decoding ids as they come, one by one, into text that is always whole characters."""

from __future__ import annotations

from bytepair import _core

__all__ = ["StreamDecoder"]


class StreamDecoder(_core.StreamDecoder):
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

    __slots__ = ()
