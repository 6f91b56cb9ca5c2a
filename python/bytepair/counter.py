"""Counting the tokens of a text that grows, such as a conversation."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from bytepair import _core
    from bytepair.arguments import Text

__all__ = ["Counter"]


class Counter:
    r"""Counts the tokens of a text that is appended to; `Tokenizer.counter` makes one.

    The count is that of all that was appended, as one text, whatever the parts: they may end within a character or a
    special token. What no longer depends on the text to come is counted once and forgotten, so appending to a long text
    costs no more than to a short one. Of ordinary text some bytes are kept; of a word without end, all of it, which is
    counted when the count is asked for. So is the whole text with no pattern, or with one that is served by
    backtracking or holds `^`.

    Bytes are taken as they are; a half of a surrogate pair in a `str` is U+FFFD, even if the next part begins with
    the other. Not for two threads at a time.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["the cat sat on the mat"] * 3, vocab_size=262)
    >>> counter = tok.counter()
    >>> counter.append("the c")
    >>> counter.append("at")
    >>> counter.count == tok.count("the cat")
    True
    >>> other = counter.copy()
    >>> other.append(" sat")
    >>> other.count - counter.count
    3
    """

    __slots__ = ("_engine",)

    def __init__(self, engine: _core.Counter) -> None:
        self._engine = engine

    def append(self, text: Text) -> None:
        """Adds a part of the text.

        Raises:
            SpecialTokenError, UnknownSymbolError: as `Tokenizer.encode`, with the position in bytes of the whole text.
                Nothing of this part is kept then. What is wrong with the end of the text may show only when more is
                appended or the count is asked for.
        """
        self._engine.append(text)

    @property
    def count(self) -> int:
        """The number of tokens of all that was appended. Errors as `append`."""
        return self._engine.count

    def reset(self) -> None:
        """Begins anew, as if nothing had been appended."""
        self._engine.reset()

    def copy(self) -> Self:
        """A counter that goes on from here by itself, for the branches of a conversation."""
        return type(self)(self._engine.copy())

    __copy__ = copy
