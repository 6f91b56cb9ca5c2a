"""What a file lost: what was written is read back and compared with what was to be written.

The idea: no format has to know what it cannot hold. Whatever does not come back is lost, and is named; so nothing can
be lost silently, in any format, by a mistake of the writer either. The record of the training is not counted, since no
id depends on it.

Cost: linear in the vocabulary; where merges become ranks or ranks merges, each token is merged once more (`ranks.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from bytepair.errors import BytepairError, FormatError
from bytepair.formats import ranks
from bytepair.formats.huggingface_read import GPT2_PATTERN
from bytepair.formats.kinds import Kind
from bytepair.formats.strict_json import shown
from bytepair.parts import MARK, Parts, SpecialToken, around

__all__ = ["IDS", "between", "check_usable", "to_be_said"]

IDS: Final = "the ids"
"""How a loss begins where other ids come out."""

_NAMED: Final = 3


def between(before: Parts, after: Parts) -> tuple[str, ...]:
    """What `before` has and `after` has not; nothing, if they give the same ids for every text.

    >>> parts = Parts(tokens=((0, b"a"), (1, b"b")), merges=(), pattern="a+", specials=(SpecialToken("<s>", 7),))
    >>> for loss in between(parts, Parts(tokens=((0, b"a"),), merges=())):
    ...     print(loss)
    the pattern "a+" (no pattern comes back)
    1 token: `b` (id 1)
    1 special token: `<s>` (id 7)
    """
    return (
        *_alphabet(before, after),
        *_around(before, after),
        *_pattern(before, after),
        *_tokens(before, after),
        *_specials(before, after),
    )


def to_be_said(before: Parts, kind: Kind, lost: tuple[str, ...]) -> dict[str, Any]:
    """What somebody who reads the file says, so that as little as possible is lost."""
    said: dict[str, Any] = dict.fromkeys(kind.must)
    if lost and "pattern" in kind.said:
        said["pattern"] = before.pattern
    if lost and before.specials and "special_tokens" in kind.said:
        ids = {special.content: special.id for special in before.specials}
        said["special_tokens"] = list(ids) if any(loss.startswith(IDS) for loss in lost) else ids
    return said


def check_usable(parts: Parts, what: str) -> None:
    """Whether parts, which are `what`, are a tokenizer at all.

    Raises:
        FormatError: they contradict each other.
    """
    from bytepair import _core  # noqa: PLC0415 - loaded when first needed

    mark = (parts.alphabet, parts.end_of_word, parts.end_of_word_joined)
    merges = None if parts.merges is None else list(parts.merges)
    specials = [special.plain for special in parts.specials]
    try:
        _core.Tokenizer.from_plain(
            *mark, parts.pattern, list(parts.tokens), merges, parts.whole_first, specials, around(parts)
        )
    except BytepairError as error:
        raise FormatError(f"{what} is no tokenizer: {error.message}", error.hint) from error


def _alphabet(before: Parts, after: Parts) -> Iterator[str]:
    mark, other = ((parts.alphabet, parts.end_of_word, parts.end_of_word_joined) for parts in (before, after))
    if mark != other:
        yield f"the alphabet: {_described(*mark)} ({_described(*other)} comes back)"


def _around(before: Parts, after: Parts) -> Iterator[str]:
    """What is done before tokens are looked for, and after they are put together."""
    if before.normalizer != after.normalizer:
        yield f"the normalizer ({_steps(before)}; {_steps(after)} comes back)"
    if before.decoder != after.decoder:
        yield "how spaces are decoded"
    if (before.unknown, before.fuse_unknown) != (after.unknown, after.fuse_unknown):
        yield f"the unknown token (id {before.unknown}; {after.unknown} comes back)"


def _steps(parts: Parts) -> str:
    kinds = [step.kind for step in (*parts.normalizer.before, *parts.normalizer.after)]
    return ", ".join(kinds) or "none"


def _described(alphabet: str, mark: str | None, joined: bool) -> str:
    if mark is None:
        return alphabet
    return f"{alphabet} with {shown(mark)}" + (" joined to the last" if joined else " as a symbol")


def _pattern(before: Parts, after: Parts) -> Iterator[str]:
    old, new = _named(before.pattern), _named(after.pattern)
    if old != new:
        lost = "that text is not cut" if before.pattern is None else f"the pattern {shown(old)}"
        yield f"{lost} ({'no pattern' if after.pattern is None else shown(new)} comes back)"


def _named(pattern: str | None) -> str | None:
    """A preset's name, or the pattern; GPT-2's is spelled in two ways."""
    from bytepair.patterns import preset_of  # noqa: PLC0415 - loaded when first needed

    return "gpt2" if pattern == GPT2_PATTERN else preset_of(pattern) or pattern


def _tokens(before: Parts, after: Parts) -> Iterator[str]:
    old, new = dict(before.tokens), dict(after.tokens)
    if old != new:
        # Of tokens with equal bytes, one comes back.
        old_ids, new_ids = ({_plain(c, parts): id_ for id_, c in sorted(parts.tokens)} for parts in (before, after))
        twice = {id_: c for id_, c in before.tokens if old_ids[_plain(c, before)] != id_}
        if missing := {id_: content for content, id_ in old_ids.items() if content not in new_ids}:
            yield _listed("token", missing)
        if twice:
            yield _listed("token of bytes that another has, too", twice)
        if extra := {id_: content for content, id_ in new_ids.items() if content not in old_ids}:
            yield "that there is no token but those: " + _listed("token more", extra)
        moved = {id_: c for c, id_ in old_ids.items() if new_ids.get(c, id_) != id_}
        if moved:
            id_, content = next(iter(moved.items()))
            other = new_ids[content]
            yield f"{IDS} of {_many('token', len(moved))}: `{_text(content)}` has {id_}, and {other} comes back"
    if not _merge_alike(before, after):
        looked_up = before.whole_first and _merges(before) == _merges(after)
        yield "that whole pretokens are looked up first" if looked_up else "the merges (other ones come back)"


def _plain(content: bytes, parts: Parts) -> bytes:
    """A token's content with the end-of-word mark spelled out."""
    return content if parts.end_of_word is None else content.replace(MARK, parts.end_of_word.encode())


def _merge_alike(before: Parts, after: Parts) -> bool:
    """Whether the same bytes become the same tokens, whatever their ids are."""
    first, second = _merges(before), _merges(after)
    if first == second and before.whole_first == after.whole_first:
        return True
    if before.alphabet == after.alphabet == "unicode" and before.whole_first == after.whole_first:
        return _characters_merge_alike(before, after)
    try:  # ranks and merges say the same of both
        ranks.check(before)
        ranks.check(after)
    except FormatError:
        return False
    return True


def _characters_merge_alike(before: Parts, after: Parts) -> bool:
    """The same of tokens that are made of characters: merge lists may have other merges that never come to be."""
    from bytepair.formats.pieces import made_in_order  # noqa: PLC0415 - loaded when first needed

    found = []
    for parts in (before, after):
        texts = {id_: content.decode() for id_, content in parts.tokens if not content.startswith(MARK)}
        ranks = {(texts[left], texts[right]): rank for rank, (left, right) in enumerate(parts.merges or ())}
        found.append(made_in_order(texts.values(), partial(_rank, ranks)))
    (ends, order), (other_ends, other_order) = found
    return ends == other_ends and order == other_order


def _rank(ranks: Mapping[tuple[str, str], int], one: str, two: str) -> int | None:
    return ranks.get((one, two))


def _merges(parts: Parts) -> list[tuple[bytes, bytes]] | None:
    contents = dict(parts.tokens)
    return None if parts.merges is None else [(contents[left], contents[right]) for left, right in parts.merges]


def _specials(before: Parts, after: Parts) -> Iterator[str]:
    old, new = ({special.content: special for special in parts.specials} for parts in (before, after))
    if missing := {special.id: content for content, special in old.items() if content not in new}:
        yield _listed("special token", missing)
    if extra := {special.id: content for content, special in new.items() if content not in old}:
        yield "that there is no special token but those: " + _listed("special token more", extra)
    both = [(special, new[content]) for content, special in old.items() if content in new]
    if moved := [(one, other) for one, other in both if one.id != other.id]:
        one, other = moved[0]
        yield (
            f"{IDS} of {_many('special token', len(moved))}: `{one.content}` has {one.id}, and {other.id} comes back"
        )
    if changed := [(one, other) for one, other in both if _flags(one) != _flags(other)]:
        one, other = changed[0]
        yield f"the flags of {_many('special token', len(changed))}: `{one.content}` was {_flags(one)}"


def _flags(special: SpecialToken) -> str:
    flags = ("special", "normalized", "lstrip", "rstrip", "single_word")
    return ", ".join(f"{name}={value}" for name, value in zip(flags, special.plain[2:], strict=True))


def _many(what: str, count: int) -> str:
    noun, space, rest = what.partition(" of ")
    more = "" if count == 1 else "s"
    if noun.endswith(" more"):
        return f"{count} {noun.removesuffix(' more')}{more} more"
    return f"{count} {noun}{more}{space}{rest}"


def _listed(what: str, items: Mapping[int, bytes | str]) -> str:
    some = ", ".join(f"`{_text(content)}` (id {id_})" for id_, content in list(items.items())[:_NAMED])
    return f"{_many(what, len(items))}: {some}" + (", ..." if len(items) > _NAMED else "")


def _text(content: bytes | str) -> str:
    text = content if isinstance(content, str) else content.decode("utf-8", "backslashreplace")
    return shown(text)[1:-1]
