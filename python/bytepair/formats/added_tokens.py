"""`added_tokens` of a `tokenizer.json`, and the ids that Hugging Face's library gives them.

That library does not take an added token's id from the file: a token that is in the model's vocabulary has the id
there, and the others are numbered in their order, from the size of the vocabulary on (`numbered`). So an id counts only
if that numbering gives it; otherwise the token must be put into the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bytepair.errors import FormatError
from bytepair.formats.strict_json import Field, shown
from bytepair.parts import MAX_ID, SpecialToken

__all__ = ["SpecialToken", "contents", "numbered", "read", "read_one", "render"]


def contents(field: Field) -> list[str]:
    """The texts of the list.

    Raises:
        FormatError: it is no list of objects with a text each.
    """
    return [] if field.value is None else [item.get("content").string() for item in field.items()]


def read(field: Field, vocab: Mapping[str, int], size: int) -> tuple[SpecialToken, ...]:
    """Reads the list; `vocab` is the model's, or what it has of these tokens, and `size` how many it has.

    Raises:
        FormatError: a text that is empty or stands twice; an id that is not the one that Hugging Face's library gives.
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
    return made


def read_one(item: Field) -> SpecialToken:
    """Reads one added token."""
    content = item.get("content").string()
    if not content:
        raise item.get("content").wrong("a text that is not empty")
    special = item.get("special").boolean(default=False)
    normalized = item.get("normalized").boolean(default=not special)
    return SpecialToken(
        content,
        item.get("id").integer(MAX_ID),
        special,
        normalized,
        lstrip=item.get("lstrip").boolean(default=False),
        rstrip=item.get("rstrip").boolean(default=False),
        single_word=item.get("single_word").boolean(default=False),
    )


def render(specials: Iterable[SpecialToken]) -> list[dict[str, object]]:
    """The list, by id."""
    return [
        {
            "id": special.id,
            "content": special.content,
            "single_word": special.single_word,
            "lstrip": special.lstrip,
            "rstrip": special.rstrip,
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
