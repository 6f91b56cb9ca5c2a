"""Quotes a record in the pages that show one: `python -m benches.quote benches/records/NAME.json`.

What stands in a page between `<!-- record: NAME.json, all -->` and `<!-- end of record -->` is the table of that
record, never typed by hand; a test renders it again and compares. `all` shows every row, `short` the main ones.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from benches.paths import RECORDS, ROOT
from benches.ranking import OURS
from benches.record import Record, read
from benches.rows import Row, rows

PAGES = (ROOT / "README.md", ROOT / "docs" / "design" / "performance.md")
MOST = 90
"""Characters of a reason."""
QUOTE = re.compile(r"<!-- record: (?P<name>\S+), (?P<extent>all|short) -->\n.*?<!-- end of record -->", re.DOTALL)


def quoted(page: str, name: str | None = None, folder: Path = RECORDS) -> str:
    """A page with its quotations made anew: of the records that it names, or of the one that is given."""

    def again(found: re.Match[str]) -> str:
        chosen, extent = name or found["name"], found["extent"]
        lines = table(read(folder / chosen), main_rows_only=extent == "short")
        return "\n".join([f"<!-- record: {chosen}, {extent} -->", *lines, "<!-- end of record -->"])

    return QUOTE.sub(again, page)


def table(record: Record, *, main_rows_only: bool) -> list[str]:
    """The targets of a record as a table in Markdown, and where they were measured."""
    lines = ["| | bytepair | best peer | ratio | target |", "|---|---:|---:|---:|---|"]
    lines += [_line(row) for row in rows(record) if row.main or not main_rows_only]
    machine = record["machine"]
    commits = dict.fromkeys(contest["commit"] for contest in record["contests"].values())
    place = f"{machine['processor']} (family/model {machine['family and model']}), {machine['processors']} processors"
    made = f"{record['date']}, commit {', '.join(commits)}, {record['extent']} run; load {machine['load']}"
    lines += ["", f"{made}; {place}; texts: {record['texts']}."]
    if main_rows_only:
        return lines
    peers = ", ".join(f"{name} {version}" for name, version in record["versions"].items() if name != OURS)
    judged = _judged(record)
    merges = ["", "Merges in training, replayed:", "", *judged] if judged else []
    return [*lines, "", f"Peers: {peers}.", *merges, "", "Without a rank:", "", *_refusals(record)]


def _refusals(record: Record) -> list[str]:
    """Who has no rank in a whole contest, and why: the contests of a reason together."""
    places: dict[tuple[str, str], list[str]] = {}
    for contest, entry in record["contests"].items():
        steps = [{one["name"]: one.get("refused") for one in found} for found in entry["steps"].values()]
        for name, reason in steps[0].items():
            if reason and all(step[name] for step in steps):
                places.setdefault((name, reason), []).append(contest)
    return [
        f"- {name}: {' '.join(reason.split())[:MOST]} ({', '.join(found)})"
        for (name, reason), found in sorted(places.items())
    ]


def _judged(record: Record) -> list[str]:
    """What replays said of contestants: the contests and steps of the same together."""
    places: dict[tuple[str, str], list[str]] = {}
    for contest, entry in record["contests"].items():
        for step, notes in entry.get("notes", {}).items():
            for name, note in notes.items():
                places.setdefault((name, note), []).append(f"{contest} {step}")
    most: dict[str, int] = {}
    for (name, _), found in places.items():
        most[name] = max(len(found), most.get(name, 0))
    return [
        f"- {name}: {note}" + ("" if len(found) == most[name] else f" ({', '.join(found)})")
        for (name, note), found in sorted(places.items())
    ]


def _line(row: Row) -> str:
    if not row.measured:
        return f"| {row.what} | {row.ours or 'not measured'} | | | {row.target} |"
    spread = "" if row.low == row.high else f" ({row.low:.2f}-{row.high:.2f})"
    verdict = {True: "", False: ", missed", None: ""}[row.met]
    peer = f"{row.peer} {row.theirs}".strip()
    return f"| {row.what} | {row.ours} | {peer} | {row.value:.2f}{spread} | {row.target}{verdict} |"


def main() -> None:
    """Puts the record that is named into all pages."""
    name = Path(sys.argv[1]).name
    for page in PAGES:
        page.write_text(quoted(page.read_text(encoding="utf-8"), name), encoding="utf-8")


if __name__ == "__main__":
    main()
