"""Two small charts as SVG, without a script or a style: bars in a row of a table, and a curve on two axes.

All numbers are ours, all words are escaped. Colours are the variables of the one stylesheet, by class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

__all__ = ["bar", "curve"]

_WIDE, _HIGH = 640, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 12, 12, 44
_MOST = 400
"""Points that are drawn of a curve."""


def bar(share: float, mark: float | None = None) -> str:
    """A bar of a share of the width, with a line at `mark`.

    >>> bar(0.5)
    '<svg class="bar" aria-hidden="true" width="100%" height="14"><rect width="50.00%" height="14"/></svg>'
    """
    inner = f'<rect width="{100 * min(max(share, 0.0), 1.0):.2f}%" height="14"/>'
    if mark is not None:
        place = f'x1="{100 * mark:.2f}%" x2="{100 * mark:.2f}%" y1="0" y2="14"'
        inner += f'<line class="edge" {place}/><line {place}/>'
    return f'<svg class="bar" aria-hidden="true" width="100%" height="14">{inner}</svg>'


def curve(
    points: Sequence[tuple[float, float]],
    *,
    title: str,
    across: str,
    up: str,
    log_up: bool = False,
    slope: tuple[float, float] | None = None,
) -> str:
    """A curve; the axis across is of logarithms, the other one with `log_up`.

    `slope` adds a straight line through (first x, its y) falling with that power; (power, y at the first x).

    >>> curve([(1, 2), (10, 4)], title="t", across="x", up="y").count("<polyline")
    1
    """
    kept = _thinned([(x, y) for x, y in points if x > 0 and (y > 0 or not log_up)])
    if len(kept) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    low, high = math.log10(kept[0][0]), math.log10(kept[-1][0])
    ys = [math.log10(y) if log_up else y for _, y in kept]
    bottom, top = (math.floor(min(ys)), math.ceil(max(ys))) if log_up else (0.0, max(ys) * 1.05)
    top = top if top > bottom else bottom + 1

    def x(value: float) -> float:
        return _LEFT + (math.log10(value) - low) / max(high - low, 1e-9) * (_WIDE - _LEFT - _RIGHT)

    def y(value: float) -> float:
        found = math.log10(value) if log_up else value
        return _HIGH - _BOTTOM - (found - bottom) / (top - bottom) * (_HIGH - _TOP - _BOTTOM)

    drawn = [_across(x, kept[0][0], kept[-1][0]), _up(y, bottom, top, log_up=log_up)]
    line = " ".join(f"{x(one):.1f},{y(other):.1f}" for one, other in kept)
    if slope is not None:
        power, start = slope
        ends = [(one, max(start * (one / kept[0][0]) ** power, 10.0**bottom)) for one in (kept[0][0], kept[-1][0])]
        drawn.append(f'<polyline class="law" points="{" ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in ends)}"/>')
    drawn.append(f'<polyline class="curve" points="{line}"/>')
    middle = (_LEFT + _WIDE - _RIGHT) / 2
    drawn += [
        f'<text x="{middle:.0f}" y="{_HIGH - 8}" text-anchor="middle">{escape(across)}</text>',
        (
            f'<text x="14" y="{_HIGH / 2:.0f}" text-anchor="middle" transform="rotate(-90 14 {_HIGH / 2:.0f})">'
            f"{escape(up)}</text>"
        ),
    ]
    return (
        f'<svg class="chart" role="img" aria-label="{escape(title)}" viewBox="0 0 {_WIDE} {_HIGH}" '
        f'data-across="{low:.6f} {high:.6f} {_LEFT} {_WIDE - _RIGHT}">'
        f"{''.join(drawn)}</svg>"
    )


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most so many points, as far apart in the logarithm as they can be; the first and the last stay."""
    if len(points) <= _MOST:
        return list(points)
    places = {round(len(points) ** (step / _MOST)) - 1 for step in range(_MOST + 1)}
    return [points[place] for place in sorted(places)]


def _across(x: Callable[[float], float], low: float, high: float) -> str:
    ticks = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    ticks = ticks if len(ticks) > 2 else sorted({low, (low * high) ** 0.5, high})  # noqa: PLR2004
    return "".join(
        f'<line class="grid" x1="{x(one):.1f}" x2="{x(one):.1f}" y1="{_TOP}" y2="{_HIGH - _BOTTOM}"/>'
        f'<text x="{min(x(one), _WIDE - 4 * len(f"{one:,.0f}")):.1f}" y="{_HIGH - _BOTTOM + 16}" '
        f'text-anchor="middle">{one:,.0f}</text>'
        for one in ticks
    )


def _up(y: Callable[[float], float], bottom: float, top: float, *, log_up: bool) -> str:
    if log_up:
        ticks = [10.0**power for power in range(int(bottom), int(top) + 1)]
    else:
        step = 10 ** math.floor(math.log10(top))
        step = step if top / step > 3 else step / 2  # noqa: PLR2004
        ticks = [step * number for number in range(int(top / step) + 1)]
    return "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{y(one):.1f}" y2="{y(one):.1f}"/>'
        f'<text x="{_LEFT - 6}" y="{y(one) + 4:.1f}" text-anchor="end">{_short(one)}</text>'
        for one in ticks
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"
