"""The tokens that a corpus needs.

The idea: only a leaf can go, a token of which no other token that stays is made; then nothing is built through it, and
no other token is lost. Leaves go one by one, the least used first. Where one goes its text becomes its parts, so
its count is added to theirs, and they may be leaves themselves now.

The invariant: while only unused tokens go, the corpus is encoded as before, token for token, since every token on the
way to a used one stays. Beyond that the counts are those of parts that are left alone, where another merge might join
one of them with its neighbour.

Cost: the distinct pretokens of the corpus are encoded once, or all of it by a tokenizer that normalises; then n log n
in the number of tokens.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bytepair.editing.edited import Edited
from bytepair.editing.removing import removed
from bytepair.editing.ways import Pair, base_symbols, ways
from bytepair.errors import TrainingError, VocabularyError
from bytepair.integers import checked_integer, processors
from bytepair.normalizing import Normalizer
from bytepair.patterns import DEFAULT

if TYPE_CHECKING:
    from bytepair.counts.pretoken_counts import PretokenCounts
    from bytepair.tokenizer import Tokenizer

__all__ = ["pruned"]

_MANY = 1 << 16
"""Pretokens that are encoded at a time."""


def pruned(
    tok: Tokenizer,
    given: Mapping[str, Any],
    counts: Any,  # noqa: ANN401 - checked below
    reading: Mapping[str, Any],
    keep: int | None,
) -> Edited:
    """What `Tokenizer.pruned` does."""
    is_cut = tok.alphabet != "unicode" and not tok._engine.normalises  # noqa: SLF001 - for this package's own use
    if (counts is not None) + sum(value is not None for value in given.values()) != 1:
        names = [*given, "counts"]
        raise TypeError(f"give exactly one of {', '.join(names)}\nhint: texts are a list of str, files are paths")
    if counts is not None and not is_cut:
        raise TrainingError(
            "the tokenizer normalises texts, and counts of pretokens are of texts as they are",
            "give the texts or files",
        )
    parts = tok.parts
    always = base_symbols(parts) | {special.id for special in parts.specials}
    if keep is not None and checked_integer("keep", keep, 1) < len(always):
        raise VocabularyError(
            f"keep is {keep}, but base symbols and special tokens alone are {len(always)}",
            f"keep at least {len(always)}",
        )
    uses = _uses(tok, _counted(tok, given, counts, reading)) if is_cut else _seen(tok, given, reading)
    found = ways(tok)
    candidates = {id for id, _ in parts.tokens} - always
    leaves = _Leaves(candidates, uses, found, _plainly(tok, candidates - found.keys()))
    return removed(tok, leaves.unused() if keep is None else leaves.least(len(tok) - keep))


class _Leaves:
    """Tokens of which no other is made, taken away one by one."""

    def __init__(
        self,
        candidates: set[int],
        uses: dict[int, int],
        found: Mapping[int, tuple[int, Pair]],
        plainly: Mapping[int, Sequence[int]],
    ) -> None:
        self._candidates, self._uses, self._found, self._plainly = candidates, uses, found, plainly
        self._users = Counter(part for _, pair in found.values() for part in set(pair))
        self._last = max((rank for rank, _ in found.values()), default=0) + 1
        self._waiting = [self._entry(id) for id in candidates if not self._users[id]]
        self._gone: set[int] = set()
        heapq.heapify(self._waiting)

    def unused(self) -> set[int]:
        """Takes away all that are not used."""
        while self._waiting and self._waiting[0][0] == 0:
            self._take()
        return self._gone

    def least(self, count: int) -> set[int]:
        """Takes away so many, the least used first."""
        while self._waiting and len(self._gone) < count:
            self._take()
        return self._gone

    def _entry(self, id: int) -> tuple[int, int, int]:
        """What the order goes by: uses; of equals first what no merge makes, then the highest rank."""
        rank = self._found[id][0] if id in self._found else self._last
        return self._uses.get(id, 0), -rank, -id

    def _take(self) -> None:
        """Takes the first away; its uses become those of its parts, some of which are leaves now."""
        first = heapq.heappop(self._waiting)
        count, id = first[0], -first[2]
        if id in self._gone or first != self._entry(id):
            return  # out of date: its count has grown, and it waits with that too
        self._gone.add(id)
        parts = self._found[id][1] if id in self._found else self._plainly[id]
        for part in parts:
            self._uses[part] = self._uses.get(part, 0) + count
        for part in set(parts):
            if id in self._found:
                self._users[part] -= 1
            if part in self._candidates and not self._users[part]:
                heapq.heappush(self._waiting, self._entry(part))


def _plainly(tok: Tokenizer, ids: set[int]) -> dict[int, tuple[int, ...]]:
    """The tokens that merges make of the bytes of tokens that are only looked up."""
    if not ids:
        return {}
    core = tok._engine  # noqa: SLF001 - for this package's own use
    parts = replace(tok.parts, pattern=None, merges=tuple(core.pairs()), whole_first=False, specials=(), training=None)
    parts = replace(parts, normalizer=Normalizer())
    contents = dict(parts.tokens)
    ordered = sorted(ids)
    if parts.alphabet == "characters":
        return dict.fromkeys(ordered, ())
    found = type(tok).from_parts(parts).encode_batch([contents[id] for id in ordered], unknown="skip")
    return {id: tuple(made) for id, made in zip(ordered, found, strict=True)}


def _uses(tok: Tokenizer, counts: PretokenCounts) -> dict[int, int]:
    """How often each token stands in a corpus."""
    plain = type(tok).from_parts(replace(tok.parts, pattern=None, specials=(), training=None))
    uses: dict[int, int] = {}
    items = list(counts.items())
    for start in range(0, len(items), _MANY):
        some = items[start : start + _MANY]
        ids, offsets = plain.encode_batch_to_numpy([pretoken for pretoken, _ in some], unknown="skip")
        ends, start_of = offsets.tolist(), 0
        for (_, count), end in zip(some, ends[1:], strict=True):
            for id in ids[start_of:end].tolist():
                uses[id] = uses.get(id, 0) + count
            start_of = end
    return uses


def _seen(tok: Tokenizer, given: Mapping[str, Any], reading: Mapping[str, Any]) -> dict[int, int]:
    """How often each token stands in the texts of a tokenizer that normalises them, special tokens included."""
    from bytepair.data.corpus import corpus  # noqa: PLC0415 - much is loaded for it

    settings = dict(reading)
    threads = processors(settings.pop("threads", None))
    counts = np.zeros(tok.n_vocab, dtype=np.int64)
    for batch in corpus(**given, **settings).documents():
        ids, _ = tok.encode_batch_to_numpy(batch.documents, threads=threads, allowed_special="all", unknown="skip")
        counts += np.bincount(ids, minlength=tok.n_vocab)
    return {int(id): int(counts[id]) for id in np.flatnonzero(counts)}


def _counted(tok: Tokenizer, given: Mapping[str, Any], counts: Any, reading: Mapping[str, Any]) -> PretokenCounts:  # noqa: ANN401 - checked below
    """The pretokens of a corpus as this tokenizer cuts it.

    Raises:
        TrainingError: counts that were made otherwise.
        As `count_pretokens`.
    """
    from bytepair.counts.count import count_pretokens  # noqa: PLC0415 - much is loaded for it
    from bytepair.training.start import cut, given_counts  # noqa: PLC0415

    how = cut(
        counts,
        tok,
        pattern=DEFAULT,
        special_tokens=(),
        alphabet="bytes",
        end_of_word=None,
        end_of_word_joined=False,
    )
    if counts is not None:
        if reading:
            raise TrainingError(f"{next(iter(reading))} says how texts are read, but counts are given", "leave it out")
        return given_counts(counts, how)
    return count_pretokens(
        **given,
        pattern=how.pattern,
        special_tokens=how.special_tokens,
        alphabet=how.alphabet,
        end_of_word=how.end_of_word,
        end_of_word_joined=how.end_of_word_joined,
        **reading,
    )
