"""Counts -> a tokenizer: the merges are learned by the engine; this says how far it is, and writes each one down."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from bytepair import _core
from bytepair.counts.pretoken_counts import PretokenCounts
from bytepair.counts.splitting import Splitting
from bytepair.errors import TrainingError, TrainingWarning
from bytepair.integers import MOST_COUNT
from bytepair.parts import MARK, TrainingRecord
from bytepair.progress import Callback, peak
from bytepair.tokenizer import Tokenizer
from bytepair.told import tell
from bytepair.training.balance import Packed, Turns
from bytepair.training.reported import Reported
from bytepair.training.start import table_of
from bytepair.wording import several

if TYPE_CHECKING:
    from bytepair.checkpoint.directory import Checkpoint

__all__ = ["Goal", "Ties", "learn"]

Ties = Literal["lowest", "first", "huggingface", "greatest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What is to be learned."""

    vocab_size: int | None
    num_merges: int | None
    ties: Ties
    min_count: int
    max_token_bytes: int | None
    whole_characters: bool

    def plain(self) -> dict[str, object]:
        """It as JSON has it."""
        return asdict(self)

    def least(self, scale: int) -> int:
        """The least count that is merged, of counts that weights have multiplied by `scale`."""
        return self.min_count if self.min_count <= 1 else min(self.min_count * scale, MOST_COUNT)


def learn(
    counts: PretokenCounts,
    *,
    splitting: Splitting,
    goal: Goal,
    seeds: list[bytes],
    base: Tokenizer | None,
    turns: Turns | None,
    progress: Callback | None,
    checkpoint: Checkpoint | None,
    are_used_up: bool,
) -> Tokenizer:
    """Trains on counts, from what a checkpoint knows on; counts that are used up give their memory back.

    Raises:
        TrainingError: a vocabulary smaller than what there is before the first merge; `ties="first"` for counts in no
            known order; sources that are not the languages which take turns.

    Warns:
        TrainingWarning: the goal was not reached.
    """
    if goal.ties == "first" and not counts.ordered:
        raise TrainingError(
            'ties="first" needs the order in which pretokens first appeared, which these counts do not have',
            "use another rule, or count the text again",
        )
    table = table_of(counts, splitting)
    before = _Before(table, splitting, seeds, base)
    tokens = before.tokens(goal.vocab_size)
    balance = None if turns is None else turns.of(counts)
    known = checkpoint.merges() if checkpoint is not None else []
    reported = None
    if progress is not None or checkpoint is not None:
        reported = Reported(
            progress,
            checkpoint,
            known=known,
            contents=dict(before.contents),
            total=before.merges(goal),
            scale=counts.scale,
            peak=needed(table, are_used_up=are_used_up) + _needed_by_turns(balance),
        )
    size = {"bytes": table.total_bytes, "pretokens": table.total, "distinct": table.distinct}
    core, stopped, learned, fired, choosers, doubtful = _core.train(
        table,
        tokens=tokens,
        merges=goal.num_merges,
        ties=goal.ties,
        min_count=goal.least(counts.scale),
        max_token_bytes=goal.max_token_bytes,
        whole_characters=goal.whole_characters,
        base=None if base is None else base._engine,  # noqa: SLF001 - for this package's own use
        seeds=seeds,
        special_tokens=list(splitting.special_tokens),
        balance=balance,
        learned=known,
        lacking=min(math.ceil(counts.dropped.pair * counts.scale), MOST_COUNT),
        is_last=are_used_up or table is not counts.table,
        laying=None if reported is None else reported.laid_out,
        progress=None if reported is None else reported.learned,
    )
    record = TrainingRecord(
        ties=goal.ties,
        min_count=goal.min_count,
        documents=counts.documents,
        **size,
        stopped=stopped,
        counts=tuple(learned),
        fired=tuple(fired),
        scale=counts.scale,
        base_merges=0 if base is None else len(core.merges()) - len(learned),
        chosen_by=tuple(None if chooser is None else counts.sources[chooser] for chooser in choosers),
        doubtful=doubtful,
    )
    tokenizer = Tokenizer._from_core(core, record)  # noqa: SLF001 - for this package's own use
    if stopped != "goal":
        _warn(tokenizer, record, goal)
    return tokenizer


def needed(table: _core.Counts, *, are_used_up: bool) -> int:
    """The bytes of memory that a training takes at most, about."""
    return peak(table.memory, table.training_memory) if are_used_up else table.memory + table.training_memory


def _needed_by_turns(balance: Packed | None) -> int:
    """What languages that take turns take beside that: each has a table and a text of its own."""
    tables = [table for both in balance[0] for table in both if table is not None] if balance is not None else []
    return sum(table.memory + table.training_memory for table in tables)


class _Before:
    """What there is before the first merge: the tokens of the base, and base symbols."""

    def __init__(self, table: _core.Counts, splitting: Splitting, seeds: list[bytes], base: Tokenizer | None) -> None:
        self._table, self._splitting, self._seeds, self._base = table, splitting, seeds, base
        there = base.special_tokens if base is not None else ()
        self.specials = [token for token in splitting.special_tokens if token not in there]

    def tokens(self, vocab_size: int | None) -> int | None:
        """The size that is to be reached, without special tokens that are new."""
        if vocab_size is None:
            return None
        least, new = self._least(), len(self.specials)
        if vocab_size < least + new:
            kind = "new special token" if self._base is not None else "special token"
            also = f" and {several(new, kind)}" if new else ""
            if self._base is not None:
                there = f"the base already has {several(least, 'token')}"
            else:
                there = f"the alphabet alone has {least} {self._splitting.alphabet}"
            raise TrainingError(f"vocab_size is {vocab_size}, but {there}{also}", f"ask for at least {least + new}")
        return vocab_size - new

    def merges(self, goal: Goal) -> int | None:
        """The most merges that there can be."""
        return goal.num_merges if goal.vocab_size is None else goal.vocab_size - len(self.specials) - len(self.contents)

    def _least(self) -> int:
        if self._base is None and self._splitting.alphabet == "bytes":
            return 256
        return len(self.contents)

    @cached_property
    def contents(self) -> dict[int, bytes]:
        """The contents by id, marks as they are written."""
        mark = (self._splitting.end_of_word or "").encode()
        symbols = [symbol.replace(MARK, mark) if mark else symbol for symbol in self._table.symbols(self._seeds)]
        if self._base is None:
            return dict(enumerate(symbols))
        contents = dict(self._base.vocabulary)
        there = set(contents.values())
        first = self._base.n_vocab
        contents.update(enumerate((symbol for symbol in symbols if symbol not in there), first))
        return contents


def _warn(tokenizer: Tokenizer, record: TrainingRecord, goal: Goal) -> None:
    merges = len(record.counts)
    if record.stopped == "no pairs":
        why, hint = "no pair is left", "give more text, or ask for less"
    else:
        why = f"no pair occurs {several(record.min_count, 'time')}"
        hint = "give more text, ask for less, or lower min_count"
    reached = (
        f"{several(len(tokenizer), 'token')} of {goal.vocab_size:,}"
        if goal.vocab_size is not None
        else f"{several(merges, 'merge')} of {goal.num_merges:,}"
    )
    tell(TrainingWarning, f"training stopped at {reached}: {why}", hint)
