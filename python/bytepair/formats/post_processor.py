"""The `post_processor` of a `tokenizer.json`: what it would add to ids, and a warning that here nothing is added.

In Hugging Face's library it runs behind the model, and a template in it puts special tokens such as BOS around the ids
of each text. `encode` here never does so by itself. That would be silent, hence the warning; it names the tokens, for
whoever needs them must add them. A template is kept for those who read a file that is saved from here, as long as its
tokens have the ids that it says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Final, cast

from bytepair.errors import FormatError, FormatWarning
from bytepair.formats.strict_json import Field, shown
from bytepair.told import tell

__all__ = ["honoured", "kept", "render", "renumbered", "warn_if_it_adds"]

honoured: Final = ContextVar("honoured", default=False)
"""Whether the reader does as the post-processor says, as `bytepair.compat.huggingface` does."""

_KINDS: Final = ("ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing", "Sequence")
_SHOWN: Final = 3
_CHANGED: Final = "the tokens were renumbered since the file was read; write the template anew"
_HINT: Final = (
    "add them to the ids where a model wants them; a tokenizer.json that is saved from here has the template, too"
)


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


def kept(post: Field) -> str | None:
    """What is kept of a post-processor: all of one that adds special tokens to a text, as JSON.

    Raises:
        FormatError: as `warn_if_it_adds`.
    """
    if not any(True for step in _steps(post) for _ in _added(step)):
        return None
    text = json.dumps(post.value, ensure_ascii=False, sort_keys=True)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FormatError(f"`{post.path}` has half of a surrogate pair", "the file is damaged") from None
    return text


def render(text: str | None, ids: Mapping[str, int]) -> object:
    """The post-processor for a file with special tokens of these ids; null where one has another id now."""
    if text is None:
        return None
    value = _value(text)
    for step in _steps(Field(value, "post_processor")):
        for content, id_ in _named(step):
            if not isinstance(content, str) or ids.get(content) != id_:
                what = f"the `post_processor` names {shown(content)} with the id {id_}, and is not kept"
                tell(FormatWarning, what, _CHANGED)
                return None
    return value


def renumbered(text: str | None, moved: Mapping[int, int]) -> str | None:
    """What is kept of a post-processor, for tokens with new ids; an id that has no new one stays as it was."""
    if text is None:
        return None
    value = _value(text)
    for step in _steps(Field(value, "post_processor")):
        tokens = step.get("special_tokens").value
        ids = (
            [entry.get("ids") for entry in tokens.values() if isinstance(entry, dict)]
            if isinstance(tokens, dict)
            else []
        )
        for found in (*ids, step.get("cls").value, step.get("sep").value):
            if isinstance(found, list):
                found[:] = [moved.get(item, item) if type(item) is int else item for item in found]
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _value(text: str) -> object:
    try:
        return cast(object, json.loads(text))
    except ValueError as error:
        raise FormatError(f"`post_processor` is no JSON: {error}", "leave it out of the parts") from None


def _named(step: Field) -> Iterator[tuple[object, object]]:
    """The tokens that a post-processor names, with the ids that it says they have."""
    if step.get("type").value == "TemplateProcessing":
        tokens = step.get("special_tokens").value
        for entry in tokens.values() if isinstance(tokens, dict) else ():
            if isinstance(entry, dict):
                names, ids = entry.get("tokens"), entry.get("ids")
                if isinstance(names, list) and isinstance(ids, list):
                    yield from zip(names, ids, strict=False)
    else:
        for key in ("cls", "sep"):
            pair = step.get(key).value
            if isinstance(pair, list) and len(pair) == 2:  # noqa: PLR2004
                yield pair[0], pair[1]


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
