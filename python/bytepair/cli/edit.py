"""`bytepair edit`: a tokenizer with other tokens, and the map from old ids to new ones.

One subcommand for each edit of `Tokenizer`; what they share is which tokenizer, where the new one and the map go, and
what is said at the end.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.corpus import files_of, keywords, reading_options, threads_option
from bytepair.cli.failures import InputError, RefusedError, UsageFailure
from bytepair.cli.texts import argument_bytes, read
from bytepair.cli.tokenizers import FORMATS, format_of, like, load, pattern_option

if TYPE_CHECKING:
    from bytepair.editing.edited import Edited
    from bytepair.formats.kinds import Format
    from bytepair.tokenizer import Tokenizer

_DIGITS = 10
_NUMBERED = re.compile(r"(.+)=(\d{1,100})", re.DOTALL | re.ASCII)


@click.group(
    "edit",
    invoke_without_command=True,
    epilog="""\b
Examples:
  bytepair edit special -t tokenizer.json -o new.json '<|user|>' '<|end|>'
  bytepair edit without -t tokenizer.json -o new.json ' SolidGoldMagikarp'
  bytepair edit truncate -t tokenizer.json -o new.json -n 8000
  bytepair edit prune -t cl100k_base -o new.json 'corpus/*.txt' --map map.npy
  bytepair edit extend -t tokenizer.json -o new.json more.txt --merges 500

Each writes a new tokenizer. With --map it also writes the new id of every old one, -1 for what is gone: what moving the
rows of an embedding table needs.""",
)
@click.pass_context
def command(context: click.Context) -> None:
    """Add, remove or renumber tokens."""
    if context.invoked_subcommand is None:
        names = "|".join(command.list_commands(context))
        raise UsageFailure("no edit named", f"name one: `bytepair edit {names}`")


def _edits(function: Callable[..., Edited]) -> Callable[..., None]:
    """Give a subcommand the tokenizer, and write what it makes of it."""

    @wraps(function)
    def edit(
        *,
        tokenizer: str | None,
        pattern: str | None,
        special: tuple[str, ...],
        tokenizer_format: str | None,
        out: str | None,
        to: Format | None,
        map_file: str | None,
        allow_loss: bool,
        **others: Any,  # noqa: ANN401
    ) -> None:
        target, chosen = _checked(tokenizer, out, to, map_file)
        if "files" in others:
            others["files"] = files_of(others["files"], target)
        edited = function(load(tokenizer, pattern, special, tokenizer_format), **others)
        with nullcontext() if map_file is None else edited.saving_map(map_file):
            _save(edited, tokenizer, target, chosen, allow_loss=allow_loss)
        _tell(edited, target, map_file)

    for option in reversed(_OPTIONS):
        edit = option(edit)
    return edit


_OPTIONS = (
    click.option(
        "-t",
        "--tokenizer",
        type=click.Path(readable=False),
        help="The tokenizer: a tokenizer.json, a file of another format, or a published name such as cl100k_base.",
    ),
    click.option("-o", "--output", "out", metavar="OUT", type=click.Path(readable=False), help="The file to write."),
    click.option(
        "--map",
        "map_file",
        metavar="FILE",
        type=click.Path(readable=False),
        help="Write the new id of each old one too, to a .npy or a .json.",
    ),
    click.option(
        "--to", type=click.Choice(FORMATS), metavar="FORMAT", help="The format of OUT, where its name does not tell."
    ),
    click.option("--allow-loss", is_flag=True, help="Write OUT even if its format cannot hold everything."),
    pattern_option("The tokenizer's pattern, where its file holds none (.tiktoken)."),
    click.option("--special", multiple=True, metavar="NAME=ID", help="A special token, where the file names none."),
    click.option(
        "--tokenizer-format",
        type=click.Choice(FORMATS),
        metavar="FORMAT",
        help="The format of the tokenizer's file, where its content does not tell.",
    ),
)


def _checked(tokenizer: str | None, out: str | None, to: Format | None, map_file: str | None) -> tuple[str, Format]:
    """Where the tokenizer goes, and how it is written; what is wrong with the places is said before any work."""
    from bytepair.editing.edited import map_format  # noqa: PLC0415

    if out is None:
        raise UsageFailure("no place for the result", "name it: `-o new.json`")
    if map_file is not None:
        try:
            map_format(map_file)
        except ValueError as error:
            what, _, hint = str(error).partition("\nhint: ")
            raise UsageFailure(what, hint) from None
        if not Path(map_file).absolute().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(Path(map_file).parent))
    chosen = format_of(out, to)
    if map_file is not None:
        _check_apart(map_file, [*([] if tokenizer is None else [tokenizer]), *_files(out, chosen)])
    return out, chosen


def _files(out: str, chosen: Format) -> list[str]:
    """The files of a tokenizer that is written so."""
    from bytepair.formats import folder, kinds, places  # noqa: PLC0415

    if chosen == "transformers":
        return [os.path.join(out, name) for name in folder.WRITTEN]  # noqa: PTH118 - a name may hold any bytes
    return [*map(str, places.files(kinds.known(chosen), out))]


def _check_apart(map_file: str, others: list[str]) -> None:
    """The map must not take the place of the tokenizer, the old one or the new one."""
    if os.path.realpath(map_file) in map(os.path.realpath, others):
        raise UsageFailure(f"`{map_file}` is a file of the tokenizer, and the map would replace it", "name another")


def _save(edited: Edited, source: str | None, out: str, chosen: Format, *, allow_loss: bool) -> None:
    """Writes the tokenizer; what its format cannot hold is refused as `convert` refuses it."""
    from bytepair.errors import FormatError, FormatWarning  # noqa: PLC0415
    from bytepair.formats import write  # noqa: PLC0415
    from bytepair.told import tell  # noqa: PLC0415

    def new_id(old: int) -> int | None:
        new = int(edited.old_to_new[old]) if 0 <= old < len(edited.old_to_new) else -1
        return None if new < 0 else new

    parts = edited.tokenizer.parts
    try:
        lost = write(parts, out, chosen, allow_loss=allow_loss, like=like(source, chosen), new_id=new_id)
    except FormatError as error:
        if "allow_loss=True" not in error.hint:
            raise
        raise RefusedError(error.message, error.hint.replace("allow_loss=True", "`--allow-loss`")) from error
    if lost:
        tell(FormatWarning, f"{out} was written without {'; '.join(lost)}", "a tokenizer.json holds everything")


def _tell(edited: Edited, out: str, map_file: str | None) -> None:
    output.write_line(f"tokens\t{len(edited.old)}\t{len(edited.tokenizer)}")
    for name, ids in (("gone", edited.removed), ("new", edited.added), ("looked up only", edited.whole_only)):
        if ids:
            output.write_line(f"{name}\t{len(ids)}")
    output.write_line(f"written\t{out}")
    if map_file is not None:
        output.write_line(f"map\t{map_file}")


@command.command(
    "special",
    epilog="""\b
Examples:
  bytepair edit special -t tokenizer.json -o new.json '<|user|>' '<|end|>'
  bytepair edit special -t cl100k_base -o new.json '<|pad|>=100300'

They take the ids after the highest one. Every old id stays; one that is taken is refused.""",
)
@click.argument("names", metavar="NAME[=ID]...", nargs=-1, required=True)
@_edits
def special(tok: Tokenizer, *, names: tuple[str, ...]) -> Edited:
    """Add special tokens."""
    numbered = [_NUMBERED.fullmatch(name) for name in names]
    found = [match for match in numbered if match is not None]
    if not found:
        return tok.with_special_tokens(names)
    if len(found) != len(names):
        raise UsageFailure("some names have an id and some have none", "give all of them one: `'<|user|>=300'`")
    if len({match[1] for match in found}) != len(found):
        raise UsageFailure("a name stands twice", "give each token one id")
    return tok.with_special_tokens({match[1]: int(match[2]) for match in found})


@command.command(
    "without",
    epilog="""\b
Examples:
  bytepair edit without -t tokenizer.json -o new.json ' SolidGoldMagikarp'
  bytepair edit without -t tokenizer.json -o new.json --id 1234 --id 1235
  bytepair edit without -t tokenizer.json -o new.json --ids glitches.txt

Longer tokens that were built through one of them stay; `looked up only` counts those of them that come out only where
they are a whole pretoken. Bytes cannot be removed. A file of ids has one on each line.""",
)
@click.argument("tokens", metavar="[TOKEN]...", nargs=-1)
@click.option("--id", "ids", multiple=True, type=click.IntRange(min=0), metavar="ID", help="A token's id; repeatable.")
@click.option("--ids", "file", metavar="FILE", type=click.Path(readable=False), help="A file of ids (- is stdin).")
@_edits
def without(tok: Tokenizer, *, tokens: tuple[str, ...], ids: tuple[int, ...], file: str | None) -> Edited:
    """Remove tokens."""
    named = [*map(argument_bytes, tokens), *ids, *(_ids(file) if file is not None else ())]
    if not named and file is None:
        raise UsageFailure("no tokens named", "name them, or their ids with `--id 1234`")
    return tok.without(named)


def _ids(name: str) -> list[int]:
    found = []
    for number, line in enumerate(read(name).splitlines(), 1):
        if not line.strip():
            continue
        if not (line.strip().isdigit() and len(line.strip()) <= _DIGITS):
            raise InputError(f"{name}, line {number}: {line[:40]!r} is no id", "write one id on each line, in digits")
        found.append(int(line))
    return found


@command.command(
    "truncate",
    epilog="""\b
Examples:
  bytepair edit truncate -t tokenizer.json -o new.json -n 8000
  bytepair edit truncate -t old.json -o new.json --merges 4000 --map map.npy

`bytepair sweep` says what each size is worth.""",
)
@click.option("-n", "--vocab-size", type=click.IntRange(min=1), metavar="N", help="How many tokens stay at most.")
@click.option("--merges", type=click.IntRange(min=0), metavar="N", help="How many merges stay, instead of -n.")
@_edits
def truncate(tok: Tokenizer, *, vocab_size: int | None, merges: int | None) -> Edited:
    """Keep the first merges."""
    _check_size(vocab_size, merges)
    return tok.truncated(merges, vocab_size=vocab_size)


def _check_size(vocab_size: int | None, merges: int | None) -> None:
    if (vocab_size is None) == (merges is None):
        said = "no size given" if merges is None else "both `--vocab-size` and `--merges` given"
        raise UsageFailure(said, "say how many tokens there shall be with `-n 8192`, or how many merges")


@command.command(
    "prune",
    epilog="""\b
Examples:
  bytepair edit prune -t cl100k_base -o new.json 'corpus/*.txt' --map map.npy
  bytepair edit prune -t tokenizer.json -o new.json book.txt --keep 8000

Without --keep the tokens go that the files do not use, and they are encoded as before. How files are read: see
`bytepair train --help`.""",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--keep", type=click.IntRange(min=1), metavar="N", help="How many tokens stay, the most used.")
@reading_options
@_edits
def prune(tok: Tokenizer, *, files: Any, keep: int | None, **reading: Any) -> Edited:  # noqa: ANN401
    """Keep the tokens that a corpus uses."""
    return tok.pruned(keep=keep, files=files, **_reading(reading))


@command.command(
    "extend",
    epilog="""\b
Examples:
  bytepair edit extend -t tokenizer.json -o new.json more.txt --merges 500
  bytepair edit extend -t cl100k_base -o new.json 'code/*.py' -n 110000

Every old id and merge stays. This is `bytepair train --base`, with the map. How files are read: see `bytepair train
--help`.""",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("-n", "--vocab-size", type=click.IntRange(min=1), metavar="N", help="How many tokens there shall be.")
@click.option("--merges", type=click.IntRange(min=0), metavar="N", help="How many are learned, instead of -n.")
@click.option("--min-count", type=click.IntRange(min=1), default=1, metavar="N", help="Stop where the best has fewer.")
@reading_options
@threads_option
@_edits
def extend(
    tok: Tokenizer,
    *,
    files: Any,  # noqa: ANN401 - as `files_of` gives them
    vocab_size: int | None,
    merges: int | None,
    min_count: int,
    threads: int | None,
    **reading: Any,  # noqa: ANN401
) -> Edited:
    """Learn more tokens from a corpus."""
    _check_size(vocab_size, merges)
    settings = {"min_count": min_count, "threads": threads, **_reading(reading)}
    return tok.extended(num_merges=merges, vocab_size=vocab_size, files=files, **settings)


def _reading(given: dict[str, Any]) -> dict[str, Any]:
    """The keywords of reading."""
    named = keywords(pattern=None, special=(), **given)
    del named["special_tokens"]
    return named
