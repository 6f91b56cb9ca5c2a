"""`bytepair pretokens`: how often each pretoken of a corpus occurs, as a Parquet file, or on an engine as a folder."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.config import config_option
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
from bytepair.cli.engines import engine_options
from bytepair.cli.failures import InterruptedWork, UsageFailure
from bytepair.cli.progress import Progressed
from bytepair.cli.train import check_place, show_summary
from bytepair.cli.unused import is_given
from bytepair.cli.warned import told

if TYPE_CHECKING:
    from bytepair.counts.pretoken_counts import PretokenCounts
    from bytepair.scale.counts_folder import CountsFolder

_OF_FOLDERS = ("engine", "workers", "address")
_OF_FILES = ("threads", "checkpoint", "resume")


@click.command(
    "pretokens",
    epilog="""\b
Examples:
  bytepair pretokens book.txt -o counts.parquet
  bytepair pretokens 'en=en/*.jsonl.zst' 'ru=ru/*.jsonl.zst' \\
    --pattern o200k --prune 2 -o counts.parquet
  bytepair pretokens 'corpus/*.parquet' --source-field lang -o counts.parquet
  bytepair train --counts counts.parquet -n 32000 -o tokenizer.json
  bytepair pretokens 's3://bucket/corpus/*.parquet' -o s3://bucket/counts/ \\
    --engine ray --address auto

Where OUT ends in / or is an address, or --engine, --workers or --address is given, it is a folder, and many processes
count, through files in it: the same command goes on where one was stopped. Else it is a file, which this process
writes. Either has a column of counts for each named source, and knows its pattern and special tokens. It needs pyarrow:
pip install 'bytepair[data]'. How texts are read and named: see `bytepair train --help`.""",
)
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(readable=False))
@config_option
@click.option(
    "-o",
    "--output",
    "out",
    metavar="OUT",
    type=click.Path(readable=False),
    help="The Parquet file or the folder to write.",
)
@cutting_options
@reading_options
@click.option("--prune", type=click.IntRange(min=1), metavar="N", help="Drop pretokens that occur less often.")
@engine_options
@checkpoint_options
@threads_option
@click.option("-q", "--quiet", is_flag=True, help="Show no progress and no summary.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object on stdout.")
def command(
    *,
    files: tuple[str, ...],
    out: str | None,
    prune: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Count the pretokens of files into a file or a folder."""
    if not files:
        raise UsageFailure(
            "no files to count", "name them, or `-` for stdin: `bytepair pretokens book.txt -o counts.parquet`"
        )
    if out is None:
        raise UsageFailure("no place for the result", "name it: `-o counts.parquet`")
    began = time.perf_counter()
    count = _into_folder if _is_folder(out, settings) else _into_file
    with Progressed(bar=not quiet, every=None) as progress, told(progress.pause):
        found = count(files, out, prune, progress, settings)
    summary = found | {"seconds": round(time.perf_counter() - began, 3)}
    if not quiet:
        show_summary(summary)
    if as_json:
        output.write_json(summary)


def _is_folder(out: str, settings: dict[str, Any]) -> bool:
    """Whether a folder is asked for; fails where the options contradict that."""
    from bytepair.data.places import is_address  # noqa: PLC0415

    if not any(map(is_given, _OF_FOLDERS)) and not out.endswith(("/", os.sep)) and not is_address(out):
        return False
    if Path(out).suffix.lower() == ".parquet" and not out.endswith(("/", os.sep)):
        raise UsageFailure(f"`{out}` is a file, and an engine writes a folder", "name one: `-o counts/`")
    if settings["threads"] is not None:
        raise UsageFailure("`--threads`, and the result is a folder", "`--workers` says how many processes count")
    if settings["checkpoint"] is not None or settings["resume"]:
        raise UsageFailure(
            "a checkpoint, and the result is a folder", "leave it out: the same command goes on where one was stopped"
        )
    return True


def _into_file(
    files: tuple[str, ...],
    out: str,
    prune: int | None,
    progress: Progressed,
    settings: dict[str, Any],
) -> dict[str, Any]:
    import bytepair  # noqa: PLC0415
    from bytepair.counts.file import require  # noqa: PLC0415

    check_resume(settings["checkpoint"], resume=settings["resume"])
    replaced = check_place(out, ".parquet", "counts.parquet")
    require()  # not after an hour of counting
    said = {name: value for name, value in settings.items() if name not in _OF_FOLDERS}
    with saved_in(settings["checkpoint"]):
        counts = bytepair.count_pretokens(files=files_of(files, out), progress=progress, **keywords(**said))
        if prune is not None:
            counts = counts.prune(prune)
        counts.save(out)
    return _summary(counts, out, replaced=replaced)


def _into_folder(
    files: tuple[str, ...],
    out: str,
    prune: int | None,
    progress: Progressed,
    settings: dict[str, Any],
) -> dict[str, Any]:
    import bytepair  # noqa: PLC0415

    said = {name: value for name, value in settings.items() if name not in _OF_FILES}
    try:
        done = bytepair.count_into(out, files=files_of(files), prune=prune, progress=progress, **keywords(**said))
    except (KeyboardInterrupt, SystemExit):  # Ray raises the latter at SIGTERM
        raise InterruptedWork(f"the same command goes on from what is in `{out}`") from None
    return _summary_of_folder(done)


def _summary(counts: PretokenCounts, out: str, *, replaced: bool) -> dict[str, Any]:
    dropped, longest = counts.dropped, counts.longest(1)
    return {
        "documents": counts.documents,
        "bytes": counts.total_bytes,
        "pretokens": counts.total,
        "distinct": len(counts),
        "dropped_distinct": dropped.distinct or None,
        "dropped_pretokens": int(dropped.occurrences) or None,
        "longest_in_bytes": longest[0][1] if longest else None,
        "sources": ", ".join(counts.sources) or None,
        "seconds": 0,
        "file": out,
        "replaced": replaced,
    }


def _summary_of_folder(done: CountsFolder) -> dict[str, Any]:
    return {
        "documents": done.documents,
        "bytes": done.total_bytes,
        "pretokens": done.total,
        "distinct": done.distinct,
        "dropped_distinct": done.dropped.distinct or None,
        "dropped_pretokens": int(done.dropped.occurrences) or None,
        "sources": ", ".join(done.sources) or None,
        "items": done.items,
        "found_done": done.items - done.counted or None,
        "seconds": 0,
        "folder": done.path,
    }
