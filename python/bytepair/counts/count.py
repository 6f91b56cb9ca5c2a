"""`count_pretokens`: files or texts -> counts; and the loop over batches that `train` shares with it.

The idea: batches come from `bytepair.data`, each of one source, and go into the engine's table of that source. A
checkpoint is written between batches; of a document that comes in parts it holds what waits to be counted. To go on,
the batches that were counted are read again and passed over, and a digest tells if they are other ones than before: of
files, whose sizes and times of change were compared already, a digest of the batches' sizes and ends; of anything else
(texts, stdin, open files), of all bytes. Where all was counted, files are not read again; anything else is, since
nothing else can tell if it is the same.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from bytepair import _core, memory
from bytepair.checkpoint import opened
from bytepair.counts.digest import contents, samples
from bytepair.counts.pretoken_counts import PretokenCounts, together
from bytepair.counts.splitting import Splitting, checked_splitting
from bytepair.data.batches import Batch, Documents, Part, Rows
from bytepair.data.characters import Errors
from bytepair.data.corpus import Corpus, corpus
from bytepair.data.formats import Layout
from bytepair.data.places import Files
from bytepair.data.sources import Texts
from bytepair.errors import TextWarning, TrainingError, TrainingWarning
from bytepair.integers import processors
from bytepair.patterns import DEFAULT
from bytepair.progress import Callback, CountWatch, peak
from bytepair.told import tell

if TYPE_CHECKING:
    from bytepair.checkpoint.counted import Reading
    from bytepair.checkpoint.directory import Checkpoint

__all__ = [
    "HUGE",
    "add_batch",
    "count",
    "count_pretokens",
    "warn_of_huge",
    "warn_of_longest",
    "warn_of_memory",
    "warn_of_nulls",
]

HUGE = 1 << 16
"""The bytes from which a pretoken is a sign that the pattern does not cut the text."""
_PREVIEW = 40


def count_pretokens(
    *,
    files: Files | Mapping[str, Files] | None = None,
    texts: Texts | Mapping[str, Texts] | None = None,
    pattern: str | None = DEFAULT,
    special_tokens: Sequence[str] = (),
    alphabet: Literal["bytes", "characters"] = "bytes",
    end_of_word: str | None = None,
    end_of_word_joined: bool = False,
    format: Layout | None = None,
    text_field: str | None = None,
    source_field: str | None = None,
    separator: str | bytes | None = None,
    errors: Errors = "strict",
    sample: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callback | None = None,
) -> PretokenCounts:
    """Counts the pretokens of a corpus: what training needs of it.

    Args:
        files: a path, a glob, an open file, or a list of them; or a mapping of sources' names to these.
        texts: an iterable of str or bytes, each one document; or a mapping of sources' names to iterables.
        pattern: a preset's name, a regular expression, or None for text that is not cut.
        special_tokens: boundaries in the text, which are not counted.
        alphabet: what tokens will be made of, "bytes" or "characters": then words between white space are counted.
        end_of_word: the mark for the end of each word; characters only. It is kept for the training.
        end_of_word_joined: whether the mark is joined to the last character.
        format: what the files are, "text", "jsonl" or "parquet"; None to recognise each.
        text_field: the field that holds the text, of JSON lines and Parquet; None for `text`.
        source_field: the field that names the source of each row.
        separator: what stands between two documents of a plain text file.
        errors: what is done with bytes that are not UTF-8: "strict" raises, "replace" puts U+FFFD there, "bytes" keeps
            them.
        sample: read at most so many bytes, in whole documents that a hash of each chooses.
        seed: another number chooses other documents.
        threads: how many to use; None for as many as there are processors.
        checkpoint: a directory in which the work is saved as it is done, so that it can go on when it was stopped.
        resume: go on from `checkpoint`, with the same settings and texts; without anything there, begin.
        progress: called after each batch of text.

    Returns:
        The counts, a column for each named source.

    Raises:
        As `train`.

    Warns:
        TrainingWarning: the pattern leaves pretokens of 64 KB or more.

    >>> import bytepair as bp
    >>> counts = bp.count_pretokens(texts=["low lower", "low"], pattern="gpt2")
    >>> dict(counts.items()), counts.documents
    ({b'low': 2, b' lower': 1}, 2)
    """
    given = corpus(
        files=files,
        texts=texts,
        format=format,
        text_field=text_field,
        source_field=source_field,
        separator=separator,
        errors=errors,
        sample=sample,
        seed=seed,
    )
    splitting = checked_splitting(pattern, special_tokens, alphabet, end_of_word, end_of_word_joined)
    settings = {**splitting.plain(), **given.plain()}
    with opened(checkpoint, settings, resume=resume) as work:
        counts = count(given, splitting, threads=processors(threads), progress=progress, checkpoint=work)
    warn_of_huge(counts)
    return counts


def count(
    given: Corpus,
    splitting: Splitting,
    *,
    threads: int,
    progress: Callback | None,
    checkpoint: Checkpoint | None,
    trains: bool = False,
) -> PretokenCounts:
    """Counts a corpus, or what a checkpoint has left of it; `trains` says if there will be a training on it."""
    saved = checkpoint.counts(splitting) if checkpoint is not None else None
    tables = saved.tables if saved is not None else {}
    reading = saved.reading if saved is not None else None
    if reading is not None and reading.complete and given.are_known:
        return together(splitting, reading.documents, tables)
    empty = splitting.table()
    for name in given.names or ():
        tables.setdefault(name, empty.empty())
    loop = _Loop(empty, tables, reading, threads, checkpoint, is_whole=not given.are_known)
    watch = CountWatch(progress, given.total)
    nulls, is_warned = 0, False
    for batch in given:
        nulls += batch.nulls
        if loop.passes_over(batch):
            watch.skip(batch.size)
            continue
        loop.add(batch)
        watch.read(batch.size, loop.memory, loop.training if trains else 0)
        is_warned = is_warned or (watch.peak is not None and warn_of_memory(watch.peak))
        del batch  # or two batches would be held while the next one is collected
    if not is_warned:
        warn_of_memory(peak(loop.memory, loop.training if trains else 0))
    warn_of_nulls(nulls)
    return together(splitting, loop.end(), tables)


def add_batch(table: _core.Counts, batch: Batch, threads: int) -> None:
    """Counts a batch of one source in its table."""
    match batch:
        case Documents():
            table.add_documents(batch.documents, threads, batch.name)
        case Rows():
            table.add_array(batch.offsets, batch.data, batch.validity, batch.first, batch.length, threads, batch.name)
        case Part():
            table.add_part(batch.content, threads, batch.name)
            if batch.last:
                table.end_document(threads, batch.name)


class _Loop:
    """What happens to each batch."""

    def __init__(
        self,
        empty: _core.Counts,
        tables: dict[str | None, _core.Counts],
        before: Reading | None,
        threads: int,
        checkpoint: Checkpoint | None,
        *,
        is_whole: bool,
    ) -> None:
        self._is_whole = is_whole  # whether the digest is of all bytes
        self._empty, self._tables, self._before, self._threads, self._checkpoint = (
            empty,
            tables,
            before,
            threads,
            checkpoint,
        )
        self._batches = 0
        self._digest = hashlib.sha256()
        self.memory = sum(table.memory for table in tables.values())  # of all tables, in bytes
        self.training = sum(table.training_memory for table in tables.values())  # what training on them takes
        # What the tables say of documents begins anew when they are read from a file.
        self._earlier = before.documents if before is not None else 0

    def passes_over(self, batch: Batch) -> bool:
        """Whether the batch was counted before; raises an error if it is another one than then."""
        if self._checkpoint is None or self._before is None:
            return False
        if self._batches >= self._before.batches:
            if self._before.complete:
                raise self._others("the texts are more than")
            return False
        self._see(batch)
        if self._batches == self._before.batches and self._digest.hexdigest() != self._before.digest:
            raise self._others("the texts are not")
        return True

    def _others(self, what: str) -> TrainingError:
        assert self._checkpoint is not None  # noqa: S101 - or there would be nothing to compare with
        return TrainingError(
            f"{what} those that were counted in `{self._checkpoint.path}`",
            "give the same texts as then, in the same order, or name another directory",
        )

    def add(self, batch: Batch) -> None:
        """Counts a batch."""
        table = self._tables.get(batch.source)
        if table is None:
            table = self._tables.setdefault(batch.source, self._empty.empty())
            self.memory += table.memory
            self.training += table.training_memory
        self.memory -= table.memory
        self.training -= table.training_memory
        add_batch(table, batch, self._threads)
        self.memory += table.memory
        self.training += table.training_memory
        if self._checkpoint is not None:
            self._see(batch)
            if self._checkpoint.due():
                self._save(complete=False)

    def end(self) -> int:
        """All was read; how many documents that were."""
        if self._checkpoint is not None:
            if self._before is not None and self._batches < self._before.batches:
                raise self._others("the texts are fewer than")
            if self._before is None or not self._before.complete:
                self._save(complete=True)
        return self._documents()

    def _documents(self) -> int:
        return self._earlier + sum(table.documents for table in self._tables.values())

    def _save(self, *, complete: bool) -> None:
        assert self._checkpoint is not None  # noqa: S101 - checked by both callers
        from bytepair.checkpoint.counted import Reading  # noqa: PLC0415

        reading = Reading(self._batches, self._digest.hexdigest(), self._documents(), complete)
        self._checkpoint.save_counts(reading, self._tables)

    def _see(self, batch: Batch) -> None:
        self._batches += 1
        self._digest.update(f"{type(batch).__name__} {batch.size} {batch.source!r} ".encode())
        for part in contents(batch) if self._is_whole else samples(batch):
            self._digest.update(part)


def warn_of_memory(needed: int) -> bool:
    """Warns if it looks as if there is not enough memory; whether it does."""
    there = memory.limit()
    if there is None or needed <= there:
        return False
    tell(
        TrainingWarning,
        f"it looks as if this takes {memory.amount(needed)} of memory, and there are {memory.amount(there)}",
        "count parts of the text by themselves, prune them and add them up (count_pretokens, prune, merge), take a "
        "sample, or use a pattern that leaves fewer different pretokens",
    )
    return True


def warn_of_nulls(nulls: int) -> None:
    """Warns of rows without a text, if there are any."""
    if nulls:
        rows = "1 row has no text and was" if nulls == 1 else f"{nulls:,} rows have no text and were"
        hint = "this is right if it is null on purpose; otherwise see which field holds the text"
        tell(TextWarning, f"{rows} left out", hint)


def warn_of_huge(counts: PretokenCounts) -> None:
    """Warns if the pattern leaves pretokens that are so long that it can hardly be meant."""
    longest = counts.longest(1)  # none where nothing but the empty pretoken was given
    if longest:
        warn_of_longest(counts.splitting, *longest[0][:2])


def warn_of_longest(splitting: Splitting, beginning: bytes, length: int) -> None:
    """As `warn_of_huge`, of the longest pretoken."""
    if splitting.pattern is None or length < HUGE:
        return
    shown = beginning[:_PREVIEW].decode("utf-8", "backslashreplace")
    tell(
        TrainingWarning,
        f"the pattern leaves huge pretokens: the longest has {length:,} bytes and begins with {shown!r}",
        "the result is right; if such text is no language (base64, one letter repeated), leave it out, or use a "
        "pattern that cuts it",
    )
