"""What lies beside the vocabulary in a folder of `transformers`, carried into another folder.

The roles of tokens, lengths, sides and chat templates are no part of a tokenizer, and `AutoTokenizer` reads them. The
invariant: nothing that is carried names a token which the new tokenizer does not have, or an id of another token; what
does is left out and named. What the new folder has already stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats import json_lines
from bytepair.formats.strict_json import Field, load, shown

__all__ = ["CONFIG", "LISTS", "MAP", "ROLES", "TEMPLATE", "Beside", "carried", "document"]

CONFIG: Final = "tokenizer_config.json"
MAP: Final = "special_tokens_map.json"
TEMPLATE: Final = "chat_template.jinja"
_TEMPLATES: Final = "additional_chat_templates"
_GENERATION: Final = "generation_config.json"
ROLES: Final = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
LISTS: Final = ("additional_special_tokens", "extra_special_tokens")
_WITH_IDS: Final = (
    "bad_words_ids",
    "begin_suppress_tokens",
    "force_words_ids",
    "forced_decoder_ids",
    "lang_to_id",
    "sequence_bias",
    "suppress_tokens",
    "task_to_id",
)
"""What else of how a model generates has ids, among numbers that are none."""

NewId = Callable[[int], int | None]
"""An id of the old tokenizer -> that of the same token in the new one; None if it is gone."""


@dataclass
class Beside:
    """What is carried."""

    config: dict[str, object] = field(default_factory=dict)
    """`tokenizer_config.json`."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Other files, by their paths in the folder."""
    left: list[str] = field(default_factory=list)
    """What is not, and why."""


def document(path: Path) -> Field:
    """A file of a folder; empty if it is not there.

    Raises:
        FormatError: it is damaged, or no object.
        OSError: it cannot be read.
    """
    if not path.is_file():
        return Field({}, path.name)
    try:
        root = load(path.read_bytes())
        root.object()
    except FormatError as error:
        raise FormatError(f"`{path.name}`: {error.message}", error.hint) from error
    return Field(root.value, path.name)


def carried(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    known: Collection[str],
    new_id: NewId | None,
) -> Beside:
    """What a folder has beside its vocabulary that another can take over.

    Args:
        source: the folder that has it.
        target: the other one, which need not be there.
        known: the special tokens of the tokenizer there.
        new_id: where ids went; None if nobody knows.

    Raises:
        FormatError: a damaged file.
        OSError: a file that cannot be read.
    """
    there, here, made = Path(source), Path(target), Beside()
    made.config = _named(document(there / CONFIG), known, made.left)
    kept = document(here / CONFIG).object()
    if (there / MAP).is_file() and not (here / MAP).exists():
        roles = _named(document(there / MAP), known, made.left)
        made.files[MAP] = json_lines.dump(roles, errors="backslashreplace")
    if "chat_template" in kept or any(True for _ in _templates(here)):
        made.config.pop("chat_template", None)
    else:
        made.files |= {name: (there / name).read_bytes() for name in _templates(there)}
    if (there / _GENERATION).is_file() and not (here / _GENERATION).exists():
        generation = _moved(document(there / _GENERATION), new_id, made.left)
        if generation is not None:
            made.files[_GENERATION] = json_lines.dump(generation, errors="backslashreplace")
    return made


def _templates(folder: Path) -> Iterator[str]:
    """The files of chat templates."""
    if (folder / TEMPLATE).is_file():
        yield TEMPLATE
    for file in sorted((folder / _TEMPLATES).glob("*.jinja")):
        yield f"{_TEMPLATES}/{file.name}"


def _named(root: Field, known: Collection[str], left: list[str]) -> dict[str, object]:
    """A document without the tokens that the tokenizer does not have."""

    def is_known(item: Field) -> bool:
        if item.value is None:
            return True
        content = (item.get("content") if isinstance(item.value, dict) else item).string()
        if content in known:
            return True
        left.append(f"`{item.path}` is {shown(content)}, no special token of this tokenizer")
        return False

    made = dict(root.object())
    for key in (*ROLES, *LISTS):
        value = root.get(key)
        if key in ROLES:
            if key in made and not is_known(value):
                del made[key]
        elif isinstance(value.value, dict):
            made[key] = {name: item.value for name, item in value.entries() if is_known(item)}
        elif value.value is not None:
            made[key] = [item.value for item in value.items() if is_known(item)]
    return made


def _moved(root: Field, new_id: NewId | None, left: list[str]) -> dict[str, object] | None:
    """How a model generates, with new ids; None if nobody knows them."""
    if new_id is None:
        left.append(f"`{root.path}` has ids, which may be other tokens' here")
        return None
    made = dict(root.object())
    for key in root.object():
        if key in _WITH_IDS and any(new_id(id_) != id_ for id_ in _integers(root.get(key).value)):
            left.append(f"`{root.path}.{key}` has ids of tokens which are others here, or gone")
            del made[key]
        if not key.endswith("token_id"):
            continue
        value = root.get(key).value
        ids = value if isinstance(value, list) else [value]
        moved = [new_id(id_) if type(id_) is int else id_ for id_ in ids]
        if any(new is None and old is not None for new, old in zip(moved, ids, strict=True)):
            left.append(f"`{root.path}.{key}` is {shown(value)}, and that token is gone")
            del made[key]
        else:
            made[key] = moved if isinstance(value, list) else moved[0]
    return made


def _integers(value: object) -> Iterator[int]:
    """The integers in a value of JSON, negative ones (which are no ids) excepted."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif type(one) is int and one >= 0:
            yield one
