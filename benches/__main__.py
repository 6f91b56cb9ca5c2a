"""The command: `python -m benches`, which `make bench` calls."""

from __future__ import annotations

import argparse
import fnmatch
import sys

from benches import plan, reference
from benches.contestants import ENCODERS
from benches.driver import compete
from benches.ranking import best_peer, standings


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description="bytepair and its peers, in turns")
    parser.add_argument("--full", action="store_true", help="more rounds, larger texts")
    parser.add_argument("--only", default="*", metavar="GLOB", help="contests, such as 'bulk/cl100k/*'")
    parser.add_argument("--peers", default=",".join(ENCODERS), help="contestants, separated by commas")
    parser.add_argument("--rounds", type=int, help="how many rounds")
    arguments = parser.parse_args()
    extent = plan.FULL if arguments.full else plan.SHORT
    names = tuple(arguments.peers.split(","))
    for contest in plan.contests(extent, names):
        if not fnmatch.fnmatch(contest.name, arguments.only):
            continue
        truth = reference.steps(contest.job)
        results = compete(contest, arguments.rounds or extent.rounds, say)
        print(f"\n{contest.name}")
        order = [step.name for step in truth if step.name]
        for step in order:
            found = standings(results, step, truth)
            best = best_peer(found)
            us = next((one for one in found if one.name == "bytepair"), None)
            if best and us:
                print(f"  {step:10} best peer {best.name}: ratio {best.ratio:.2f} ({best.low:.2f}-{best.high:.2f})")
            for one in found:
                if one.refused:
                    print(f"      {one.name:12} -- {one.refused}")
                elif one.unit == "bytes":
                    print(f"      {one.name:12} {1e-6 / one.cost:8.1f} MB/s  x{one.ratio:.2f}  n={one.runs}")
                else:
                    print(f"      {one.name:12} {one.cost * 1e9:8.0f} ns  x{one.ratio:.2f}  n={one.runs}")
        sys.stdout.flush()


def say(text: str) -> None:
    """What is being done, on one line of the terminal that the next one overwrites."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
