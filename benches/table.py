"""The tables that are printed: everybody's figures contest by contest, and the targets row by row; 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from benches.ranking import Standing
from benches.record import Notes
from benches.rows import Row, figure

STEP_WIDTH = 11
WIDTH = 100


def contest_lines(name: str, ranked: dict[str, list[Standing]], notes: Notes | None = None) -> Iterator[str]:
    """A contest: a line for each contestant, a column for each step; who is refused comes last, with the reason."""
    yield ""
    yield name
    steps = list(ranked)
    for start in range(0, len(steps), 6):
        yield from _block({step: ranked[step] for step in steps[start : start + 6]})
    for step, found in (notes or {}).items():
        for contestant, note in found.items():
            yield from textwrap.wrap(
                f"{contestant}, {step}: {note}", WIDTH - 2, initial_indent="  ", subsequent_indent="    "
            )


def _block(ranked: dict[str, list[Standing]]) -> Iterator[str]:
    yield f"  {'':12}" + "".join(f"{step[:13]:>14}" for step in ranked)
    order = {one.name: i for i, one in reversed(list(enumerate(next(iter(ranked.values())))))}
    for name in order if not order else sorted(order, key=order.__getitem__):
        cells = [next(one for one in found if one.name == name) for found in ranked.values()]
        reasons = list(dict.fromkeys(one.refused for one in cells if one.refused))
        if all(one.refused for one in cells):
            yield f"  {name:12}  no rank: {'; '.join(reasons)}"[:100]
            continue
        yield f"  {name:12}" + "".join(f"{'-' if one.refused else figure(one):>14}" for one in cells)


def target_lines(rows: Iterable[Row]) -> Iterator[str]:
    """The targets: our figure, the best peer's, the ratio with its spread, the target; `+` marks those that are met."""
    yield ""
    yield f"{'+ met, - missed':36}{'bytepair':>10} {'best peer':>20} ratio (spread)     target"
    for row in rows:
        what = f"{ {True: '+', False: '-', None: ' '}[row.met] } {row.what[:33]:34}"
        if not row.measured:
            yield f"{what}{row.ours or 'not measured':>10}"
            continue
        spread = "" if row.low == row.high else f" ({_short(row.low)}-{_short(row.high)})"
        peer = f"{row.peer} {row.theirs}"
        yield f"{what}{row.ours:>10} {peer:>20} {_short(row.value):>5}{spread:13} {row.target}".rstrip()


def _short(ratio: float) -> str:
    """A ratio in at most five characters."""
    for most, digits in ((9.995, 2), (99.95, 1)):
        if ratio < most:
            return f"{ratio:.{digits}f}"
    return f"{ratio:.0f}"
