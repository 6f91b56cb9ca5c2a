"""The command: `python -m benches`, which `make bench` calls."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benches import plan, record, reference, table, training_plan, verdicts
from benches.driver import Contest, compete
from benches.paths import RECORDS
from benches.ranking import OURS, rank
from benches.rows import rows


def main() -> None:
    """Runs the contests that are asked for, prints the tables, writes the record."""
    arguments = _arguments()
    globs = arguments.only.split(",")
    extent = plan.FULL if arguments.full else plan.SHORT
    target: Path | None = arguments.record
    kept = record.new(extent.name, ["python", "-m", "benches", *_without_record(sys.argv[1:])])
    if target and target.is_file():
        kept = record.continued(kept, record.read(target))
    if target is None and arguments.only == "*":
        target = RECORDS / f"{kept['date']}-{extent.name}.json"
    for contest in _contests(globs, full=arguments.full):
        _one(_narrowed(contest, arguments), kept)
        if target:
            record.write(kept, target)
    print("\n".join(table.target_lines(row for row in rows(kept) if row.measured or arguments.only == "*")))
    if target:
        print(f"\nrecord: {target}")


def _contests(globs: list[str], *, full: bool) -> Iterator[Contest]:
    """The contests that are asked for; nothing is prepared for others in training, nor for encoding where it is not."""

    def wanted(name: str) -> bool:
        return any(fnmatch.fnmatch(name, glob) for glob in globs)

    if not all(glob.startswith("train/") for glob in globs):
        yield from (contest for contest in plan.contests(plan.FULL if full else plan.SHORT) if wanted(contest.name))
    for name, make in training_plan.contests(training_plan.FULL if full else training_plan.SHORT):
        if wanted(name):
            yield make()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description="bytepair and its peers, in turns")
    parser.add_argument("--full", action="store_true", help="more rounds, larger texts: an hour or two")
    parser.add_argument("--only", default="*", metavar="GLOBS", help="only these contests, such as 'calls/*,bulk/*/en'")
    parser.add_argument("--peers", default="", help="only these contestants, separated by commas")
    parser.add_argument("--rounds", type=int, default=0, help="how many rounds")
    parser.add_argument(
        "--record", type=Path, help="the record to write; contests that it has and that are not run stay"
    )
    return parser.parse_args()


def _without_record(words: list[str]) -> list[str]:
    """The arguments but for the path of the record, which says nothing about what was measured."""
    if "--record" not in words:
        return words
    place = words.index("--record")
    return words[:place] + words[place + 2 :]


def _narrowed(contest: Contest, arguments: argparse.Namespace) -> Contest:
    chosen = {OURS, *arguments.peers.split(",")} if arguments.peers else set(contest.contestants)
    names = tuple(name for name in contest.contestants if name in chosen)
    return replace(contest, contestants=names, rounds=arguments.rounds or contest.rounds)


def _one(contest: Contest, kept: record.Record) -> None:
    _say(f"{contest.name}: the right ids")
    truth = reference.steps(contest.job, contest.limit)
    results, notes = verdicts.judged(contest.job, compete(contest, truth, _say), _say)
    ranked = rank(results, truth)
    record.add(kept, contest, ranked, reference.judge(contest.job), notes)
    _say("")
    print("\n".join(table.contest_lines(contest.name, ranked, notes)), flush=True)


def _say(text: str) -> None:
    """What is being done, on one line of the terminal that the next one overwrites."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
