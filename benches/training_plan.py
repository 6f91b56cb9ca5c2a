"""The contests in training, and how much of them a short and a full run takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from benches import training_texts
from benches.contest import Vocabulary
from benches.contestants import ANY_PATTERN_TRAINERS, TRAINERS
from benches.driver import Contest
from benches.job import Job
from benches.patterns import GPT2, OWN, STORY
from benches.ranking import OURS

Steps: TypeAlias = dict[str, dict[str, Any]]
"""The steps of a contest, and what each asks for, as `workloads/training.py` reads it."""

MEGABYTE = 1_000_000
WHOLE = 80 * MEGABYTE
SMALL, LARGE = 32_768, 100_000
WORD = 5 * MEGABYTE
DISTINCT_SHARE = 400
"""Of English, so many bytes bring a different word."""


@dataclass(frozen=True)
class TrainingExtent:
    """How much a run takes.

    Attributes:
        rounds: of each contest, for those near the front.
        limit: seconds that a training may take.
        trainers: who takes part where it is about the fastest alone.
        callers: who trains from strings.
        distinct, tales: bytes of the text that is all different words, and of the short documents.
        much: bytes of the text that memory is measured on.
    """

    rounds: int
    limit: float
    trainers: tuple[str, ...]
    callers: tuple[str, ...]
    distinct: int
    tales: int
    much: int


SHORT = TrainingExtent(
    3,
    25.0,
    (OURS, "gigabpe", "gigatoken", "rustbpe"),
    (OURS, "rustbpe"),
    20 * MEGABYTE,
    20 * MEGABYTE,
    1000 * MEGABYTE,
)
FULL = TrainingExtent(7, 300.0, TRAINERS, ANY_PATTERN_TRAINERS, 100 * MEGABYTE, 80 * MEGABYTE, 2000 * MEGABYTE)


def contests(extent: TrainingExtent) -> Iterator[tuple[str, Callable[[], Contest]]]:
    """All contests in training: their names, and what prepares their texts and makes them."""
    small: Steps = {"32k": {"size": SMALL}}
    english = small | {"100k": {"size": LARGE}, "own pattern": {"size": SMALL, "pattern": OWN}}
    strings = {
        "file": {"size": SMALL},
        "1 MB strings": {"size": SMALL, "piece": MEGABYTE},
        "200 B strings": {"size": SMALL, "piece": 200},
    }
    fastest, callers = extent.trainers, extent.callers
    for name, kind, size, steps, contestants in (
        ("en", "en", WHOLE, english, TRAINERS),
        ("two", "en", WHOLE, small, (*fastest, "tokenizers")),
        ("strings", "en", WHOLE, strings, callers),
        ("code", "code", WHOLE, small, TRAINERS),
        ("multi", "multi", WHOLE, small, fastest),
        ("cjk", "cjk", WHOLE, small, fastest),
        ("one_line", "one_line", WHOLE, small, fastest),
        ("one_word", "one_word", WORD, small, TRAINERS),
        ("distinct", "distinct", extent.distinct, small, fastest),
    ):
        yield f"train/{name}", partial(_contest, f"train/{name}", (kind, size), steps, contestants, extent)
    yield "train/short", partial(_tales, extent)
    yield "train/memory", partial(_memory, extent)
    yield "train/interrupt", partial(_interrupted, extent)


def _contest(
    name: str, text: tuple[str, int], steps: Steps, contestants: tuple[str, ...], extent: TrainingExtent
) -> Contest:
    path = training_texts.prepare(*text)
    threads = 2 if name == "train/two" else 1
    job = Job("", "training", _cut_by(GPT2, "gpt2"), str(path), threads=threads, options={"steps": steps})
    return Contest(name, job, tuple(dict.fromkeys(contestants)), extent.rounds, extent.limit, apart=True)


def _tales(extent: TrainingExtent) -> Contest:
    """The settings of a tokenizer for short stories, whose makers trained it in plain Python."""
    text = training_texts.prepare("short", extent.tales)
    pattern = _cut_by(STORY, STORY, ("<|endoftext|>", "<|user|>", "<|assistant|>", "<|end|>"))
    job = Job("", "training", pattern, str(text), options={"steps": {"8k": {"size": 8_192}}})
    contestants = (*ANY_PATTERN_TRAINERS, "plain_python")
    return Contest("train/short", job, contestants, extent.rounds, 4 * extent.limit, apart=True)


def _memory(extent: TrainingExtent) -> Contest:
    """A gigabyte of English, made from what there is."""
    text = training_texts.enlarged(training_texts.prepare("en", WHOLE), WHOLE // DISTINCT_SHARE, extent.much)
    steps = {"32k": {"size": SMALL, "judged": False, "table": True}}
    job = Job("", "training", _cut_by(GPT2, "gpt2"), str(text), options={"steps": steps})
    return Contest("train/memory", job, ("bytepair", "gigabpe"), 1, 4 * extent.limit, apart=True)


def _interrupted(extent: TrainingExtent) -> Contest:
    """Many different words, so that laying them out and merging take as long as counting."""
    text = training_texts.prepare("distinct", extent.distinct)
    steps = {"file": {"size": SMALL}, "200 B strings": {"size": SMALL, "piece": 200}}
    job = Job("", "interrupting", _cut_by(GPT2, "gpt2"), str(text), options={"steps": steps})
    return Contest("train/interrupt", job, (OURS,), 1, 20 * extent.limit, apart=True)


def _cut_by(pattern: str, preset: str, specials: Sequence[str] = ()) -> Vocabulary:
    """A pattern and special tokens, of which a vocabulary is to be made."""
    ids = {special: number for number, special in enumerate(specials)}
    return Vocabulary("", None, "", "", pattern, preset, ids)
