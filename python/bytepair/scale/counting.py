"""`count_into`: files of any size -> a folder of counts, on an engine.

The idea: two maps through files (`stages`), of which this is the driver: it finds the items, says what a sample takes
of each, and writes the table of contents when all is done. It keeps nothing that it could not find again: what an item
is, its fingerprint says, and whether it is done, its file. So work that was stopped goes on with the same call, on
another engine too; of files that have changed since, what holds them is counted anew, and that alone.

Invariant: with the same settings and files the folder has the same bytes, whatever the engine and its workers.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from bytepair import __version__
from bytepair.checkpoint.differences import difference
from bytepair.counts.count import warn_of_longest, warn_of_nulls
from bytepair.counts.file import require
from bytepair.counts.pretoken_counts import Dropped
from bytepair.counts.splitting import Splitting, checked_splitting
from bytepair.data import sampling
from bytepair.data.characters import Errors
from bytepair.data.corpus import Corpus, corpus
from bytepair.data.formats import Layout
from bytepair.data.places import Files
from bytepair.errors import FormatError, TrainingError
from bytepair.formats.strict_json import load
from bytepair.integers import checked_integer, processors
from bytepair.patterns import DEFAULT
from bytepair.progress import Callback, Progress
from bytepair.scale.bucketed import Facts
from bytepair.scale.counts_folder import (
    SETTINGS,
    CountsFolder,
    bucket_name,
    read_contents,
    write_contents,
)
from bytepair.scale.engines import Engine, EngineName, opened
from bytepair.scale.folder import Folder, folder_at
from bytepair.scale.items import apart, items_of, size_for
from bytepair.scale.stages import ITEMS, AddUp, Bucket, BucketFacts, Chosen, Count, FindKeys

__all__ = ["count_into"]

_VERSION = 1
_FEWEST, _MOST = 8, 256
"""How many buckets there are."""


def count_into(
    folder: str | os.PathLike[str],
    *,
    files: Files | Mapping[str, Files],
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
    prune: int | None = None,
    engine: EngineName = "local",
    workers: int | None = None,
    address: str | None = None,
    progress: Callback | None = None,
) -> CountsFolder:
    """Counts the pretokens of a corpus of any size into a folder, on many processes or machines.

    The counts are those of `count_pretokens`, whatever the engine and the number of its workers, but for their order:
    `ties="first"` cannot be used with them. What is done is not done again: the same call goes on where one was
    stopped, in whatever way.

    Args:
        folder: a path or an address, which every worker reaches. It is made if it is not there.
        files: as in `count_pretokens`; every worker reaches them. Open files cannot be read.
        pattern: this and all up to `seed` as in `count_pretokens`.
        special_tokens: see there.
        alphabet: see there.
        end_of_word: see there.
        end_of_word_joined: see there.
        format: see there.
        text_field: see there.
        source_field: see there.
        separator: see there.
        errors: see there.
        sample: see there; the same documents are chosen.
        seed: see there.
        prune: leave out the pretokens that occur less often than this in all sources together.
        engine: "local", processes of this machine; or "ray", "spark" or "dask".
        workers: how many items are counted at one time; None for as many as there are processors.
        address: a cluster that runs; None for one of this machine.
        progress: called at the beginning, and after each item.

    Returns:
        What was counted. `load_counts` reads the counts themselves.

    Raises:
        TrainingError: the folder has other work in it.
        FormatError: another process is at work in it, or a file in it is damaged.
        TextError: texts that are not what they are said to be; the place is named. A second call goes on.
        EngineError: the engine cannot be used, or its workers were lost again and again.
        ImportError: pyarrow or the engine is not installed.
        As `count_pretokens`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import bytepair as bp
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "a.txt").write_text("low lower low")
    ...     done = bp.count_into(f"{place}/counts", files=f"{place}/a.txt", pattern="gpt2", workers=1)
    ...     counts = bp.load_counts(done.path)
    >>> done.distinct, sorted(counts.items())
    (3, [(b' low', 1), (b' lower', 1), (b'low', 1)])
    """
    require()
    given = corpus(
        files=files,
        format=format,
        text_field=text_field,
        source_field=source_field,
        separator=separator,
        errors=errors,
        sample=sample,
        seed=seed,
    )
    splitting = checked_splitting(pattern, special_tokens, alphabet, end_of_word, end_of_word_joined)
    splitting.table()  # raises what is wrong with the pattern, before anything is read
    least = None if prune is None else checked_integer("prune", prune, 1)
    place = folder_at(folder)
    given = apart(given, place)
    with place.alone():
        job = _Job(place, given, splitting, least, progress)
        done = job.found()
        if done is not None:
            return done
        threads = 1
        if engine == "local":  # or one large file would be for one processor
            threads = processors(workers, "workers") // job.items
        job.begin()
        with opened(engine, workers=workers, address=address) as running:
            done = job.run(running, max(threads, 1))
    warn_of_nulls(job.nulls)
    warn_of_longest(splitting, *job.longest)
    return done


class _Job:
    """The driver."""

    def __init__(
        self, folder: Folder, given: Corpus, splitting: Splitting, prune: int | None, progress: Callback | None
    ) -> None:
        """Finds the items; writes down the settings, if that was not done before.

        Raises:
            TrainingError: the folder has work with other settings, or something else.
        """
        self._folder, self._given, self._splitting, self._prune = folder, given, splitting, prune
        total = sum(file.size or 0 for _, file in given.files)
        asked = {"version": _VERSION, "bytepair": __version__, **splitting.plain(), **given.options.plain()}
        asked |= {"prune": prune}
        self._settings, size, self._buckets = _settled(folder, asked, total)
        self._items = items_of(given, size)
        self._total = total * (1 if given.options.sample is None else 2)
        known = [json.dumps([self._settings, given.names])]
        known += [item.fingerprint(self._settings) for item in self._items]
        self._plan = hashlib.sha256("\n".join(known).encode()).hexdigest()
        self._told = _Told(progress, self._total)
        self.nulls = 0
        """Rows without a text."""
        self.longest = (b"", 0)
        """The beginning of the longest pretoken, and its bytes."""

    def found(self) -> CountsFolder | None:
        """What there is to say if all was done before, and is still there.

        Raises:
            TrainingError: all was done, of other files.
        """
        done = read_contents(self._folder)
        if done is None:
            return None
        if done.plan != self._plan:
            raise TrainingError(
                f"the counts in `{done.path}` are done, and of other files than these, or of what they were before",
                "name another folder",
            )
        there = set(self._folder.names())
        if not all(bucket_name(number, done.buckets) in there for number in range(done.buckets)):
            return None  # what is missing is made again
        self._tidy()
        return done

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self._items)

    def begin(self) -> None:
        """Tells that work begins: an engine may take long to start, and so may its first item."""
        self._told.counted()

    def run(self, engine: Engine, threads: int) -> CountsFolder:
        """Does all that is left to do, with so many threads an item."""
        chosen = self._chosen(engine)
        count = Count(self._folder, self._settings, self._splitting, self._given.options, self._buckets, threads)
        facts, counted = dict[int, Facts](), 0
        for number, one in engine.map(count, chosen):
            facts[number] = one.facts
            counted += one.is_new
            self._told.counted(chosen[number].item.bytes)
        self.nulls = sum(one.nulls for one in facts.values())
        sources = self._given.names
        if sources is None:
            sources = tuple(dict.fromkeys(name for number in range(len(facts)) for name in facts[number].sources))
        documents = sum(one.documents for one in facts.values())
        places = tuple(map(count.place, chosen))
        add_up = AddUp(self._folder, self._plan, self._splitting, places, sources, documents, self._prune)
        buckets = [Bucket(number, bucket_name(number, self._buckets)) for number in range(self._buckets)]
        added = dict[int, BucketFacts]()
        self._told.added(0, len(buckets))
        for number, bucket in engine.map(add_up, buckets):
            added[number] = bucket
            self._told.added(len(added), len(buckets))
        done = self._summed([added[number] for number in range(len(buckets))], sources, documents)
        write_contents(self._folder, done)
        self._tidy()
        return replace(done, counted=counted)

    def _chosen(self, engine: Engine) -> list[Chosen]:
        """The items, and what a sample takes of each."""
        options = self._given.options
        if options.sample is None:
            return [Chosen(item) for item in self._items]
        keys = dict[int, sampling.Keys]()
        find = FindKeys(self._folder, self._settings, options)
        for number, one in engine.map(find, self._items):
            keys[number] = one
            self._told.counted(self._items[number].bytes)
        parts = [keys[number] for number in range(len(keys))]
        taken = sampling.chosen(parts, options.sample)
        return [Chosen(*one) for one in zip(self._items, taken, (part.large for part in parts), strict=True)]

    def _summed(self, buckets: list[BucketFacts], sources: tuple[str, ...], documents: int) -> CountsFolder:
        longest = max(buckets, key=lambda bucket: bucket.longest_bytes)
        self.longest = (bytes.fromhex(longest.longest_begins), longest.longest_bytes)
        dropped = Dropped(
            sum(bucket.dropped_distinct for bucket in buckets),
            Fraction(sum(bucket.dropped_pretokens for bucket in buckets)),
            Fraction(sum(bucket.dropped_pair for bucket in buckets)),
        )
        return CountsFolder(
            path=self._folder.shown(""),
            sources=sources,
            documents=documents,
            distinct=sum(bucket.distinct for bucket in buckets),
            total=sum(bucket.pretokens for bucket in buckets),
            total_bytes=sum(bucket.bytes for bucket in buckets),
            dropped=dropped,
            buckets=self._buckets,
            plan=self._plan,
            items=len(self._items),
        )

    def _tidy(self) -> None:
        """Removes the items' files, which nobody needs any more."""
        for name in self._folder.names():
            if name.startswith(f"{ITEMS}/"):
                self._folder.remove(name)


def _settled(folder: Folder, asked: Mapping[str, object], total: int) -> tuple[str, int, int]:
    """The settings as they are written down, how large items are, and how many buckets there are.

    The latter two are of the work as it was begun: files may have changed since. Where nothing is done yet, other
    settings take the place of those that are there.
    """
    try:
        there = load(folder.read(SETTINGS)).object()
    except FileNotFoundError:
        strange = folder.names()
        if strange:
            raise _of_something_else(folder, strange[0]) from None
        there = _begun(folder, asked, total)
    except FormatError as problem:
        raise FormatError(f"`{folder.shown(SETTINGS)}`: {problem.message}", "count into another folder") from None
    sizes = {key: there.get(key) for key in ("item_bytes", "buckets")}
    if not sizes.keys() <= there.keys():
        raise _of_something_else(folder, SETTINGS)
    different = difference(there, json.loads(json.dumps({**asked, **sizes})))
    if different is not None and there.keys() == {*asked, *sizes} and folder.names() == [SETTINGS]:
        there, different = _begun(folder, asked, total), None
        sizes = {key: there[key] for key in sizes}
    if different is not None:
        raise TrainingError(
            f"the counts in `{folder.shown('')}` are made with other settings: {different}",
            "give the same settings as then, or name another folder",
        )
    numbers = [number for number in sizes.values() if isinstance(number, int) and number > 0]
    if len(numbers) != len(sizes):
        raise FormatError(f"`{folder.shown(SETTINGS)}` is damaged: {sizes}", "count into another folder")
    return json.dumps(there, sort_keys=True), numbers[0], numbers[1]


def _of_something_else(folder: Folder, name: str) -> TrainingError:
    return TrainingError(
        f"`{folder.shown('')}` is no folder of counts, and not empty: it holds `{name}`",
        "name a folder that is empty, or does not exist yet",
    )


def _begun(folder: Folder, asked: Mapping[str, object], total: int) -> dict[str, object]:
    """The settings of work that begins, written down."""
    size = size_for(total)
    settings = {**asked, "item_bytes": size, "buckets": _buckets(-(-total // size))}
    with folder.write(SETTINGS) as file:
        file.write(json.dumps(settings, indent=1).encode())
    return settings


def _buckets(items: int) -> int:
    """How many buckets there are for so many items: each has a row group for each.

    >>> [_buckets(items) for items in (1, 100, 10_000)]
    [8, 32, 256]
    """
    buckets = _FEWEST
    while buckets < _MOST and 4 * buckets < items:
        buckets *= 2
    return buckets


class _Told:
    """What `progress` is told."""

    def __init__(self, progress: Callback | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._began = time.monotonic()
        self._done = 0

    def counted(self, size: int = 0) -> None:
        """An item was read, of so many bytes; or none yet."""
        self._done += size
        self._tell("count", self._done, self._total)

    def added(self, done: int, total: int) -> None:
        """A bucket was added up, or none yet."""
        if done == 0:
            self._began = time.monotonic()
        self._tell("add up", done, total)

    def _tell(self, phase: Literal["count", "add up"], done: int, total: int) -> None:
        if self._progress is not None:
            seconds = time.monotonic() - self._began
            eta = seconds * (total - done) / done if done else None
            self._progress(Progress(phase, done, total, seconds=seconds, eta=eta))
