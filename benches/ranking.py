"""Whose ids are right, and who is how fast.

The ids of a step are right if their digests are those of the reference, as far as both go. A contestant with other ids
in any step of a contest has no place in the whole contest, however fast it is. A ratio is taken within a round, between
runs that were neighbours in time; the median of these ratios is the figure, and their least and greatest say how far it
can be trusted. A reference that fails on a step leaves that step to the agreement of those who were right elsewhere.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median

from benches.job import AMOUNTS, CHECK, Results, Step

OURS = "bytepair"


@dataclass(frozen=True)
class Standing:
    """How one contestant did in one step.

    Attributes:
        name: the contestant.
        cost: seconds of processor time a unit (or the amount, where the unit is "value"): the median of the runs.
        wall: seconds on the wall a unit, likewise.
        unit: what `cost` is for.
        runs: how many there were.
        ratio: its cost over ours, the median over the rounds; above 1, we are faster.
        low, high: the least and the greatest of these ratios.
        refused: why it has no rank; then there are no figures.
    """

    name: str
    cost: float = 0.0
    wall: float = 0.0
    unit: str = ""
    runs: int = 0
    ratio: float = 0.0
    low: float = 0.0
    high: float = 0.0
    refused: str = ""


def rank(results: Results, reference: list[Step], ours: str = OURS) -> dict[str, list[Standing]]:
    """All contestants in each step: those with a rank first, the cheapest first."""
    names = list(dict.fromkeys(step for runs in results.values() for step in runs if step))
    truths = {step.name: step.digests for step in reference if step.digests}
    refused = {name: _refusal(runs, truths) for name, runs in results.items()}
    agreed = {step: _agreed(results, step, refused) for step in names if step not in truths}
    refused = {name: reason or _refusal(results[name], agreed) for name, reason in refused.items()}
    table = {}
    for step in (name for name in names if name != CHECK):
        our_runs = results.get(ours, {}).get(step, [])
        found = [_standing(name, runs, step, our_runs, refused[name]) for name, runs in results.items()]
        table[step] = sorted(found, key=lambda one: (bool(one.refused), one.cost, one.name))
    return table


def best_peer(found: list[Standing], ours: str = OURS) -> Standing | None:
    """The fastest that has a rank and is not ours."""
    return next((one for one in found if one.name != ours and not one.refused), None)


def _agreed(results: Results, step: str, refused: dict[str, str]) -> list[str]:
    """Where the reference has no answer: the digests on which most agree of those that were right where it has one."""
    runs = [steps[step][0] for name, steps in results.items() if step in steps and not refused[name]]
    votes = Counter(tuple(run.digests) for run in runs if run.digests)
    return list(votes.most_common(1)[0][0]) if votes else []


def _refusal(runs: dict[str, list[Step]], truths: dict[str, list[str]]) -> str:
    """Why a contestant is refused in the whole contest: wrong ids in any step of any round."""
    for step, truth in truths.items():
        for run in runs.get(step, []):
            if any(is_ != right for is_, right in zip(run.digests, truth, strict=False)):
                return f"wrong ids in `{step}`"
    return ""


def _standing(name: str, steps: dict[str, list[Step]], step: str, our_runs: list[Step], refused: str) -> Standing:
    runs = steps.get(step, steps.get("", []))
    error = refused or ("no figure" if not runs else next((run.error for run in runs if run.error), ""))
    if error:
        return Standing(name, refused=error)
    ratios = [run.cost / our.cost for run, our in zip(runs, our_runs, strict=False) if not our.error and our.cost > 0]
    return Standing(
        name,
        cost=median(run.cost for run in runs),
        wall=median(run.amount if run.unit in AMOUNTS else run.wall / run.amount for run in runs),
        unit=runs[0].unit,
        runs=len(runs),
        ratio=median(ratios) if ratios else 0.0,
        low=min(ratios, default=0.0),
        high=max(ratios, default=0.0),
    )
