r"""What a run of one character costs, in counts of work and not in seconds.

A pattern such as `\p{L}+` makes a run of letters one pretoken, however long it is. To merge a pretoken of n symbols
takes at most n - 1 merges; an implementation that looks at all symbols for each merge looks at about n^2 / 2. Both are
counted here from the tokens that come out. The engine of this package looks at n log n.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bytepair.auditing.findings import Item

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["Run", "runs", "unbounded"]

PROBES = "aA0 !\n=あ"
"""The characters that are repeated."""
POWERS = range(4, 15)


@dataclass(frozen=True, slots=True)
class Run:
    """A run of 2^k letters `a`."""

    length: int
    """How many."""
    longest_pretoken: int
    """The longest pretoken that it is cut into, in bytes."""
    tokens: int
    """How many tokens it has."""
    merges: int
    """The merges that lead to them; 0 for what is looked up."""
    looks: int
    """Symbols that are looked at if each merge looks at all that are left of its pretoken."""


def runs(tok: Tokenizer) -> tuple[Run, ...]:
    """Runs of `a` of 16 to 16,384; none of a tokenizer of characters, or without an `a`.

    >>> import bytepair as bp
    >>> runs(bp.train(texts=["aaaa"], num_merges=2))[0]
    Run(length=16, longest_pretoken=16, tokens=4, merges=12, looks=126)
    """
    can = tok.alphabet == "bytes" and tok._engine.id_of("a") is not None  # noqa: SLF001 - for this package's own use
    return tuple(_run(tok, 1 << power) for power in POWERS) if can else ()


def _run(tok: Tokenizer, length: int) -> Run:
    pretokens = tok.split("a" * length)
    longest, tokens, merges, looks = 0, 0, 0, 0
    counts = {pretoken: tok.count(pretoken) for pretoken in set(pretokens)}
    for pretoken in pretokens:
        size, left = len(pretoken), counts[pretoken]
        longest = max(longest, size)
        tokens += left
        if left and not (left == 1 and tok._engine.whole_first):  # noqa: SLF001 - for this package's own use
            merges += size - left
            looks += (size * (size + 1) - left * (left + 1)) // 2
    return Run(length, longest, tokens, merges, looks)


def unbounded(tok: Tokenizer) -> Iterator[Item]:
    """Characters whose runs are one pretoken at 16,384, and so presumably at any length."""
    if tok.alphabet != "bytes":
        return
    for character in PROBES:
        length = 1 << POWERS[-1]
        if len(tok.split(character * length)) == 1:
            yield Item(None, character.encode(), f"{length:,} of them are one pretoken")
