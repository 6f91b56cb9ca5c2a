"""`train`: files, texts or counts -> a tokenizer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from bytepair import _core
from bytepair.data.corpus import corpus
from bytepair.data.counted import Counts, counted
from bytepair.data.places import Files
from bytepair.data.sources import Texts
from bytepair.errors import SpecialTokenError, TrainingError, TrainingWarning
from bytepair.integers import checked_integer, processors
from bytepair.parts import MARK, Parts, TrainingRecord
from bytepair.patterns import DEFAULT, resolve
from bytepair.tokenizer import Tokenizer

__all__ = ["LearnedMerge", "Progress", "train"]

Ties = Literal["lowest", "first", "huggingface", "greatest"]


@dataclass(frozen=True, slots=True)
class LearnedMerge:
    """One merge, when it has just been learned."""

    rank: int
    """Its place among the merges, from 0."""
    left: bytes
    """What was on the left."""
    right: bytes
    """What was on the right."""
    token: bytes
    """What they make."""
    id: int
    """The token's id."""
    count: int
    """At how many positions the pair stood."""
    fired: int
    """How often it was replaced."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far training is; what `progress=` is called with."""

    phase: Literal["count", "merge"]
    """Counting pretokens, or learning merges."""
    done: int
    """Bytes (of `str`: characters) that were counted, or merges that were learned."""
    total: int | None
    """How many there will be; None if that is not known. Of merges: the most there can be."""
    merge: LearnedMerge | None = None
    """The merge that was just learned."""


def train(
    *,
    files: Files | None = None,
    texts: Texts | None = None,
    counts: Counts | None = None,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    pattern: str | None = DEFAULT,
    special_tokens: Sequence[str] = (),
    ties: Ties = "lowest",
    min_count: int = 1,
    max_token_bytes: int | None = None,
    alphabet: Literal["bytes", "characters"] = "bytes",
    end_of_word: str | None = None,
    end_of_word_joined: bool = False,
    threads: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Tokenizer:
    r"""Trains a tokenizer. The same text and settings give the same tokenizer, whatever the number of threads.

    Args:
        files: a path, a glob, an open file, or a list of them; each file is one document.
        texts: an iterable of str or bytes, each one document; it is read once, a few megabytes at a time.
        counts: pretokens and how often each occurs. Exactly one of `files`, `texts` and `counts` is given.
        vocab_size: stop at this many tokens: base symbols, merges and special tokens together.
        num_merges: stop at this many merges. Exactly one of `vocab_size` and `num_merges` is given.
        pattern: a preset's name, a regular expression, or None for text that is not cut. With characters, words are
            what stands between white space, and no pattern may be given.
        special_tokens: tokens that text never makes; in their order they take the ids after the last merge. In the
            training text, and in pretokens of `counts`, they are boundaries, and nothing is learned from them.
        ties: which of equally frequent pairs is merged. "lowest": the smallest (left id, right id). "first": the one
            that comes first in the text. "huggingface": as "lowest", with bytes in the order of Hugging Face's
            alphabet. "greatest": the greatest pair, compared as text or bytes.
        min_count: stop when the most frequent pair occurs less often than this.
        max_token_bytes: make no token longer than this.
        alphabet: what tokens are made of, "bytes" or "characters".
        end_of_word: a mark for the end of each word, such as "</w>"; characters only.
        end_of_word_joined: the mark is joined to the last character, and is no symbol of its own.
        threads: how many to use; None for as many as there are processors.
        progress: called after each batch of text and after each merge.

    Returns:
        The tokenizer. Its `training` says how it was trained, with each merge's count.

    Raises:
        TrainingError: a vocabulary smaller than the alphabet, or counts too large.
        PatternError: a pattern that cannot be used.
        SpecialTokenError: special tokens that are empty or stand twice.
        FileNotFoundError, IsADirectoryError: files that are not there.
        TypeError: arguments of other types; it names the item. Special tokens in a set have no order, and in a mapping
            ids of their own: both are refused.
        ValueError: a setting that is none of its values; a number out of its range.

    Warns:
        TrainingWarning: there was too little text for the size that was asked for.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest", "newest widest"], vocab_size=260)
    >>> [tok.bytes_of(id) for id in range(256, 260)]
    [b'es', b'lo', b'est', b'low']
    >>> tok.training.counts
    (3, 3, 3, 3)
    """
    _check_one(files=files, texts=texts, counts=counts)
    _check_one(vocab_size=vocab_size, num_merges=num_merges)
    vocab_size = None if vocab_size is None else checked_integer("vocab_size", vocab_size, 1)
    num_merges = None if num_merges is None else checked_integer("num_merges", num_merges, 0)
    if max_token_bytes is not None:
        max_token_bytes = checked_integer("max_token_bytes", max_token_bytes, 1)
    min_count = checked_integer("min_count", min_count, 0)
    workers = processors(threads)
    if alphabet == "characters" and pattern is DEFAULT:
        pattern = None
    for name, text in (
        ("ties", ties),
        ("alphabet", alphabet),
        ("end_of_word", "" if end_of_word is None else end_of_word),
    ):
        _check_text(name, text)
    # The parts' constructor checks the alphabet, the mark and the pattern.
    Parts(
        alphabet=alphabet,
        end_of_word=end_of_word,
        end_of_word_joined=end_of_word_joined,
        pattern=pattern,
        tokens=(),
        merges=(),
    )
    specials = _special_tokens(special_tokens)
    table = _core.Counts(resolve(pattern), alphabet, end_of_word, end_of_word_joined, specials)
    _count(table, files, texts, counts, threads=workers, progress=progress)
    goal = _goal(table, alphabet, vocab_size, len(specials))
    core, stopped, learned, fired = _core.train(
        table,
        tokens=goal,
        merges=num_merges,
        ties=ties,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        progress=_merge_progress(table, progress, goal, num_merges, end_of_word),
    )
    record = TrainingRecord(
        ties=ties,
        min_count=min_count,
        documents=table.documents,
        bytes=table.total_bytes,
        pretokens=table.total,
        distinct=table.distinct,
        stopped=stopped,
        counts=tuple(learned),
        fired=tuple(fired),
    )
    tokenizer = Tokenizer._from_core(core, record)  # noqa: SLF001 - for this package's own use
    if stopped != "goal":
        _warn(tokenizer, record, vocab_size, num_merges)
    return tokenizer


def _check_one(**given: object) -> None:
    """Exactly one of these arguments."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        got = " and ".join(names) or "none"
        raise TypeError(f"got {got} of {', '.join(given)}\nhint: give exactly one of them")


def _check_text(name: str, text: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{name} is of type `{type(text).__name__}`\nhint: it is a str")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{name} holds a surrogate: {text!r}\nhint: leave it out")


def _special_tokens(special_tokens: Sequence[str]) -> list[str]:
    """The special tokens as a list, checked."""
    if not isinstance(special_tokens, Sequence) or isinstance(special_tokens, (str, bytes, bytearray, memoryview)):
        raise _no_sequence(special_tokens)
    first: dict[str, int] = {}
    for index, token in enumerate(special_tokens):
        if not isinstance(token, str):
            raise TypeError(f"special_tokens[{index}] is of type `{type(token).__name__}`\nhint: each is a str")
        if not token:
            raise SpecialTokenError(f"special_tokens[{index}] is empty", "give it a text, or leave it out")
        if any("\ud800" <= character <= "\udfff" for character in token):
            raise SpecialTokenError(f"special_tokens[{index}] holds a surrogate: {token!r}", "leave it out")
        if token in first:
            raise SpecialTokenError(
                f"special_tokens[{index}] is {token!r}, and so is special_tokens[{first[token]}]",
                "leave one of the two out",
            )
        first[token] = index
    return list(first)


def _no_sequence(given: object) -> TypeError:
    kind = type(given).__name__
    if isinstance(given, str):
        return TypeError(f"special_tokens is one str, {given!r}\nhint: pass a list of tokens: [{given!r}]")
    if isinstance(given, Mapping):
        return TypeError(
            f"special_tokens is a `{kind}`, but training chooses the ids\n"
            "hint: pass a list of tokens; they take the ids after the last merge in its order"
        )
    if isinstance(given, AbstractSet):
        return TypeError(
            f"special_tokens is a `{kind}`, whose order may change from run to run, and with it the ids\n"
            "hint: pass a list of tokens, in the order of their ids"
        )
    return TypeError(f"special_tokens is of type `{kind}`\nhint: pass a list of tokens, in the order of their ids")


def _count(
    table: _core.Counts,
    files: Files | None,
    texts: Texts | None,
    counts: Counts | None,
    *,
    threads: int,
    progress: Callable[[Progress], object] | None,
) -> None:
    """Fills the table from the one source that is given."""
    if counts is not None:
        for pretoken, count in counted(counts):
            table.add(pretoken, count)
        return
    texts_or_files = corpus(files=files, texts=texts)
    done = 0
    for batch in texts_or_files.documents():
        table.add_documents(batch.documents, threads, batch.name)
        done += batch.size
        if progress is not None:
            progress(Progress("count", done, texts_or_files.total))
        del batch  # or two batches would be held while the next one is collected


def _goal(table: _core.Counts, alphabet: str, vocab_size: int | None, specials: int) -> int | None:
    """The goal in tokens that are not special."""
    if vocab_size is None:
        return None
    base = 256 if alphabet == "bytes" else len(table.symbols())
    if vocab_size < base + specials:
        also = f" and {specials} special tokens" if specials else ""
        kind = "bytes" if alphabet == "bytes" else "characters"
        raise TrainingError(
            f"vocab_size is {vocab_size}, but the alphabet alone has {base} {kind}{also}",
            f"ask for at least {base + specials}",
        )
    return vocab_size - specials


def _merge_progress(
    table: _core.Counts,
    progress: Callable[[Progress], object] | None,
    goal: int | None,
    num_merges: int | None,
    end_of_word: str | None,
) -> Callable[[int, int, int, int, int, int], None] | None:
    """What the engine calls after each merge."""
    if progress is None:
        return None
    mark = (end_of_word or "").encode()
    contents = {id: symbol.replace(MARK, mark) if mark else symbol for id, symbol in enumerate(table.symbols())}
    total = num_merges if goal is None else goal - len(contents)

    def tell(rank: int, left: int, right: int, id: int, count: int, fired: int) -> None:  # noqa: PLR0917 - as the engine calls it
        contents[id] = contents[left] + contents[right]
        merge = LearnedMerge(rank, contents[left], contents[right], contents[id], id, count, fired)
        progress(Progress("merge", rank + 1, total, merge))

    return tell


def _warn(tokenizer: Tokenizer, record: TrainingRecord, vocab_size: int | None, num_merges: int | None) -> None:
    merges = len(record.counts)
    if record.stopped == "no pairs":
        why, hint = "no pair is left", "give more text, or ask for less"
    else:
        why = f"no pair occurs {record.min_count} times"
        hint = "give more text, ask for less, or lower min_count"
    reached = (
        f"{len(tokenizer)} tokens of {vocab_size}" if vocab_size is not None else f"{merges} merges of {num_merges}"
    )
    warnings.warn(f"training stopped at {reached}: {why}\nhint: {hint}", TrainingWarning, stacklevel=3)
