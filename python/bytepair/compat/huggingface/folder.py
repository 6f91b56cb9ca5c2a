"""A tokenizer of `transformers` from its folder: the file of the tokenizer, and what lies beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Unpack

from bytepair.compat.huggingface.template import read
from bytepair.compat.huggingface.tokenizer import HuggingFaceTokenizer, Settings
from bytepair.compat.huggingface.vocabulary import ROLES
from bytepair.errors import BytepairError, FormatError, UnavailableError
from bytepair.formats import names, post_processor
from bytepair.formats.beside import LISTS
from bytepair.formats.strict_json import Field, load
from bytepair.tokenizer import load as load_tokenizer

__all__ = ["AutoTokenizer"]

_LONGEST: Final = 10**12
"""A `model_max_length` above this stands for none."""


class AutoTokenizer:
    """Makes tokenizers out of folders."""

    @classmethod
    def from_pretrained(
        cls, name_or_path: str | os.PathLike[str], **settings: Unpack[Settings]
    ) -> HuggingFaceTokenizer:
        """The tokenizer of a folder, of a `tokenizer.json`, or of a model `owner/model` in Hugging Face's cache.

        Read are the tokenizer, the template of its `post_processor`, the roles of tokens, `model_max_length`,
        `model_input_names` and the sides in `tokenizer_config.json` and `special_tokens_map.json`, and chat templates.
        Nothing is fetched.

        Args:
            name_or_path: the folder, the file, or the name.
            settings: those of `HuggingFaceTokenizer`, which stand above what the folder says.

        Raises:
            UnavailableError: no such folder, and no model of this name in the cache.
            FormatError: a file that is damaged, or holds what is not read.
        """
        path = _found(name_or_path)
        folder = path if path.is_dir() else path.parent
        file = folder / "tokenizer.json" if path.is_dir() else path
        said: dict[str, Any] = {}
        in_model: object = None
        honoured = post_processor.honoured.set(file.is_file())
        try:
            tok = load_tokenizer(path)
            if file.is_file() and file.suffix == ".json":
                document = _document(file)
                said["template"] = read(document.get("post_processor"))
                in_model = document.get("model").get("vocab").value
        finally:
            post_processor.honoured.reset(honoured)
        if path.is_dir():
            config = _document(folder / "tokenizer_config.json")
            roles = _document(folder / "special_tokens_map.json")
            said |= _roles(roles) | _roles(config) | _options(config)
            if (extra := _extra(config) or _extra(roles)) is not None:
                said["extra_special_tokens"] = extra
            if (templates := _chat_templates(folder, config)) is not None:
                said["chat_template"] = templates
        made = HuggingFaceTokenizer(tok, **{**said, **settings})
        if isinstance(in_model, dict):
            made.take_vocab_size(len(in_model))
        return made


def _found(name_or_path: str | os.PathLike[str]) -> Path:
    path = Path(name_or_path)
    if path.exists():
        return path
    folder, looked = names.model_folder(os.fspath(name_or_path))
    if folder is None:
        where = f", nor in {looked[0]}" if looked else ""
        raise UnavailableError(
            f"there is no folder {os.fspath(name_or_path)!r}{where}, and bytepair fetches no models",
            "fetch it with huggingface_hub, or give the path of a folder",
        )
    return folder


def _document(path: Path) -> Field:
    """A file; empty if it is not there."""
    if not path.is_file():
        return Field({}, path.name)
    try:
        return load(path.read_bytes())
    except BytepairError as error:
        raise FormatError(f"{path}: {error.message}", error.hint) from error


def _roles(document: Field) -> dict[str, str]:
    """The roles that a file gives."""
    fields = {role: document.get(role) for role in ROLES}
    return {
        role: (field.get("content") if isinstance(field.value, dict) else field).string()
        for role, field in fields.items()
        if field.value is not None
    }


def _extra(document: Field) -> list[str] | dict[str, str] | None:
    """The special tokens without a role, or roles that are none of the usual ones with their tokens."""

    def content(item: Field) -> str:
        return (item.get("content") if isinstance(item.value, dict) else item).string()

    for key in LISTS:
        field = document.get(key)
        if isinstance(field.value, dict):
            return {name: content(item) for name, item in field.entries()}
        if field.value is not None:
            return [content(item) for item in field.items()]
    return None


def _options(config: Field) -> dict[str, Any]:
    """Lengths, sides and columns."""
    said: dict[str, Any] = {}
    length = config.get("model_max_length").value
    if isinstance(length, (int, float)) and 0 < length < _LONGEST:
        said["model_max_length"] = int(length)
    for side in ("padding_side", "truncation_side"):
        if (field := config.get(side)).value is not None:
            said[side] = field.one_of("left", "right")
    if (names := config.get("model_input_names")).value is not None:
        said["model_input_names"] = [name.string() for name in names.items()]
    return said


def _chat_templates(folder: Path, config: Field) -> str | Mapping[str, str] | None:
    """The chat template, or several by their names: files of their own, else in the configuration."""
    files = dict(_template_files(folder))
    if set(files) == {"default"}:
        return files["default"]
    if files:
        return files
    field = config.get("chat_template")
    if field.value is None:
        return None
    if isinstance(field.value, list):
        return {item.get("name").string(): item.get("template").string() for item in field.items()}
    return field.string()


def _template_files(folder: Path) -> Iterator[tuple[str, str]]:
    if (file := folder / "chat_template.jinja").is_file():
        yield "default", file.read_text("utf-8")
    for file in sorted((folder / "additional_chat_templates").glob("*.jinja")):
        yield file.stem, file.read_text("utf-8")
