"""Tokens taken out of a vocabulary; what was built through them is built otherwise.

The idea: a merge that makes a removed token, or uses one, goes. Of each token that had one below it, its own bytes are
merged with what is left, the shorter tokens first, since merging makes shorter tokens only. If two parts remain, their
pair is a merge from now on, at the rank that the token had. No other text is touched by it: where these two parts stood
side by side before, the removed token would have been made. If more remain, no pair can make the token; it is
looked up, and comes out where it is a whole pretoken. A rank file needs none of this: it makes a token of any two parts
and looks up whole pretokens.

Cost: the tree of every token once; n log n in the bytes of the tokens that are built otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bytepair.arguments import Text
from bytepair.editing.edited import Edited, edited
from bytepair.editing.ways import Pair, base_symbols, built_through, merged, symbols_of, ways
from bytepair.errors import VocabularyError
from bytepair.formats import post_processor
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.parts import Parts
    from bytepair.tokenizer import Tokenizer

__all__ = ["named", "removed", "renumbered", "without"]


def without(tok: Tokenizer, tokens: Iterable[Text | int]) -> Edited:
    """What `Tokenizer.without` does."""
    return removed(tok, named(tok, tokens))


def named(tok: Tokenizer, tokens: Iterable[Text | int]) -> set[int]:
    """The ids of tokens that are named by content or id.

    Raises:
        TypeError: one text in place of several; what is neither text nor id.
        UnknownTokenError: one that there is not.
        VocabularyError: a base symbol.
    """
    if isinstance(tokens, (str, bytes, bytearray, memoryview, int)):
        raise TypeError(f"tokens is of type `{type(tokens).__name__}`\nhint: pass several: `[{tokens!r}]`")
    parts, found = tok.parts, set[int]()
    symbols = base_symbols(parts)
    for token in tokens:
        if isinstance(token, (str, bytes, bytearray, memoryview)):
            id = tok.id_of(token)
        else:
            tok.bytes_of(token)  # refuses what is no token's id
            id = token.__index__()
        if id in symbols:
            raise VocabularyError(
                f"the token `{visible(tok.bytes_of(id))}` (id {id}) is a base symbol and cannot be removed",
                "leave it out: without it some text could not be encoded",
            )
        found.add(id)
    return found


def removed(tok: Tokenizer, gone: AbstractSet[int]) -> Edited:
    """The tokenizer without these ids, none of which is a base symbol; ids dense in the old order."""
    left = _left(tok, gone)
    parts, moved = renumbered(left.parts)
    return edited(tok, type(tok).from_parts(parts), moved, (moved[id] for id in left.whole_only))


def renumbered(parts: Parts) -> tuple[Parts, dict[int, int]]:
    """The same with ids from 0 on without gaps, in the order of the old ones; and the new id of each."""
    ids = sorted(base_symbols(parts) | {id for id, _ in parts.tokens} | {special.id for special in parts.specials})
    moved = {id: index for index, id in enumerate(ids)}
    return (
        replace(
            parts,
            tokens=tuple((moved[id], content) for id, content in parts.tokens),
            merges=None if parts.merges is None else tuple((moved[one], moved[other]) for one, other in parts.merges),
            specials=tuple(replace(special, id=moved[special.id]) for special in parts.specials),
            unknown=None if parts.unknown is None else moved[parts.unknown],
            post_processor=post_processor.renumbered(parts.post_processor, moved),
        ),
        moved,
    )


@dataclass(frozen=True)
class _Left:
    """What is left of a vocabulary, by its old ids."""

    parts: Parts
    whole_only: tuple[int, ...]


def _left(tok: Tokenizer, gone: AbstractSet[int]) -> _Left:
    parts = tok.parts
    found = ways(tok)
    through = built_through(gone, found) - gone
    kept = replace(
        parts,
        tokens=tuple((id, content) for id, content in parts.tokens if id not in gone),
        specials=tuple(special for special in parts.specials if special.id not in gone),
        training=None if gone else parts.training,
    )
    if parts.merges is None:
        made = ways(type(tok).from_parts(kept)) if through else {}
        return _Left(kept, tuple(sorted(id for id in through if id not in made)))
    merges, whole_only = _rewired(parts, gone, {id: found[id][0] for id in through})
    looked_up = parts.whole_first or bool(whole_only)
    return _Left(replace(kept, merges=merges, whole_first=looked_up), whole_only)


def _rewired(parts: Parts, gone: AbstractSet[int], ranks: dict[int, int]) -> tuple[tuple[Pair, ...], tuple[int, ...]]:
    """The merges without some tokens, and what they cannot make any more.

    `ranks` has the rank at which each token was made that was built through one of those.
    """
    contents = dict(parts.tokens)
    ids = {content: id for id, content in parts.tokens}
    # Merges are ordered by (rank, 0), and those that take a lost one's place by its rank and their number.
    ordered: list[tuple[int, int, Pair]] = []
    pairs: dict[Pair, tuple[int, int]] = {}
    for rank, (left, right) in enumerate(parts.merges or ()):
        id = ids[contents[left] + contents[right]]
        if gone.isdisjoint((left, right, id)):
            ordered.append((rank, 0, (left, right)))
            pairs[left, right] = rank, id
    whole_only: list[int] = []
    for id in sorted(ranks, key=lambda token: (len(contents[token]), token)):
        symbols = [ids[symbol] for symbol in symbols_of(parts, contents[id])]
        left_over = merged(symbols, pairs)
        if left_over == [id]:
            continue
        if len(left_over) == 2:  # noqa: PLR2004 - a pair
            pair = left_over[0], left_over[1]
            ordered.append((ranks[id], len(ordered), pair))
            pairs[pair] = ranks[id], id
        else:
            whole_only.append(id)
    return tuple(pair for _, _, pair in sorted(ordered)), tuple(sorted(whole_only))
