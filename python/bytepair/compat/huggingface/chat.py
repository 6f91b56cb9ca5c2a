"""Chat templates: Jinja, run in its sandbox on plain data, as `transformers` runs them.

A template is a program of whoever made the file, so it sees nothing but JSON's types. The tags and functions that
templates may use: `{% break %}` and `{% continue %}`, `{% generation %}` (which leaves its text as it is), `tojson`
without HTML's escapes, `raise_exception`, `strftime_now`.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NoReturn

__all__ = ["chosen", "is_batch", "render"]

_MARK: Final = "BYTEPAIR_END_OF_MESSAGE "
_SAFE: Final = (3, 1, 6)
"""Earlier sandboxes of Jinja's have known holes."""


def is_batch(conversation: object) -> bool:
    """Whether these are several conversations.

    Raises:
        ValueError: there are no messages.
        TypeError: it is no list.
    """
    if not isinstance(conversation, (list, tuple)):
        raise TypeError(f"the conversation is of type `{type(conversation).__name__}`\nhint: it is a list of messages")
    if not conversation:
        raise ValueError("the conversation has no messages\nhint: give one or more")
    return isinstance(conversation[0], (list, tuple))


def chosen(stored: str | Mapping[str, str] | None, given: str | None, *, has_tools: bool) -> str:
    """The template that is meant: the given one, one of a given name, or the stored one.

    Raises:
        ValueError: there is none, or there are several.
    """
    if isinstance(stored, Mapping):
        names = [given] if given is not None else (["tool_use"] if has_tools else []) + ["default"]
        found = next((stored[name] for name in names if name in stored), given)
        if found is None:
            raise ValueError(f"no template is named\nhint: pass chat_template=, one of {', '.join(map(repr, stored))}")
        return found
    template = stored if given is None else given
    if template is None:
        raise ValueError("there is no chat template\nhint: pass chat_template=, or load a folder that has one")
    return template


def render(
    template: str,
    conversation: Sequence[Mapping[str, Any]],
    variables: Mapping[str, Any],
    *,
    tools: Sequence[Mapping[str, Any]] | None,
    documents: Sequence[Mapping[str, Any]] | None,
    add_generation_prompt: bool,
    continue_final_message: bool,
) -> str:
    """The text of one conversation.

    Raises:
        ValueError: what the template refuses, or does wrong, with its line; a last message that cannot be continued.
        TypeError: what is no plain data; a template that is no str.
        ImportError: jinja2 is not installed, or too old.
    """
    messages = []
    for index, message in enumerate(conversation):
        plain = _plain(message, f"message {index}")
        if not isinstance(plain, dict):
            raise TypeError(f"message {index} is of type `{type(message).__name__}`\nhint: a message is a dict")
        messages.append({key: value for key, value in plain.items() if value is not None})
    said = {"tools": tools, "documents": documents, "add_generation_prompt": add_generation_prompt}
    given = {name: _plain(value, name) for name, value in {**variables, **said}.items()}
    if continue_final_message:
        if add_generation_prompt:
            raise ValueError("continue_final_message and add_generation_prompt\nhint: one of them ends the text")
        _mark(messages)
    if not isinstance(template, str):
        raise TypeError(f"the chat template is of type `{type(template).__name__}`\nhint: it is a str in Jinja's words")
    program, problem = _compiled(template)
    try:
        text: str = program.render(messages=messages, **given)
    except problem as error:
        raise ValueError(
            f"the chat template refused: {_one_line(error)}\nhint: it is the template that says so"
        ) from error
    except Exception as error:  # a template is a program, and may do anything wrong
        raise ValueError(
            f"the chat template, line {_line_of(error)}: {type(error).__name__}: {_one_line(error)}\n"
            "hint: the messages lack what the template needs, or it is wrong: mend either"
        ) from error
    return _continued(text) if continue_final_message else text


def _one_line(error: Exception) -> str:
    """What an error says, without line feeds."""
    return " ".join(str(error).split())


def _line_of(error: Exception) -> int:
    """The line of the template where it was raised; Jinja puts these lines into the traceback."""
    frames = traceback.walk_tb(error.__traceback__)
    return [1, *(line for frame, line in frames if frame.f_code.co_filename == "<template>")][-1]


def _mark(messages: list[dict[str, Any]]) -> None:
    """Marks the end of the last message's text."""
    content = messages[-1].get("content") if messages else None
    if isinstance(content, str):
        messages[-1]["content"] = content + _MARK
        return
    for block in reversed(content if isinstance(content, list) else []):
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            block["text"] += _MARK
            return
    raise ValueError("the last message has no text to continue\nhint: give it a `content`")


def _continued(text: str) -> str:
    """What stands before the mark."""
    at = text.rfind(_MARK.strip())
    if at < 0:
        raise ValueError("the template leaves the last message out\nhint: it cannot be continued with this template")
    # A template that strips the text of messages would strip it here too.
    return text[:at] if text.startswith(_MARK, at) else text[:at].rstrip()


def _plain(value: object, place: str) -> Any:
    """A copy of plain data, which has no methods to call."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Mapping):
        return {_plain(key, place): _plain(item, f"{place}[{key!r}]") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{place}[{index}]") for index, item in enumerate(value)]
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(
        f"{place} is of type `{type(value).__name__}`\nhint: templates take dicts, lists, str, numbers and None"
    )


@lru_cache(maxsize=16)
def _compiled(template: str) -> tuple[Any, Any]:
    """The program of a template, and the class of what may go wrong in it."""
    try:
        import jinja2
        import jinja2.ext
        import jinja2.sandbox
    except ImportError as error:
        message = f"chat templates need jinja2, which cannot be imported ({error})\nhint: pip install 'bytepair[chat]'"
        raise ImportError(message, name="jinja2") from None
    from importlib.metadata import version

    found = version("jinja2")
    if tuple(int(part) for part in found.split(".")[:3] if part.isdigit()) < _SAFE:
        raise ImportError(f"jinja2 {found} has a sandbox with holes\nhint: pip install 'jinja2>=3.1.6'", name="jinja2")

    class Generation(jinja2.ext.Extension):
        """`{% generation %}`: marks what a model wrote; here it is text like all other."""

        tags = {"generation"}  # noqa: RUF012 - Jinja's

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    class Namespace(jinja2.utils.Namespace):
        """Names with an underscore reach what they must not."""

        def __setitem__(self, name: str, value: Any) -> None:
            if name.startswith("_"):
                raise jinja2.exceptions.SecurityError(f"`{name}` is no name for an attribute of a namespace")
            super().__setitem__(name, value)

    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )

    def refuse(message: str) -> NoReturn:
        raise jinja2.exceptions.TemplateError(message)

    environment.filters["tojson"] = _json
    environment.globals.update(raise_exception=refuse, strftime_now=_now, namespace=Namespace)
    try:
        return environment.from_string(template), jinja2.exceptions.TemplateError
    except jinja2.exceptions.TemplateSyntaxError as error:
        raise ValueError(f"the chat template, line {error.lineno}: {error.message}\nhint: mend the template") from error
    except Exception as error:  # nested too deep, numbers too long
        raise ValueError(
            f"the chat template cannot be compiled: {type(error).__name__}: {_one_line(error)}\nhint: mend the template"
        ) from error


def _json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _now(format: str) -> str:
    return datetime.now().strftime(format)  # noqa: DTZ005 - templates mean the time where they run
