"""`compare`: where two tokenizers cut a text differently, with examples, and how their vocabularies differ.

A *stretch* reaches from one place where both cut to the next; where one of them cuts inside, the stretch differs
(`stretches`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Unpack

from bytepair import _core
from bytepair.data import Documents, Part
from bytepair.integers import checked_integer, processors
from bytepair.measuring.normalised import space_of
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.stretches import Stretch, Stretches
from bytepair.measuring.tokenizers import checked
from bytepair.render.spans import Block, heading, line
from bytepair.render.visible import quoted, visible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

__all__ = ["Comparison", "Stretch", "compare"]

bytes_ = bytes  # the type, in a class that has a field of this name


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Shown):
    """Two tokenizers on one text; `compare` makes it.

    >>> import bytepair as bp
    >>> one, other = (bp.train(texts=["low lower low"], num_merges=number) for number in (2, 3))
    >>> print([(stretch.text, stretch.first, stretch.second) for stretch in bp.compare(one, other, ["a low"]).frequent])
    [(b' low', (b' ', b'low'), (b' low',))]
    """

    names: tuple[str, str]
    """What the two are called."""
    documents: int
    """Documents of the text."""
    same_documents: int
    """Those that both cut the same everywhere."""
    bytes: int
    """Bytes of the text."""
    same_bytes: int
    """Bytes outside of stretches that differ."""
    tokens: tuple[int, int]
    """Tokens of the text, of each."""
    frequent: tuple[Stretch, ...]
    """The stretches that differ most often."""
    earliest: tuple[Stretch, ...]
    """The stretches that differ first in the text."""
    vocab_sizes: tuple[int, int]
    """Tokens of each vocabulary, special ones excluded."""
    common: int
    """Tokens that both have, by their bytes."""
    same_ids: int
    """Those of them that have the same id."""
    only_first: tuple[bytes_, ...]
    """Tokens that only the first has: those that are most frequent in the text."""
    only_second: tuple[bytes_, ...]
    """Tokens that only the second has."""
    moved: tuple[tuple[bytes_, int, int], ...]
    """Tokens with other ids: bytes, the first's id, the second's."""

    def __post_init__(self) -> None:
        if self.same_bytes > self.bytes or self.same_documents > self.documents:
            raise ValueError("more is the same than there is\nhint: use bytepair.compare")

    def __repr__(self) -> str:
        return f"<Comparison of {self.names[0]!r} and {self.names[1]!r}>"

    @property
    def same(self) -> float:
        """The share of the text, in bytes, that both cut the same."""
        return self.same_bytes / self.bytes if self.bytes else float("nan")

    def rows(self) -> list[Row]:
        """The most frequent stretches."""
        return [_plain(stretch) for stretch in self.frequent]

    def column_names(self) -> tuple[str, ...]:
        """Of the rows, also of none."""
        return tuple(each.name for each in fields(Stretch))

    def flat(self) -> list[Row]:
        """Totals, both kinds of stretches, and the tokens of the vocabularies; `kind` says what a row is."""
        totals = {name: value for name, value in vars(self).items() if isinstance(value, int)}
        totals |= {f"{one} {of}": value for of in ("tokens", "vocab_sizes") for one, value in self._named(of)}
        rows: list[Row] = [{"kind": "total", "text": name, "count": value} for name, value in totals.items()]
        for kind, stretches in (("frequent", self.frequent), ("earliest", self.earliest)):
            rows += [{"kind": kind, **_plain(one)} for one in stretches]
        for kind, tokens in (("only_first", self.only_first), ("only_second", self.only_second)):
            rows += [{"kind": kind, "text": visible(token)} for token in tokens]
        rows += [
            {"kind": "moved", "text": visible(token), "first_id": one, "second_id": other}
            for token, one, other in self.moved
        ]
        return [dict.fromkeys(self.flat_names()) | row for row in rows]

    def flat_names(self) -> tuple[str, ...]:
        """The kind, what a stretch has, and ids."""
        return ("kind", *self.column_names(), "first_id", "second_id")

    def _named(self, field: Literal["tokens", "vocab_sizes"]) -> Iterator[tuple[str, int]]:
        """What a field has for each of the two, by their names."""
        return zip(self.names, getattr(self, field), strict=True)

    def to_dict(self) -> dict[str, Any]:
        """All of it; tokens as text, with escapes where they are none."""
        plain = {name: value for name, value in vars(self).items() if isinstance(value, int)}
        return plain | {
            "names": list(self.names),
            "tokens": list(self.tokens),
            "vocab_sizes": list(self.vocab_sizes),
            "same": plain_value(self.same),
            "frequent": self.rows(),
            "earliest": [_plain(stretch) for stretch in self.earliest],
            "only_first": [visible(token) for token in self.only_first],
            "only_second": [visible(token) for token in self.only_second],
            "moved": [{"token": visible(token), "ids": ids} for token, *ids in self.moved],
        }

    def blocks(self) -> list[Block]:
        """Shares, stretches, vocabularies."""
        first, second = self.names
        drawn: list[Block] = [heading(f"{first} and {second}")]
        drawn.append(
            line(
                f"{share(self.same)} of the text is cut the same ({self.same_bytes:,} of {self.bytes:,} bytes), and so "
                f"are {self.same_documents:,} of {self.documents:,} documents. Tokens: {self.tokens[0]:,} and "
                f"{self.tokens[1]:,}."
            )
        )
        for title, stretches in (("Most often different", self.frequent), ("First different", self.earliest)):
            if stretches:
                drawn += [line(""), heading(title), self._stretches(stretches, is_placed=stretches is self.earliest)]
        only = (self.vocab_sizes[0] - self.common, self.vocab_sizes[1] - self.common)
        drawn += [line(""), heading("Vocabularies")]
        drawn.append(
            line(
                f"{self.common:,} tokens are in both, {self.same_ids:,} of them under the same id. Only in {first}: "
                f"{only[0]:,}. Only in {second}: {only[1]:,}."
            )
        )
        for name, tokens in ((first, self.only_first), (second, self.only_second)):
            if tokens:
                drawn.append(line(f"Only in {name}, by frequency here: {' '.join(map(quoted, tokens))}"))
        if self.moved:
            moved = " ".join(f"{quoted(token)} {one}/{other}" for token, one, other in self.moved)
            drawn.append(line(f"Other ids: {moved}"))
        return drawn

    def _stretches(self, stretches: Sequence[Stretch], *, is_placed: bool) -> Block:
        rows = [
            [
                f"{one.document}:{one.offset}" if is_placed else number(one.count),
                _cut(one.first),
                _cut(one.second),
            ]
            for one in stretches
        ]
        return table(["document:byte" if is_placed else "times", *self.names], rows, 3)


def _cut(tokens: Sequence[bytes]) -> str:
    shown = "|".join(visible(token).replace(" ", "␣") for token in tokens)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"


_SHOWN = 32


def _plain(stretch: Stretch) -> Row:
    plain = asdict(stretch)
    return plain | {
        "text": visible(stretch.text),
        "first": [visible(token) for token in stretch.first],
        "second": [visible(token) for token in stretch.second],
    }


def compare(
    first: Tokenizer,
    second: Tokenizer,
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    names: tuple[str, str] = ("first", "second"),
    examples: int = 10,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Comparison:
    """Where two tokenizers differ: on a text, and in their vocabularies.

    Args:
        first: one tokenizer. Where it normalises texts or drops some of them, its tokens stand where what they were
            made of stands, and a document is kept whole.
        second: the other one.
        texts: documents, str or bytes.
        files: paths and globs in place of `texts`; each file is one document.
        names: what the two are called.
        examples: how many of everything are shown.
        threads: how many encode; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`; what is no tokenizer.
        UnknownSymbolError: a character that a vocabulary lacks.
    """
    both = tuple(map(checked, (first, second)))
    if len(names) != len(both) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"names is {names!r}\nhint: give two names")
    most = checked_integer("examples", examples, 0)
    found = Stretches(both, most, processors(threads))
    for batch in read(texts, files, None, reading):
        if isinstance(batch, Part):
            found.add_part(batch.content, is_last=batch.last)
        else:
            held = batch if isinstance(batch, Documents) else batch.documents()
            found.add([_core.raw(text) for text in held.documents])
            del held
        del batch  # or it would be held while the next one is read
    ids = [_ids(tok) for tok in both]
    common = ids[0].keys() & ids[1].keys()
    moved = [(token, ids[0][token], ids[1][token]) for token in common if ids[0][token] != ids[1][token]]
    first_only, second_only = (_only(ids[index], ids[1 - index], found.counts[index], most) for index in (0, 1))
    return Comparison(
        names=names,
        documents=found.documents,
        same_documents=found.same_documents,
        bytes=found.bytes,
        same_bytes=found.same_bytes,
        tokens=(int(found.counts[0].sum()), int(found.counts[1].sum())),
        frequent=found.frequent(),
        earliest=found.earliest(),
        vocab_sizes=(len(ids[0]), len(ids[1])),
        common=len(common),
        same_ids=len(common) - len(moved),
        only_first=first_only,
        only_second=second_only,
        moved=tuple(sorted(moved, key=lambda item: item[1])[:most]),
    )


def _only(own: dict[bytes, int], other: dict[bytes, int], counts: NDArray[np.int64], most: int) -> tuple[bytes, ...]:
    """The tokens that the other one lacks, the most frequent first."""
    found = [(-int(counts[id]), id, token) for token, id in own.items() if token not in other]
    return tuple(token for _, _, token in sorted(found)[:most])


def _ids(tok: Tokenizer) -> dict[bytes, int]:
    """The ids of tokens that are not special, by their bytes; what stands for a space is one."""
    special, space = set(tok.special_tokens.values()), space_of(tok)
    return {token.replace(space, b" "): id for id, token in tok.vocabulary.items() if id not in special}
