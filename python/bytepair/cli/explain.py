"""`bytepair explain`: merge trees of a text's tokens, and which letters a model can see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.encoding import EncodingCommand, encoding_options
from bytepair.cli.failures import UsageFailure
from bytepair.cli.texts import Source, text_options
from bytepair.cli.tokenizers import tokenizer_options
from bytepair.cli.unused import refuse
from bytepair.render.letters import letter_lines, letter_table
from bytepair.render.spans import Block, line
from bytepair.render.trees import nodes, tree_table

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer
    from bytepair.trace import MergeTree

_HIGHEST = 2**32 - 1


@click.command(
    "explain",
    cls=EncodingCommand,
    epilog="""\b
Examples:
  bytepair explain -t tokenizer.json strawberry
  bytepair explain -t tokenizer.json --id 262
  bytepair explain -t tokenizer.json --json ' Alice'

A tree shows what was merged into a token. rank: the place of the merge in the list; the lowest goes first. count: how
often its pair stood in the training text when it was chosen, where the tokenizer still knows. Then the letters: a
model is given ids, so it sees a letter only where that letter is a token of its own.""",
)
@click.option(
    "--id", "ids", multiple=True, type=click.IntRange(0, _HIGHEST), help="Explain a token by its id; may be repeated."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a tree, its nodes as a flat list.")
@tokenizer_options
@encoding_options
@text_options
def command(*, tok: Tokenizer, source: Source, settings: dict[str, Any], ids: tuple[int, ...], as_json: bool) -> None:
    """Draw how the tokens of a text were merged."""
    if ids and (source.arguments or source.files):
        raise UsageFailure("both `--id` and a text given", "explain one or the other")
    if ids:
        refuse(("lines", "allow_special", "unknown"), "with `--id`", "it is about how a text is encoded: leave it out")
    special = frozenset(tok.special_tokens.values())
    mark = (tok.end_of_word or "").encode()
    if ids:
        for number in ids:
            _show(tok.explain(number), special, mark, as_json=as_json)
        return
    for text in source.texts():
        _show(tok.explain(text.content, **settings), special, mark, as_json=as_json)


def _show(trees: Sequence[MergeTree], special: frozenset[int], mark: bytes, *, as_json: bool) -> None:
    """The trees, and the letters of those that are no special tokens."""
    if as_json:
        for tree in trees:
            output.write_json(tree_as_json(tree))
        return
    if not trees:
        return
    blocks: list[Block] = [tree_table(trees)]
    spelled = [tree for tree in trees if tree.id not in special]
    tokens = [tree.bytes for tree in spelled]
    letters = letter_lines([token.removesuffix(mark) for token in tokens])
    if letters:
        blocks += [line(""), letter_table(tokens, [tree.id for tree in spelled], mark), line(""), *letters]
    output.draw(blocks)


def tree_as_json(tree: MergeTree) -> dict[str, Any]:
    """A tree as a flat list of nodes, the root first; `left` and `right` are indices into it."""
    order = [node for node, _ in nodes(tree)]
    place = {id(node): index for index, node in enumerate(order)}
    return {
        "nodes": [
            {
                **output.json_text(node.bytes),
                "id": node.id,
                "rank": node.rank,
                "count": node.count,
                "left": None if node.left is None else place[id(node.left)],
                "right": None if node.right is None else place[id(node.right)],
            }
            for node in order
        ]
    }
