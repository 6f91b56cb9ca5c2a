r"""Texts as a tokenizer that normalises sees them, and how long they were before.

The idea: a tokenizer with the same vocabulary and no normalizer makes the same ids of the normalised text. So what
needs places in the text, or pretokens, works on that text with that tokenizer; how long a text is, is said of it as it
was.

Where characters fall back to bytes and no token goes on behind the mark of a space, as in nearly all of SentencePiece's
models, no merge crosses the place before a mark. So the text is cut there (`words_pattern`), and words are counted in
place of whole documents.

Cost: normalising. A document that comes in parts is kept until its end (docs/design/normalising.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bytepair import _core
from bytepair.data import Documents, Part
from bytepair.normalizing import Normalizer
from bytepair.parts import MARK

if TYPE_CHECKING:
    from bytepair.arguments import Text
    from bytepair.data import Batch
    from bytepair.parts import Parts
    from bytepair.tokenizer import Tokenizer

bytes_ = bytes  # the type, in a class that has a field of this name

__all__ = ["Parted", "Size", "bare", "falls_back", "normalised", "space_of", "texts_of", "words_pattern"]

BYTES = 256


def bare(tok: Tokenizer) -> Tokenizer:
    """The same vocabulary without the normalizer."""
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415 - it imports much of the package

    return Tokenizer.from_parts(replace(tok.parts, normalizer=Normalizer(), training=None))


def texts_of(tok: Tokenizer, documents: Sequence[Text]) -> list[bytes]:
    r"""The normalised documents; special tokens in them are text.

    >>> from bytepair import Parts, Tokenizer
    >>> from bytepair.normalizing import Normalizer, Step
    >>> tokens = tuple((byte, bytes([byte])) for byte in range(256))
    >>> tok = Tokenizer.from_parts(Parts(tokens=tokens, merges=(), normalizer=Normalizer((Step("nfc"),))))
    >>> texts_of(tok, ["e\u0301", "a"])
    [b'\xc3\xa9', b'a']
    """
    return _core.normalised(tok._engine, documents)  # noqa: SLF001 - for this package's own use


class Parted:
    """The normalised text of one document that comes in parts."""

    def __init__(self, tok: Tokenizer) -> None:
        self._tok = tok
        self._parts: list[bytes] = []

    def feed(self, part: bytes, *, is_last: bool) -> bytes:
        """What one more part adds: all of it with the last one."""
        self._parts.append(part)
        if not is_last:
            return b""
        whole = b"".join(self._parts)
        self._parts = []
        return texts_of(self._tok, [whole])[0]


@dataclass(slots=True)
class Size:
    """How long a text is."""

    bytes: int = 0
    """Its bytes."""
    characters: int = 0
    """Its characters, as `decode(errors="replace")` shows it."""

    def add(self, text: bytes_) -> None:
        """Adds a text, or a part of one that ends where a character ends."""
        self.bytes += len(text)
        self.characters += len(text) if text.isascii() else len(text.decode("utf-8", "replace"))


def normalised(tok: Tokenizer, batches: Iterable[Batch], sizes: dict[str | None, Size]) -> Iterator[Batch]:
    """The batches as the tokenizer sees them; how long they were is added to `sizes`, by their source."""
    open_ = Parted(tok)
    for batch in batches:
        size = sizes.setdefault(batch.source, Size())
        if isinstance(batch, Part):
            size.add(batch.content)
            yield replace(batch, content=open_.feed(batch.content, is_last=batch.last))
        else:
            held = batch if isinstance(batch, Documents) else batch.documents()
            for document in held.documents:
                size.add(_core.raw(document))
            texts: list[Text] = [*texts_of(tok, held.documents)]
            yield replace(held, documents=texts)
            del held, texts
        del batch  # or it would be held while the next one is read


def falls_back(parts: Parts) -> bool:
    """Whether every character that is no token becomes the tokens of its bytes."""
    return parts.alphabet == "unicode" and sum(content.startswith(MARK) for _, content in parts.tokens) == BYTES


def space_of(tok: Tokenizer) -> bytes:
    """What stands for a space in the normalised text."""
    return (tok.parts.decoder.space or " ").encode()


def words_pattern(parts: Parts) -> str | None:
    r"""The pattern, and behind it one that cuts before each mark of a space, where no merge crosses that place.

    >>> from bytepair import Parts
    >>> from bytepair.normalizing import Decoder
    >>> tokens = ((0, "▁".encode()), (1, b"a"), (2, "▁a".encode()))
    >>> parts = Parts(alphabet="unicode", tokens=tokens, merges=((0, 1),), decoder=Decoder("▁"))
    >>> words_pattern(parts)
    '\\x{2581}*[^\\x{2581}]+|\\x{2581}+'
    """
    mark = parts.decoder.space
    if parts.alphabet != "unicode" or parts.whole_first or mark is None or len(mark) != 1:
        return parts.pattern
    raw = mark.encode()
    contents = [content for _, content in parts.tokens]
    # Unknown characters may be one token, or merge: a known mark keeps them apart.
    merged = {id for pair in parts.merges or () for id in pair}
    is_known = raw in contents and parts.unknown not in merged
    if not is_known or any(raw in _behind(content, raw) for content in contents):
        return parts.pattern
    sign = f"\\x{{{ord(mark):x}}}"
    words = f"{sign}*[^{sign}]+|{sign}+"
    return words if parts.pattern is None else f"{parts.pattern}(?then){words}"


def _behind(content: bytes, mark: bytes) -> bytes:
    """A token without the marks that it begins with."""
    while content.startswith(mark):
        content = content.removeprefix(mark)
    return content
