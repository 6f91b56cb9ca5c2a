"""`bytepair steps`: the encoding of texts, one merge a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.encoding import EncodingCommand, encoding_options
from bytepair.cli.texts import Source, text_options
from bytepair.cli.tokenizers import tokenizer_options
from bytepair.render.spans import Block, Line, Span, line
from bytepair.render.steps import step_row, step_table
from bytepair.render.visible import quoted, visible

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer
    from bytepair.trace import Step

_SHOWN = 40  # bytes of a text in a remark


@click.command(
    "steps",
    cls=EncodingCommand,
    epilog="""\b
Examples:
  bytepair steps -t tokenizer.json strawberry
  bytepair steps -t tokenizer.json --json 'hello world'

Of all pairs that stand side by side, the one with the lowest rank is merged next, until no pair has a merge. In a
pipe: rank, id, left, right, and each of the pretoken's symbols after the merge, parted by tabs. So a pretoken of n
bytes gives up to n lines of up to n symbols: show it a word, or a line, and no pretoken of thousands of bytes.""",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a merge.")
@tokenizer_options
@encoding_options
@text_options
def command(*, tok: Tokenizer, source: Source, settings: dict[str, Any], as_json: bool) -> None:
    """Show an encoding one merge at a time."""
    for text in source.texts():
        steps = tok.steps(text.content, **settings)
        if as_json:
            for step in steps:
                output.write_json(_as_json(step))
        elif output.on_terminal() and steps:
            output.draw(_blocks(steps))
        else:
            for step in steps:
                output.write_line(_row(step))
        if not steps:
            shown = visible(text.content[:_SHOWN]) + ("..." if len(text.content) > _SHOWN else "")
            output.note(f"No merge applies to `{shown}`: every symbol stays a token of its own.")


def _as_json(step: Step) -> dict[str, Any]:
    return {
        "rank": step.rank,
        "id": step.id,
        "pretoken": output.json_text(step.pretoken),
        "pair": [output.json_text(symbol) for symbol in step.pair],
        "before": [output.json_text(symbol) for symbol in step.before],
        "after": [output.json_text(symbol) for symbol in step.after],
    }


def _row(step: Step) -> str:
    symbols = (visible(symbol) for symbol in (*step.pair, *step.after))
    return "\t".join((str(step.rank), str(step.id), *symbols))


def _blocks(steps: Iterable[Step]) -> Iterator[Block]:
    """A table a pretoken, from steps that are used one by one: each holds the whole pretoken twice."""
    rows: list[tuple[Line, ...]] = []
    last: Step | None = None
    yield line(Span("Each line is one merge.", "note"))
    for step in steps:
        if last is None or last.pretoken != step.pretoken or last.after != step.before:  # another pretoken
            if rows:
                yield from (step_table(rows), line(""))
            rows = []
            yield line(Span(quoted(step.pretoken), "heading"))
        rows.append(step_row(step))
        last = step
    yield step_table(rows)
