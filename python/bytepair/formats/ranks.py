"""Where rank files and merge lists mean the same; the engine's answers, for the formats.

In a rank file any two tokens whose concatenation is a token merge, lowest id of the result first. A merge list that
gives the same ids has the one pair of each token that can ever stand in a text. The engine finds it when it builds a
vocabulary, so a tokenizer is built here; the module is loaded when it is first needed.

Cost: each token's bytes are merged once, n log n.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bytepair.errors import FormatError, VocabularyError
from bytepair.parts import Parts

__all__ = ["check", "made_by", "merges_of_ranks"]


def merges_of_ranks(tokens: Iterable[tuple[int, bytes]]) -> tuple[tuple[int, int], ...]:
    """(left id, right id) of every pair that can merge in a rank file, by the id of what it makes.

    Raises:
        VocabularyError: tokens that contradict each other.

    >>> merges_of_ranks([(0, b"a"), (1, b"b"), (2, b"ab"), (3, b"aba")])
    ((0, 1), (2, 0))
    """
    from bytepair import _core  # noqa: PLC0415 - loaded when first needed

    return tuple(_core.Tokenizer.from_plain("bytes", None, False, None, list(tokens), None, True, []).pairs())


def made_by(tokens: Iterable[tuple[int, bytes]], merges: Iterable[tuple[int, int]]) -> Iterator[int]:
    """The id that each merge makes.

    Of tokens with the same bytes, the first merge that makes them makes the first, the second the second, and all later
    ones the last.

    >>> tokens = [(0, b"a"), (1, b"aa"), (2, b"aaa"), (3, b"aaa")]
    >>> list(made_by(tokens, [(0, 0), (0, 1), (1, 0)]))
    [1, 2, 3]
    """
    contents = dict(tokens)
    waiting: dict[bytes, list[int]] = {}
    for id_, content in sorted(contents.items(), reverse=True):
        waiting.setdefault(content, []).append(id_)
    for left, right in merges:
        ids = waiting[contents[left] + contents[right]]
        yield ids.pop() if len(ids) > 1 else ids[0]


def check(parts: Parts) -> None:
    """Whether a rank file of these tokens gives the same ids for every text.

    Raises:
        FormatError: it does not; the token is named on which ranks and merges are not the same.

    >>> check(Parts(tokens=((0, b"a"), (1, b"b"), (2, b"ab")), merges=((0, 1),)))
    """
    from bytepair import _core  # noqa: PLC0415 - loaded when first needed

    merges = None if parts.merges is None else list(parts.merges)
    mark = (parts.alphabet, parts.end_of_word, parts.end_of_word_joined)
    try:
        _core.Tokenizer.from_plain(*mark, None, list(parts.tokens), merges, parts.whole_first, []).check_ranks()
    except VocabularyError as error:
        raise FormatError(error.message, error.hint) from error
