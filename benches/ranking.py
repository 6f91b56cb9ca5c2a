"""Whose ids are right, and who is how fast.

The ids of a step are right if their digests are those of the reference, as far as both go. A contestant with other ids
has no place in the ranking of that step, however fast it is. A ratio is taken within a round, between runs that were
neighbours in time, and the median of these ratios is the figure; their least and greatest say how far it can be trusted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median

from benches.driver import Results
from benches.job import Step


@dataclass(frozen=True)
class Standing:
    """How one contestant did in one step, in costs (seconds of processor time per unit) and against `ours`.

    `ratio` is its cost over ours: above 1, we are faster. `refused` says why it has no rank.
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


def standings(results: Results, step: str, reference: list[Step], ours: str = "bytepair") -> list[Standing]:
    """All contestants in a step: those with a rank first, the cheapest first."""
    truth = _truth(results, step, reference)
    our_runs = results.get(ours, {}).get(step, [])
    found = [_standing(name, runs.get(step, runs.get("", [])), our_runs, truth) for name, runs in results.items()]
    return sorted(found, key=lambda one: (bool(one.refused), one.cost, one.name))


def best_peer(found: list[Standing], ours: str = "bytepair") -> Standing | None:
    """The fastest that has a rank and is not ours."""
    return next((one for one in found if one.name != ours and not one.refused), None)


def _truth(results: Results, step: str, reference: list[Step]) -> list[str]:
    """The digests that are right: the reference's, or, where it has none, those that most contestants share."""
    for run in reference:
        if run.name == step and run.digests:
            return run.digests
    votes = Counter(
        tuple(runs[step][0].digests) for runs in results.values() if step in runs and runs[step][0].digests
    )
    return list(votes.most_common(1)[0][0]) if votes else []


def _standing(name: str, runs: list[Step], our_runs: list[Step], truth: list[str]) -> Standing:
    if not runs:
        return Standing(name, refused="no figure")
    for run in runs:
        if run.error:
            return Standing(name, refused=run.error)
        wrong = next((i for i, (is_, right) in enumerate(zip(run.digests, truth, strict=False)) if is_ != right), None)
        if wrong is not None:
            return Standing(name, refused=f"ids differ from the reference's (batch {wrong})")
    ratios = [
        run.cost / our.cost for run, our in zip(runs, our_runs, strict=False) if not our.error and our.cost > 0
    ]
    return Standing(
        name,
        cost=median(run.cost for run in runs),
        wall=median(run.wall / run.amount if run.unit != "value" else run.amount for run in runs),
        unit=runs[0].unit,
        runs=len(runs),
        ratio=median(ratios) if ratios else 0.0,
        low=min(ratios, default=0.0),
        high=max(ratios, default=0.0),
    )
