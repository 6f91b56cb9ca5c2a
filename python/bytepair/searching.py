"""Tokens looked for in a vocabulary: by what they hold, and by what merges make of them.

The idea: a token that another one is merged into stands in its bytes, so descendants are looked for among the tokens
that hold its bytes, and the merge tree of each says whether it was made from it. Cost: linear in the vocabulary, and
the trees of the tokens that hold the bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bytepair.arguments import Text
from bytepair.vocabulary import Vocabulary, bytes_of

if TYPE_CHECKING:
    from bytepair import _core

__all__ = ["ancestors", "descendants", "holding"]


def holding(core: _core.Tokenizer, wanted: Text | re.Pattern[str] | re.Pattern[bytes]) -> dict[int, bytes]:
    """The tokens that hold some bytes, or in which a pattern is found; id -> bytes, in the order of the ids."""
    vocabulary = Vocabulary(core)
    if isinstance(wanted, re.Pattern):
        return {id: content for id, content in vocabulary.items() if _found(wanted, content)}
    if not isinstance(wanted, Text):
        raise TypeError(f"a `{type(wanted).__name__}` is looked for\nhint: pass str, bytes or a compiled pattern")
    part = wanted.encode("utf-8", "replace") if isinstance(wanted, str) else bytes(wanted)
    return {id: content for id, content in vocabulary.items() if part in content}


def _found(pattern: re.Pattern[str] | re.Pattern[bytes], content: bytes) -> bool:
    """Whether a pattern is found; one of characters only in tokens that are whole characters."""
    if isinstance(pattern.pattern, bytes):
        return pattern.search(content) is not None
    try:
        return pattern.search(content.decode()) is not None
    except UnicodeDecodeError:
        return False


def ancestors(core: _core.Tokenizer, id: int) -> dict[int, bytes]:
    """The tokens that a token is merged from, itself left out; in the order of their ids."""
    bytes_of(core, id)  # refuses what is no id
    return {one: bytes_of(core, one) for one in sorted(_made_from(core, id))}


def descendants(core: _core.Tokenizer, id: int) -> dict[int, bytes]:
    """The tokens whose merge trees hold a token, itself left out; in the order of their ids."""
    part = bytes_of(core, id)
    mark = core.alphabet[1]
    if mark is not None:
        part = part.removesuffix(mark.encode())
    candidates = holding(core, part)
    return {one: content for one, content in candidates.items() if one != id and id in _made_from(core, one)}


def _made_from(core: _core.Tokenizer, id: int) -> set[int]:
    """The ids in a token's merge tree, its own left out."""
    found = core.explain_id(id)
    return set() if found is None else {node[1] for node in found[0]} - {id}
