"""The `post_processor` of a `tokenizer.json`: what it would add to ids, and a warning that here nothing is added.

In Hugging Face's library it runs behind the model, and a template in it puts special tokens such as BOS around the ids
of each text. `encode` here never does so by itself, and parts have no place for a template, so a file that is read and
saved has none. That would be silent, hence the warning; it names the tokens, for whoever needs them must add them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final

from bytepair.errors import FormatWarning
from bytepair.formats.strict_json import Field, shown
from bytepair.told import tell

__all__ = ["honoured", "warn_if_it_adds"]

honoured: Final = ContextVar("honoured", default=False)
"""Whether the reader does as the post-processor says, as `bytepair.compat.huggingface` does."""

_KINDS: Final = ("ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing", "Sequence")
_SHOWN: Final = 3
_HINT: Final = "add them to the ids where a model wants them; a file that is saved from here has no post_processor"


def warn_if_it_adds(post: Field) -> None:
    """Reads a post-processor, which may be null.

    Raises:
        FormatError: it is of an unknown kind, or damaged.

    Warns:
        FormatWarning: it adds special tokens to the ids of a text.
    """
    kinds: list[str] = []
    tokens: list[str] = []
    for step in _steps(post):
        if added := list(_added(step)):
            kinds.append(step.get("type").string())
            tokens += added
    if tokens and not honoured.get():
        names = [shown(token) for token in dict.fromkeys(tokens)]
        listed = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
        what = f"`post_processor` ({', '.join(dict.fromkeys(kinds))}) adds {listed} to the ids of each text"
        tell(FormatWarning, f"{what}, and `encode` here does not", _HINT)


def _steps(post: Field) -> Iterator[Field]:
    """The post-processors in sequences, in order."""
    waiting = [] if post.value is None else [post]
    while waiting:
        step = waiting.pop()
        if step.get("type").one_of(*_KINDS) == "Sequence":
            waiting += reversed(step.get("processors").items())
        else:
            yield step


def _added(step: Field) -> Iterator[str]:
    """The special tokens that a post-processor puts around one text."""
    kind = step.get("type").string()
    if kind == "TemplateProcessing":
        for piece in step.get("single").items():
            if "SpecialToken" in piece.object():
                yield piece.get("SpecialToken").get("id").string()
    elif kind != "ByteLevel":
        for key in ("cls", "sep"):
            pair = step.get(key).items()
            if not pair:
                raise step.get(key).wrong("a token and its id")
            yield pair[0].string()
