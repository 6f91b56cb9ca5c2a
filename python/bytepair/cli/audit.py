"""`bytepair audit`: what is wrong with a vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bytepair.auditing.findings import KINDS, SEVERITIES
from bytepair.cli.corpus import files_of, keywords, reading_options, threads_option
from bytepair.cli.failures import InputError, UsageFailure
from bytepair.cli.reports import write
from bytepair.cli.tokenizers import load, pattern_option
from bytepair.cli.unused import refuse

if TYPE_CHECKING:
    from bytepair.auditing.auditor import Audit

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
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(readable=False))
@click.option("--model-corpus", multiple=True, metavar="FILE", help="Text of the model's corpus; may be repeated.")
@click.option("--list", "listed", metavar="KIND", help="All that was found of one kind, and nothing else.")
@click.option("--fail-on", multiple=True, metavar="KIND", help="Exit with 1 if there is any; may be repeated.")
@click.option("-t", "--tokenizer", metavar="FILE", help="The tokenizer, or a published name such as cl100k_base.")
@pattern_option("The pattern, where the file holds none (.tiktoken).")
@click.option("--special", multiple=True, metavar="NAME=ID", help="A special token, where the file names none.")
@click.option("--tokenizer-format", metavar="FORMAT", help="The tokenizer's format, where the file does not tell.")
@reading_options
@threads_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="One row for each token that was found.")
def command(
    *,
    files: tuple[str, ...],
    model_corpus: tuple[str, ...],
    listed: str | None,
    fail_on: tuple[str, ...],
    tokenizer: str | None,
    pattern: str | None,
    special: tuple[str, ...],
    tokenizer_format: str | None,
    as_json: bool,
    as_csv: bool,
    **reading: Any,  # noqa: ANN401
) -> None:
    """Find what is wrong with a vocabulary."""
    from bytepair import audit  # noqa: PLC0415

    if model_corpus and not files:
        raise UsageFailure("`--model-corpus` without a corpus", "name the tokenizer's corpus too")
    if as_json and as_csv:
        raise UsageFailure("both `--json` and `--csv`", "choose one of them")
    if not files:
        refuse({*reading} - {"threads"}, "without a corpus", "name its files")
    has = {*KINDS} - (set() if files else {*_NEEDS}) - (set() if model_corpus else {"glitch"})
    for kind in fail_on:
        _check(kind, has, severities=True)
    if listed is not None:
        _check(listed, has, severities=False)
    given = keywords(pattern=None, special=(), **reading)
    del given["special_tokens"]
    found = audit(
        load(tokenizer, pattern, special, tokenizer_format),
        files=files_of(files) if files else None,
        model_files=files_of(model_corpus) if model_corpus else None,
        **given,
    )
    write(found if listed is None else found[listed], as_json=as_json, as_csv=as_csv)
    _fail(found, fail_on)


def _check(kind: str, has: set[str], *, severities: bool) -> None:
    if kind in has or (severities and kind in SEVERITIES):
        return
    if kind in KINDS:
        raise UsageFailure(f"`{kind}` needs {_NEEDS[kind]}", "name the files")
    known = ", ".join([*(SEVERITIES if severities else ()), *KINDS])
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
