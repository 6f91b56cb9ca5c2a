"""Distinct pretokens of a corpus, as a tokenizer cuts them, with how often each occurs in each language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bytepair import _core
from bytepair.counts.count import add_batch
from bytepair.measuring.normalised import Size, normalised, words_pattern

if TYPE_CHECKING:
    from bytepair.data import Batch
    from bytepair.tokenizer import Tokenizer

__all__ = ["Counted", "counted"]


@dataclass(frozen=True, slots=True)
class Counted:
    """The pretokens of a text."""

    table: _core.Counts
    """The distinct ones, of the normalised text, and how often each occurs."""
    size: Size | None
    """How long the text was before it was normalised; None where nothing normalises."""


def counted(tok: Tokenizer, texts: Iterable[Batch], threads: int) -> dict[str | None, Counted]:
    """The pretokens of each language, in the order in which they come; special tokens are text.

    A text is read once, in parts; what is kept are its distinct pretokens. There is at least one table.
    """
    engine = tok._engine  # noqa: SLF001 - for this package's own use
    alphabet, end_of_word, joined = engine.alphabet
    pattern = words_pattern(tok.parts) if alphabet == "unicode" else tok.pattern
    sizes: dict[str | None, Size] = {}
    if engine.normalises:
        texts = normalised(tok, texts, sizes)

    def table() -> _core.Counts:
        return _core.Counts(pattern, alphabet, end_of_word, joined, [])

    tables: dict[str | None, _core.Counts] = {}
    for batch in texts:
        one = tables.get(batch.source) or tables.setdefault(batch.source, table())
        add_batch(one, batch, threads)
        del batch  # or it would be held while the next one is read
    found = {language: Counted(one, sizes.get(language)) for language, one in tables.items()}
    return found or {None: Counted(table(), None)}
