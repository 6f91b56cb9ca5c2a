"""`gap_to_optimal`: how many tokens merging makes of a text, over the fewest that its vocabulary allows.

Merging is greedy: the pair that was most frequent in training is joined first, which may leave more tokens than another
way to cut the same pretoken with the same vocabulary. The fewest are found by dynamic programming, pretoken by pretoken
(`crates/bytepair/src/measure/fewest.rs`); each distinct one once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Unpack

from bytepair import _core
from bytepair.counts.rows import rows
from bytepair.integers import checked_integer, processors
from bytepair.measuring.counting import counted
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tokenizers import checked
from bytepair.normalizing import Normalizer
from bytepair.parts import MARK, Parts
from bytepair.render.spans import Block, heading, line
from bytepair.render.visible import visible
from bytepair.tokenizer import Tokenizer

__all__ = ["Gap", "Saving", "fewest_tokens", "gap_to_optimal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """A pretoken that could have fewer tokens."""

    pretoken: bytes
    """Its bytes."""
    count: int
    """How often it occurs."""
    tokens: tuple[bytes, ...]
    """What merging makes of it."""
    fewest: tuple[bytes, ...]
    """One of the ways with the fewest tokens."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gap(Shown):
    """Tokens of a text over the fewest; `gap_to_optimal` makes it."""

    tokens: int
    """Tokens that merging makes, micro: of all text."""
    fewest: int
    """The fewest that the vocabulary allows with the same pretokens."""
    savings: tuple[Saving, ...]
    """The pretokens in which most tokens could be saved, all their occurrences together."""

    def __post_init__(self) -> None:
        if not 0 <= self.fewest <= self.tokens:
            raise ValueError(f"the fewest tokens are {self.fewest} of {self.tokens}\nhint: use bytepair.gap_to_optimal")

    @property
    def gap(self) -> float:
        """Tokens / fewest - 1; 0 is best."""
        return self.tokens / self.fewest - 1 if self.fewest else float("nan")

    def __repr__(self) -> str:
        return f"<Gap of {self.tokens} tokens to {self.fewest}>"

    def rows(self) -> list[Row]:
        """The savings."""
        return [
            {
                "pretoken": visible(one.pretoken),
                "count": one.count,
                "tokens": list(map(visible, one.tokens)),
                "fewest": list(map(visible, one.fewest)),
            }
            for one in self.savings
        ]

    def column_names(self) -> tuple[str, ...]:
        """Of the rows, also of none."""
        return tuple(each.name for each in fields(Saving))

    def flat(self) -> list[Row]:
        """The two totals, and the savings; `kind` says what a row is."""
        totals: list[Row] = [{"kind": kind, "count": getattr(self, kind)} for kind in ("tokens", "fewest")]
        rows = [*totals, *({"kind": "saving", **row} for row in self.rows())]
        return [dict.fromkeys(self.flat_names()) | row for row in rows]

    def flat_names(self) -> tuple[str, ...]:
        """The kind, and what a saving has."""
        return ("kind", *self.column_names())

    def to_dict(self) -> dict[str, Any]:
        """The numbers and the savings."""
        return {"tokens": self.tokens, "fewest": self.fewest, "gap": plain_value(self.gap), "rows": self.rows()}

    def blocks(self) -> list[Block]:
        """A sentence, and the savings."""
        drawn: list[Block] = [
            heading("Gap to the fewest tokens"),
            line(
                f"{self.tokens:,} tokens, where the same vocabulary could do with {self.fewest:,}: {share(self.gap)} "
                "more. Greedy merging costs so much; less is better."
            ),
        ]
        if self.savings:
            cells = [
                [number(one.count), "|".join(map(_shown, one.tokens)), "|".join(map(_shown, one.fewest))]
                for one in self.savings
            ]
            drawn += [line(""), table(["times", "merged", "fewest"], cells, 3)]
        return drawn


def _shown(token: bytes) -> str:
    return visible(token).replace(" ", "␣")


def gap_to_optimal(
    tok: Tokenizer,
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    examples: int = 10,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Gap:
    """How many tokens merging makes of a text, over the fewest that the same vocabulary allows.

    Args:
        tok: a tokenizer of bytes, or one as SentencePiece's, whose characters become bytes where they are no token.
        texts: documents, str or bytes.
        files: paths and globs in place of `texts`; each file is one document.
        examples: how many pretokens are shown.
        threads: how many count; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`.
        ValueError: a tokenizer of words with an end-of-word mark, or of characters that do not fall back to bytes.
        UnknownSymbolError: a byte that the vocabulary lacks.

    >>> from bytepair import Parts, Tokenizer
    >>> tokens = [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"ab"), (4, b"bc"), (5, b"abc")]
    >>> tok = Tokenizer.from_parts(Parts(tokens=tuple(tokens), merges=((0, 1), (1, 2), (0, 4))))
    >>> found = gap_to_optimal(tok, ["abc"])
    >>> found.tokens, found.fewest, found.savings[0].tokens, found.savings[0].fewest
    (2, 1, (b'ab', b'c'), (b'abc',))
    """
    checked(tok, without_words="the fewest tokens are not known of words with marks, or of characters that are lost")
    most = checked_integer("examples", examples, 0)
    first, *others = (
        found.table for found in counted(tok, read(texts, files, None, reading), processors(threads)).values()
    )
    for other in others:
        first.merge(other)
    tokens, fewest, longer = _core.fewest(tok._engine, first, most)  # noqa: SLF001 - for this package's own use
    parts = replace(tok.parts, normalizer=Normalizer(), training=None)
    uncut = Tokenizer.from_parts(replace(parts, pattern=None))  # a pretoken by itself may be cut otherwise
    savings = []
    for index, count, _, _ in longer:
        pretoken = rows(first, index, 1)[0]
        merged = tuple(uncut.bytes_of(id) for id in uncut.encode(pretoken))
        ids = _contents(parts, pretoken)
        savings.append(Saving(pretoken=pretoken, count=count, tokens=merged, fewest=fewest_tokens(pretoken, ids)))
    return Gap(tokens=tokens, fewest=fewest, savings=tuple(savings))


def _contents(parts: Parts, pretoken: bytes) -> dict[bytes, int]:
    """The vocabulary by contents, with what stands for the characters of a pretoken that are no token."""
    ids = {content: id for id, content in parts.tokens}
    if parts.alphabet != "unicode":
        return ids
    texts = {content: id for content, id in ids.items() if not content.startswith(MARK)}
    unknown = b""
    for character in _characters(pretoken):
        spelled = [MARK + bytes([byte]) for byte in character]
        if character in texts or all(each in ids for each in spelled):
            texts |= {} if character in texts else {each.removeprefix(MARK): ids[each] for each in spelled}
            unknown = b""
        elif parts.unknown is not None:
            unknown = unknown + character if parts.fuse_unknown else character
            texts[unknown] = parts.unknown
    return texts


def _characters(text: bytes) -> list[bytes]:
    """The characters of a text; a byte that is no part of one is one."""
    return [each.encode("utf-8", "surrogateescape") for each in text.decode("utf-8", "surrogateescape")]


def fewest_tokens(pretoken: bytes, ids: Mapping[bytes, int]) -> tuple[bytes, ...]:
    """One of the ways to cut a pretoken into the fewest tokens; of several, the one whose last tokens are longest.

    Args:
        pretoken: its bytes.
        ids: the vocabulary, by contents; it has every byte of the pretoken.

    >>> fewest_tokens(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"bc": 4})
    (b'a', b'bc')
    """
    longest = max(map(len, ids), default=1)
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, len(pretoken) + 1):
        ways = [
            (best[start][0] + 1, start)
            for start in range(max(0, end - longest), end)
            if best[start][0] < len(pretoken) + 1 and pretoken[start:end] in ids
        ]
        best.append(min(ways, default=(len(pretoken) + 1, end - 1)))
    parts: list[bytes] = []
    end = len(pretoken)
    while end:
        start = best[end][1]
        parts.append(pretoken[start:end])
        end = start
    return tuple(reversed(parts))
