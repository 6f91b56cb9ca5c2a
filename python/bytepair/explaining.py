"""Why: the part of `Tokenizer` that shows how a text becomes ids."""

from __future__ import annotations

from bytepair import _core
from bytepair.arguments import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import overload

    from bytepair.encoding import Specials, UnknownSymbol
    from bytepair.parts import TrainingRecord
    from bytepair.trace import MergeTree, Steps, Trace

__all__ = ["Explaining"]


class Explaining:
    """How `Tokenizer` comes to its ids."""

    __slots__ = ()

    _engine: _core.Tokenizer
    _training: TrainingRecord | None

    if TYPE_CHECKING:

        @overload
        def split(self, text: str) -> list[str]: ...
        @overload
        def split(self, text: bytes | bytearray | memoryview) -> list[bytes]: ...

    def split(self, text: Text) -> list[str] | list[bytes]:
        """The pretokens of a text, as str or bytes as the text is. A special token in it is text.

        >>> import bytepair as bp
        >>> bp.train(texts=[], vocab_size=256).split("It's 12:30.")
        ["It's", ' ', '12', ':', '30', '.']
        """
        return self._engine.split(text)

    def trace(
        self,
        text: Text,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> Trace:
        """The ids of a text with where each came from: offsets, pretokens, alternatives of the pattern.

        Arguments and errors as `encode`.
        """
        from bytepair.trace import trace_of

        raw = _core.raw(text)
        # A str as it is, so that errors count its characters; a buffer as it was when it was read.
        read = text if isinstance(text, str) else raw
        traced = self._engine.trace(read, allowed_special, disallowed_special, unknown)
        return trace_of(traced, raw, self._engine.alternatives)

    def explain(
        self,
        text: Text | int,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> tuple[MergeTree, ...]:
        """The merge tree of each token of a text, or of the token that has this id. Errors as `encode`.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["low low low"], num_merges=2)
        >>> tok.explain("low") == tok.explain(257)
        True
        """
        from bytepair.trace import trees_of
        from bytepair.vocabulary import bytes_of

        record = self._training
        # A base that was continued has merges, and no counts.
        counts = () if record is None else (None,) * record.base_merges + record.counts
        if not isinstance(text, Text):
            bytes_of(self._engine, text)
            found = self._engine.explain_id(text)
            return () if found is None else trees_of(found, counts)
        trees = self._engine.explain(text, allowed_special, disallowed_special, unknown)
        return trees_of(trees, counts)

    def steps(
        self,
        text: Text,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> Steps:
        """The encoding of a text one merge at a time. Arguments and errors as `encode`."""
        from bytepair.trace import Steps

        start, steps = self._engine.steps(text, allowed_special, disallowed_special, unknown)
        return Steps(self._engine, start, steps)

    def find(self, wanted: Text | re.Pattern[str] | re.Pattern[bytes]) -> dict[int, bytes]:
        r"""The tokens that hold a text or some bytes, or in which a compiled regular expression is found.

        A pattern of `str` is looked for in tokens that are whole characters, one of bytes in all. Special tokens are
        looked at too.

        Returns:
            id -> bytes, in the order of the ids.

        Raises:
            TypeError: what is neither text nor a compiled pattern.

        >>> import bytepair as bp, re
        >>> tok = bp.train(texts=["low lower low"], num_merges=3)
        >>> tok.find("lo")
        {256: b'lo', 257: b'low', 258: b' low'}
        >>> tok.find(re.compile("^ .*w$")), tok.find(b"\xff")
        ({258: b' low'}, {255: b'\xff'})
        """
        from bytepair.searching import holding

        return holding(self._engine, wanted)

    def ancestors(self, id: int) -> dict[int, bytes]:
        """The tokens that a token is merged from, down to the symbols; `explain` has them as a tree.

        Returns:
            id -> bytes, in the order of the ids; empty for a symbol and for what no merge makes.

        Raises:
            UnknownTokenError: an id that no token has.

        >>> import bytepair as bp
        >>> bp.train(texts=["low low low"], num_merges=2).ancestors(257)
        {108: b'l', 111: b'o', 119: b'w', 256: b'lo'}
        """
        from bytepair.searching import ancestors

        return ancestors(self._engine, id)

    def descendants(self, id: int) -> dict[int, bytes]:
        """The tokens that are merged from a token, directly or by others.

        A token that holds its bytes but is merged from other parts is none: ` there` may be ` th` + `ere`.

        Returns:
            id -> bytes, in the order of the ids.

        Raises:
            UnknownTokenError: an id that no token has.

        >>> import bytepair as bp
        >>> bp.train(texts=["low lower low"], num_merges=3).descendants(256)
        {257: b'low', 258: b' low'}
        """
        from bytepair.searching import descendants

        return descendants(self._engine, id)
