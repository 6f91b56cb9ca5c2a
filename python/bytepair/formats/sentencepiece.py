"""SentencePiece's `.model`, of the kind BPE: a protobuf whose schema the package `sentencepiece` has.

| in the model | here |
|---|---|
| pieces, in the order of their ids | tokens; control pieces and the unknown one are special tokens |
| pieces that mean a byte, `<0x0A>` | tokens with the content FF and that byte |
| user-defined pieces | special tokens that are no control tokens, found in normalised text |
| scores | ranks: the higher score merges first |
| `normalizer_spec` | a normalizer |

There any two neighbours merge whose concatenation is a piece. Of each piece only one pair can occur, the one that
merging its own characters ends in; so a merge list with one merge a piece says the same.

Read are also pieces with one score, of which the leftmost merges first there, if they are runs of one character and
that makes no difference (`_check_ties`). Refused are the kinds Unigram, word and char, unused pieces, and pieces of
characters that are no pieces themselves. What is not kept: how the model was trained, and what it calls `<s>` and
`<pad>`.

Cost: linear in the pieces, each of which is merged once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from bytepair.errors import FormatError
from bytepair.formats.pieces import Pieces
from bytepair.formats.strict_json import shown
from bytepair.normalizing import Decoder, Normalizer, Step
from bytepair.parts import MARK, Parts, SpecialToken

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Piece", "byte_of", "looks_like", "parse", "parts_of", "render"]

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
_BPE: Final = 2
_KINDS: Final = {1: "Unigram", 3: "word", 4: "char"}
SPACE: Final = "\u2581"
_MOST: Final = 1 << 28
_DAMAGED: Final = "the file is cut off or damaged"
_LATER: Final = "such a model is not read; sentencepiece itself runs it"


def looks_like(data: bytes) -> bool:
    r"""Whether it begins as a model does, with a piece: its length, its text, its score.

    >>> looks_like(b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02"), looks_like(b"\na b\n")
    (True, False)
    """
    outer = _length(data, 0)
    inner = _length(data, outer[1]) if outer else None
    if outer is None or inner is None or inner[1] + inner[0] > outer[1] + outer[0]:
        return False
    return data[inner[1] + inner[0] : inner[1] + inner[0] + 1] in {b"\x15", b"\x18", b"\n", b""}


def _length(data: bytes, at: int) -> tuple[int, int] | None:
    """The length that a first field of bytes says it has, and where these begin."""
    if data[at : at + 1] != b"\n":
        return None
    length = 0
    for place, byte in enumerate(data[at + 1 : at + 4]):
        length |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:  # noqa: PLR2004 - the last byte of a number
            return length, at + 2 + place
    return None


def _schema() -> Any:  # noqa: ANN401 - generated code without types
    """The module of the schema.

    Raises:
        FormatError: the package is not installed.
    """
    try:
        from sentencepiece import sentencepiece_model_pb2  # noqa: PLC0415 - optional
    except ImportError as error:
        raise FormatError(
            f"a SentencePiece model needs the packages sentencepiece and protobuf ({error})",
            'install them: pip install "bytepair[sentencepiece]"',
        ) from error
    return sentencepiece_model_pb2


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece as it stands in the file."""

    text: str
    score: float
    kind: int


def parse(data: bytes) -> Parts:
    """Reads the content of a `.model`.

    Raises:
        FormatError: damage, with the piece; a model of another kind; what is not read, with its name.
    """
    schema = _schema()
    if len(data) > _MOST:
        raise FormatError(f"it has {len(data)} bytes, more than {_MOST}", "no model is that large")
    try:
        model = schema.ModelProto.FromString(data)
    except Exception as error:  # noqa: BLE001 - protobuf has several kinds, by its implementation
        raise FormatError(f"it is no SentencePiece model ({error})", _DAMAGED) from None
    if not model.pieces:
        raise FormatError("it has no pieces", _DAMAGED)
    if (kind := model.trainer_spec.model_type) != _BPE:
        raise FormatError(
            f"`trainer_spec.model_type` is {_KINDS.get(kind, kind)}, and only BPE is read",
            "that is another algorithm than byte-pair encoding",
        )
    pieces = list(_pieces(model))
    _check_kinds(pieces)
    return _parts(model, pieces)


def _pieces(model: Any) -> Iterator[Piece]:  # noqa: ANN401 - a protobuf
    seen: dict[str, int] = {}
    for id_, piece in enumerate(model.pieces):
        try:
            text = piece.piece
            text.encode()
        except (UnicodeError, AttributeError) as error:
            raise FormatError(f"`pieces[{id_}].piece` is no text ({error})", _DAMAGED) from None
        if not text:
            raise FormatError(f"`pieces[{id_}].piece` is empty", _DAMAGED)
        if text in seen:
            raise FormatError(f"`pieces[{id_}].piece` is {shown(text)}, as `pieces[{seen[text]}]` is", _DAMAGED)
        seen[text] = id_
        if math.isnan(piece.score):
            raise FormatError(f"`pieces[{id_}].score` is no number, for {shown(text)}", _DAMAGED)
        yield Piece(text, piece.score, piece.type)


def _check_kinds(pieces: list[Piece]) -> None:
    unknown = [id_ for id_, piece in enumerate(pieces) if piece.kind == UNKNOWN]
    if len(unknown) != 1:
        raise FormatError(f"it has {len(unknown)} unknown pieces", "a model has one; the file is damaged")
    for id_, piece in enumerate(pieces):
        if piece.kind == UNUSED:
            raise FormatError(f"`pieces[{id_}].type` is UNUSED, for {shown(piece.text)}", _LATER)
        if piece.kind not in {NORMAL, UNKNOWN, CONTROL, USER, BYTE}:
            raise FormatError(f"`pieces[{id_}].type` is {piece.kind}, for {shown(piece.text)}", _DAMAGED)
        if piece.kind == BYTE and byte_of(piece.text) is None:
            raise FormatError(f"`pieces[{id_}].type` is BYTE, for {shown(piece.text)}", _DAMAGED)


def byte_of(text: str) -> int | None:
    """The byte that a piece means."""
    from bytepair.formats.huggingface_characters import byte_token  # noqa: PLC0415 - loaded when first needed

    return byte_token(text)


def _parts(model: Any, pieces: list[Piece]) -> Parts:  # noqa: ANN401 - a protobuf
    falls_back = bool(model.trainer_spec.byte_fallback)
    found = sum(piece.kind == BYTE for piece in pieces)
    if falls_back and found != 256:  # noqa: PLR2004
        raise FormatError(f"`trainer_spec.byte_fallback` is true, and {found} bytes are pieces", _DAMAGED)
    if found and not falls_back:
        raise FormatError(f"`trainer_spec.byte_fallback` is false, and {found} bytes are pieces", _LATER)
    user = tuple(piece.text for piece in pieces if piece.kind == USER)
    return parts_of(dict(enumerate(pieces)), *_read_normalizer(model, user))


def parts_of(pieces: dict[int, Piece], normalizer: Normalizer, decoder: Decoder) -> Parts:
    """The parts that these pieces describe, of which one is the unknown one.

    Raises:
        FormatError: pieces of one score, of which it is not settled which merges first.
    """
    tokens = {id_: piece for id_, piece in pieces.items() if piece.kind == NORMAL}
    made = Pieces({piece.text: id_ for id_, piece in tokens.items()})
    order = sorted(tokens, key=lambda id_: (-tokens[id_].score, id_))
    _check_ties(tokens)
    merges = made.last_pairs(order)
    contents = [(id_, piece.text.encode()) for id_, piece in tokens.items()]
    contents += [
        (id_, MARK + bytes((byte_of(piece.text) or 0,))) for id_, piece in pieces.items() if piece.kind == BYTE
    ]
    return Parts(
        alphabet="unicode",
        tokens=tuple(sorted(contents)),
        merges=merges,
        specials=tuple(
            SpecialToken(
                piece.text, id_, special=piece.kind != USER, normalized=normalizer.plain and piece.kind == USER
            )
            for id_, piece in pieces.items()
            if piece.kind in {UNKNOWN, CONTROL, USER}
        ),
        unknown=next(id_ for id_, piece in pieces.items() if piece.kind == UNKNOWN),
        fuse_unknown=True,
        normalizer=normalizer,
        decoder=decoder,
    )


def _check_ties(tokens: dict[int, Piece]) -> None:
    """Whether pieces of one score may be merged in the order of their ids."""
    groups: dict[float, list[int]] = {}
    for id_, piece in tokens.items():
        if len(piece.text) > 1:
            groups.setdefault(piece.score, []).append(id_)
    for score, ids in groups.items():
        if len(ids) == 1:
            continue
        texts = [tokens[id_].text for id_ in ids]
        sign = texts[0][0]
        others = any(2 * sign in piece.text for id_, piece in tokens.items() if piece.score != score)
        if (
            others
            or any(set(text) != {sign} for text in texts)
            or max(map(len, texts)) > _TIED
            or not _same_runs(texts)
        ):
            raise FormatError(
                f"`pieces[{ids[0]}]` and `pieces[{ids[1]}]`, {shown(texts[0])} and {shown(texts[1])}, have one score "
                f"({score}): which merges first depends on where they stand",
                _LATER,
            )


_TIED: Final = 64
"""The longest run with the score of another: proving that the order does not matter takes its third power."""


def _same_runs(texts: list[str]) -> bool:
    """Whether runs of one character, merged leftmost first and by the order of these texts, always become the same."""
    ranks = {len(text): rank for rank, text in enumerate(texts)}
    longest = max(ranks)
    tied = dict.fromkeys(ranks, 0)
    return all(_merged([1] * length, ranks) == _merged([1] * length, tied) for length in range(2, 6 * longest))


def _merged(parts: list[int], ranks: dict[int, int]) -> list[int]:
    """Runs merged by rank, the leftmost of equals first."""
    while True:
        found = [(ranks[one + two], at) for at, (one, two) in enumerate(pairwise(parts)) if one + two in ranks]
        if not found:
            return parts
        _, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def _read_normalizer(model: Any, user: tuple[str, ...]) -> tuple[Normalizer, Decoder]:  # noqa: ANN401 - a protobuf
    spec = model.normalizer_spec
    if model.denormalizer_spec.precompiled_charsmap:
        raise FormatError("`denormalizer_spec` has a precompiled charsmap", _LATER)
    charsmap = bytes(spec.precompiled_charsmap)
    prefix, extra, escape = spec.add_dummy_prefix, spec.remove_extra_whitespaces, spec.escape_whitespaces
    if model.trainer_spec.treat_whitespace_as_suffix:
        raise FormatError("`trainer_spec.treat_whitespace_as_suffix` is true", _LATER)
    if not escape:
        raise FormatError("`normalizer_spec.escape_whitespaces` is false", _LATER)
    if charsmap or extra or any(" " in text for text in user):
        steps = (Step("sentencepiece", user, (prefix, extra, escape, False), charsmap),)
    else:
        steps = (Step("prepend", (SPACE,)),) * prefix + (Step("replace", (" ", SPACE)),)
    return Normalizer(steps, plain=bool(user)), Decoder(SPACE, int(prefix))


def render(parts: Parts) -> bytes:
    """Writes the content of a `.model`.

    Raises:
        FormatError: what such a model cannot hold, with the reason.
    """
    from bytepair.formats import sentencepiece_write  # noqa: PLC0415 - loaded when first needed

    return sentencepiece_write.write(parts, _schema())
