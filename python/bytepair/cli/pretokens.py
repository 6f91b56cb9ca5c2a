"""`bytepair pretokens`: how often each pretoken of a corpus occurs, as a Parquet file."""

from __future__ import annotations

import time
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
from bytepair.cli.failures import UsageFailure
from bytepair.cli.progress import Progressed
from bytepair.cli.train import check_place, show_summary
from bytepair.cli.warned import told

if TYPE_CHECKING:
    from bytepair.counts.pretoken_counts import PretokenCounts


@click.command(
    "pretokens",
    epilog="""\b
Examples:
  bytepair pretokens book.txt -o counts.parquet
  bytepair pretokens 'en=en/*.jsonl.zst' 'ru=ru/*.jsonl.zst' \\
    --pattern o200k --prune 2 -o counts.parquet
  bytepair pretokens 'corpus/*.parquet' --source-field lang -o counts.parquet
  bytepair train --counts counts.parquet -n 32000 -o tokenizer.json

The file has a column of counts for each named source, and knows its pattern and special tokens. It needs pyarrow:
pip install 'bytepair[data]'. How texts are read and named: see `bytepair train --help`.""",
)
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(readable=False))
@config_option
@click.option(
    "-o", "--output", "out", metavar="OUT", type=click.Path(readable=False), help="The Parquet file to write."
)
@cutting_options
@reading_options
@click.option("--prune", type=click.IntRange(min=1), metavar="N", help="Drop pretokens that occur less often.")
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
    """Count the pretokens of files and write them to a Parquet file."""
    if not files:
        raise UsageFailure(
            "no files to count", "name them, or `-` for stdin: `bytepair pretokens book.txt -o counts.parquet`"
        )
    if out is None:
        raise UsageFailure("no place for the result", "name it: `-o counts.parquet`")
    check_resume(settings["checkpoint"], resume=settings["resume"])
    replaced = check_place(out, ".parquet", "counts.parquet")
    began = time.perf_counter()
    with Progressed(bar=not quiet, every=None) as progress, told(progress.pause):
        counts = _counted(files, progress, **settings)
        if prune is not None:
            counts = counts.prune(prune)
        counts.save(out)
    summary = _summary(counts, out, time.perf_counter() - began, replaced=replaced)
    if not quiet:
        show_summary(summary)
    if as_json:
        output.write_json(summary)


def _counted(
    files: tuple[str, ...],
    progress: Progressed,
    *,
    checkpoint: str | None,
    **settings: Any,  # noqa: ANN401
) -> PretokenCounts:
    import bytepair  # noqa: PLC0415
    from bytepair.counts.file import require  # noqa: PLC0415

    require()  # not after an hour of counting
    with saved_in(checkpoint):
        return bytepair.count_pretokens(
            files=files_of(files), checkpoint=checkpoint, progress=progress, **keywords(**settings)
        )


def _summary(counts: PretokenCounts, out: str, seconds: float, *, replaced: bool) -> dict[str, Any]:
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
        "seconds": round(seconds, 3),
        "file": out,
        "replaced": replaced,
    }
