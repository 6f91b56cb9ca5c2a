"""What tiktoken calls unstable: the end of a text, whose tokens may become others when more text follows.

The tokens of the last pretoken may; and where they are white space, those of the white space before them, since a
pattern such as cl100k's cuts it elsewhere when more comes. Completions are found as tiktoken finds them: every token
that begins with the unstable bytes, and for every place inside these, every token that begins with what follows it.
"""

from __future__ import annotations

from collections.abc import Collection

from bytepair import _core
from bytepair.tokenizer import Tokenizer

__all__ = ["encode_bytes", "encode_with_unstable"]

_SPACE = frozenset(b" \n\t")
_NO_SPACE = "\x1c\x1d\x1e\x1f"
"""What Python takes for white space and Unicode does not."""


def encode_with_unstable(tok: Tokenizer, text: str, allowed: Collection[str]) -> tuple[list[int], list[list[int]]]:
    """The tokens that more text cannot change, and what may follow them to complete the text."""
    ids, last = _last_piece(tok, text, allowed)
    if last == 0:
        return ids, []
    stable, unstable = ids[: len(ids) - last], tok.decode_bytes(ids[len(ids) - last :])
    found: set[tuple[int, ...]] = {(id,) for id in tok.tokens_with_prefix(unstable)}
    for at in range(1, len(unstable)):
        before = unstable[:at]
        for id in tok.tokens_with_prefix(unstable[at:]):
            found.add(_covering(tok, before + tok.bytes_of(id), len(unstable)))
    found |= _split_at_space(tok, unstable)
    return stable, [list(sequence) for sequence in sorted(found)]


def encode_bytes(tok: Tokenizer, content: bytes) -> list[int]:
    """The ids of bytes as tiktoken's `_encode_bytes` gives them: what follows valid text is merged with its end.

    `Tokenizer.encode` does otherwise: there an invalid byte is a character that the pattern cuts.
    """
    valid = content if (end := _core.first_invalid(content)) is None else content[:end]
    if valid == content:
        return tok.encode(content)
    ids, last = _last_piece(tok, valid, ())
    stable, unstable = ids[: len(ids) - last], tok.decode_bytes(ids[len(ids) - last :])
    return stable + tok._engine.encode_single(unstable + content[len(valid) :])  # noqa: SLF001 - this package's own


def _last_piece(tok: Tokenizer, text: str | bytes, allowed: Collection[str]) -> tuple[list[int], int]:
    """The ids of a text, and how many of them at the end are unstable."""
    ids, contents, _, _, _, _, pieces, _ = tok._engine.trace(text, allowed)  # noqa: SLF001 - this package's own
    if not ids or pieces[-1] is None:
        return ids, 0
    last = sum(piece == pieces[-1] for piece in pieces)
    if _SPACE.issuperset(contents[-last]):
        while last < len(ids) and _SPACE.issuperset(contents[-last - 1]):
            last += 1
    return ids, last


def _covering(tok: Tokenizer, content: bytes, size: int) -> tuple[int, ...]:
    """The first ids of some bytes, as many as cover so many of them."""
    is_text = _core.first_invalid(content) is None
    ids = tok.encode(content) if is_text else tok._engine.encode_single(content)  # noqa: SLF001 - this package's own
    covered = 0
    for count, id in enumerate(ids, 1):
        covered += len(tok.bytes_of(id))
        if covered >= size:
            return tuple(ids[:count])
    return tuple(ids)


def _split_at_space(tok: Tokenizer, unstable: bytes) -> set[tuple[int, ...]]:
    r"""The ids if the white space at the end stands alone, as `\s+(?!\S)` leaves it when more text follows."""
    text = unstable.decode("utf-8", "replace")
    space = text[-1:].encode()
    if len(unstable) <= len(space) or not text[-1:].isspace() or text[-1] in _NO_SPACE:
        return set()
    single = tok._engine.encode_single  # noqa: SLF001 - this package's own
    return {(*single(unstable[: -len(space)]), *single(space))}
