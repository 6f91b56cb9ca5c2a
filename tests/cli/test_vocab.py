"""Searching the vocabulary from the command line gives what Python gives."""

from __future__ import annotations

import json

import pytest

import bytepair as bp
from cli.running import Run


def ids(out: str) -> list[int]:
    return [int(row.partition("\t")[0]) for row in out.splitlines()]


def test_searches(trained: str, run: Run) -> None:
    tok = bp.load(trained)
    the = tok.id_of(" the")
    assert ids(run("vocab", "-t", trained, "--contains", "the").out) == list(tok.find("the"))
    assert ids(run("vocab", "-t", trained, "--hex", "E2 80").out) == list(tok.find(b"\xe2\x80"))
    assert ids(run("vocab", "-t", trained, "--made-from", str(the)).out) == list(tok.descendants(the))
    assert ids(run("vocab", "-t", trained, "--parts-of", str(the)).out) == list(tok.ancestors(the))
    both = run("vocab", "-t", trained, "--contains", "h", "--parts-of", str(the), "--json").out.splitlines()
    assert [json.loads(row)["id"] for row in both] == [id for id in tok.ancestors(the) if b"h" in tok.bytes_of(id)]
    assert run("vocab", "-t", trained, "--contains", "no token has this").out == ""


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--hex", "zz"], 2, "`--hex zz` is no bytes"),
        (["--hex", "e"], 2, "two hexadecimal digits a byte"),
        (["--made-from", "99999"], 1, "no token has id 99999"),
        (["--parts-of", "99999"], 1, "no token has id 99999"),
        (["--made-from", "-1"], 2, "--made-from"),
    ],
)
def test_refusals(options: list[str], code: int, message: str, trained: str, run: Run) -> None:
    done = run("vocab", "-t", trained, *options)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 2
