"""`write_shards`: files of text -> shards of ids, on any engine; work that was stopped goes on.

The idea: files are cut into items, each item gives shards of its own, and all there is to do is to map `Job` over the
items that are not done. At the end the notes of the items become the manifest. So results do not depend on the engine,
the workers or the order, and a job that is run again when it is done does nothing.
"""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bytepair import __version__
from bytepair.arguments import Text
from bytepair.checkpoint.differences import difference
from bytepair.data.corpus import corpus
from bytepair.errors import FormatError, FormatWarning, SpecialTokenError, TextWarning
from bytepair.formats.strict_json import load
from bytepair.integers import checked_integer, processors
from bytepair.progress import Callback, Progress
from bytepair.scale.engines import opened
from bytepair.scale.folder import Folder, folder_at
from bytepair.scale.items import SIZE, apart, items_of
from bytepair.shards import manifest as manifests
from bytepair.shards.formats import Format, FormatName, format_of
from bytepair.shards.job import Job, NumberedItem, in_our_words, is_there, note, noted
from bytepair.shards.manifest import Done, Manifest, Settings
from bytepair.told import tell

if TYPE_CHECKING:
    from bytepair.data.characters import Errors
    from bytepair.data.formats import Layout
    from bytepair.data.options import Options
    from bytepair.data.places import Files
    from bytepair.encoding import UnknownSymbol
    from bytepair.scale.engines import EngineName
    from bytepair.tokenizer import Tokenizer

__all__ = ["write_shards"]

SHARD_TOKENS: Final = 100_000_000
ITEM_BYTES: Final = 4
"""So many bytes of an item for a token of a shard: about as many as a token has, so that an item is about a shard."""
_SETTINGS: Final = "items/settings.json"
_OTHER: Final = "delete the folder to start over, or name another one"


def write_shards(
    tok: Tokenizer,
    out: str | os.PathLike[str],
    *,
    files: Files,
    format: FormatName = "nanogpt",
    prepend: str | Sequence[str] = (),
    append: str | Sequence[str] = (),
    shard_tokens: int = SHARD_TOKENS,
    unknown: UnknownSymbol = "raise",
    input_format: Layout | None = None,
    text_field: str | None = None,
    separator: str | bytes | None = None,
    errors: Errors = "strict",
    engine: EngineName = "local",
    workers: int | None = None,
    address: str | None = None,
    progress: Callback | None = None,
) -> Manifest:
    r"""Encodes files and writes the ids as shards; called again, it goes on where it was stopped.

    Documents are ordinary text: a special token in one is text. Those that `prepend` and `append` name are the real
    ones.

    Args:
        tok: the tokenizer.
        out: a folder, which is made; or one in which this was begun.
        files: a path, a glob, an address, or a list of them; plain text, JSON lines or Parquet, as for `train`.
        format: "nanogpt" (`.bin`, ids and nothing else), "llm.c" (`.bin` with its header, which modded-nanogpt reads,
            too), "megatron" (`.bin` and `.idx`), "npy", or "parquet" (a row a document, `input_ids: list<uint32>`).
        prepend: special tokens before each document.
        append: special tokens after each document.
        shard_tokens: the document that reaches so many tokens is a shard's last. The last shard of an item, which is
            some files or a piece of a large one, has fewer.
        unknown: what is done with a character that the vocabulary lacks, as for `encode`.
        input_format: what all files are: "text", "jsonl" or "parquet"; None to recognise each.
        text_field: the column of texts, in JSON lines and Parquet; None for `text`.
        separator: what stands between two documents of a plain text file; None: each file is one document.
        errors: what is done with bytes that are not UTF-8, as for `train`.
        engine: "local" (processes of this machine), "ray", "spark" or "dask".
        workers: how many items are worked on at one time; None for as many as there are processors.
        address: a cluster that runs.
        progress: called at the beginning, and when an item is done.

    Returns:
        The manifest, which also lies in the folder.

    Raises:
        FormatError: a format that cannot hold these ids; a folder of other settings or other files, or of something
            else.
        SpecialTokenError: a special token that the tokenizer does not have.
        BytepairError: texts that are not what they are said to be, or that cannot be encoded; the place is named.
        OSError: a file that cannot be read or written.
        ValueError: a setting that is none of its values.

    Warns:
        FormatWarning: ids that nanoGPT's `train.py` reads only with another dtype.
        TextWarning: there was no document.

    >>> import bytepair as bp
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> tok = bp.train(texts=[], vocab_size=257, special_tokens=["<|endoftext|>"])
    >>> with TemporaryDirectory() as directory:
    ...     _ = Path(directory, "a.txt").write_text("abc")
    ...     manifest = bp.write_shards(tok, f"{directory}/out", files=f"{directory}/*.txt", append="<|endoftext|>")
    ...     Path(directory, "out", manifest.shards[0].files[0].name).read_bytes()
    b'a\x00b\x00c\x00\x00\x01'
    """
    shape = format_of(format)
    if unknown not in {"raise", "unk", "skip"}:
        raise ValueError(f'unknown is {unknown!r}\nhint: it is "raise", "unk" or "skip"')
    if input_format not in {None, "text", "jsonl", "parquet"}:
        raise ValueError(f'input_format is {input_format!r}\nhint: it is "text", "jsonl" or "parquet"')
    size = checked_integer("shard_tokens", shard_tokens, 1, shape.most_tokens)
    folder = folder_at(out)
    with in_our_words():
        texts = corpus(files=files, format=input_format, text_field=text_field, separator=separator, errors=errors)
        texts = apart(texts, folder)
    settings = Settings(
        format=shape.name,
        dtype=_dtype(shape, tok),
        fingerprint=tok.fingerprint,
        n_vocab=tok.n_vocab,
        prepend=_specials(tok, "prepend", prepend),
        append=_specials(tok, "append", append),
        unknown=unknown,
        shard_tokens=size,
        reading=texts.options.plain(),
        files=tuple((source, file.name, file.size, file.changed) for source, file in texts.files),
        bytepair=__version__,
    )
    found = items_of(texts, max(size * ITEM_BYTES, SIZE))
    items = [NumberedItem(number, manifests.stem_of(number, len(found)), item) for number, item in enumerate(found)]
    with folder.alone():
        work = _Work(folder, settings, items)
        if not work.is_finished:
            work.do(_job(tok, settings, texts.options, folder), engine, workers, address, progress)
        return work.manifest()


def _job(tok: Tokenizer, settings: Settings, options: Options, folder: Folder) -> Job:
    return Job(
        tok=pickle.dumps(tok),
        format=settings.format,
        dtype=settings.dtype,
        before=tuple(id for _, id in settings.prepend),
        after=tuple(id for _, id in settings.append),
        unknown=settings.unknown,  # type: ignore[arg-type] # it was checked
        shard_tokens=settings.shard_tokens,
        options=options,
        folder=folder,
        key=settings.key,
        threads=1,
    )


def _dtype(format: Format, tok: Tokenizer) -> str:
    dtype = format.dtype(tok.n_vocab)
    if format.name == "nanogpt" and dtype.name != "uint16":
        tell(
            FormatWarning,
            f"ids are written as {dtype.name}, since there are {tok.n_vocab:,}, and nanoGPT's train.py reads uint16",
            f"write dtype=np.{dtype.name} in its calls of np.memmap",
        )
    return dtype.name


def _specials(tok: Tokenizer, name: str, given: str | Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Special tokens and their ids."""
    contents = [given] if isinstance(given, Text) else list(given)
    there = tok.special_tokens
    for content in contents:
        if content not in there:
            shown = ", ".join(map(repr, list(there)[:5])) + (", ..." if len(there) > 5 else "")  # noqa: PLR2004
            raise SpecialTokenError(
                f"{name} is {content!r}, which is no special token of this tokenizer", f"it has {shown or 'none'}"
            )
    return tuple((content, there[content]) for content in contents)


class _Work:
    """What is done of a job, and what is left."""

    def __init__(self, folder: Folder, settings: Settings, items: Sequence[NumberedItem]) -> None:
        """Finds what is done; raises FormatError if that belongs to another job."""
        self._folder, self._settings, self._items = folder, settings, items
        sizes = folder.sizes()
        self.is_finished = False
        self._done = dict[int, Done]()
        if manifests.NAME in sizes:
            self._resume_finished(sizes)
        elif _SETTINGS in sizes and any(name.startswith("items/") and name != _SETTINGS for name in sizes):
            self._resume_begun()
            key = settings.key
            found = ((item.number, noted(folder, key, sizes, item.number)) for item in items)
            self._done = {number: done for number, done in found if done is not None}
        else:  # nothing is done
            strange = sorted(name for name in sizes if name != _SETTINGS and not manifests.OURS.fullmatch(name))
            if strange or (sizes and _SETTINGS not in sizes):
                raise self._of_something_else(min(strange or sizes))
            for name in sizes:
                if name != _SETTINGS:  # it says whose the others are, until the new one takes its place
                    folder.remove(name)
            self._begin()

    def _begin(self) -> None:
        with self._folder.write(_SETTINGS) as file:
            file.write(json.dumps(self._settings.plain(), indent=1).encode())

    def _of_something_else(self, name: str) -> FormatError:
        """The error for a folder that holds what is not ours: nobody is told to delete that."""
        return FormatError(
            f"`{self._folder.shown('')}` is no folder of shards, and not empty: it holds `{name}`",
            "name a folder that is empty, or does not exist yet",
        )

    def _resume_begun(self) -> None:
        content = self._folder.read(_SETTINGS)
        if b'"fingerprint"' not in content:
            raise self._of_something_else(_SETTINGS)
        try:
            there = load(content).object()
        except FormatError as error:
            raise FormatError(f"`{self._folder.shown(_SETTINGS)}`: {error.message}", _OTHER) from None
        self._check(there, _SETTINGS)

    def _resume_finished(self, sizes: dict[str, int]) -> None:
        """All was done; what has been deleted since, or cut short, is done again."""
        content = self._folder.read(manifests.NAME)
        if b'"bytepair shards"' not in content:
            raise self._of_something_else(manifests.NAME)
        try:
            manifest = Manifest.read(content)
        except FormatError as error:
            raise FormatError(f"`{self._folder.shown(manifests.NAME)}`: {error.message}", _OTHER) from None
        self._check(manifest.settings.plain(), manifests.NAME)
        self._done = {number: done for number, done in enumerate(manifest.items) if is_there(done, sizes)}
        if len(self._done) == len(self._items):
            self.is_finished = True
            return
        self._begin()
        key = self._settings.key
        for number, done in self._done.items():
            note(self._folder, key, number, done)
        self._folder.remove(manifests.NAME)

    def _check(self, there: Mapping[str, object], name: str) -> None:
        different = difference(_flat(there), _flat(self._settings.plain()))
        if different is not None:
            what = f"`{self._folder.shown(name)}` was made with something else: {different}"
            raise FormatError(what, _OTHER)

    def do(
        self,
        job: Job,
        engine: EngineName,
        workers: int | None,
        address: str | None,
        progress: Callback | None,
    ) -> None:
        """Works on all that is not done."""
        left = [item for item in self._items if item.number not in self._done]
        if engine == "local" and left:  # or one large file would be for one processor
            job = replace(job, threads=max(processors(workers, "workers") // len(left), 1))
        told = _Told(progress, sum(item.item.bytes for item in self._items), sum(item.item.bytes for item in left))
        told.read(0)  # an engine may take long to start, and so may its first item
        with opened(engine, workers=workers, address=address) as workplace:
            for number, done in workplace.map(job, left):
                self._done[left[number].number] = done
                told.read(left[number].item.bytes)

    def manifest(self) -> Manifest:
        """The manifest, which is written if it is not there."""
        manifest = Manifest(self._settings, tuple(self._done[item.number] for item in self._items))
        if not manifest.documents:
            tell(TextWarning, "there was no document", "see that the files are those that you mean")
        if not self.is_finished:
            with self._folder.write(manifests.NAME) as file:
                file.write(manifest.written())
        ours = {file.name for shard in manifest.shards for file in shard.files}
        for name in self._folder.names():
            is_stray = not self.is_finished and manifests.OURS.fullmatch(name) and name not in ours
            if name.startswith("items/") or is_stray:  # a shard of an item that was done again, under an older name
                self._folder.remove(name)
        return manifest


def _flat(settings: Mapping[str, object]) -> dict[str, object]:
    """Settings by the names that a person gave them by: those of reading among the others."""
    flat = {key: value for key, value in settings.items() if key != "reading"}
    reading = settings.get("reading")
    if isinstance(reading, dict):
        flat |= {"input_format" if key == "format" else str(key): value for key, value in reading.items()}
    return flat


class _Told:
    """What `progress` is told: the bytes of files that were read, of all, as of counting."""

    def __init__(self, progress: Callback | None, total: int, left: int) -> None:
        self._progress, self._total, self._left = progress, total, left
        self._fresh = 0
        self._began = time.monotonic()

    def read(self, size: int) -> None:
        """So many more were read."""
        self._fresh += size
        if self._progress is not None:
            seconds, rest = time.monotonic() - self._began, self._left - self._fresh
            eta = seconds * rest / self._fresh if self._fresh else None
            self._progress(Progress("shard", self._total - rest, self._total, seconds=seconds, eta=eta))
