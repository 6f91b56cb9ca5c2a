"""Distinct pretokens of a corpus, as a tokenizer cuts them, with how often each occurs in each language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bytepair import _core
from bytepair.data import Documents, Part, Rows
from bytepair.measuring.normalised import is_readable, normalised
from bytepair.measuring.tokenizers import UnsuitableError

if TYPE_CHECKING:
    from bytepair.data import Batch
    from bytepair.tokenizer import Tokenizer

__all__ = ["counted"]


def counted(tok: Tokenizer, texts: Iterable[Batch], threads: int) -> dict[str | None, _core.Counts]:
    """A table for each language, in the order in which they come; special tokens are text.

    A text is read once, in parts; what is kept are its distinct pretokens. There is at least one table. Of a tokenizer
    that normalises they are pretokens of the normalised text.

    Raises:
        UnsuitableError: a tokenizer of characters that normalises.
    """
    engine = tok._engine  # noqa: SLF001 - for this package's own use
    alphabet, end_of_word, joined = engine.alphabet
    if is_readable(tok):
        texts = normalised(tok, texts, threads)
    elif alphabet == "unicode" or engine.normalises:
        raise UnsuitableError(
            "the tokenizer normalises texts as SentencePiece does, and the pieces that it merges cannot be counted\n"
            "hint: give a tokenizer of bytes; `measure` takes this one"
        )

    def table() -> _core.Counts:
        return _core.Counts(tok.pattern, alphabet, end_of_word, joined, [])

    tables: dict[str | None, _core.Counts] = {}
    for batch in texts:
        one = tables.get(batch.source) or tables.setdefault(batch.source, table())
        match batch:
            case Documents():
                one.add_documents(batch.documents, threads, batch.name)
            case Rows():
                one.add_array(batch.offsets, batch.data, batch.validity, batch.first, batch.length, threads, batch.name)
            case Part():
                one.add_part(batch.content, threads, batch.name)
                if batch.last:
                    one.end_document(threads, batch.name)
        del batch  # or it would be held while the next one is read
    return tables or {None: table()}
