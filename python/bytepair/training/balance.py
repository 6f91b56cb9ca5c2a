"""Languages that take turns to choose merges, so that the same text costs about the same in each.

The idea (Foroutan et al., "Parity-Aware Byte-Pair Encoding", arXiv:2508.04796): a development text says the same in
every language. At each step the language whose development text is longest, in tokens, chooses the next merge by its
own counts, and the merge applies to all. The engine does it; this holds what a person says about it, and the tables
that the engine needs of it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bytepair import _core
from bytepair.counts.rows import pieces
from bytepair.errors import TrainingError
from bytepair.integers import checked_integer

if TYPE_CHECKING:
    from bytepair.counts.pretoken_counts import PretokenCounts
    from bytepair.counts.splitting import Splitting

__all__ = ["Balance", "Packed", "Turns"]

Packed = tuple[list[tuple[_core.Counts, _core.Counts | None]], int, tuple[int, int] | None]
"""What the engine takes: of each language the counts and those of its development text; classic merges; the window."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Languages take turns in training: what `train` takes as `balance`.

    The sources of the training are the languages. Where a language has no pair left that may be merged, the one with
    the next longest development text chooses; of equally long ones, the first source.

    Raises:
        TypeError: no mapping; a setting that is no integer.
        ValueError: a setting out of its range.

    >>> import bytepair as bp
    >>> texts = {"en": ["low lower lowest"] * 9, "de": ["niedrig niedriger niedrigsten"]}
    >>> balance = bp.Balance({"en": ["a low tower"], "de": ["ein niedriger Turm"]})
    >>> toks = bp.train(texts=texts, num_merges=8), bp.train(texts=texts, num_merges=8, balance=balance)
    >>> toks[1].training.chosen_by
    ('de', 'de', 'de', 'de', 'de', 'de', 'de', 'en')
    >>> [(tok.count("a low tower"), tok.count("ein niedriger Turm")) for tok in toks]
    [(8, 17), (10, 11)]
    """

    development: Mapping[str, Sequence[str] | str | os.PathLike[str] | None]
    """Of each source a list of texts, or the path of a file of lines; text i says the same in every language. None for
    a source that never chooses (program code, say)."""
    classic: int = 0
    """So many merges are chosen as ever first, by the counts of all languages together."""
    window: int | None = None
    """A language waits while it has chosen more than `share` times its equal part of the last `window` merges that
    languages chose; those that wait choose only if nobody else can. None: nobody waits."""
    share: int = 2
    """See `window`. With n languages that have a development text, the equal part is window / n."""

    def __post_init__(self) -> None:
        if not isinstance(self.development, Mapping):
            raise TypeError(
                f"development is of type `{type(self.development).__name__}`\n"
                "hint: pass a mapping from sources to lists of texts, or to files of lines"
            )
        checked_integer("classic", self.classic, 0)
        checked_integer("share", self.share, 1)
        if self.window is not None:
            checked_integer("window", self.window, 1)

    @property
    def texts(self) -> dict[str, tuple[str, ...] | None]:
        """The development texts, read and checked.

        Raises:
            TypeError: what is no list of texts.
            ValueError: languages with different numbers of texts.
            OSError: a file that cannot be read.
        """
        from bytepair.tax.aligned import aligned  # noqa: PLC0415 - few trainings need it

        given = {name: lines for name, lines in self.development.items() if lines is not None}
        lines = aligned(given, "development").lines
        return {name: lines.get(name) for name in self.development}


class Turns:
    """A `Balance` whose texts are read: what the training makes of it."""

    def __init__(self, balance: Balance, splitting: Splitting, ties: str) -> None:
        """Reads the development texts.

        Raises:
            TrainingError: a setting of the training that cannot be balanced.
            As `Balance.texts`.
        """
        if not isinstance(balance, Balance):
            raise TypeError(f"balance is of type `{type(balance).__name__}`\nhint: pass a bytepair.Balance")
        for name, given, refused, hint in (
            ("ties", ties, "first", "each language chooses alone, and knows no order of all texts: use another rule"),
            ("alphabet", splitting.alphabet, "characters", "languages take turns with bytes only"),
        ):
            if given == refused:
                raise TrainingError(f'{name}="{given}" and balance are given', hint)
        self._balance, self._splitting = balance, splitting
        self._texts = balance.texts

    def plain(self) -> dict[str, object]:
        """It as JSON has it, a text by its SHA-256."""
        balance = self._balance
        texts = {name: None if lines is None else _digest(lines) for name, lines in self._texts.items()}
        return {"development": texts, "classic": balance.classic, "window": balance.window, "share": balance.share}

    def check(self, sources: Sequence[str]) -> None:
        """That these sources are the languages.

        Raises:
            TrainingError: they are not.
        """
        if not sources:
            raise TrainingError(
                "balance is given, but the sources have no names",
                'name them: files={"en": "en/*.txt", "ru": "ru/*.txt"}, or source_field= for a field of the rows',
            )
        for name in self._texts:
            if name not in sources:
                raise TrainingError(
                    f"development has {name!r}, and no source is called so", f"the sources are {', '.join(sources)}"
                )
        for name in sources:
            if name not in self._texts:
                raise TrainingError(
                    f"the source {name!r} has no development text",
                    f"give it one; None (on the command line `--development {name}=`) if it shall never choose",
                )

    def of(self, counts: PretokenCounts) -> Packed:
        """What the engine takes: the tables of each source, in their order, and the settings.

        Raises:
            As `check`.
        """
        self.check(counts.sources)
        balance = self._balance
        tables = [(_table(counts, name, self._splitting), self._development(name)) for name in counts.sources]
        return tables, balance.classic, None if balance.window is None else (balance.window, balance.share)

    def _development(self, name: str) -> _core.Counts | None:
        lines = self._texts[name]
        if lines is None:
            return None
        table = self._splitting.table()
        table.add_documents(list(lines), 1, lambda index: f"text {index} of the development of {name!r}")
        return table


def _table(counts: PretokenCounts, name: str, splitting: Splitting) -> _core.Counts:
    """The table of one source, in which special tokens that the counts did not know are boundaries too."""
    table = splitting.table()
    if set(splitting.special_tokens) - set(counts.special_tokens):
        for pretoken, count in counts.items(name):
            table.add(pretoken, count)
        return table
    column, start = counts.columns[name], 0
    for data, offsets, every in pieces(counts.table):
        table.add_many(data, offsets, column.dense(start, start + len(every)))
        start += len(every)
    return table


def _digest(lines: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        text = _core.raw(line)
        digest.update(b"%d " % len(text))
        digest.update(text)
    return digest.hexdigest()
