"""What a `post_processor` does to one text: special tokens around its ids, white space left out of its offsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bytepair.errors import FormatError
from bytepair.formats import post_processor
from bytepair.formats.strict_json import Field, shown
from bytepair.tokenizer import Tokenizer

__all__ = ["Template", "of", "read"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Template:
    """Special tokens around the ids of each text, and how offsets are given.

    >>> Template(before=(1,), after=(2,)).around([7, 8])
    [1, 7, 8, 2]
    """

    before: tuple[int, ...] = ()
    """Ids before each text."""
    after: tuple[int, ...] = ()
    """Ids after it."""
    trims: bool = False
    """Whether spaces at the ends of a token are left out of its offsets."""
    prefixed: bool = False
    """Whether the first token keeps a single space in them, which the library might have put there."""

    def __len__(self) -> int:
        """How many special tokens there are."""
        return len(self.before) + len(self.after)

    def around(self, ids: list[int]) -> list[int]:
        """The ids with the special tokens."""
        return [*self.before, *ids, *self.after]

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
        FormatError: one of another kind; a template that has the text twice, or not at all, or two texts.
    """
    template = Template()
    for step in _steps(post):
        kind = step.get("type").one_of("ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing")
        before, after = template.before, template.after
        if kind == "TemplateProcessing":
            around = _around(step)
            before, after = (*around[0], *before), (*after, *around[1])
        elif kind != "ByteLevel":
            before, after = (_pair(step.get("cls")), *before), (*after, _pair(step.get("sep")))
        trims, prefixed = template.trims, template.prefixed
        if kind in ("ByteLevel", "RobertaProcessing"):
            trims = step.get("trim_offsets").boolean(default=True)
            prefixed = step.get("add_prefix_space").boolean(default=True)
        template = Template(before, after, trims, prefixed)
    return template


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


def _around(step: Field) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids before and after the text in a template for one."""
    tokens = step.get("special_tokens")
    sides: list[list[int]] = [[]]
    for piece in step.get("single").items():
        if "Sequence" in piece.object():
            piece.get("Sequence").get("id").one_of("A")
            sides.append([])
            continue
        name = piece.get("SpecialToken").get("id").string()
        for id_ in tokens.get(name).get("ids").items():
            sides[-1].append(id_.integer(2**32 - 2))
    if len(sides) != 2:  # noqa: PLR2004 - before and after
        raise FormatError(
            f"`{step.path}.single` has the text {len(sides) - 1} times", "a template for one text has it once"
        )
    return tuple(sides[0]), tuple(sides[1])


def _pair(field: Field) -> int:
    """The id of a token that is given as text and id."""
    items = field.items()
    if len(items) != 2:  # noqa: PLR2004
        raise FormatError(f"`{field.path}` is {shown(field.value)}", "it is a token and its id")
    return items[1].integer(2**32 - 2)
