"""How long a text is: in bytes, in characters, and in the tokens of several tokenizers. It is read once, in parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bytepair import _core
from bytepair.data import Documents, Part

if TYPE_CHECKING:
    from bytepair.data import Batch
    from bytepair.tokenizer import Tokenizer

__all__ = ["Lengths"]


class Lengths:
    """The lengths of what was added so far.

    >>> import bytepair as bp
    >>> lengths = Lengths({"low": bp.train(texts=["low low"], num_merges=2)})
    >>> lengths.add(Documents(["low", "löw"], str, 6))
    >>> lengths.bytes, lengths.characters, lengths.tokens
    (7, 6, {'low': 5})
    """

    def __init__(self, tokenizers: Mapping[str, Tokenizer]) -> None:
        self._tokenizers = tokenizers
        self._counters = {name: tok.counter() for name, tok in tokenizers.items()}
        self.tokens = dict.fromkeys(tokenizers, 0)
        """Tokens by tokenizer; special tokens in the text are text."""
        self.bytes = self.characters = 0

    def add(self, batch: Batch) -> None:
        """Adds a batch."""
        if isinstance(batch, Part):
            self._measure(batch.content)
            for name, counter in self._counters.items():
                counter.append(batch.content)
                if batch.last:
                    self.tokens[name] += counter.count
                    counter.reset()
            return
        held = batch if isinstance(batch, Documents) else batch.documents()
        for document in held.documents:
            raw = _core.raw(document)
            self._measure(raw)
            for name, tok in self._tokenizers.items():
                self.tokens[name] += tok.count(raw)

    def _measure(self, raw: bytes) -> None:
        self.bytes += len(raw)
        self.characters += len(raw) if raw.isascii() else len(raw.decode("utf-8", "replace"))
