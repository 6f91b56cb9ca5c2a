"""Why a text became these ids: offsets and pretokens (`Trace`), merge trees (`MergeTree`), single merges (`Steps`).

The engine finds all of it; this file gives it names. Nothing here recurses, since a tree may be as deep as a token is
long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, SupportsIndex, overload

from bytepair.render.trees import nodes
from bytepair.render.visible import quoted

if TYPE_CHECKING:
    from bytepair import _core
    from bytepair._core import _Step, _Traced, _Trees

__all__ = ["MergeTree", "Step", "Steps", "Trace", "TracedPretoken", "TracedToken"]

Span = tuple[int, int]
bytes_ = bytes  # the type, in classes that have a field of this name


@dataclass(frozen=True, slots=True)
class TracedToken:
    """One id of a text, and where it came from."""

    id: int
    """The id."""
    bytes: bytes
    """The token's bytes."""
    byte_offsets: Span
    """(start, end) in the text, in bytes."""
    char_offsets: Span
    """(start, end) in the text, in characters."""
    partial: bool
    """Whether the token starts or ends inside a character."""
    special: bool
    """Whether it is a special token that was allowed."""
    pretoken: int | None
    """The index of its pretoken; None for a special token."""


@dataclass(frozen=True, slots=True)
class TracedPretoken:
    """One pretoken of a text, and which part of the pattern cut it out."""

    text: bytes
    """Its bytes."""
    start: int
    """Where it starts in the text, in bytes."""
    end: int
    """Where it ends in the text, in bytes."""
    first: int
    """The index of its first token."""
    last: int
    """The index after its last token: `trace.ids[first:last]` are its ids."""
    alternative: int | None
    """The index of the pattern's alternative that matched it; None for text that none matched."""
    source: str | None
    """That alternative's regular expression."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A text's ids with where each came from; one item per id in all but `pretokens`. Iterating gives `TracedToken`s.

    >>> import bytepair as bp
    >>> trace = bp.train(texts=[], vocab_size=256).trace("i ⭢")
    >>> trace.ids
    (105, 32, 226, 173, 162)
    >>> trace.byte_offsets[2:], trace.char_offsets[2:], trace.partial[2:]
    (((2, 3), (3, 4), (4, 5)), ((2, 3), (2, 3), (2, 3)), (True, True, True))
    >>> [(pretoken.text.decode(), pretoken.first, pretoken.last) for pretoken in trace.pretokens]
    [('i', 0, 1), (' ⭢', 1, 5)]
    """

    ids: tuple[int, ...]
    """The ids, as `encode` gives them."""
    tokens: tuple[bytes, ...]
    """Each id's bytes."""
    byte_offsets: tuple[Span, ...]
    """Each id's (start, end) in the text, in bytes."""
    char_offsets: tuple[Span, ...]
    """Each id's (start, end) in characters, as `decode(errors="replace")` counts them; ids inside one character share
    its span."""
    partial: tuple[bool, ...]
    """Whether the token starts or ends inside a character."""
    special: tuple[bool, ...]
    """Whether the id is a special token that was allowed."""
    pretokens: tuple[TracedPretoken, ...]
    """The pretokens, in order."""
    _owners: tuple[int | None, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: SupportsIndex) -> TracedToken: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TracedToken, ...]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> TracedToken | tuple[TracedToken, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        return TracedToken(
            self.ids[index],
            self.tokens[index],
            self.byte_offsets[index],
            self.char_offsets[index],
            self.partial[index],
            self.special[index],
            self._owners[index],
        )

    def __iter__(self) -> Iterator[TracedToken]:
        return (self[index] for index in range(len(self.ids)))

    def _repr_html_(self) -> str:
        from bytepair.render.notebook import notebook  # noqa: PLC0415 - only notebooks need it
        from bytepair.render.views import trace_view  # noqa: PLC0415

        return notebook(trace_view(self))


def trace_of(traced: _Traced, text: bytes, alternatives: Sequence[str]) -> Trace:
    """Names what the engine found."""
    ids, tokens, byte_offsets, char_offsets, partial, special, owners, found = traced
    ends = _token_ranges(owners, len(found))
    pretokens = tuple(
        TracedPretoken(
            text[start:end],
            start,
            end,
            first,
            last,
            alternative,
            alternatives[alternative] if alternative is not None and alternative < len(alternatives) else None,
        )
        for (start, end, alternative), (first, last) in zip(found, ends, strict=True)
    )
    return Trace(
        tuple(ids),
        tuple(tokens),
        tuple(byte_offsets),
        tuple(char_offsets),
        tuple(partial),
        tuple(special),
        pretokens,
        tuple(owners),
    )


def _token_ranges(owners: Sequence[int | None], pretokens: int) -> list[Span]:
    """Of each pretoken, (index of its first token, index after its last)."""
    ranges: list[Span] = []
    at = 0
    for pretoken in range(pretokens):
        while at < len(owners) and owners[at] is None:
            at += 1
        first = at
        while at < len(owners) and owners[at] == pretoken:
            at += 1
        ranges.append((first, at))
    return ranges


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MergeTree:
    """How merges made one token: a base symbol, or two trees and the merge that joined them. `str()` draws it.

    >>> import bytepair as bp
    >>> [tree] = bp.train(texts=["low low low"], num_merges=2).explain("low")
    >>> print(tree)
    'low' 257 (rank 1, count 3)
    ├─ 'lo' 256 (rank 0, count 3)
    │  ├─ 'l' 108
    │  └─ 'o' 111
    └─ 'w' 119
    """

    bytes: bytes
    """The token's bytes."""
    id: int
    """The token's id."""
    rank: int | None = None
    """The merge's rank, if a merge made it."""
    count: int | None = None
    """The pair's count when the merge was learned, if the tokenizer was trained here."""
    left: MergeTree | None = None
    """What was on the left."""
    right: MergeTree | None = None
    """What was on the right."""

    @property
    def text(self) -> str:
        """The token as it is shown: in quotes, with escapes for what cannot be printed."""
        return quoted(self.bytes)

    def walk(self) -> Iterator[tuple[int, MergeTree]]:
        """(depth, tree) of this tree and all below it, parents first, left before right."""
        waiting: list[tuple[int, MergeTree]] = [(0, self)]
        while waiting:
            depth, tree = waiting.pop()
            yield depth, tree
            waiting.extend((depth + 1, below) for below in (tree.right, tree.left) if below is not None)

    def leaves(self) -> tuple[MergeTree, ...]:
        """The base symbols, from left to right."""
        return tuple(tree for _, tree in self.walk() if tree.left is None and tree.right is None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MergeTree):
            return NotImplemented
        return self._flat() == other._flat()

    def __hash__(self) -> int:
        return hash(self._flat())

    def _flat(self) -> tuple[tuple[int, int, int | None, int | None, bytes_], ...]:
        return tuple((depth, tree.id, tree.rank, tree.count, tree.bytes) for depth, tree in self.walk())

    def __repr__(self) -> str:
        return f"<MergeTree {self.text} {self.id}, {len(self.leaves())} symbols>"

    def __str__(self) -> str:
        lines: list[str] = []
        for tree, branch in nodes(self):
            merge = "" if tree.rank is None else f" (rank {tree.rank})"
            if tree.rank is not None and tree.count is not None:
                merge = f" (rank {tree.rank}, count {tree.count:,})"
            lines.append(f"{branch}{tree.text} {tree.id}{merge}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from bytepair.render.notebook import notebook  # noqa: PLC0415 - only notebooks need it
        from bytepair.render.views import trees_view  # noqa: PLC0415

        return notebook(trees_view([self]))


def trees_of(trees: _Trees, counts: Sequence[int | None]) -> tuple[MergeTree, ...]:
    """Builds the trees of a text from the engine's nodes, whose children stand before them."""
    nodes, roots = trees
    built: list[MergeTree] = []
    for content, id, rank, children in nodes:
        left, right = (built[children[0]], built[children[1]]) if children else (None, None)
        count = counts[rank] if rank is not None and rank < len(counts) else None
        built.append(MergeTree(content, id, rank, count, left, right))
    return tuple(built[root] for root in roots)


@dataclass(frozen=True, slots=True)
class Step:
    """One merge in the encoding of a text."""

    pretoken: bytes
    """The pretoken in which it happens."""
    before: tuple[bytes_, ...]
    """The pretoken's symbols before the merge."""
    after: tuple[bytes_, ...]
    """The pretoken's symbols after it."""
    pair: tuple[bytes_, bytes_]
    """What was merged."""
    rank: int
    """The merge's rank."""
    id: int
    """The id that it made."""


class Steps(Sequence[Step]):
    """The encoding of a text one merge at a time, pretoken by pretoken. Steps are made when they are asked for.

    >>> import bytepair as bp
    >>> steps = bp.train(texts=["low low low"], num_merges=2).steps("low")
    >>> steps.start
    ((b'l', b'o', b'w'),)
    >>> [step.after for step in steps]
    [(b'lo', b'w'), (b'low',)]
    """

    __slots__ = ("_core", "_start", "_steps")

    def __init__(self, core: _core.Tokenizer, start: list[list[int]], steps: list[_Step]) -> None:
        self._core = core
        self._start = start
        self._steps = steps

    @property
    def start(self) -> tuple[tuple[bytes, ...], ...]:
        """The base symbols of each pretoken, before any merge."""
        return tuple(self._contents(symbols) for symbols in self._start)

    def __len__(self) -> int:
        return len(self._steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = range(len(self))[index]
        pretoken = self._steps[at][0]
        first = at
        while first > 0 and self._steps[first - 1][0] == pretoken:
            first -= 1
        symbols = list(self._start[pretoken])
        for step in self._steps[first:at]:
            _apply(symbols, step)
        return self._step(symbols, self._steps[at])

    def __iter__(self) -> Iterator[Step]:
        current, symbols = -1, list[int]()
        for step in self._steps:
            if step[0] != current:
                current, symbols = step[0], list(self._start[step[0]])
            yield self._step(symbols, step)

    def __repr__(self) -> str:
        return f"<Steps: {len(self)} merges in {len(self._start)} pretokens>"

    def _repr_html_(self) -> str:
        from bytepair.render.notebook import notebook  # noqa: PLC0415 - only notebooks need it
        from bytepair.render.views import steps_view  # noqa: PLC0415

        return notebook(steps_view(self))

    def _step(self, symbols: list[int], step: _Step) -> Step:
        """The record of a step, which is then applied to the symbols."""
        pretoken, _, pair, rank, id = step
        before = self._contents(symbols)
        _apply(symbols, step)
        left, right = self._contents(pair)
        return Step(
            b"".join(self._contents(self._start[pretoken])), before, self._contents(symbols), (left, right), rank, id
        )

    def _contents(self, ids: Sequence[int]) -> tuple[bytes, ...]:
        return tuple(self._core.bytes_of(id) or b"" for id in ids)


def _apply(symbols: list[int], step: _Step) -> None:
    at = step[1]
    symbols[at : at + 2] = [step[4]]
