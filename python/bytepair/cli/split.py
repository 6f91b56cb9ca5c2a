"""`bytepair split`: the pretokens of texts, and which alternative of the pattern matched each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bytepair.cli import output
from bytepair.cli.failures import UsageFailure
from bytepair.cli.reports import write
from bytepair.cli.texts import Source, text_options
from bytepair.cli.tokenizers import add_options, load, pattern_of
from bytepair.cli.unused import refuse
from bytepair.render.pretokens import pretoken_table
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer


@click.command(
    "split",
    epilog="""\b
Examples:
  bytepair split -t tokenizer.json "It's 2024"
  bytepair split --pattern cl100k '    x = 1'
  bytepair split --pattern o200k --alternatives -f book.txt
  bytepair split --pattern o200k -f book.txt | sort | uniq -c | sort -n

With `--pattern` alone no tokenizer is needed. In a pipe: one pretoken a line, with \\n, \\t, \\\\ and \\xd0 for what
cannot be printed. On a terminal: also the number of the alternative that matched, and the alternative.""",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a pretoken: text, place, alternative.")
@click.option("--alternatives", is_flag=True, help="What each alternative of the pattern does, in place of pretokens.")
@add_options
@text_options
def command(
    *,
    tokenizer: str | None,
    pattern: str | None,
    special: tuple[str, ...],
    format: str | None,
    source: Source,
    as_json: bool,
    alternatives: bool,
) -> None:
    """Show how texts are cut before merging."""
    tok = _splitter(tokenizer, pattern, special, format)
    if alternatives:
        import bytepair  # noqa: PLC0415

        found = bytepair.alternatives(tok, (text.content for text in source.texts()), errors="bytes")
        write(found, as_json=as_json, as_csv=False)
        return
    for text in source.texts():
        if as_json:
            for pretoken in tok.trace(text.content, unknown="skip").pretokens:
                place = {"start": pretoken.start, "end": pretoken.end, "alternative": pretoken.alternative}
                output.write_json({**output.json_text(pretoken.text), **place})
        elif output.on_terminal():
            output.draw([pretoken_table(tok.trace(text.content, unknown="skip").pretokens)])
        else:
            for content in tok.split(text.content):
                output.write_line(visible(content))


def _splitter(path: str | None, pattern: str | None, special: tuple[str, ...], kind: str | None) -> Tokenizer:
    if path is not None or pattern is None:
        if path is None:
            raise UsageFailure(
                "no tokenizer and no pattern given", "name one: `-t tokenizer.json`, or `--pattern o200k`"
            )
        return load(path, pattern, special, kind)
    refuse(("special", "format"), "without a tokenizer", "name it: `-t tokenizer.json`")
    import bytepair  # noqa: PLC0415

    return bytepair.train(texts=[], num_merges=0, pattern=pattern_of(pattern))
