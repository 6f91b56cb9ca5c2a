"""What was learned, ready for use: id -> bytes, and (left id, right id) -> (rank, id).

Rank and id are two things. The *rank* says which of two possible merges goes first, the *id* what the result is called.
There are two kinds of file. A merge list names its pairs. A rank file names tokens alone: any two tokens whose
concatenation is a token merge, with the rank of the result, and a pretoken that is a token as a whole is looked up
before anything is merged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from bytepair.reference.bytes_bpe import Pair


class UnknownSymbolError(ValueError):
    """The vocabulary has no symbol for a byte or character of the text."""


@dataclass(frozen=True)
class Vocabulary:
    """Tokens and merges; `whole_first`: whether whole pretokens are looked up before merging."""

    tokens: Mapping[int, bytes]
    merges: Mapping[Pair, tuple[int, int]]
    whole_first: bool = False

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """Content -> id."""
        return {content: number for number, content in self.tokens.items()}


def from_merges(tokens: Mapping[int, bytes], merges: Sequence[Pair], *, whole_first: bool = False) -> Vocabulary:
    """A vocabulary from a merge list in rank order; what a merge makes is the token with the concatenated bytes.

    >>> from_merges({0: b"a", 1: b"b", 7: b"ab"}, [(0, 1)]).merges
    {(0, 1): (0, 7)}
    """
    ids = {content: number for number, content in tokens.items()}
    made = {pair: (rank, ids[tokens[pair[0]] + tokens[pair[1]]]) for rank, pair in enumerate(merges)}
    return Vocabulary(tokens, made, whole_first)


def from_ranks(ranks: Mapping[int, bytes]) -> Vocabulary:
    """A vocabulary from a rank file: every way to cut a token in two tokens is a merge.

    >>> sorted(from_ranks({0: b"a", 1: b"b", 2: b"ab", 3: b"aba"}).merges.items())
    [((0, 1), (2, 2)), ((2, 0), (3, 3))]
    """
    ids = {content: number for number, content in ranks.items()}
    cuts = [(content[:at], content[at:], number) for number, content in ranks.items() for at in range(1, len(content))]
    made = {(ids[a], ids[b]): (number, number) for a, b, number in cuts if a in ids and b in ids}
    return Vocabulary(ranks, made, whole_first=True)


def merge_all(vocabulary: Vocabulary, symbols: Sequence[int]) -> list[int]:
    """Merges the pair of lowest rank, the leftmost where it stands more than once, until none is left.

    >>> abc = from_ranks({0: b"a", 1: b"b", 2: b"c", 3: b"bc", 4: b"ab"})
    >>> merge_all(abc, [0, 1, 2])
    [0, 3]
    """
    ids, known = list(symbols), vocabulary.merges
    while possible := [(known[pair], at) for at, pair in enumerate(pairwise(ids)) if pair in known]:
        (_, new), at = min(possible)
        ids[at : at + 2] = [new]
    return ids


def encode_pretoken(vocabulary: Vocabulary, symbols: Sequence[bytes], unknown: int | str = "raise") -> list[int]:
    """The ids of one pretoken, given as base symbols.

    `unknown` is what to do with a symbol that the vocabulary lacks: "raise", "skip", or an id to put in its place.

    >>> abc = from_ranks({0: b"a", 1: b"b", 2: b"c", 9: b"abc"})
    >>> encode_pretoken(abc, [b"a", b"b", b"c"]), encode_pretoken(abc, [b"a", b"b", b"c", b"?"], "skip")
    ([9], [0, 1, 2])
    """
    if vocabulary.whole_first and (whole := vocabulary.ids.get(b"".join(symbols))) is not None:
        return [whole]
    other = unknown if isinstance(unknown, int) else None
    ids = [vocabulary.ids.get(symbol, other) for symbol in symbols]
    if unknown == "raise" and None in ids:
        raise UnknownSymbolError(f"no symbol for {symbols[ids.index(None)]!r}\nhint: train on text that has it")
    return merge_all(vocabulary, [number for number in ids if number is not None])
