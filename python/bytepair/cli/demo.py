"""`bytepair demo`: the whole story on one screen after the other, in a few seconds.

Trains on the bundled book twice (raw bytes, and cut by a pattern), then shows what came out. Everything printed is
computed here and now.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from bytepair.cli import output
from bytepair.cli.failures import InputError
from bytepair.cli.progress import Progressed
from bytepair.cli.train import check_place
from bytepair.render.letters import letter_table
from bytepair.render.merges import merge_line
from bytepair.render.spans import Block, Line, Span, Table, heading, line
from bytepair.render.tokens import counts_line, token_flow
from bytepair.render.trees import tree_table
from bytepair.render.visible import quoted

if TYPE_CHECKING:
    from bytepair.parts import Parts
    from bytepair.progress import Progress
    from bytepair.tokenizer import Tokenizer

_SIZES = (512, 1024, 2048, 4096)
_FIRST = 12  # merges shown from the start
_LATER = frozenset({100, 500, 1000, 2000, 3000})  # and these, counted from 1
_DEFAULT = "tokenizer.json"
_WORD = " thought"


@click.command(
    "demo",
    epilog="""\b
Examples:
  bytepair demo
  bytepair demo -o alice.json
  bytepair demo | less

Leaves a tokenizer behind: tokenizer.json in the current directory. If there is another one of that name already, it
is left alone and the demo fails; a path given with -o is overwritten.""",
)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="OUT",
    type=click.Path(readable=False),
    help="Where to leave the tokenizer.  [default: tokenizer.json]",
)
def command(*, out: str | None) -> None:
    """Train on a small book and show what happened."""
    path = out or _DEFAULT
    check_place(path)
    book = _data("alice_body.txt")
    samples = [(label, text) for label, text in json.loads(_data("samples.json"))]
    _say(heading("bytepair, shown on Alice's Adventures in Wonderland"), line(f"{len(book):,} bytes of English text"))
    raw = _raw(book)
    tok = _cut(book)
    _table(book, raw, tok)
    _samples(tok, samples)
    _tree(tok)
    _strawberry(tok)
    _leave(tok, path, asked=out is not None)
    _peer(tok, path, [text for _, text in samples])


def _data(name: str) -> bytes:
    return resources.files("bytepair.demo_data").joinpath(name).read_bytes()


def _say(*blocks: Block) -> None:
    output.draw(blocks)
    output.flush()


def _part(number: int, title: str, *words: str) -> None:
    _say(line(""), heading(f"{number}. {title}"), *(line(Span(row, "note")) for row in words))


def _raw(book: bytes) -> Tokenizer:
    _part(
        1,
        "Merging raw bytes",
        "At first each byte is a token. The pair that stands side by side most often",
        "becomes a new token; then the next. Merges and counts as they are learned:",
    )
    tok = _train(book, None, ties="first")
    _say(line(Span("Letters and spaces stick together anyhow: 'e ', 't ', 'the '.", "note")))
    return tok


def _cut(book: bytes) -> Tokenizer:
    _part(
        2,
        "The same with a pattern",
        "The pattern `o200k` first cuts the text into words with their space in front,",
        "numbers and signs. No token crosses a cut:",
    )
    return _train(book, "o200k", ties="lowest", later=_LATER)


def _train(
    book: bytes, pattern: str | None, *, ties: Literal["lowest", "first"], later: frozenset[int] = frozenset()
) -> Tokenizer:
    import bytepair  # noqa: PLC0415

    with Progressed(bar=True, every=None) as bar:

        def learned(progress: Progress) -> None:
            merge = progress.merge
            if merge is None:
                return
            if merge.rank < _FIRST or merge.rank + 1 in later:
                bar.pause()
                row = merge_line(merge.left, merge.right, merge.token, merge.count, number=merge.rank + 1)
                _say(row)
            if merge.rank >= _FIRST:
                bar(progress)

        return bytepair.train(texts=[book], vocab_size=_SIZES[-1], pattern=pattern, ties=ties, progress=learned)


def truncated(parts: Parts, size: int) -> Parts:
    """The first merges of `parts` that together with the base symbols make `size` tokens; without special tokens.

    Merges depend only on earlier ones, so the first of them are what a smaller training would have learned.
    """
    content = dict(parts.tokens)
    number = {token: index for index, token in parts.tokens}
    made = [number[content[left] + content[right]] for left, right in parts.merges or ()]
    kept = set(content) - set(made)
    length = 0
    for index in made:
        if index not in kept and len(kept) >= size:
            break
        kept.add(index)
        length += 1
    tokens = tuple((index, token) for index, token in parts.tokens if index in kept)
    return replace(parts, tokens=tokens, merges=(parts.merges or ())[:length], specials=(), training=None)


def _table(book: bytes, raw: Tokenizer, tok: Tokenizer) -> None:
    from bytepair import Tokenizer  # noqa: PLC0415

    _part(3, "Bytes per token", "The larger the vocabulary, the fewer tokens the same book has:")
    rows = []
    for size in _SIZES:
        cells = [line(Span(f"{size:,}", "strong"))]
        for trained in (raw, tok):
            tokens = Tokenizer.from_parts(truncated(trained.parts, size)).count(book)
            cells += [line(f"{tokens:,}"), line(Span(f"{len(book) / tokens:.3f}", "count"))]
        rows.append(tuple(cells))
    headings = ("vocabulary", "tokens, raw", "bytes/token", "tokens, o200k", "bytes/token")
    _say(Table(headings, tuple(rows), frozenset(range(5))))
    pretokens = len(tok.split(book))
    ceiling = f"{len(book) / pretokens:.3f}"
    _say(line(Span(f"The pattern sets a ceiling of {ceiling}: one token for each of {pretokens:,} pretokens.", "note")))


def _samples(tok: Tokenizer, samples: Sequence[tuple[str, str]]) -> None:
    _part(
        4,
        "What other texts become",
        "It learned English. What it never saw falls apart into bytes; nothing is lost:",
    )
    for label, text in samples:
        trace = tok.trace(text)
        if tok.decode(trace.ids) != text:
            raise InputError(f"`{label}` did not come back from its ids", "please report this")
        size = len(text.encode())
        counts = counts_line(f"{label:<9}", len(trace.ids), len(text), size)
        if any(trace.partial):  # the tokens alone would not show what the text was
            counts = Line((*counts.spans, Span(f"  {text}")))
        _say(counts, token_flow(trace.tokens, indent=2))


def _tree(tok: Tokenizer) -> None:
    _part(
        5,
        f"How {quoted(_WORD.encode())} came together",
        "Each token is two earlier ones. rank: when it was learned; count: how often its",
        "pair stood in the book at that time.",
    )
    _say(tree_table(tok.explain(_WORD)))


def _strawberry(tok: Tokenizer) -> None:
    word = "strawberry"
    ids = tok.encode(word)
    tokens = [tok.bytes_of(number) for number in ids]
    _part(6, "Why strawberry hides its r's", "A model is given these numbers and nothing else:")
    _say(letter_table(tokens, ids), *_where(tokens, "r"))


def _where(tokens: Sequence[bytes], letter: str) -> Iterator[Block]:
    inside = [token for token in tokens if letter.encode() in token and token.strip() != letter.encode()]
    hidden = sum(token.count(letter.encode()) for token in inside)
    total = sum(token.count(letter.encode()) for token in tokens)
    yield line(
        f"{hidden} of its {total} {letter}'s lie inside longer tokens: ",
        Span(", ".join(map(quoted, inside)) or "none", "strong"),
        ".",
    )
    yield line("Nothing in a token's number says which letters it is made of: a model has to")
    yield line("learn that for each token.")


def _leave(tok: Tokenizer, path: str, *, asked: bool) -> None:
    import bytepair  # noqa: PLC0415

    if not asked and Path(path).exists():
        try:
            same = bytepair.load(path) == tok
        except (bytepair.BytepairError, OSError):
            same = False
        if not same:
            raise InputError(
                f"`{path}` exists and holds something else; it was left alone",
                "give another path, or the same one to overwrite it: `bytepair demo -o alice.json`",
            )
    tok.save(path)
    shown = os.fsencode(path).decode("utf-8", "replace")
    _part(7, "The tokenizer")
    _say(
        line("Written to ", Span(shown, "strong"), f": {len(tok):,} tokens, {Path(path).stat().st_size:,} bytes."),
        line(Span(f"  bytepair explain -t {shown} ' Wonderland'", "plain")),
        line(Span(f"  bytepair encode -t {shown} --show 'Your own words'", "plain")),
    )


def _peer(tok: Tokenizer, path: str, texts: Sequence[str]) -> None:
    """Load the file with Hugging Face's tokenizers, where it is installed, and compare the ids."""
    _say(
        line("Hugging Face's tokenizers loads it:"),
        line("  tokenizers.Tokenizer.from_file(", Span(repr(path), "plain"), ").encode('hello').ids"),
    )
    try:
        import tokenizers  # noqa: PLC0415
    except ImportError:
        _say(line(Span("(tokenizers is not installed here, so this was not checked)", "note")))
        return
    try:
        peer = tokenizers.Tokenizer.from_file(path)
    except Exception as error:  # noqa: BLE001 - it raises nothing narrower
        raise InputError(f"tokenizers does not load `{path}`: {error}", "please report this") from None
    for text in texts:
        if peer.encode(text, add_special_tokens=False).ids != tok.encode(text):
            raise InputError(f"tokenizers gives other ids for `{text[:40]}`", "please report this")
    _say(
        line(
            Span(
                f"Checked with tokenizers {tokenizers.__version__}: the same ids for all {len(texts)} texts above.",
                "note",
            )
        )
    )
