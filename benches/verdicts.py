"""Judges the merges of a contest in training: each list that came out is replayed once, and what was found is kept.

Who merged a pair that was not the commonest has no rank in that step. Those that cut text in a way of their own cannot
be judged; they keep their rank, and the notes say so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from benches import pretokens
from benches.contest import Training
from benches.contestants import contestant
from benches.job import Job, Results, Step
from benches.paths import CACHE
from benches.replay import Verdict, replay
from benches.workloads.training import MEMORY, kept, training

HERE = Path(__file__).resolve().parent
SOURCES = ("replay.py", "pretokens.py")


def judged(job: Job, results: Results, say: Callable[[str], None]) -> tuple[Results, dict[str, dict[str, str]]]:
    """The results with the wrong ones refused, and for each step what the replay said of each contestant."""
    notes: dict[str, dict[str, str]] = {}
    found: Results = {}
    counts = _Counts()
    for name, steps in results.items():
        found[name] = {}
        for step, runs in steps.items():
            found[name][step] = [_judged(job, name, run, counts, say) for run in runs]
            note = _note(name, runs, [one for one in found[name][step] if one.merges], job, counts)
            if note and not step.endswith(MEMORY):
                notes.setdefault(step, {})[name] = note
    return found, notes


class _Counts:
    """The pretokens that were counted last, and verdicts."""

    def __init__(self) -> None:
        self.asked: tuple[Training, str] | None = None
        self.words: dict[bytes, int] = {}

    def verdict(self, job: Job, step: str, documents: str, merges: str) -> Verdict:
        """What a replay says of a list of merges, from the cache if it is there."""
        asked = training(job, step)
        about = [merges, documents, _digest(Path(job.text)), json.dumps(job.options["steps"][step]), asked.pattern]
        key = hashlib.sha256("\n".join([*about, *asked.specials, *(_digest(HERE / name) for name in SOURCES)]).encode())
        file = CACHE / "replays" / f"{key.hexdigest()[:32]}.json"
        if file.is_file():
            fields = json.loads(file.read_text(encoding="utf-8"))
            return Verdict(**fields | {"rules": tuple(fields["rules"])})
        if self.asked != (asked, documents):
            self.words, self.asked = pretokens.counted(asked, documents), (asked, documents)
        verdict = replay(self.words, kept(merges))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(verdict)), encoding="utf-8")
        return verdict


def _judged(job: Job, name: str, run: Step, counts: _Counts, say: Callable[[str], None]) -> Step:
    documents = contestant(name).documents
    if run.error or not run.merges or documents == "its own":
        return run
    say(f"{name}: replaying its merges")
    verdict = counts.verdict(job, run.name.removesuffix(MEMORY), documents, run.merges)
    return replace(run, error=str(verdict)) if verdict.wrong else run


def _note(name: str, runs: list[Step], merged: list[Step], job: Job, counts: _Counts) -> str:
    documents = contestant(name).documents
    if not merged:
        return "" if all(run.error for run in runs) else "merges not judged: it cuts text in its own way"
    verdict = counts.verdict(job, merged[0].name.removesuffix(MEMORY), documents, merged[0].merges)
    return f"{verdict}; documents: {documents}s"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
