r"""Symbols that a user of SentencePiece defined, as Hugging Face's library can have them.

SentencePiece looks for them in the normalised text, as they are. There an added token is looked for in the text as it
is, and what follows is normalised anew (a mark is put before it); or in the normalised text, but normalised itself.
Neither gives the same ids. So they become tokens of the model: a pattern cuts them out of the normalised text, and
`ignore_merges` makes each of them its token.

The invariant: the ids are those of SentencePiece. Looking whole pieces up must change nothing else, so every other
token must be what merging makes of it; and `<0x0A>`, where it spells the token of a byte, is cut behind its first sign
if it is a whole piece, since merging never joins it with what follows. What contradicts that is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, Final

from bytepair.formats.pattern_stages import THEN
from bytepair.formats.strict_json import shown
from bytepair.normalizing import Normalizer
from bytepair.parts import MARK, Parts, SpecialToken

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["as_symbols", "as_tokens", "ids_of"]

_BYTES: Final = r"\A<(?=0x[0-9A-F]{2}>\z)"
"""The first sign of what spells a byte, in a piece of that alone."""
_PLAIN: Final = SpecialToken("", 0, special=False, normalized=True)


def ids_of(parts: Parts) -> list[int]:
    """The ids of such symbols."""
    return [special.id for special in parts.specials if special.normalized] if parts.normalizer.plain else []


def as_tokens(parts: Parts) -> Parts:
    """The parts with the symbols as tokens, which give the same ids.

    Raises:
        ValueError: they would not; its text says why.
    """
    symbols = [special for special in parts.specials if special.normalized]
    if parts.alphabet != "unicode" or parts.pattern is not None or parts.whole_first or parts.merges is None:
        raise ValueError("special tokens are looked for as they are in normalised text, and it is cut or looked up")
    for symbol in symbols:
        _check(symbol, parts)
    _check_tokens(parts)
    falls_back = any(content.startswith(MARK) for _, content in parts.tokens)
    ordered = sorted((symbol.content for symbol in symbols), key=lambda content: (-len(content), content))
    return replace(
        parts,
        tokens=tuple(sorted((*parts.tokens, *((symbol.id, symbol.content.encode()) for symbol in symbols)))),
        specials=tuple(special for special in parts.specials if not special.normalized),
        pattern="|".join(map(re.escape, ordered)) + (THEN + _BYTES if falls_back else ""),
        whole_first=True,
        normalizer=replace(parts.normalizer, plain=False),
    )


def as_symbols(parts: Parts, ids: Iterable[int]) -> Parts:
    """The parts that `as_tokens` made these of; the parts themselves if it did not."""
    wanted = set(ids)
    defined = [(id_, content) for id_, content in parts.tokens if id_ in wanted]
    if any(content.startswith(MARK) for _, content in defined):
        return parts  # what means a byte is no symbol
    symbols = [replace(_PLAIN, content=content.decode(), id=id_) for id_, content in defined]
    before = replace(
        parts,
        tokens=tuple(token for token in parts.tokens if token[0] not in wanted),
        specials=tuple(sorted((*parts.specials, *symbols), key=lambda special: special.id)),
        pattern=None,
        whole_first=False,
        normalizer=replace(parts.normalizer, plain=True),
    )
    try:
        same = replace(as_tokens(before), specials=parts.specials) == parts
    except ValueError:
        return parts
    return before if same else parts


def _check(symbol: SpecialToken, parts: Parts) -> None:
    """Whether a symbol is one of SentencePiece's, and comes out as it is."""
    name = f"the special token {shown(symbol.content)}"
    if symbol != replace(_PLAIN, content=symbol.content, id=symbol.id):
        raise ValueError(f"{name} is looked for as it is in normalised text, and has flags of its own")
    if any(content == symbol.content.encode() for _, content in parts.tokens) or parts.unknown == symbol.id:
        raise ValueError(f"{name} is looked for as it is in normalised text, and is a token, too")
    space = parts.decoder.space
    if (space is not None and space in symbol.content) or re.search(r"<0x[0-9A-F]{2}>", symbol.content):
        raise ValueError(f"{name} is decoded otherwise there")


def _check_tokens(parts: Parts) -> None:
    """Whether every token is what merging makes of it, so that looking it up changes nothing."""
    from bytepair.tokenizer import Tokenizer  # noqa: PLC0415 - for few files, and it imports this

    tok = Tokenizer.from_parts(replace(parts, specials=(), normalizer=Normalizer(), training=None, post_processor=None))
    texts = {id_: content.decode() for id_, content in parts.tokens if not content.startswith(MARK)}
    for (id_, text), made in zip(texts.items(), tok.encode_batch(list(texts.values())), strict=True):
        if made != [id_] and id_ != parts.unknown:
            raise ValueError(f"the token {shown(text)} is not what merging makes of it, and would be looked up there")
    if len(texts) < len(parts.tokens) and not all(map(_is_cut, repeat(tok), range(256))):
        raise ValueError("what spells a byte is merged across its first sign")


def _is_cut(tok: Tokenizer, byte: int) -> bool:
    """Whether what spells a byte is merged as if it were cut behind its first sign."""
    text = f"<0x{byte:02X}>"
    return tok.encode(text) == tok.encode(text[0]) + tok.encode(text[1:])
