"""`bytepair train`: a tokenizer from files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.failures import UsageFailure
from bytepair.cli.progress import Progressed
from bytepair.cli.texts import read
from bytepair.cli.tokenizers import pattern_of, pattern_option
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
  bytepair train 'corpus/*.txt' -n 32768 --special '<|endoftext|>' \\
    -o tokenizer.json -v --every 1000
  zcat corpus.gz | bytepair train - --merges 5000 -o tokenizer.json
  bytepair train words.txt --merges 200 --alphabet characters \\
    --end-of-word '</w>' -o tokenizer.json

Each file is one document. `-` is stdin. The size of the vocabulary counts the 256 bytes, the merges and the special
tokens. OUT is written at the end and in one go: until then an older file of that name stays as it is.""",
)
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(readable=False))
@click.option(
    "-o", "--output", "out", metavar="OUT", type=click.Path(readable=False), help="The tokenizer.json to write."
)
@click.option(
    "-n", "--vocab-size", type=click.IntRange(min=0), metavar="N", help="How many tokens there shall be in all."
)
@click.option(
    "--merges", type=click.IntRange(min=0), metavar="N", help="How many merges there shall be, instead of -n."
)
@pattern_option("How text is cut before counting.  [default: o200k]")
@click.option("--special", multiple=True, metavar="TOKEN", help="A special token; may be repeated.")
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
@click.option(
    "--alphabet",
    type=click.Choice(["bytes", "characters"]),
    default="bytes",
    show_default=True,
    help="What merging starts from.",
)
@click.option("--end-of-word", metavar="MARK", help="With characters: the mark that ends a word, such as </w>.")
@click.option("--end-of-word-joined", is_flag=True, help="With characters: the mark is joined to the last character.")
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="How many threads count; all cores if left out."
)
@click.option("-v", "--verbose", is_flag=True, help="Show merges as they are learned.")
@click.option("--every", type=click.IntRange(min=1), metavar="N", help="With -v: each N-th merge.  [default: 100]")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress and no summary.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object on stdout.")
def command(
    *,
    files: tuple[str, ...],
    out: str | None,
    vocab_size: int | None,
    merges: int | None,
    verbose: bool,
    every: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Train a tokenizer on files and write it to a tokenizer.json."""
    _check_usage(files, out, vocab_size, merges)
    assert out is not None  # noqa: S101 - checked above
    replaced = check_place(out)
    shown = (every or 100) if verbose or every else None
    began = time.perf_counter()
    with told():
        with Progressed(bar=not quiet, every=shown) as progress:
            tok = _trained(files, progress, vocab_size=vocab_size, num_merges=merges, **_settings(**settings))
        tok.save(out)
    summary = _summary(tok, out, time.perf_counter() - began, replaced=replaced)
    if not quiet:
        rows = [
            (name.replace("_", " "), _shown(name, value))
            for name, value in summary.items()
            if value is not None and value is not False
        ]
        table = Table(("", ""), tuple((line(Span(name, "note")), line(value)) for name, value in rows), fold=True)
        output.draw([table], to_stderr=True)
    if as_json:
        output.write_json(summary)


def _check_usage(files: tuple[str, ...], out: str | None, vocab_size: int | None, merges: int | None) -> None:
    if not files:
        raise UsageFailure(
            "no files to train on", "name them, or `-` for stdin: `bytepair train book.txt -n 4096 -o tokenizer.json`"
        )
    if out is None:
        raise UsageFailure("no place for the result", "name it: `-o tokenizer.json`")
    if (vocab_size is None) == (merges is None):
        raise UsageFailure(
            "no size given" if merges is None else "both `--vocab-size` and `--merges` given",
            "say how many tokens there shall be with `-n 8192`, or how many merges with `--merges 7936`",
        )


def check_place(path: str) -> bool:
    """Whether a file at `path` will be replaced; fails now, not after the training, if none can be written there."""
    place = Path(path)
    if path.endswith(("/", os.sep)) and not place.is_dir():
        raise UsageFailure(f"`{path}` names a directory", "name a file in it: `-o tokenizer.json`")
    if place.suffix.lower() != ".json" and not place.is_dir():
        raise UsageFailure(f"`{path}` does not end in `.json`", "name a tokenizer.json: `-o tokenizer.json`")
    if place.is_dir():
        raise IsADirectoryError(21, os.strerror(21), path)
    parent = place.parent
    if not parent.is_dir():
        raise FileNotFoundError(2, os.strerror(2), str(parent))
    if not os.access(parent, os.W_OK):
        raise PermissionError(13, os.strerror(13), str(parent))
    return place.exists()


def _settings(
    *,
    pattern: str | None,
    special: tuple[str, ...],
    alphabet: str,
    end_of_word: str | None,
    **others: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """The keywords of `bytepair.train`; its own default pattern holds where none is named."""
    named: dict[str, Any] = {"special_tokens": special, "alphabet": alphabet, "end_of_word": end_of_word, **others}
    if pattern is not None:
        named["pattern"] = pattern_of(pattern)
    return named


def _trained(files: tuple[str, ...], progress: Progressed, **settings: Any) -> Tokenizer:  # noqa: ANN401
    import bytepair  # noqa: PLC0415

    source: dict[str, Any] = {"texts": _texts(files)} if "-" in files else {"files": list(files)}
    return bytepair.train(**source, progress=progress, **settings)


def _texts(files: tuple[str, ...]) -> Iterator[bytes]:
    """Standard input where `-` stands, and the files that the others name."""
    from bytepair.data.places import find  # noqa: PLC0415

    found = [(name, [] if name == "-" else find(name)) for name in files]  # all of them, before any is read
    for name, paths in found:
        if name == "-":
            yield read(name)
        for path in paths:
            with path.open() as file:
                yield file.read()


def _summary(tok: Tokenizer, out: str, seconds: float, *, replaced: bool) -> dict[str, Any]:
    record = tok.training
    tokens = None
    if record is not None and tok.alphabet == "bytes":
        tokens = record.bytes - sum(record.fired)  # every merge that fired made one token of two
    return {
        "documents": None if record is None else record.documents,
        "bytes": None if record is None else record.bytes,
        "pretokens": None if record is None else record.pretokens,
        "distinct": None if record is None else record.distinct,
        "vocabulary": len(tok),
        "merges": len(tok.merges),
        "bytes_per_token": round(record.bytes / tokens, 3) if record is not None and tokens else None,
        "seconds": round(seconds, 3),
        "file": out,
        "replaced": replaced,
    }


def _shown(name: str, value: Any) -> str:  # noqa: ANN401
    if name == "replaced":
        return "an older file of that name"
    if name == "seconds":
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
