"""The targets, row by row, beside what a record holds: `targets.toml` read, its braces multiplied out, and judged."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benches.driver import time_limit
from benches.job import PARALLEL, TRAINED
from benches.ranking import OURS, Standing, best_peer
from benches.record import Record, standings

TARGETS = Path(__file__).with_name("targets.toml")
DOUBLE = " x2"
MILLISECOND = 1e-3
SLOW = 1e-7  # seconds a byte, 10 MB/s


@dataclass(frozen=True)
class Row:
    """One line of the table of targets.

    Attributes:
        what: what is measured.
        ours: our figure, with its unit.
        peer, theirs: the best peer that has a rank, and its figure.
        value: what is held against the target; nan where nothing was measured.
        low, high: the spread of a ratio.
        target: the target, in words.
        met: whether it is reached; None where there is no target or no figure.
        main: whether it stands in a short table.
    """

    what: str
    ours: str = ""
    peer: str = ""
    theirs: str = ""
    value: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    target: str = ""
    met: bool | None = None
    main: bool = False

    @property
    def measured(self) -> bool:
        """Whether there is a figure."""
        return self.value == self.value


def rows(record: Record) -> list[Row]:
    """All rows, whether measured or not."""
    return [_row(record, table, contest, step) for table in tables() for contest, step in places(table)]


def tables() -> list[dict[str, Any]]:
    """The entries of `targets.toml`."""
    entries: list[dict[str, Any]] = tomllib.loads(TARGETS.read_text(encoding="utf-8"))["row"]
    return entries


def places(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The contests and steps that an entry stands for."""
    yield from itertools.product(_multiplied(table["contest"]), _multiplied(table["step"]))


def _multiplied(text: str) -> list[str]:
    """The texts that `a{b,c}d` stands for."""
    parts = [part.split(",") for part in re.split(r"[{}]", text)]
    pieces = [part if i % 2 else [",".join(part)] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*pieces)]


def _row(record: Record, table: dict[str, Any], contest: str, step: str) -> Row:
    found = standings(record, contest, step)
    ours = next((one for one in found if one.name == OURS and not one.refused), None)
    what = _title(table, contest, step)
    target = _target(table)
    main = table.get("main", False)
    if ours is None:
        return Row(what, target=target, main=main)
    best = _rival(table, found, ours)
    value, low, high = _value(table, ours, best, standings(record, contest, table.get("over", step + DOUBLE)))
    met = None
    if value == value and ("least" in table or "most" in table):  # noqa: PLR0124 - not a number
        met = table.get("least", value) <= value <= table.get("most", value)
    alone = table.get("measure") in {"doubling", "efficiency", "times"}
    peer, theirs = (best.name, figure(best)) if best and not alone else ("", "")
    return Row(what, figure(ours), peer, theirs, value, low, high, target, met, main)


def _rival(table: dict[str, Any], found: list[Standing], ours: Standing) -> Standing | None:
    """Who we are held against; where all that could be were stopped, one of these, as if it had been done just then."""
    allowed = {table["peer"]} if "peer" in table else {one.name for one in found} - {*table.get("without", ()), OURS}
    rivals = [one for one in found if one.name in allowed]
    best = best_peer(rivals)
    stopped = [(one, limit) for one in rivals if (limit := time_limit(one.refused))]
    if best or not stopped or ours.unit not in {TRAINED, PARALLEL}:
        return best
    one, limit = stopped[0]
    ratio = limit / ours.cost
    return replace(one, cost=limit, wall=limit, unit="stopped", ratio=ratio, low=ratio, high=ratio)


def _title(table: dict[str, Any], contest: str, step: str) -> str:
    """The row's name; an open end is closed by what the braces stand for, or by the step."""
    what = str(table["what"])
    if not what.endswith((",", " a", " an", " of", " on")):
        return what
    braces = [part.startswith("{") for part in table["contest"].split("/")]
    chosen = [part for part, open_ in zip(contest.split("/"), braces, strict=True) if open_]
    return " ".join([what, *(chosen or [step])])


def _target(table: dict[str, Any]) -> str:
    if "most" in table:
        return f"<= {table['most']:g}"
    if "least" not in table:
        return ""
    return f">= {table['least']:g}" + (f" ({table['aim']:g})" if "aim" in table else "")


def _value(
    table: dict[str, Any], ours: Standing, best: Standing | None, other: list[Standing]
) -> tuple[float, float, float]:
    """What is held against the target, and its spread."""
    nothing = (float("nan"),) * 3
    also = next((one for one in other if one.name == OURS and not one.refused), None)
    match table.get("measure", "ratio"):
        case "amount":
            return (ours.cost,) * 3
        case "times":
            return nothing if also is None else (ours.cost / also.cost,) * 3
        case "milliseconds":
            return (ours.cost * 1e3,) * 3
        case "doubling":
            return nothing if also is None or not ours.cost else (2 * also.cost / ours.cost,) * 3
        case "efficiency":
            return nothing if also is None else (also.cost / ours.cost,) * 3
        case _:
            return nothing if best is None else (best.ratio, best.low, best.high)


def figure(one: Standing) -> str:
    """A cost as people say it: MB/s for text, ns a call, ms a start."""
    match one.unit:
        case "bytes":
            text = f"{1e-6 / one.cost:.{0 if one.cost < SLOW else 1}f} MB/s"
        case "value":
            text = f"{one.cost:.0f} MB"
        case "characters":
            text = f"{one.cost * 1e9:.1f} ms"  # per million characters
        case "calls" if one.cost < MILLISECOND:
            text = f"{one.cost * 1e9:,.0f} ns"
        case "trainings" | "trainings on the wall" | "latency":
            text = f"{one.cost:.2f} s"
        case "stopped":
            text = f"not in {one.cost:.0f} s"
        case _:
            text = f"{one.cost * 1e3:.1f} ms"
    return text
