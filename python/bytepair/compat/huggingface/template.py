"""What a `post_processor` does to a text, or to two: special tokens around the ids, white space left out of offsets.

The idea: a template is a row of pieces, special tokens and the texts themselves, each with a type (what
`token_type_ids` says of it). Whatever the kind of post-processor, it is read into the pieces for one text and those for
two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from bytepair.errors import FormatError
from bytepair.formats import post_processor
from bytepair.formats.strict_json import Field, shown
from bytepair.tokenizer import Tokenizer

__all__ = ["PAIR", "SINGLE", "Pieces", "Special", "Template", "Text", "of", "read"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Special:
    """Special tokens between texts."""

    ids: tuple[int, ...]
    type: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """One of the texts: 0 is the first, 1 the second of a pair."""

    index: int = 0
    type: int = 0


Pieces: TypeAlias = tuple[Special | Text, ...]
SINGLE: Final[Pieces] = (Text(),)
PAIR: Final[Pieces] = (Text(), Text(1, 1))
"""Two texts without a template."""


@dataclass(frozen=True, slots=True)
class Template:
    """Special tokens around the ids of each text, and how offsets are given.

    >>> Template(before=(1,), after=(2,)).pieces(is_pair=True)
    (Special(ids=(1,), type=0), Text(index=0, type=0), Special(ids=(2,), type=0), \
Special(ids=(1,), type=1), Text(index=1, type=1), Special(ids=(2,), type=1))
    """

    before: tuple[int, ...] = ()
    """Ids before each text."""
    after: tuple[int, ...] = ()
    """Ids after it."""
    trims: bool = False
    """Whether spaces at the ends of a token are left out of its offsets."""
    prefixed: bool = False
    """Whether the first token keeps a single space in them, which the library might have put there."""
    single: Pieces | None = None
    """The pieces for one text, where their types are not all 0; then `before` and `after` are their ids."""
    pair: Pieces | None = None
    """The pieces for two texts; None: each of the two has `before` and `after` around it, and the second is of type 1,
    as `transformers` does it for BOS and EOS."""

    def pieces(self, *, is_pair: bool) -> Pieces:
        """The pieces for one text, or for two.

        Raises:
            ValueError: the pieces for two texts do not have each of them once.
        """
        if not is_pair:
            return self._around(0) if self.single is None else self.single
        pieces = (*self._around(0), *self._around(1)) if self.pair is None else self.pair
        if sorted(piece.index for piece in pieces if isinstance(piece, Text)) != [0, 1]:
            raise ValueError(
                "the template for two texts does not have each of them once\nhint: give one text, or mend the template"
            )
        return pieces

    def _around(self, index: int) -> Pieces:
        """A text and what stands around it; its number is its type."""
        made = (Special(self.before, index), Text(index, index), Special(self.after, index))
        return tuple(piece for piece in made if isinstance(piece, Text) or piece.ids)

    def trimmed(self, spans: list[Span], contents: list[bytes]) -> list[Span]:
        """The spans of the tokens with these bytes, as the file wants them."""
        if not self.trims:
            return spans
        return [self._trim(i, span, content) for i, (span, content) in enumerate(zip(spans, contents, strict=True))]

    def _trim(self, index: int, span: Span, content: bytes) -> Span:
        start, end = span
        leading, trailing = (len(content) - len(content.lstrip(b" ")), len(content) - len(content.rstrip(b" ")))
        if self.prefixed and leading == 1 and (index == 0 or start == 0):
            leading = 0
        first = min(start + leading, end)
        return first, max(end - trailing, first) if trailing and end >= trailing else end


def read(post: Field) -> Template:
    """Reads a `post_processor`, which may be null.

    Raises:
        FormatError: one of another kind; a template for one text that has it twice, or not at all, or another one.
    """
    template = Template(pair=PAIR)
    for step in _steps(post):
        kind = step.get("type").one_of("ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing")
        if kind == "TemplateProcessing":
            template = _framed(template, _pieces(step, "single"), _pieces(step, "pair"))
        elif kind != "ByteLevel":
            template = _framed(template, *_classic(step, is_bert=kind == "BertProcessing"))
        if kind in ("ByteLevel", "RobertaProcessing"):
            trims = step.get("trim_offsets").boolean(default=True)
            template = replace(template, trims=trims, prefixed=step.get("add_prefix_space").boolean(default=True))
    plain = replace(template, pair=None)
    return plain if plain.pieces(is_pair=True) == template.pair else template


def _framed(inner: Template, single: Pieces, pair: Pieces) -> Template:
    """A template with another around it. For pairs the last one counts."""
    at = _place(single)
    within = (single[at] if isinstance(piece, Text) else piece for piece in inner.pieces(is_pair=False))
    single = (*single[:at], *within, *single[at + 1 :])
    at = _place(single)
    is_plain = all(piece.type == 0 for piece in single)
    return replace(
        inner,
        before=_ids(single[:at]),
        after=_ids(single[at + 1 :]),
        single=None if is_plain else single,
        pair=pair,
    )


def _place(single: Pieces) -> int:
    """Where the text stands."""
    return next(place for place, piece in enumerate(single) if isinstance(piece, Text))


def _ids(pieces: Pieces) -> tuple[int, ...]:
    """The ids of special tokens."""
    return tuple(id_ for piece in pieces if isinstance(piece, Special) for id_ in piece.ids)


def _classic(step: Field, *, is_bert: bool) -> tuple[Pieces, Pieces]:
    """The pieces of BERT's and RoBERTa's, for one text and for two."""
    first, last = (_pair(step.get(key)) for key in ("cls", "sep"))
    single: Pieces = (Special((first,)), Text(), Special((last,)))
    if is_bert:
        return single, (*single, Text(1, 1), Special((last,), 1))
    return single, (*single, Special((last,)), Text(1), Special((last,)))


def of(tok: Tokenizer) -> Template:
    """The template that came with a tokenizer's file, if it puts special tokens around a text.

    Warns:
        FormatWarning: a token in it has another id now, so that it means nothing any more.
    """
    post = post_processor.render(tok._engine.post_processor, tok.special_tokens)  # noqa: SLF001 - this package's own
    return read(Field(post, "post_processor"))


def _steps(post: Field) -> Iterator[Field]:
    """The post-processors in sequences, in order."""
    waiting = [] if post.value is None else [post]
    while waiting:
        step = waiting.pop()
        if step.get("type").string() == "Sequence":
            waiting += reversed(step.get("processors").items())
        else:
            yield step


def _pieces(step: Field, key: str) -> Pieces:
    """The pieces of a template."""
    tokens = step.get("special_tokens")
    made: list[Special | Text] = []
    for piece in [] if step.get(key).value is None else step.get(key).items():
        is_text = "Sequence" in piece.object()
        said = piece.get("Sequence" if is_text else "SpecialToken")
        kind = said.get("type_id")
        type_ = 0 if kind.value is None else kind.integer(2**32 - 1)
        if is_text:
            names = ("A",) if key == "single" else ("A", "B")
            made.append(Text(names.index(said.get("id").one_of(*names)), type_))
        else:
            ids = tokens.get(said.get("id").string()).get("ids").items()
            made += [Special(tuple(id_.integer(2**32 - 2) for id_ in ids), type_)] if ids else []
    texts = sum(isinstance(piece, Text) for piece in made)
    if key == "single" and texts != 1:
        raise FormatError(f"`{step.path}.single` has the text {texts} times", "a template for one text has it once")
    return tuple(made)


def _pair(field: Field) -> int:
    """The id of a token that is given as text and id."""
    items = field.items()
    if len(items) != 2:  # noqa: PLR2004
        raise FormatError(f"`{field.path}` is {shown(field.value)}", "it is a token and its id")
    return items[1].integer(2**32 - 2)
