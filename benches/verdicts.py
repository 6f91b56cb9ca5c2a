"""Judges the merges of a contest in training: each list that came out is replayed once, and what was found is kept.

Who merged a pair that was not the commonest has no rank in that step. Those that cut text in a way of their own cannot
be judged; they keep their rank, and the notes say so. A list that is the beginning of a right one is right; so the
longest of those that belong to the same pretokens is replayed first. What belongs to different pretokens is replayed
at the same time, a process each.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

from benches import pretokens
from benches.contestants import contestant
from benches.driver import processors
from benches.job import Job, Results, Step
from benches.paths import CACHE
from benches.replay import Verdict, replay
from benches.workloads.training import MEMORY, kept, training

HERE = Path(__file__).resolve().parent
SOURCES = ("replay.py", "pretokens.py")
Verdicts: TypeAlias = dict[tuple[str, str, str], Verdict]
"""step, documents, the name of a list of merges -> what a replay said."""


@dataclass
class Group:
    """Lists of merges that belong to the same pretokens.

    Attributes:
        job, step: a step with these pretokens.
        documents: what those of its text are.
        steps: all steps with these pretokens.
        lists: the names of the lists of merges.
    """

    job: Job
    step: str
    documents: str
    steps: set[str]
    lists: set[str]


def judged(job: Job, results: Results, say: Callable[[str], None]) -> tuple[Results, dict[str, dict[str, str]]]:
    """The results with the wrong ones refused, and for each step what the replay said of each contestant."""
    verdicts = _verdicts(job, results, say)
    found: Results = {}
    notes: dict[str, dict[str, str]] = {}
    for name, steps in results.items():
        documents = contestant(name).documents
        found[name] = {step: [_judged(run, documents, verdicts) for run in runs] for step, runs in steps.items()}
        for step, runs in steps.items():
            right = [verdicts[step, documents, run.merges] for run in runs if (step, documents, run.merges) in verdicts]
            if right:
                notes.setdefault(step, {})[name] = f"{right[0]}; documents: {documents}s"
            elif documents == "its own" and step in job.options.get("steps", {}) and not runs[0].error:
                notes.setdefault(step, {})[name] = "merges not judged: it cuts text in its own way"
    return found, notes


def _judged(run: Step, documents: str, verdicts: Verdicts) -> Step:
    verdict = verdicts.get((run.name.removesuffix(MEMORY), documents, run.merges))
    return replace(run, error=str(verdict)) if verdict and verdict.wrong else run


def _verdicts(job: Job, results: Results, say: Callable[[str], None]) -> Verdicts:
    groups = list(_groups(job, results).values())
    if not groups:
        return {}
    say(f"replaying {sum(len(group.lists) for group in groups)} lists of merges")
    with ProcessPoolExecutor(len(processors())) as pool:
        answers = list(pool.map(replayed, groups, [CACHE] * len(groups)))
    return {
        (step, group.documents, name): verdict
        for group, answer in zip(groups, answers, strict=True)
        for name, verdict in answer.items()
        for step in group.steps
    }


def _groups(job: Job, results: Results) -> dict[str, Group]:
    """The lists of merges to judge, by what their pretokens depend on."""
    groups: dict[str, Group] = {}
    for name, steps in results.items():
        documents = contestant(name).documents
        for step, run in ((step, run) for step, runs in steps.items() for run in runs if run.merges and not run.error):
            if documents == "its own" or step not in job.options["steps"]:
                continue
            asked = {key: value for key, value in job.options["steps"][step].items() if key != "size"}
            group = groups.setdefault(json.dumps([documents, asked]), Group(job, step, documents, set(), set()))
            group.steps.add(step)
            group.lists.add(run.merges)
    return groups


def replayed(group: Group, cache: Path) -> dict[str, Verdict]:
    """The verdict on each list of a group; from the cache if all are there."""
    asked = training(group.job, group.step)
    about = [
        _digest(Path(group.job.text)),
        group.documents,
        asked.pattern,
        str(len(asked.texts or "")),
        *asked.specials,
    ]
    key = hashlib.sha256("\n".join([*about, *(_digest(HERE / name) for name in SOURCES)]).encode()).hexdigest()[:32]
    files = {name: cache / "replays" / f"{key}-{name}.json" for name in group.lists}
    if not all(file.is_file() for file in files.values()):
        words = pretokens.counted(asked, group.documents)
        lists = {name: kept(name) for name in group.lists}
        right: dict[str, Verdict] = {}
        for name, merges in sorted(lists.items(), key=lambda item: -len(item[1])):
            longer = (verdict for one, verdict in right.items() if lists[one][: len(merges)] == merges)
            verdict = next(longer, None) or replay(words, merges)
            if not verdict.wrong:
                right[name] = verdict
            files[name].parent.mkdir(parents=True, exist_ok=True)
            files[name].write_text(json.dumps(asdict(verdict)), encoding="utf-8")
    return {name: _read(file) for name, file in files.items()}


def _read(file: Path) -> Verdict:
    fields = json.loads(file.read_text(encoding="utf-8"))
    return Verdict(**fields | {"rules": tuple(fields["rules"])})


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
