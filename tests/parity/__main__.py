"""`make parity`: every vocabulary against its own libraries, and the table in docs/design/parity.md.

    python -m parity [--few] [--row NAME]...

Says each row as it is done; exit code 1 where an id differs, with the smallest text. With `--row` the other rows of the
table stay as they are; with `--few` all do.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import vocabularies
from parity.compare import Found, compared, smallest
from parity.page import PAGE, cells, rewritten, row_of, table
from parity.rows import ROWS, Peer, Row


def main() -> int:
    """Compares, tells and writes."""
    parser = argparse.ArgumentParser(prog="python -m parity", description="Every vocabulary against its own libraries.")
    parser.add_argument("--few", action="store_true", help="a small part of the texts; the page stays as it is")
    parser.add_argument("--row", action="append", default=[], help="only this vocabulary; repeatable")
    given = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    found: list[Found] = []
    left_out: list[tuple[str, str]] = []
    wrong = 0
    for row in ROWS:
        if given.row and row.name not in given.row:
            continue
        if (reason := why_not(row)) is not None:
            left_out.append((row.name, reason))
            continue
        for peer in row.peers:
            if not peer.is_installed:
                left_out.append((row.name, f"{peer.library} is not installed"))
                continue
            began = time.monotonic()
            one = compared(row, peer, vocabularies.path, few=given.few)
            seconds = time.monotonic() - began
            print(
                f"{one.row}\t{one.library} {one.version}\t{one.texts}\t{one.total} differ\t{seconds:.0f} s", flush=True
            )
            wrong += tell(one, row, peer)
            found.append(one)
    for name, reason in left_out:
        print(f"left out: {name}: {reason}")
    if not given.few:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(rewritten(page, table(rows(page, found, given.row), left_out)), encoding="utf-8")
    return int(wrong > 0)


def rows(page: str, found: Sequence[Found], asked: Sequence[str]) -> list[list[str]]:
    """What was found, and of other vocabularies what the page has; in the order of the rows."""
    kept = [one for one in cells(page) if asked and one[0] not in asked]
    order = {row.name: at for at, row in enumerate(ROWS)}
    new = [row_of(one, f"{datetime.now(UTC):%Y-%m-%d}") for one in found]
    return sorted((one for one in kept + new if one[0] in order), key=lambda one: order[one[0]])


def why_not(row: Row) -> str | None:
    """Why a row cannot be compared; None if it can."""
    if not row.is_known:
        return "tests/vocabularies.toml does not list its files"
    try:
        for name in row.files:
            vocabularies.path(name)
        row.ours(vocabularies.path)
    except vocabularies.UnavailableError as error:
        return f"cannot be fetched: {error}"
    return None


def tell(one: Found, row: Row, peer: Peer) -> int:
    """Shows the smallest text that differs."""
    first = next((texts[0] for texts in one.different.values() if texts), None)
    if first is not None:
        text, ours, theirs = smallest(first, row.ours(vocabularies.path), peer.build(vocabularies.path))
        print(f"    {text!a}: ours {ours}, theirs {theirs}")
    return one.total


if __name__ == "__main__":
    sys.exit(main())
