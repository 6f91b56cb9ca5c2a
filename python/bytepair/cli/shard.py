"""`bytepair shard`: files of text to shards of ids, and whether shards are whole."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.corpus import keywords, size_of
from bytepair.cli.engines import engine_options
from bytepair.cli.failures import InputError, InterruptedWork, UsageFailure
from bytepair.cli.progress import Progressed
from bytepair.cli.tokenizers import load, pattern_option
from bytepair.cli.train import show_summary
from bytepair.cli.unused import refuse
from bytepair.cli.warned import told

if TYPE_CHECKING:
    from bytepair.shards.manifest import Manifest

FORMATS = ("nanogpt", "llm.c", "megatron", "npy", "parquet")
_AGAIN = "the same command goes on with what is not done"
_OF_VERIFYING = ("engine", "workers", "address")


def _tokens(_: click.Context, __: click.Parameter, value: str) -> int:
    try:
        return size_of(value)
    except click.BadParameter:
        raise click.BadParameter(f"{value!r} is no number of tokens, such as 100M or 1.5G") from None


@click.command(
    "shard",
    epilog="""\b
Examples:
  bytepair shard 'corpus/*.jsonl.zst' -o shards -t tokenizer.json \\
    --append '<|endoftext|>'
  bytepair shard 'corpus/*.parquet' -o shards -t tokenizer.json \\
    --format megatron --shard-tokens 1G --engine ray --address auto
  bytepair shard --verify shards -t tokenizer.json

The folder gets the shards, where their documents end, and at last a manifest.json. A shard is there whole or not at
all; a command that was stopped goes on when it is given again. Special tokens in a text are text.
Formats: nanogpt (.bin, ids and nothing else), llm.c (.bin with a header; also for modded-nanogpt), megatron (.bin and
.idx), npy, parquet (a row a document). Ids are uint16 where the vocabulary has at most 65,536, else uint32 (megatron:
int32); in Parquet uint32.""",
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(readable=False))
@click.option("-o", "--output", "out", metavar="DIR", type=click.Path(readable=False), help="The folder of the shards.")
@click.option("--verify", metavar="DIR", type=click.Path(readable=False), help="Check the shards of a folder instead.")
@click.option("-t", "--tokenizer", type=click.Path(readable=False), help="The tokenizer: a file, or a published name.")
@pattern_option("The pattern, where the tokenizer's file holds none (.tiktoken).")
@click.option("--special", multiple=True, metavar="NAME=ID", help="A special token, where the tokenizer names none.")
@click.option("--format", type=click.Choice(FORMATS), default="nanogpt", show_default=True, help="What is written.")
@click.option("--prepend", multiple=True, metavar="TOKEN", help="A special token before each document.")
@click.option("--append", multiple=True, metavar="TOKEN", help="A special token after each document.")
@click.option(
    "--shard-tokens",
    callback=_tokens,
    default="100M",
    show_default=True,
    metavar="N",
    help="The document that reaches so many is a shard's last.",
)
@click.option(
    "--input-format",
    type=click.Choice(["text", "jsonl", "parquet"]),
    help="What the files are, where they do not tell.",
)
@click.option("--text-field", metavar="NAME", help="The field that holds the text.  [default: text]")
@click.option("--separator", metavar="TEXT", help=r"What stands between two documents of a text file, such as \n\n.")
@click.option(
    "--errors",
    type=click.Choice(["strict", "replace", "bytes"]),
    default="strict",
    show_default=True,
    help="What is done with bytes that are not UTF-8.",
)
@click.option(
    "--unknown",
    type=click.Choice(["raise", "unk", "skip"]),
    default="raise",
    show_default=True,
    help="What is done with a character that the vocabulary lacks.",
)
@engine_options
@click.option("-q", "--quiet", is_flag=True, help="Show no progress and no summary.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object on stdout.")
def command(
    *,
    files: tuple[str, ...],
    out: str | None,
    verify: str | None,
    tokenizer: str | None,
    pattern: str | None,
    special: tuple[str, ...],
    quiet: bool,
    as_json: bool,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Encode files into shards of ids for training a model."""
    began = time.perf_counter()
    if verify is not None:
        making = {"files", "out", *settings} - {*_OF_VERIFYING}
        refuse(making, "with `--verify`", "shards are checked after they are made, by the settings that they hold")
        if tokenizer is None:
            refuse(("pattern", "special"), "without a tokenizer", "name it: `-t tokenizer.json`")
        tok = load(tokenizer, pattern, special) if tokenizer is not None else None
        summary = _verified(verify, tok, **{name: settings[name] for name in _OF_VERIFYING})
    else:
        if not files:
            raise UsageFailure("no files to encode", "name them: `bytepair shard book.txt -o shards -t tokenizer.json`")
        if out is None:
            raise UsageFailure("no place for the shards", "name a folder: `-o shards`")
        if "-" in files:
            raise UsageFailure("`-` is stdin, which can be read only once", "save it to a file, and name that")
        tok = load(tokenizer, pattern, special)
        with Progressed(bar=not quiet, every=None) as progress, told(progress.pause):
            summary = _written(files, out, tok, progress, **settings)
    summary["seconds"] = round(time.perf_counter() - began, 3)
    if not quiet:
        show_summary(summary)
    if as_json:
        output.write_json(summary)


def _written(files: tuple[str, ...], out: str, tok: Any, progress: Progressed, **settings: Any) -> dict[str, Any]:  # noqa: ANN401
    import bytepair  # noqa: PLC0415

    named = keywords(pattern=None, special=(), **settings)
    del named["special_tokens"]
    try:
        manifest = bytepair.write_shards(tok, out, files=list(files), progress=progress, **named)
    except (KeyboardInterrupt, SystemExit):  # Ray raises the latter at SIGTERM
        raise InterruptedWork(_AGAIN) from None
    return _summary(manifest, out)


def _summary(manifest: Manifest, out: str) -> dict[str, Any]:
    return {
        "shards": len(manifest.shards),
        "documents": manifest.documents,
        "tokens": manifest.tokens,
        "bytes": manifest.text_bytes,
        "rows_without_text": manifest.nulls or None,
        "format": manifest.settings.format,
        "dtype": manifest.settings.dtype,
        "folder": out,
    }


def _verified(folder: str, tok: Any, **engine: Any) -> dict[str, Any]:  # noqa: ANN401
    import bytepair  # noqa: PLC0415

    found = bytepair.verify_shards(folder, tok, **engine)
    for fault in found.faults[1:]:
        output.note(f"error: {fault.message}\nhint: {fault.hint}")
    if found.faults:
        raise InputError(found.faults[0].message, found.faults[0].hint)
    return {
        "shards": found.shards,
        "documents": found.documents,
        "tokens": found.tokens,
        "faults": 0,
    }
