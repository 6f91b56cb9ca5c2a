"""`train`: files, texts or counts -> a tokenizer.

The idea: whatever is given becomes one `PretokenCounts`, weighed; `start` says how text is cut, and `learn` makes
merges of the counts. With a checkpoint, what is counted and learned is also written down as it comes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal

from bytepair.checkpoint import opened
from bytepair.counts.count import count, warn_of_huge, warn_of_memory
from bytepair.counts.mapping import CountsMapping
from bytepair.counts.pretoken_counts import PretokenCounts
from bytepair.counts.splitting import Splitting, checked_text
from bytepair.counts.weights import Weight, common, for_sources, plain
from bytepair.data.characters import Errors
from bytepair.data.corpus import Corpus, corpus
from bytepair.data.formats import Layout
from bytepair.data.options import Options, Reading
from bytepair.data.places import Files
from bytepair.data.sources import Texts
from bytepair.integers import checked_integer, processors
from bytepair.patterns import DEFAULT
from bytepair.progress import Callback
from bytepair.tokenizer import Tokenizer
from bytepair.training.balance import Balance, Turns
from bytepair.training.learn import Goal, Ties, learn, needed
from bytepair.training.start import cut, given_counts, seeded

if TYPE_CHECKING:
    from bytepair.checkpoint.directory import Checkpoint

__all__ = ["train"]


def train(
    *,
    files: Files | Mapping[str, Files] | None = None,
    texts: Texts | Mapping[str, Texts] | None = None,
    counts: PretokenCounts | CountsMapping | None = None,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    pattern: str | None = DEFAULT,
    special_tokens: Sequence[str] = (),
    ties: Ties = "lowest",
    min_count: int = 1,
    max_token_bytes: int | None = None,
    whole_characters: bool = False,
    seed_tokens: Sequence[str | bytes] = (),
    base: Tokenizer | None = None,
    weights: Mapping[str, Weight] | None = None,
    balance: Balance | None = None,
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
) -> Tokenizer:
    r"""Trains a tokenizer. The same text and settings give the same tokenizer, whatever the number of threads.

    Args:
        files: a path, a glob, an open file, or a list of them: plain text (each file is one document), JSON lines or
            Parquet, compressed or not. Or a mapping from the names of sources to such files.
        texts: an iterable of str or bytes, each one document; it is read once, a few megabytes at a time. Or a mapping
            from the names of sources to such iterables.
        counts: pretokens and how often each occurs: a mapping, or what `count_pretokens` and `load_counts` give, which
            says how text is cut. Exactly one of `files`, `texts` and `counts` is given.
        vocab_size: stop at this many tokens: base symbols, merges and special tokens together, those of `base` too.
        num_merges: stop at this many new merges. Exactly one of `vocab_size` and `num_merges` is given.
        pattern: a preset's name, a regular expression, or None for text that is not cut. With characters, words are
            what stands between white space, and no pattern may be given.
        special_tokens: tokens that text never makes; in their order they take the ids after the last merge. In the
            training text, and in pretokens of `counts`, they are boundaries, and nothing is learned from them.
        ties: which of equally frequent pairs is merged. "lowest": the smallest (left id, right id). "first": the one
            that comes first in the text. "huggingface": as "lowest", with bytes in the order of Hugging Face's
            alphabet. "greatest": the greatest pair, compared as text or bytes.
        min_count: stop when the most frequent pair occurs less often than this. With weights, counts are weighted, and
            1 is no limit.
        max_token_bytes: make no token longer than this.
        whole_characters: make no token that joins a whole character and a part of another one.
        seed_tokens: texts that become tokens in any case, before anything is learned from the counts; later merges may
            use them.
        base: a tokenizer that is continued: all its ids and merges stay, new tokens take the ids after its highest one.
            It says how text is cut.
        weights: what the counts of each named source are multiplied by; 1 where none is given. Exact: a float means
            the decimal that it is written as.
        balance: the sources are languages that take turns to choose, so that the same text costs about the same in
            each: `Balance`.
        alphabet: what tokens are made of, "bytes" or "characters".
        end_of_word: a mark for the end of each word, such as "</w>"; characters only.
        end_of_word_joined: the mark is joined to the last character, and is no symbol of its own.
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
        progress: called after each batch of text and after each merge.

    Returns:
        The tokenizer. Its `training` says how it was trained, with each merge's count.

    Raises:
        TrainingError: a vocabulary smaller than the alphabet, counts too large, settings that contradict the counts or
            the base, a checkpoint that is there already or was made with something else.
        TextError: texts that are not what they are said to be; the place is named.
        FormatError: a checkpoint that is damaged.
        PatternError: a pattern that cannot be used.
        SpecialTokenError: special tokens that are empty or stand twice.
        FileNotFoundError, IsADirectoryError: files that are not there.
        TypeError: arguments of other types; it names the item. Special tokens in a set have no order, and in a mapping
            ids of their own: both are refused.
        ValueError: a setting that is none of its values; a number out of its range.

    Warns:
        TrainingWarning: there was too little text for the size that was asked for; the pattern leaves pretokens of
            64 KB or more.
        TextWarning: rows without a text were left out.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest", "newest widest"], vocab_size=260)
    >>> [tok.bytes_of(id) for id in range(256, 260)]
    [b'es', b'lo', b'est', b'low']
    >>> tok.training.counts
    (3, 3, 3, 3)
    """
    _check_one(files=files, texts=texts, counts=counts)
    goal = _goal(
        vocab_size=vocab_size,
        num_merges=num_merges,
        ties=ties,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        whole_characters=whole_characters,
    )
    workers = processors(threads)
    splitting = cut(
        counts,
        base,
        pattern=pattern,
        special_tokens=special_tokens,
        alphabet=alphabet,
        end_of_word=end_of_word,
        end_of_word_joined=end_of_word_joined,
    )
    splitting.table()  # raises what is wrong with the pattern, before anything is read
    seeds = seeded(seed_tokens, splitting)
    reading: Reading = {
        "format": format,
        "text_field": text_field,
        "source_field": source_field,
        "separator": separator,
        "errors": errors,
        "sample": sample,
        "seed": seed,
    }
    turns = None if balance is None else Turns(balance, splitting, ties)
    given, names = _given(counts, splitting, {"files": files, "texts": texts}, reading)
    if weights is not None and names is not None:
        common(for_sources(weights, names))
    if turns is not None and names is not None:
        turns.check(names)
    settings = {
        **goal.plain(),
        **splitting.plain(),
        "seed_tokens": [seed.hex() for seed in seeds],
        "base": None if base is None else base.fingerprint,
        "weights": None if weights is None else plain(weights),
        "balance": None if turns is None else turns.plain(),
    }
    if checkpoint is not None:  # a digest takes time
        settings |= given.plain() if isinstance(given, Corpus) else {"counts": given.digest}
    with opened(checkpoint, settings, resume=resume) as work:
        found = _counted(given, splitting, workers, progress, work)
        warn_of_huge(found)
        if weights is not None:
            found = found.weigh(weights)
        learned = learn(
            found,
            splitting=splitting,
            goal=goal,
            seeds=seeds,
            base=base,
            turns=turns,
            progress=progress,
            checkpoint=work,
            are_used_up=counts is None,
        )
    template = None if base is None else base._engine.post_processor  # noqa: SLF001 - for this package's own use
    return learned if template is None else Tokenizer.from_parts(replace(learned.parts, post_processor=template))


def _check_one(**given: object) -> None:
    """Exactly one of these arguments."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        got = " and ".join(names) or "none"
        raise TypeError(f"got {got} of {', '.join(given)}\nhint: give exactly one of them")


def _goal(
    *,
    vocab_size: int | None,
    num_merges: int | None,
    ties: Ties,
    min_count: int,
    max_token_bytes: int | None,
    whole_characters: bool,
) -> Goal:
    """What is to be learned, checked."""
    _check_one(vocab_size=vocab_size, num_merges=num_merges)
    checked_text("ties", ties)
    return Goal(
        vocab_size=None if vocab_size is None else checked_integer("vocab_size", vocab_size, 1),
        num_merges=None if num_merges is None else checked_integer("num_merges", num_merges, 0),
        ties=ties,
        min_count=checked_integer("min_count", min_count, 0),
        max_token_bytes=None if max_token_bytes is None else checked_integer("max_token_bytes", max_token_bytes, 1),
        whole_characters=bool(whole_characters),
    )


def _given(
    counts: PretokenCounts | CountsMapping | None,
    splitting: Splitting,
    source: Mapping[str, Any],
    reading: Reading,
) -> tuple[Corpus | PretokenCounts, tuple[str, ...] | None]:
    """What is to be counted, or was; and the names of the sources, None where only the rows will tell."""
    if counts is None:
        given = corpus(**source, **reading)
        return given, given.names or (() if reading["source_field"] is None else None)
    for option in fields(Options):
        name = option.name
        if reading.get(name, option.default) != option.default:
            raise TypeError(f"{name} says how texts are read, but counts are given\nhint: leave `{name}` out")
    known = given_counts(counts, splitting)
    return known, known.sources


def _counted(
    given: Corpus | PretokenCounts,
    splitting: Splitting,
    threads: int,
    progress: Callback | None,
    checkpoint: Checkpoint | None,
) -> PretokenCounts:
    if isinstance(given, PretokenCounts):
        warn_of_memory(needed(given.table, are_used_up=False))
        return given
    return count(given, splitting, threads=threads, progress=progress, checkpoint=checkpoint, trains=True)
