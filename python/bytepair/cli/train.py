"""`bytepair train`: a tokenizer from files, or from counts of pretokens."""

from __future__ import annotations

import errno
import os
import sys
import time
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.balance import balance_of, balance_options
from bytepair.cli.config import config_option, override
from bytepair.cli.corpus import (
    check_resume,
    checkpoint_options,
    cutting_options,
    files_of,
    keywords,
    reading_options,
    saved_in,
    threads_option,
)
from bytepair.cli.failures import InputError, UsageFailure
from bytepair.cli.progress import Progressed
from bytepair.cli.tokenizers import load
from bytepair.cli.warned import told
from bytepair.render.spans import Span, Table, line

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

_TIES = ("lowest", "first", "huggingface", "greatest")


@click.command(
    "train",
    epilog="""\b
Examples:
  bytepair train book.txt -n 4096 -o tokenizer.json
  bytepair train 'corpus/*.jsonl.zst' --text-field text -n 32000 \\
    --pattern o200k --special '<|endoftext|>' -o tokenizer.json
  bytepair train 'en=en/*.txt' 'ru=ru/*.txt' --weight en=0.3 -n 32000 \\
    -o tokenizer.json --checkpoint run1
  bytepair train 'en=en/*.txt' 'ru=ru/*.txt' -n 32000 -o fair.json \\
    --development en=dev.en.txt --development ru=dev.ru.txt
  bytepair train --counts 'counts/*.parquet' -n 32000 -o tokenizer.json
  zcat corpus.gz | bytepair train - --merges 5000 -o tokenizer.json
  bytepair train words.txt --merges 200 --alphabet characters \\
    --end-of-word '</w>' -o tokenizer.json
  bytepair train --config train.toml -n 64000

Files are text (each file is one document), JSON lines or Parquet, plain or compressed with gzip or zstd. `-` is stdin,
NAME=FILE names a source. The size of the vocabulary counts the 256 bytes, the merges and the special tokens. OUT is
written at the end and in one go: until then an older file of that name stays as it is.""",
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(readable=False))
@config_option
@click.option(
    "-o", "--output", "out", metavar="OUT", type=click.Path(readable=False), help="The tokenizer.json to write."
)
@click.option(
    "-n", "--vocab-size", type=click.IntRange(min=0), metavar="N", help="How many tokens there shall be in all."
)
@click.option(
    "--merges", type=click.IntRange(min=0), metavar="N", help="How many merges there shall be, instead of -n."
)
@cutting_options
@click.option(
    "--ties",
    type=click.Choice(_TIES),
    default="lowest",
    show_default=True,
    help="Which of equally frequent pairs goes first.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Stop where the best pair has fewer.",
)
@click.option("--max-token-bytes", type=click.IntRange(min=1), metavar="N", help="Make no token longer than this.")
@click.option("--whole-characters", is_flag=True, help="Join no whole character to a part of another one.")
@click.option("--seed-token", multiple=True, metavar="TEXT", help="A token that shall be there; may be repeated.")
@click.option("--base", metavar="FILE", type=click.Path(readable=False), help="A tokenizer to continue; its ids stay.")
@reading_options
@click.option(
    "--counts",
    metavar="PLACE",
    multiple=True,
    type=click.Path(readable=False),
    help="Counts of pretokens, from `bytepair pretokens`, in place of files: a file or folder; several are added up.",
)
@click.option("--weight", multiple=True, metavar="NAME=W", help="How much a source counts, such as en=0.3.")
@balance_options
@checkpoint_options
@threads_option
@click.option("-v", "--verbose", is_flag=True, help="Show merges as they are learned.")
@click.option("--every", type=click.IntRange(min=1), metavar="N", help="With -v: each N-th merge.  [default: 100]")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress and no summary.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object on stdout.")
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    out: str | None,
    verbose: bool,
    every: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Train a tokenizer on files and write it to a tokenizer.json."""
    settings |= override(context, "vocab_size", "merges") | override(context, "files", "counts")
    _check_usage(out, settings)
    assert out is not None  # noqa: S101 - checked above
    replaced = check_place(out)
    shown = (every or 100) if verbose or every else None
    began = time.perf_counter()
    with Progressed(bar=not quiet, every=shown) as progress, told(progress.pause):
        tok = _trained(progress, out, **settings)
        progress.pause()
        tok.save(out)
    summary = _summary(tok, out, time.perf_counter() - began, settings["weight"], replaced=replaced)
    if not quiet:
        show_summary(summary)
    if as_json:
        output.write_json(summary)


def _check_usage(out: str | None, settings: dict[str, Any]) -> None:
    files, counts = settings["files"], settings["counts"]
    if not files and not counts:
        raise UsageFailure(
            "no files to train on", "name them, or `-` for stdin: `bytepair train book.txt -n 4096 -o tokenizer.json`"
        )
    if files and counts:
        raise UsageFailure("both files and `--counts` given", "leave one of them out")
    if out is None:
        raise UsageFailure("no place for the result", "name it: `-o tokenizer.json`")
    vocab_size, merges = settings["vocab_size"], settings["merges"]
    if (vocab_size is None) == (merges is None):
        raise UsageFailure(
            "no size given" if merges is None else "both `--vocab-size` and `--merges` given",
            "say how many tokens there shall be with `-n 8192`, or how many merges with `--merges 7936`",
        )
    check_resume(settings["checkpoint"], resume=settings["resume"])


def check_place(path: str, suffix: str = ".json", example: str = "tokenizer.json") -> bool:
    """Whether a file at `path` will be replaced; fails now, not after the training, if none can be written there."""
    place = Path(path)
    if path.endswith(("/", os.sep)) and not place.is_dir():
        raise UsageFailure(f"`{path}` names a directory", f"name a file in it: `-o {example}`")
    if place.suffix.lower() != suffix and not place.is_dir():
        kind = {".json": "a tokenizer.json", ".html": "a page"}.get(suffix, "a Parquet file")
        raise UsageFailure(f"`{path}` does not end in `{suffix}`", f"name {kind}: `-o {example}`")
    if place.is_dir():
        raise IsADirectoryError(21, os.strerror(21), path)
    parent = place.parent
    if not parent.is_dir():
        raise FileNotFoundError(2, os.strerror(2), str(parent))
    if not os.access(parent, os.W_OK):
        fault = errno.EROFS if _is_read_only(parent) else errno.EACCES
        raise OSError(fault, os.strerror(fault), str(parent))
    return place.exists()


def _is_read_only(directory: Path) -> bool:
    """Whether nothing at all can be written on its file system, as far as the system tells."""
    return sys.platform != "win32" and bool(os.statvfs(directory).f_flag & os.ST_RDONLY)


def weights_of(weights: tuple[str, ...]) -> dict[str, Any] | None:
    """The weights by source, exact."""
    from decimal import Decimal, InvalidOperation  # noqa: PLC0415
    from fractions import Fraction  # noqa: PLC0415

    found: dict[str, Any] = {}
    for weight in weights:
        name, separator, number = weight.rpartition("=")
        if name in found:
            raise UsageFailure(f"`--weight` names `{name}` twice", "give each source one weight")
        try:
            found[name] = Fraction(number) if "/" in number else Decimal(number)
        except (ValueError, ZeroDivisionError, InvalidOperation):
            separator = ""
        if not separator or not name:
            raise UsageFailure(f"`--weight {weight}` is no weight", "give a source and a number: `--weight en=0.3`")
    return found or None


def _trained(
    progress: Progressed,
    out: str,
    *,
    files: tuple[str, ...],
    counts: tuple[str, ...],
    merges: int | None,
    weight: tuple[str, ...],
    development: tuple[str, ...],
    classic: int | None,
    window: int | None,
    share: int | None,
    seed_token: tuple[str, ...],
    base: str | None,
    checkpoint: str | None,
    resume: bool,
    **settings: Any,  # noqa: ANN401
) -> Tokenizer:
    import bytepair  # noqa: PLC0415
    from bytepair.arguments import LEFT_OUT  # noqa: PLC0415
    from bytepair.counts.file import load_as_told  # noqa: PLC0415
    from bytepair.counts.pretoken_counts import PretokenCounts  # noqa: PLC0415

    said = keywords(**settings)
    source: dict[str, Any] = {}
    if counts:
        cutting = {"pattern": said.get("pattern", LEFT_OUT), "special_tokens": said["special_tokens"]}
        names = [name for given in counts for name in _counts_named(given)]
        source["counts"] = reduce(PretokenCounts.merge, (load_as_told(name, **cutting) for name in names))
    if files:
        source["files"] = files_of(files, out)
        if weight and isinstance(source["files"], list) and settings["source_field"] is None:
            raise UsageFailure(
                "weights are given, but the sources have no names",
                "name them: `en=en/*.txt ru=ru/*.txt`, or `--source-field` for a field of the rows",
            )
    given = source["counts"].sources if counts else source["files"]
    sources = None if isinstance(given, list) else tuple(given)
    balance = balance_of(development, sources, classic=classic, window=window, share=share)
    with saved_in(checkpoint):
        return bytepair.train(
            **source,
            num_merges=merges,
            weights=weights_of(weight),
            balance=balance,
            seed_tokens=seed_token,
            base=None if base is None else _base(base, settings["pattern"]),
            checkpoint=checkpoint,
            resume=resume,
            progress=progress,
            **said,
        )


def _counts_named(given: str) -> list[str]:
    """The files of counts that a glob stands for; a folder of counts, or an address of one, is what it is."""
    from bytepair.data.places import find, is_address  # noqa: PLC0415

    return [given] if is_address(given) or Path(given).is_dir() else [file.name for file in find(given)]


def _base(path: str, pattern: str | None) -> Tokenizer:
    """The tokenizer that is continued; a rank file is cut by the pattern of the training, since it says none."""
    from bytepair.errors import FormatError  # noqa: PLC0415

    is_ranks = Path(path).suffix.lower() == ".tiktoken"
    try:
        return load(path, pattern if is_ranks else None, ())
    except FormatError as problem:
        if "format=" not in problem.hint:
            raise
        hint = "give a tokenizer.json; `bytepair convert` makes one of other formats"
        raise InputError(problem.message, hint) from None


def _summary(tok: Tokenizer, out: str, seconds: float, weights: tuple[str, ...], *, replaced: bool) -> dict[str, Any]:
    record = tok.training
    tokens = None
    if record is not None and tok.alphabet == "bytes" and not record.base_merges:
        tokens = record.bytes - sum(record.fired)  # every merge that fired made one token of two
    return {
        "documents": None if record is None else record.documents,
        "bytes": None if record is None else round(record.bytes / record.scale),
        "pretokens": None if record is None else round(record.pretokens / record.scale),
        "weighted": f"bytes and pretokens, by {', '.join(weights)}" if weights else None,
        "distinct": None if record is None else record.distinct,
        "vocabulary": len(tok),
        "merges": len(tok.merges),
        "of_the_base": None if record is None else record.base_merges or None,
        "doubtful_from": None if record is None else record.doubtful,
        "bytes_per_token": round(record.bytes / tokens, 3) if record is not None and tokens else None,
        "seconds": round(seconds, 3),
        "file": out,
        "replaced": replaced,
    }


def show_summary(summary: dict[str, Any]) -> None:
    """Draw a summary on stderr: a row for each thing that there is to say."""
    rows = [
        (name.replace("_", " "), _shown(name, value))
        for name, value in summary.items()
        if value is not None and value is not False
    ]
    table = Table(("", ""), tuple((line(Span(name, "note")), line(value)) for name, value in rows), fold=True)
    output.draw([table], to_stderr=True)


def _shown(name: str, value: Any) -> str:  # noqa: ANN401
    if name == "replaced":
        return "an older file of that name"
    if name == "seconds":
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
