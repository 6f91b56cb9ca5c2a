"""The contests in training, and how much of them a short and a full run takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from benches import training_texts
from benches.contest import Vocabulary
from benches.contestants import ANY_PATTERN_TRAINERS, TRAINERS
from benches.driver import Contest
from benches.job import Job
from benches.patterns import GPT2, OWN, STORY
from benches.ranking import OURS

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
        distinct, tales: bytes of the text that is all different words, and of the short documents.
        much: bytes of the text that memory is measured on.
    """

    rounds: int
    limit: float
    distinct: int
    tales: int
    much: int


SHORT = TrainingExtent(3, 25.0, 20 * MEGABYTE, 20 * MEGABYTE, 1000 * MEGABYTE)
FULL = TrainingExtent(7, 300.0, 100 * MEGABYTE, 80 * MEGABYTE, 2000 * MEGABYTE)


Made = Callable[[], Contest]


def contests(extent: TrainingExtent) -> Iterator[tuple[str, Made]]:
    """All contests in training: their names, and what prepares their texts and makes them."""
    small: dict[str, Any] = {"size": SMALL}
    english = {
        "32k": small,
        "100k": {"size": LARGE},
        "own pattern": {"size": SMALL, "pattern": OWN},
        "1 MB strings": {"size": SMALL, "piece": MEGABYTE},
        "200 B strings": {"size": SMALL, "piece": 200},
    }
    texts = {
        "en": (WHOLE, english, 1),
        "en/two": (WHOLE, {"32k": small}, 2),
        "code": (WHOLE, {"32k": small}, 1),
        "multi": (WHOLE, {"32k": small}, 1),
        "cjk": (WHOLE, {"32k": small}, 1),
        "one_line": (WHOLE, {"32k": small}, 1),
        "one_word": (WORD, {"32k": small}, 1),
        "distinct": (extent.distinct, {"32k": small}, 1),
    }
    for name, (size, steps, threads) in texts.items():
        yield f"train/{name}", partial(_contest, f"train/{name}", size, steps, extent, threads)
    yield "train/short", partial(_tales, extent)
    yield "train/memory", partial(_memory, extent)
    yield "train/interrupt", partial(_interrupted, extent)


def _contest(name: str, size: int, steps: dict[str, Any], extent: TrainingExtent, threads: int) -> Contest:
    text = training_texts.prepare(name.split("/")[1], size)
    job = Job("", "training", _cut_by(GPT2, "gpt2"), str(text), threads=threads, options={"steps": steps})
    return Contest(name, job, TRAINERS, extent.rounds, extent.limit, apart=True)


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
    job = Job("", "training", _cut_by(GPT2, "gpt2"), str(text), options={"steps": {"32k": {"size": SMALL}}})
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
