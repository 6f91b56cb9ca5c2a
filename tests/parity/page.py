"""The page `docs/design/parity.md`: its table is written by `make parity`, between two marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bytepair.render.visible import visible
from parity.compare import Found, shown
from parity.expected import EXPECTED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "design" / "parity.md"
BEGIN, END = "<!-- written by `make parity` -->", "<!-- end -->"


def table(rows: Iterable[Sequence[str]], left_out: Sequence[tuple[str, str]]) -> str:
    """The rows, what was left out and why, and the expected differences."""
    lines = [
        "| vocabulary | library | called | mixed | corpora | random | expected | different | asked |",
        "|---|---|---|---:|---:|---:|---:|---:|---|",
        *(f"| {' | '.join(cells)} |" for cells in rows),
    ]
    if left_out:
        lines += ["", "Left out:", "", *(f"- {name}: {why}" for name, why in left_out)]
    return "\n".join(
        [*lines, "", "Expected differences, in the column of that name where these texts have them:", "", expected()]
    )


def row_of(one: Found, date: str) -> list[str]:
    """The cells of what was found on this day."""
    counts = [f"{one.texts[kind]:,}" for kind in ("mixed", "corpora", "random")]
    return [one.row, f"{one.library} {one.version}", f"`{one.how}`", *counts, str(one.expected), str(one.total), date]


def expected() -> str:
    """The table of differences that stay."""
    lines = ["| vocabulary | library | text | ours | theirs | why |", "|---|---|---|---|---|---|"]
    for known in EXPECTED:
        sides = (known.text, shown(known.ours), shown(known.theirs))
        text, ours, theirs = (f"`{visible(side.encode())}`" if side else "nothing" for side in sides)
        lines.append(f"| {known.row} | {known.library} {known.version} | {text} | {ours} | {theirs} | {known.why} |")
    return "\n".join(lines)


def rewritten(page: str, content: str) -> str:
    """The page with this between the marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} lacks `{BEGIN}` or `{END}`\nhint: put both where the table shall stand")
    return f"{before}{BEGIN}\n{content}\n{END}{after}"


def cells(page: str) -> list[list[str]]:
    """The cells of the page's first table."""
    table = page.partition(BEGIN)[2].partition("\n\n")[0].strip().splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[2:]]
