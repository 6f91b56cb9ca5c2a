"""`compare`: where two tokenizers cut a text differently, with examples, and how their vocabularies differ.

The idea: the ends of tokens are places in the text, whatever the ids. A *stretch* reaches from one place where both
cut to the next; where one of them cuts inside, the stretch differs. So every difference is told once, and as short as
it is.

Cost: both encode the text; the differing stretches are counted by their bytes, and of very many different ones the
rarest are forgotten (`MOST`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bytepair import _core
from bytepair.integers import checked_integer, processors
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tally import token_lengths
from bytepair.measuring.tokenizers import checked
from bytepair.render.spans import Block, heading, line
from bytepair.render.visible import quoted, visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

__all__ = ["Comparison", "Stretch", "compare"]

bytes_ = bytes  # the type, in a class that has a field of this name

MOST = 1 << 18
"""The most different stretches that are counted at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A piece of text that two tokenizers cut differently; both cut at its ends."""

    text: bytes
    """Its bytes."""
    first: tuple[bytes, ...]
    """The first tokenizer's tokens, where it stands first."""
    second: tuple[bytes, ...]
    """The second's."""
    count: int
    """How often it differs in the text."""
    document: int
    """The index of the document in which it stands first."""
    offset: int
    """Where it starts there, in bytes."""


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
        first: one tokenizer, of bytes.
        second: the other one.
        texts: documents, str or bytes.
        files: paths and globs in place of `texts`; each file is one document.
        names: what the two are called.
        examples: how many of everything are shown.
        threads: how many encode; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`; what is no tokenizer.
        ValueError: a tokenizer of characters, whose tokens have no places in the text.
    """
    both = tuple(checked(tok, of_bytes="its tokens have no places in the text") for tok in (first, second))
    if len(names) != len(both) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"names is {names!r}\nhint: give two names")
    found = _Found(both, checked_integer("examples", examples, 0), processors(threads))
    for batch in read(texts, files, None, reading).documents():
        found.add([_core.raw(text) for text in batch.documents])
    return found.comparison(names)


class _Found:
    """What differs so far."""

    def __init__(self, both: Sequence[Tokenizer], examples: int, threads: int) -> None:
        self._both, self._examples, self._threads = both, examples, threads
        self._lengths = [token_lengths(tok) for tok in both]
        self._counts = [np.zeros(tok.n_vocab, dtype=np.int64) for tok in both]
        self._documents = self._same = self._bytes = self._same_bytes = 0
        self._often: Counter[bytes] = Counter()
        self._cuts: dict[bytes, Stretch] = {}
        self._earliest: list[Stretch] = []

    def add(self, documents: Sequence[bytes]) -> None:
        """Compares on some documents."""
        text = b"".join(documents)
        edges = np.cumsum([0, *map(len, documents)])
        cuts = [self._cut(index, documents, len(text)) for index in (0, 1)]
        differs = cuts[0] != cuts[1]
        common = cuts[0] & cuts[1]
        common[edges] = True
        places = np.flatnonzero(common)
        inside = np.unique(np.searchsorted(places, np.flatnonzero(differs)))
        starts, ends = places[inside - 1], places[inside]
        owners = np.searchsorted(edges, starts, side="right") - 1
        stretches = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        for index, key in enumerate(stretches):
            if key not in self._cuts or len(self._earliest) < self._examples:
                start, end, owner = int(starts[index]), int(ends[index]), int(owners[index])
                parts = [_parts(text, cut, start, end) for cut in cuts]
                place = start - int(edges[owner])
                stretch = Stretch(
                    text=key, first=parts[0], second=parts[1], count=1, document=self._documents + owner, offset=place
                )
                self._cuts.setdefault(key, stretch)
                if len(self._earliest) < self._examples:
                    self._earliest.append(stretch)
        self._often.update(stretches)
        if len(self._often) > MOST:
            self._often = Counter(dict(self._often.most_common(MOST // 2)))
            self._cuts = {key: self._cuts[key] for key in self._often}
        self._same += len(documents) - len(np.unique(owners))
        self._documents += len(documents)
        self._bytes += len(text)
        self._same_bytes += len(text) - int((ends - starts).sum())

    def _cut(self, index: int, documents: Sequence[bytes], size: int) -> NDArray[np.bool_]:
        """Of each place in the text, whether a token ends there."""
        tok = self._both[index]
        ids, _ = tok.encode_batch_to_numpy(documents, threads=self._threads)
        self._counts[index] += np.bincount(ids, minlength=tok.n_vocab)
        cuts = np.zeros(size + 1, dtype=np.bool_)
        cuts[np.cumsum(self._lengths[index][ids])] = True
        cuts[0] = True
        return cuts

    def comparison(self, names: tuple[str, str]) -> Comparison:
        """All that was found."""
        frequent = [
            Stretch(**{**_fields(self._cuts[key]), "count": count})
            for key, count in sorted(self._often.items(), key=lambda item: (-item[1], item[0]))[: self._examples]
        ]
        earliest = [Stretch(**{**_fields(one), "count": self._often.get(one.text, 1)}) for one in self._earliest]
        ids = [_ids(tok) for tok in self._both]
        common = ids[0].keys() & ids[1].keys()
        moved = [(token, ids[0][token], ids[1][token]) for token in common if ids[0][token] != ids[1][token]]
        return Comparison(
            names=names,
            documents=self._documents,
            same_documents=self._same,
            bytes=self._bytes,
            same_bytes=self._same_bytes,
            tokens=(int(self._counts[0].sum()), int(self._counts[1].sum())),
            frequent=tuple(frequent),
            earliest=tuple(earliest),
            vocab_sizes=(len(ids[0]), len(ids[1])),
            common=len(common),
            same_ids=len(common) - len(moved),
            only_first=self._only(0, ids),
            only_second=self._only(1, ids),
            moved=tuple(sorted(moved, key=lambda item: item[1])[: self._examples]),
        )

    def _only(self, index: int, ids: Sequence[dict[bytes, int]]) -> tuple[bytes, ...]:
        counts = self._counts[index]
        own = [(-int(counts[id]), id, token) for token, id in ids[index].items() if token not in ids[1 - index]]
        return tuple(token for _, _, token in sorted(own)[: self._examples])


def _fields(stretch: Stretch) -> dict[str, Any]:
    return {name: getattr(stretch, name) for name in Stretch.__slots__}


def _parts(text: bytes, cuts: NDArray[np.bool_], start: int, end: int) -> tuple[bytes, ...]:
    places = [*(start + np.flatnonzero(cuts[start:end])).tolist(), end]
    if places[0] != start:
        places.insert(0, start)
    return tuple(text[one:other] for one, other in pairwise(places))


def _ids(tok: Tokenizer) -> dict[bytes, int]:
    """The ids of tokens that are not special, by their bytes."""
    special = set(tok.special_tokens.values())
    return {token: id for id, token in tok.vocabulary.items() if id not in special}
