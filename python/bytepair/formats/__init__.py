r"""Files of tokenizers: read into parts, written from parts.

One file of code per format, and each says what its format cannot hold; `kinds.py` is the table of them. Data in, data
out; the engine is asked where ranks and merges have to mean the same (`ranks.py`), and `load` asks it first whether it
can read a file by itself (`quickly.py`).

A file is recognised by what is in it when it is read, by its name when it is written. Nothing but `OSError` and
`FormatError` comes out of reading, whatever the file holds. What is written holds everything, or says what it lost.
"""

from __future__ import annotations

import os

from bytepair.arguments import LEFT_OUT, LeftOut
from bytepair.errors import BytepairError, FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from bytepair import _core
    from bytepair.formats import kinds
    from bytepair.formats.kinds import Format
    from bytepair.parts import Parts, TrainingRecord

__all__ = ["load", "parse", "read", "write"]

MOST = 1 << 30
"""The largest file that is read, in bytes."""


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
    if os.path.isdir(path) or format == "transformers":  # noqa: PTH112 - importing `pathlib` takes longer than reading
        return _of_folder(path, pattern, special_tokens)
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
    """Reads a tokenizer's file, or its folder.

    Args:
        path: the file or the folder; of a pair either file.
        format: its format; None: recognised by what is in it.
        pattern: for files that hold none (a rank file, a pair): the regular expression (presets spelled out), or None.
        special_tokens: for files that name none: text -> id, or texts that take the ids after the last one.

    Raises:
        OSError: the file cannot be read.
        FormatError: it is damaged, of an unknown kind, or holds what is not read; the file, the place in it and the
            value are named.

    Warns:
        FormatWarning: a `tokenizer.json` that adds special tokens to the ids of each text, which `encode` does not.
    """
    from pathlib import Path

    if Path(path).is_dir() or format == "transformers":
        read = _of_folder(path, pattern, special_tokens, quick=False)
        assert not isinstance(read, tuple)  # noqa: S101 - only what is read quickly is one
        return read
    return _named(path, _content(path), format, pattern, special_tokens)


def _of_folder(
    path: str | os.PathLike[str],
    pattern: str | LeftOut | None,
    special_tokens: Mapping[str, int] | Sequence[str] | None,
    *,
    quick: bool = True,
) -> tuple[_core.Tokenizer, TrainingRecord | None] | Parts:
    """Reads a folder; errors name it."""
    from bytepair.formats import folder
    from bytepair.parts import SpecialToken

    try:
        here = folder.look_into(path)
        if here.is_pair():
            return here.read_pair(pattern=pattern, special_tokens=special_tokens)
        found = load(here.file, pattern=pattern, special_tokens=special_tokens) if quick else None
        if isinstance(found, tuple):
            if here.agrees(SpecialToken(*special) for special in found[0].specials()):
                return found
            found = None
        return here.complete(found or read(here.file, pattern=pattern, special_tokens=special_tokens))
    except BytepairError as error:
        if error.message.startswith(os.fspath(path)):
            raise
        raise FormatError(f"{os.fspath(path)}: {error.message}", error.hint) from error


def _content(path: str | os.PathLike[str]) -> bytes:
    with open(os.fspath(path), "rb") as file:  # noqa: PTH123 - importing `pathlib` takes longer than reading
        head = file.read(4)
        if head == b"GGUF":  # of a model, only what stands before the tensors
            from bytepair.formats import gguf_file

            return head + file.read(gguf_file.MOST - len(head))
        data = head + file.read(MOST)
    if len(data) > MOST:
        raise FormatError(
            f"{os.fspath(path)}: it is larger than 1 GiB", "files of tokenizers are not; is it a model's?"
        )
    return data


def _named(
    path: str | os.PathLike[str],
    data: bytes,
    format: Format | None,
    pattern: str | LeftOut | None,
    special_tokens: Mapping[str, int] | Sequence[str] | None,
) -> Parts:
    """Reads a file's content; errors name the file."""
    try:
        return parse(data, format=format, pattern=pattern, special_tokens=special_tokens, path=path)
    except BytepairError as error:
        raise FormatError(f"{os.fspath(path)}: {error.message}", error.hint) from error


def parse(
    data: bytes,
    *,
    format: Format | None = None,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: Mapping[str, int] | Sequence[str] | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Parts:
    r"""Reads a file's content; arguments as for `read`, and `path`, beside which the other file of a pair lies.

    >>> parse(b"YQ== 0\nYg== 1\n", pattern=r"\w+").tokens
    ((0, b'a'), (1, b'b'))

    Raises:
        BytepairError: as `read`; the file is not named.
    """
    from bytepair.formats import kinds, places

    is_merges = format is None and path is not None and places.is_merges_of_pair(path)
    if is_merges and path is not None and places.other_of(path) is not None and not kinds.is_compressed(data):
        kind, root = kinds.known("gpt2"), None
    else:
        kind, root = kinds.recognise(data) if format is None else kinds.named(data, format)
    if is_merges and kind.name == "subword-nmt":
        kind = kinds.known("gpt2")  # it looks the same
    said: dict[str, Any] = {}
    if not isinstance(pattern, LeftOut):
        said["pattern"] = pattern
    if special_tokens is not None:
        said["special_tokens"] = special_tokens
    for name in said:
        if name not in kind.said:
            raise FormatError(f"`{name}=` is given for {kind.what}, which has its own", f"leave `{name}=` out")
    if kind.name == "gpt2":
        parts: Parts = kind.code.parse(*places.both(path, data), **said)
    else:
        parts = kind.code.parse(data, **said) if root is None else kind.code.read(root, **said)
    return parts


def write(
    parts: Parts,
    path: str | os.PathLike[str],
    format: Format | None = None,
    *,
    allow_loss: bool = False,
    like: str | os.PathLike[str] | None = None,
    new_id: Callable[[int], int | None] | None = None,
) -> tuple[str, ...]:
    """Writes a tokenizer's file, whole or not at all; so a pair and a folder too, but for a kill between two renames.

    What was to be written is read back and compared (`losses.py`), so what a format cannot hold is found and named.

    Args:
        parts: the tokenizer.
        path: where; the directory must exist. A symbolic link stays one, an existing file keeps its permissions.
        format: the format; None: by the name.
        allow_loss: whether the file is written if it cannot hold everything.
        like: a folder whose roles of tokens, chat templates and settings are taken over into the one that is written.
        new_id: the new id of each token there, or None; without it no file with ids is taken over.

    Returns:
        What was lost, a line each.

    Raises:
        OSError: the file cannot be written; nothing is left of the attempt.
        FormatError: an unknown format; what the format cannot hold; what is no id.

    Warns:
        FormatWarning: a `tokenizer.json` that Hugging Face's library will refuse, and why; what of `like` is left out.
    """
    from pathlib import Path

    from bytepair.formats import folder, kinds, places

    _check_ids(parts)
    into_folder = format == "transformers" or (format is None and places.is_folder(path))
    kind = None if into_folder else kinds.by_name(os.fspath(path)) if format is None else kinds.known(format)
    lost: tuple[str, ...] = ()
    if like is not None and kind is not None:
        raise FormatError(f"`like` is given for {kind.what}, and only a folder has more files", "leave `like` out")
    try:
        if kind is None:
            rendered = folder.render(parts, path, like, new_id)
            files = {Path(path, name): content for name, content in rendered.items()}
        else:
            contents, lost = _rendered(parts, kind, allow_loss=allow_loss)
            files = dict(zip(places.files(kind, path), contents, strict=True))
    except FormatError as error:
        raise FormatError(f"{os.fspath(path)}: {error.message}", error.hint) from error
    _write_files(files, Path(path) if kind is None else None)
    return lost


def _write_files(files: Mapping[Path, bytes], folder: Path | None) -> None:
    """Writes all of them or none; a folder that is made for them does not stay without them."""
    import contextlib
    import errno

    from bytepair.formats import atomic

    made = folder is not None and not folder.is_dir()
    if made and os.path.lexists(str(folder)):
        raise NotADirectoryError(errno.ENOTDIR, "It is a file, and a folder is to be written", str(folder))
    wanted = {} if folder is None else dict.fromkeys((folder, *sorted({file.parent for file in files})))
    new = [one for one in wanted if not one.is_dir()]
    try:
        for one in new:
            one.mkdir()
        atomic.write_all(files)
    except BaseException:
        for one in reversed(new):
            with contextlib.suppress(OSError):
                one.rmdir()
        raise


def _rendered(parts: Parts, kind: kinds.Kind, *, allow_loss: bool) -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """The contents of the files, and what is lost."""
    from bytepair.formats import losses

    if not kind.exact:
        losses.check_usable(parts, "what is to be written")
    rendered: bytes | tuple[bytes, ...] = kind.code.render(parts)
    contents = rendered if isinstance(rendered, tuple) else (rendered,)
    if kind.exact:
        return contents, ()
    try:
        back: Parts = kind.code.parse(*contents, **dict.fromkeys(kind.must))
    except FormatError as error:
        raise FormatError(
            f"{kind.what} cannot hold it: in what would be written, {error.message}", "save it as tokenizer.json"
        ) from error
    lost = losses.between(parts, back)
    if lost and not allow_loss:
        raise FormatError(
            f"{kind.what} cannot hold {'; '.join(lost)}",
            "a tokenizer.json holds everything; give allow_loss=True to write the file without it",
        )
    if lost:
        losses.check_usable(back, f"{kind.what} cannot hold {'; '.join(lost)}, and the rest")
    return contents, lost


def _check_ids(parts: Parts) -> None:
    """What is no id would be written, and could not be read again."""
    from bytepair.parts import MAX_ID

    for id_ in (*(id_ for id_, _ in parts.tokens), *(special.id for special in parts.specials)):
        if type(id_) is not int or not 0 <= id_ <= MAX_ID:
            raise FormatError(f"{id_!r} is no id of a token", f"ids are integers from 0 to {MAX_ID}")
