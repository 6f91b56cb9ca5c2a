"""The record of a run: what was measured, where, with which versions, by which command; JSON, for people and tests."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benches.contestants import contestant
from benches.driver import Contest, processors
from benches.paths import ROOT
from benches.ranking import Standing

FIGURES = 4
SHOWN_FLAGS = (
    "sse4_2",
    "avx2",
    "bmi2",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512vbmi",
    "avx512_vbmi2",
    "neon",
    "asimd",
)
Record = dict[str, Any]
Notes = dict[str, dict[str, str]]
"""step -> contestant -> what is to be known."""


def new(extent: str, command: list[str]) -> Record:
    """A record without contests."""
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "extent": extent,
        "command": " ".join(command),
        "texts": "the folder that BYTEPAIR_CORPORA names" if os.environ.get("BYTEPAIR_CORPORA") else "shipped",
        "commit": _commit(),
        "machine": machine(),
        "versions": {},
        "settings": {},
        "contests": {},
    }


def add(
    record: Record, contest: Contest, ranked: dict[str, list[Standing]], reference: str, notes: Notes | None = None
) -> None:
    """Puts the outcome of a contest into a record; notes say of a contestant in a step what its figures do not."""
    for name in contest.contestants:
        adapter = contestant(name)
        record["versions"][name] = _version(adapter.package)
        record["settings"][name] = adapter.settings
    steps = {step: [_plain(one) for one in found] for step, found in ranked.items()}
    job = contest.job
    about = {"threads": job.threads, "ids of": reference, "options": {**job.options, "steps": len(steps)}}
    size = Path(job.text).stat().st_size if job.text else 0
    at = {key: record[key] for key in ("date", "commit", "command")}
    noted = {"notes": notes} if notes else {}
    record["contests"][contest.name] = {**at, **about, "text": size, **noted, "steps": steps}


def continued(record: Record, older: Record) -> Record:
    """A new record that also holds what an older one has; each contest says when, how and with which commit."""
    return record | {key: older[key] | record[key] for key in ("versions", "settings", "contests")}


def write(record: Record, path: Path) -> None:
    """A line for each contestant's figures, so that two records can be compared by eye."""
    path.parent.mkdir(parents=True, exist_ok=True)
    contests = record["contests"]
    head = json.dumps({**record, "contests": {}}, indent=1, ensure_ascii=False).removesuffix("{}\n}")
    path.write_text(head + _lines(contests) + "\n}\n", encoding="utf-8")


def _lines(value: Any, depth: int = 1) -> str:
    """JSON in which what holds no other objects stands on one line."""
    if isinstance(value, dict) and any(isinstance(inner, (dict, list)) for inner in value.values()):
        inner = ",\n".join(
            f"{' ' * (depth + 1)}{json.dumps(key)}: {_lines(of, depth + 1)}" for key, of in value.items()
        )
        return f"{{\n{inner}\n{' ' * depth}}}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"{' ' * (depth + 1)}{json.dumps(one)}" for one in value) + f"\n{' ' * depth}]"
    return json.dumps(value, ensure_ascii=False)


def read(path: Path) -> Record:
    """A record from its file."""
    record: Record = json.loads(path.read_text(encoding="utf-8"))
    return record


def standings(record: Record, contest: str, step: str) -> list[Standing]:
    """The standings of a step in a record; none if it was not measured."""
    rows = record["contests"].get(contest, {}).get("steps", {}).get(step, [])
    return [Standing(**row) for row in rows]


def machine() -> dict[str, Any]:
    """What ran: processor, its vector instructions, how many processors, system and Python."""
    info = _cpuinfo()
    flags = set(info.get("flags", info.get("Features", "")).split())
    return {
        "processor": info.get("model name", platform.processor() or platform.machine()),
        "family and model": f"{info.get('cpu family', '?')}/{info.get('model', '?')}",
        "flags": " ".join(flag for flag in SHOWN_FLAGS if flag in flags),
        "processors": len(processors()),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _plain(one: Standing) -> dict[str, Any]:
    """A standing without what says nothing, figures short."""
    kept = {key: value for key, value in asdict(one).items() if value}
    return {key: float(f"{value:.{FIGURES}g}") if isinstance(value, float) else value for key, value in kept.items()}


def _cpuinfo() -> dict[str, str]:
    try:
        lines: Iterable[str] = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        module = sys.modules.get(package)
        return str(getattr(module, "__version__", "not installed"))
