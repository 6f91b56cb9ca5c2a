"""The right ids: those of tiktoken for published vocabularies, of Hugging Face's tokenizers for the one trained here.

The reference runs the same job as everybody, without a budget, once; its digests are kept in the cache, under a name
made from all that they depend on, the code that cuts the texts included.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path

from benches.contestants import contestant
from benches.driver import processors, run
from benches.job import Job, Step
from benches.paths import CACHE

HERE = Path(__file__).resolve().parent
UNLIMITED = 1e9
LIMIT = 300.0
TRAINING = {"training", "interrupting"}
"""The workloads in which no ids come out; `verdicts` judges them."""


def judge(job: Job) -> str:
    """Whose ids count, or what else does."""
    if job.workload in TRAINING:
        return "a replay of the merges"
    return "tokenizers" if job.vocabulary.name == "own" else "tiktoken"


def steps(job: Job, limit: float = LIMIT) -> list[Step]:
    """What the reference answers to a job, each step within a limit of seconds: the names and digests are of use.

    Nothing where there are no right ids, as in training.
    """
    if job.workload in TRAINING:
        return []
    name = judge(job)
    asked = replace(job, contestant=name, cores=tuple(processors()[:1]), threads=1, budget=UNLIMITED)
    sources = [HERE / "workloads" / f"{job.workload}.py", HERE / "corpus.py", HERE / "timing.py"]
    files = [_content(path) for path in (job.vocabulary.ranks, job.text, *map(str, sources))]
    parts = [version(contestant(name).package), asked.to_json(), *files]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
    file = CACHE / "reference" / f"{key}.json"
    if file.is_file():
        return [Step(**step) for step in json.loads(file.read_text(encoding="utf-8"))]
    found = run(asked, limit, restart=bool(job.options.get("steps")))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([asdict(step) for step in found]), encoding="utf-8")
    return found


def _content(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
