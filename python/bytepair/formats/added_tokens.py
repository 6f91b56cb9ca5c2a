"""`added_tokens` of a `tokenizer.json`, and the ids that Hugging Face's library gives them.

That library does not take an added token's id from the file: a token that is in the model's vocabulary has the id
there, and the others are numbered in their order, from the size of the vocabulary on (`numbered`). So an id counts only
if that numbering gives it; otherwise the token must be put into the vocabulary.

It also looks for added tokens in two rounds, those that are not `normalized` first. Two rounds and one search for the
longest find the same only if no token of the first round can cut into one of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats.overlaps import first_overlap
from bytepair.formats.strict_json import Field, shown
from bytepair.parts import MAX_ID, SpecialToken

__all__ = ["SpecialToken", "clash", "contents", "numbered", "read", "render"]

_FLAGS: Final = ("single_word", "lstrip", "rstrip")


def contents(field: Field) -> list[str]:
    """The texts of the list.

    Raises:
        FormatError: it is no list of objects with a text each.
    """
    return [] if field.value is None else [item.get("content").string() for item in field.items()]


def read(field: Field, vocab: Mapping[str, int], size: int) -> tuple[SpecialToken, ...]:
    """Reads the list; `vocab` is the model's, or what it has of these tokens, and `size` how many it has.

    Raises:
        FormatError: a flag that is not read; a text that is empty or stands twice; an id that is not the one that
            Hugging Face's library gives; tokens that its two rounds find otherwise than one search.
    """
    if field.value is None:
        return ()
    specials: dict[str, SpecialToken] = {}
    for item in field.items():
        special = read_one(item)
        if special.content in specials:
            raise FormatError(f"`{item.path}.content` is {shown(special.content)} again", "remove one of the two")
        specials[special.content] = special
    made = tuple(specials.values())
    for i, (special, id_) in enumerate(zip(made, numbered(made, vocab, size), strict=True)):
        if special.id != id_:
            raise FormatError(
                f"`{field.path}[{i}].id` is {special.id}, but {shown(special.content)} gets the id {id_} from "
                "`tokenizers`, by `model.vocab` and the order of `added_tokens`",
                "put the token into `model.vocab` with its id",
            )
    if (pair := clash(made)) is not None:
        raise FormatError(
            f"`{field.path}`: {shown(pair[1])} is normalized and {shown(pair[0])}, which may cut into it, is not",
            'give both the same "normalized"',
        )
    return made


def read_one(item: Field) -> SpecialToken:
    """Reads one added token."""
    content = item.get("content").string()
    if not content:
        raise item.get("content").wrong("a text that is not empty")
    for flag in _FLAGS:
        if item.get(flag).boolean(default=False):
            raise FormatError(
                f"`{item.path}.{flag}` is true, for {shown(content)}",
                "added tokens with this flag are not read yet; set it to false to read the file",
            )
    special = item.get("special").boolean(default=False)
    normalized = item.get("normalized").boolean(default=not special)
    return SpecialToken(content, item.get("id").integer(MAX_ID), special, normalized)


def render(specials: Iterable[SpecialToken]) -> list[dict[str, object]]:
    """The list, by id."""
    return [
        {
            "id": special.id,
            "content": special.content,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": special.normalized,
            "special": special.special,
        }
        for special in sorted(specials, key=lambda special: special.id)
    ]


def numbered(specials: Iterable[SpecialToken], vocab: Mapping[str, int], size: int) -> Iterator[int]:
    """The ids that Hugging Face's library gives to added tokens in this order; `size` is that of the vocabulary.

    >>> list(numbered([SpecialToken("b", 7), SpecialToken("<s>", 9), SpecialToken("<t>", 9)], {"b": 1}, 2))
    [1, 2, 3]
    """
    highest: int | None = None
    for special in specials:
        id_ = vocab.get(special.content)
        if id_ is None:
            id_ = size if highest is None else max(highest + 1, size)
        highest = id_ if highest is None else max(highest, id_)
        yield id_


def clash(specials: Sequence[SpecialToken]) -> tuple[str, str] | None:
    """A token of the first round and one of the second that it may cut into; None when there is none.

    It does when it lies inside the other, or begins in the other's middle and goes on behind its end.

    >>> clash([SpecialToken("bc", 1), SpecialToken("ab", 2, normalized=True)])
    ('bc', 'ab')
    """
    first = [special.content for special in specials if not special.normalized]
    second = [special.content for special in specials if special.normalized]
    return first_overlap(first, second) if first and second else None
