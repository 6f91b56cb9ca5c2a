"""`bytepair audit`: what is wrong with a vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from bytepair.auditing.findings import KINDS, SEVERITIES
from bytepair.cli import output
from bytepair.cli.csv_rows import write_csv
from bytepair.cli.failures import InputError, UsageFailure
from bytepair.cli.texts import read
from bytepair.cli.tokenizers import tokenizer_options

if TYPE_CHECKING:
    from bytepair.auditing.auditor import Audit
    from bytepair.tokenizer import Tokenizer

_COLUMNS = ("kind", "severity", "id", "token", "bytes", "detail", "context")
_NEEDS = {"never_seen": "a corpus", "intermediate": "a corpus", "glitch": "a corpus and `--model-corpus`"}


@click.command(
    "audit",
    epilog="""\b
Examples:
  bytepair audit -t tokenizer.json
  bytepair audit -t tokenizer.json --list unreachable
  bytepair audit -t tokenizer.json corpus.txt
  bytepair audit -t tokenizer.json corpus.txt --model-corpus web.txt
  bytepair audit -t tokenizer.json --fail-on error
  bytepair audit -t o200k_base.tiktoken --pattern o200k --csv > found.csv

A corpus is best the one that the tokenizer was trained on; each file is a document. --fail-on takes a kind, or a
severity, which is that and all that are worse, and exits with 1 where something of it is found.""",
)
@click.argument("corpus", metavar="[FILE]...", nargs=-1, type=click.Path(readable=False))
@click.option("--model-corpus", multiple=True, metavar="FILE", help="Text of the model's corpus; may be repeated.")
@click.option("--list", "listed", metavar="KIND", help="All that was found of one kind, and nothing else.")
@click.option("--fail-on", multiple=True, metavar="KIND", help="Exit with 1 if there is any; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="One row for each token that was found.")
@tokenizer_options
def command(
    *,
    tok: Tokenizer,
    corpus: tuple[str, ...],
    model_corpus: tuple[str, ...],
    listed: str | None,
    fail_on: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
) -> None:
    """Find what is wrong with a vocabulary."""
    from bytepair import audit  # noqa: PLC0415

    if model_corpus and not corpus:
        raise UsageFailure("`--model-corpus` without a corpus", "name the tokenizer's corpus too")
    if as_json and as_csv:
        raise UsageFailure("both `--json` and `--csv`", "choose one of them")
    has = {*KINDS} - (set() if corpus else {*_NEEDS}) - (set() if model_corpus else {"glitch"})
    for kind in (*fail_on, *([] if listed is None else [listed])):
        _check(kind, has, severity=kind in fail_on and kind != listed)
    found = audit(tok, _texts(corpus) if corpus else None, model_texts=_texts(model_corpus) if model_corpus else None)
    if as_json:
        output.write_json(found.to_dict())
    elif as_csv:
        write_csv((row for row in found.rows() if listed in (None, row["kind"])), _COLUMNS)
    elif listed is not None:
        output.draw(found.details(listed, found[listed].count))
    else:
        output.draw(found.blocks())
    _fail(found, fail_on)


def _texts(names: tuple[str, ...]) -> Iterator[bytes]:
    return (read(name) for name in names)


def _check(kind: str, has: set[str], *, severity: bool) -> None:
    if kind in has or (severity and kind in SEVERITIES):
        return
    if kind in KINDS:
        raise UsageFailure(f"`{kind}` needs {_NEEDS[kind]}", "name the files")
    known = ", ".join([*(SEVERITIES if severity else ()), *KINDS])
    raise UsageFailure(f"`{kind}` is no kind of findings", f"there are {known}")


def _fail(found: Audit, fail_on: tuple[str, ...]) -> None:
    wanted = set(fail_on)
    for severity in SEVERITIES:
        if severity in wanted:
            wanted |= set(SEVERITIES[: SEVERITIES.index(severity)])
    bad = [each for each in found.findings if each.count and (each.kind in wanted or each.severity in wanted)]
    if bad:
        said = ", ".join(f"{each.count:,} {each.kind}" for each in bad)
        raise InputError(f"found {said}", bad[0].advice)
