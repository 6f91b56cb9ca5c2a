r"""Files of tokenizers: read into parts, written from parts.

One file of code per format, and each says what its format cannot hold. Data in, data out; the engine is asked where
ranks and merges have to mean the same (`ranks.py`), and `load` asks it first whether it can read a file by itself
(`quickly.py`).

| format | extension | read | written |
|---|---|---|---|
| `huggingface` | `.json` | `tokenizer.json` of byte-level BPE, and ours | every tokenizer |
| `tiktoken` | `.tiktoken` | rank files; `pattern=` needed | what ranks can express; no pattern, no special tokens |

A file is recognised by what is in it when it is read, by its name when it is written. Nothing but `OSError` and
`FormatError` comes out of reading, whatever the file holds.
"""

from __future__ import annotations

import os

from bytepair.arguments import LEFT_OUT, LeftOut
from bytepair.errors import BytepairError, FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Final, Literal, TypeAlias

    from bytepair import _core
    from bytepair.parts import Parts, TrainingRecord

    Format: TypeAlias = Literal["huggingface", "tiktoken"]
    """The names of the formats."""

__all__ = ["load", "parse", "read", "write"]

_EXTENSIONS: Final[Mapping[str, Format]] = {".json": "huggingface", ".tiktoken": "tiktoken"}
_NAMES: Final = ("huggingface", "tiktoken")
_GZIP: Final = b"\x1f\x8b"
_MARK: Final = b"\xef\xbb\xbf"


def load(
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: Mapping[str, int] | Sequence[str] | None = None,
) -> tuple[_core.Tokenizer, TrainingRecord | None] | Parts:
    """Reads a tokenizer's file as `read` does, or straight into the engine where that is possible; errors as there.

    Raises:
        BytepairError: as `read`; a pattern or special tokens that cannot be used, for a rank file; the file is named.
    """
    from bytepair.formats import quickly

    data = _content(path)
    if isinstance(pattern, LeftOut):
        if (
            special_tokens is None
            and format in (None, "huggingface")
            and (read := quickly.huggingface(data)) is not None
        ):
            return read
    elif format in (None, "tiktoken"):
        try:
            core = quickly.tiktoken(data, pattern, special_tokens)
        except BytepairError as error:
            raise type(error)(f"{os.fspath(path)}: {error.message}", error.hint) from error
        if core is not None:
            return core, None
    return _named(path, data, format, pattern, special_tokens)


def read(
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: Mapping[str, int] | Sequence[str] | None = None,
) -> Parts:
    """Reads a tokenizer's file.

    Args:
        path: the file.
        format: its format; None: recognised by what is in it.
        pattern: for a rank file, and only for one: the regular expression (presets spelled out), or None for none.
        special_tokens: for a rank file, and only for one: text -> id, or texts that take the ids after the last rank.

    Raises:
        OSError: the file cannot be read.
        FormatError: it is damaged, of an unknown kind, or holds what is not read; the file, the place in it and the
            value are named.

    Warns:
        FormatWarning: a `tokenizer.json` that adds special tokens to the ids of each text, which `encode` does not.
    """
    return _named(path, _content(path), format, pattern, special_tokens)


def _content(path: str | os.PathLike[str]) -> bytes:
    with open(os.fspath(path), "rb") as file:  # noqa: PTH123 - importing `pathlib` takes longer than reading
        return file.read()


def _named(
    path: str | os.PathLike[str],
    data: bytes,
    format: Format | None,
    pattern: str | LeftOut | None,
    special_tokens: Mapping[str, int] | Sequence[str] | None,
) -> Parts:
    """Reads a file's content; errors name the file."""
    try:
        return parse(data, format=format, pattern=pattern, special_tokens=special_tokens)
    except BytepairError as error:
        raise FormatError(f"{os.fspath(path)}: {error.message}", error.hint) from error


def parse(
    data: bytes,
    *,
    format: Format | None = None,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: Mapping[str, int] | Sequence[str] | None = None,
) -> Parts:
    r"""Reads a file's content; arguments as for `read`.

    >>> parse(b"YQ== 0\nYg== 1\n", pattern=r"\w+").tokens
    ((0, b'a'), (1, b'b'))

    Raises:
        BytepairError: as `read`; the file is not named.
    """
    kind = _recognise(data) if format is None else _known(format)
    if kind == "tiktoken":
        from bytepair.formats import tiktoken

        return tiktoken.parse(data, pattern=pattern, special_tokens=special_tokens)
    from bytepair.formats import huggingface

    for name, given in (("pattern", not isinstance(pattern, LeftOut)), ("special_tokens", special_tokens is not None)):
        if given:
            raise FormatError(f"`{name}` is given for a tokenizer.json, which has its own", f"leave `{name}` out")
    return huggingface.parse(data)


def write(parts: Parts, path: str | os.PathLike[str], format: Format | None = None) -> None:
    """Writes a tokenizer's file, whole or not at all.

    A rank file (`.tiktoken`) holds neither the pattern nor the special tokens nor the training record: they are left
    out, and whoever reads it must give them.

    Args:
        parts: the tokenizer.
        path: where; the directory must exist. A symbolic link stays one, an existing file keeps its permissions.
        format: the format; None: by the extension, `.json` or `.tiktoken`.

    Raises:
        OSError: the file cannot be written; nothing is left of the attempt.
        FormatError: an unknown format; a vocabulary that a rank file cannot express; what is no id.

    Warns:
        FormatWarning: a `tokenizer.json` that Hugging Face's library will refuse, and why.
    """
    from pathlib import Path

    from bytepair.formats import atomic

    kind = _by_extension(Path(path)) if format is None else _known(format)
    _check_ids(parts)
    if kind == "tiktoken":
        from bytepair.formats import tiktoken

        data = tiktoken.render(parts)
    else:
        from bytepair.formats import huggingface

        data = huggingface.render(parts)
    atomic.write_bytes(path, data)


def _check_ids(parts: Parts) -> None:
    """What is no id would be written, and could not be read again."""
    from bytepair.parts import MAX_ID

    for id_ in (*(id_ for id_, _ in parts.tokens), *(special.id for special in parts.specials)):
        if type(id_) is not int or not 0 <= id_ <= MAX_ID:
            raise FormatError(f"{id_!r} is no id of a token", f"ids are integers from 0 to {MAX_ID}")


def _recognise(data: bytes) -> Format:
    hint = 'bytepair reads tokenizer.json and rank files (.tiktoken); name one with format="huggingface" or "tiktoken"'
    if data.startswith(_GZIP):
        raise FormatError("it is compressed with gzip", "unpack it first (`gunzip`)")
    start = data[:4096].removeprefix(_MARK).lstrip(b" \t\r\n")
    if start.startswith(b"{"):
        return "huggingface"
    from bytepair.formats import tiktoken

    if tiktoken.looks_like(data):
        return "tiktoken"
    if not data:
        raise FormatError("it is empty", hint)
    raise FormatError(f"it begins with {data[:16]!r}, which is no format that is read", hint)


def _by_extension(path: Path) -> Format:
    extension = path.suffix.lower()
    if extension not in _EXTENSIONS:
        raise FormatError(
            f"{path}: the extension {extension!r} is that of no format",
            'use .json or .tiktoken, or give format="huggingface" or "tiktoken"',
        )
    return _EXTENSIONS[extension]


def _known(name: Format) -> Format:
    if name not in _NAMES:
        raise FormatError(f"the format is {name!r}", 'it is "huggingface" or "tiktoken"')
    return name
