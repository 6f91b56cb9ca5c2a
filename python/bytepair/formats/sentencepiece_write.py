"""Writing SentencePiece's `.model`: of tokens whose ids are 0 to n - 1, and whose merges agree with pieces and scores.

A piece's score is the place, counted down, of the merge that makes it. There every two neighbours merge whose
concatenation is a piece, so each piece is merged both ways first; if one ends otherwise, the file is not written, and
the piece is named.
"""

from __future__ import annotations

from typing import Any, Final

from bytepair.errors import FormatError
from bytepair.formats.huggingface_characters import metaspace_pattern
from bytepair.formats.pieces import merged
from bytepair.formats.strict_json import shown
from bytepair.normalizing import Decoder, Step
from bytepair.parts import MARK, Parts, SpecialToken

__all__ = ["pieces_of", "prefixes", "write"]

_NORMAL, _UNKNOWN, _CONTROL, _USER, _BYTE = 1, 2, 3, 4, 6
_SPACE: Final = "\u2581"
_HINT: Final = "a tokenizer.json holds it"
_ESCAPE: Final = Step("replace", (" ", _SPACE))
_PREFIX: Final = Step("prepend", (_SPACE,))


def write(parts: Parts, schema: Any) -> bytes:  # noqa: ANN401 - generated code without types
    """The content of the file; errors as `sentencepiece.render`."""
    pieces = pieces_of(parts)
    model = schema.ModelProto()
    for text, score, kind in pieces:
        model.pieces.add(piece=text, score=score, type=kind)
    spec = _normalizer(parts)
    model.normalizer_spec.name = "bytepair"
    prefix, extra, escape, _ = spec.flags
    model.normalizer_spec.precompiled_charsmap = spec.charsmap
    model.normalizer_spec.add_dummy_prefix = prefix
    model.normalizer_spec.remove_extra_whitespaces = extra
    model.normalizer_spec.escape_whitespaces = escape
    trainer = model.trainer_spec
    trainer.model_type = 2
    trainer.vocab_size = len(pieces)
    trainer.byte_fallback = any(kind == _BYTE for _, _, kind in pieces)
    trainer.unk_id = parts.unknown
    trainer.unk_piece = pieces[parts.unknown or 0][0]
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def prefixes(parts: Parts) -> bool:
    """Whether a space is put before texts, of parts that do no more to a text than that, and write spaces as marks.

    Raises:
        FormatError: they do something else.
    """
    found = _normalizer(parts)
    if found.charsmap or found.flags[1]:
        raise FormatError("the normalizer changes characters, or takes spaces away", _HINT)
    return found.flags[0]


def pieces_of(parts: Parts, *, as_they_are: bool = False) -> list[tuple[str, float, int]]:
    """(text, score, kind) of each id; `as_they_are`: added tokens are found in texts that are not normalised yet.

    Raises:
        FormatError: tokens, merges or a pattern that pieces with scores cannot say.
    """
    if parts.alphabet != "unicode" or parts.merges is None:
        raise FormatError(f"the tokens of a SentencePiece model are characters, and these are {parts.alphabet}", _HINT)
    if parts.whole_first:
        raise FormatError("texts that are tokens are looked up first", _HINT)
    _check_pattern(parts)
    scores = _scores(parts)
    made: dict[int, tuple[str, float, int]] = {}
    for id_, content in parts.tokens:
        if content.startswith(MARK):
            made[id_] = (f"<0x{content[1]:02X}>", 0.0, _BYTE)
        else:
            made[id_] = (content.decode(), scores[id_], _NORMAL)
    for special in parts.specials:
        if special.id in made:
            raise FormatError(f"{shown(special.content)} is a special token and a token of texts", _HINT)
        made[special.id] = (special.content, 0.0, _kind(special, parts, as_they_are=as_they_are))
    if parts.unknown is None or made.get(parts.unknown, ("", 0.0, 0))[2] != _UNKNOWN:
        raise FormatError("there is no special token for what is unknown", _HINT)
    if not parts.fuse_unknown and not any(kind == _BYTE for _, _, kind in made.values()):
        raise FormatError("unknown characters get an id each; there those that follow each other get one", _HINT)
    return _dense(made)


def _dense(made: dict[int, tuple[str, float, int]]) -> list[tuple[str, float, int]]:
    """What each id has, where none is left out and no text stands twice."""
    if (gap := next((id_ for id_ in range(len(made)) if id_ not in made), None)) is not None:
        raise FormatError(f"no token has the id {gap}", _HINT)
    texts = [made[id_][0] for id_ in range(len(made))]
    if len(set(texts)) != len(texts):
        raise FormatError("two tokens are spelled alike", _HINT)
    return [made[id_] for id_ in range(len(made))]


def _kind(special: SpecialToken, parts: Parts, *, as_they_are: bool) -> int:
    """The kind of a special token."""
    if special.id == parts.unknown:
        return _UNKNOWN
    if special.special:
        return _CONTROL
    if as_they_are and not special.normalized:
        return _USER
    if as_they_are:
        raise FormatError(f"the added token {shown(special.content)} is found in normalised texts", _HINT)
    if not special.normalized or not parts.normalizer.plain:
        raise FormatError(
            f"the added token {shown(special.content)} is found in texts as they are; there in normalised ones", _HINT
        )
    return _USER


def _scores(parts: Parts) -> dict[int, float]:
    """The score of each token that is text."""
    texts = {id_: content.decode() for id_, content in parts.tokens if not content.startswith(MARK)}
    rank_of = {(texts[left], texts[right]): rank for rank, (left, right) in enumerate(parts.merges or ())}
    last_rank: dict[str, int] = {}
    for text in texts.values():
        left, last = merged(text, lambda one, two: rank_of.get((one, two)))
        if len(left) == 1 and last is not None:
            last_rank[text] = rank_of[last]
        elif len(left) > 1:
            raise FormatError(f"no merges make the token {shown(text)}; there they would", _HINT)
    ordered = sorted(last_rank, key=last_rank.__getitem__)
    place = {text: rank for rank, text in enumerate(ordered)}
    for text in ordered:
        left, _ = merged(text, lambda one, two: place.get(one + two))
        if len(left) != 1:
            raise FormatError(f"where all pieces merge, {shown(text)} ends in {shown(' '.join(left))}", _HINT)
    rest = (text for text in texts.values() if text not in place)
    place |= {text: rank for rank, text in enumerate(rest, len(place))}
    return {id_: -float(place[text]) for id_, text in texts.items()}


def _check_pattern(parts: Parts) -> None:
    """A pattern may cut only where no token reaches across."""
    if parts.pattern is None:
        return
    texts = [content.decode() for _, content in parts.tokens if not content.startswith(MARK)]
    if parts.pattern != metaspace_pattern(_SPACE) or any(_SPACE in text[1:] for text in texts):
        raise FormatError(f"the pattern {shown(parts.pattern)}", _HINT)


def _normalizer(parts: Parts) -> Step:
    """The normalizer as one step of SentencePiece's."""
    steps, flags = parts.normalizer.before, None
    if parts.normalizer.after == (_ESCAPE,) and not steps:
        steps = (_ESCAPE,)
    elif parts.normalizer.after:
        raise FormatError("what is put before texts depends on how they begin", _HINT)
    if len(steps) == 1 and steps[0].kind == "sentencepiece":
        if steps[0].flags[3]:
            raise FormatError("spaces are put behind texts", _HINT)
        found = steps[0]
    else:
        flags = {(_ESCAPE,): False, (_PREFIX, _ESCAPE): True, (_ESCAPE, _PREFIX): True}.get(steps)
        if flags is None:
            kinds = ", ".join(step.kind for step in steps) or "none"
            raise FormatError(f"the normalizer is: {kinds}; there it escapes spaces", _HINT)
        found = Step("sentencepiece", (), (flags, False, True, False))
    if parts.decoder != Decoder(_SPACE, int(found.flags[0])):
        raise FormatError("spaces are not decoded as they are normalised", _HINT)
    return found
