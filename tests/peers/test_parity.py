"""The rows of the parity table: no difference on a part of the texts here, on all of them in `make soak`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import oracles
from parity.compare import compared, smallest
from parity.expected import EXPECTED, Expected
from parity.page import BEGIN, END, PAGE, cells, expected, rewritten
from parity.rows import ROWS, Peer, Row

FIRST = [pytest.param(row, row.peers[0], id=f"{row.name}-{row.peers[0].library}") for row in ROWS]
ALL = [pytest.param(row, peer, id=f"{row.name}-{peer.library}") for row in ROWS for peer in row.peers]

pytestmark = pytest.mark.filterwarnings("ignore:`post_processor`:bytepair.FormatWarning")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def check(row: Row, peer: Peer, find: oracles.FindFile, *, few: bool) -> None:
    if not row.is_known:
        pytest.skip(f"the files of {row.name} are not listed")
    if not peer.is_installed:
        pytest.skip(f"{peer.library} is not installed: `make parity` has it")
    for name in row.files:
        find(name)
    found = compared(row, peer, find, few=few)
    assert min(found.texts.values()) > (10 if few else 500)
    first = next((texts[0] for texts in found.different.values() if texts), None)
    if first is not None:
        text, ours, theirs = smallest(first, row.ours(find), peer.build(find))
        pytest.fail(f"{found.total} texts differ; {text!a}: ours {ours}, theirs {theirs}")


@pytest.mark.parametrize(("row", "peer"), FIRST)
def test_no_difference_on_a_part_of_the_texts(row: Row, peer: Peer, vocabulary_file: oracles.FindFile) -> None:
    check(row, peer, vocabulary_file, few=True)


@pytest.mark.soak
@pytest.mark.parametrize(("row", "peer"), ALL)
def test_no_difference_on_any_text(row: Row, peer: Peer, vocabulary_file: oracles.FindFile) -> None:
    check(row, peer, vocabulary_file, few=False)


def peer_of(known: Expected) -> Iterator[tuple[Row, Peer]]:
    for row in ROWS:
        yield from ((row, peer) for peer in row.peers if (row.name, peer.library) == (known.row, known.library))


@pytest.mark.parametrize("known", EXPECTED, ids=lambda known: f"{known.row}-{known.library}-{known.text!a}")
def test_an_expected_difference_is_still_there(known: Expected, vocabulary_file: oracles.FindFile) -> None:
    [(row, peer)] = peer_of(known)
    if not row.is_known or not peer.is_installed:
        pytest.skip(f"{peer.library} is not installed, or the files of {row.name} are not listed")
    if peer.version != known.version:
        warnings.warn(f"{peer.library} is {peer.version} here, not {known.version}", stacklevel=1)
    one, other = row.ours(vocabulary_file), peer.build(vocabulary_file)
    assert (tuple(one([known.text])[0]), tuple(other([known.text])[0])) == (known.ours, known.theirs)
    assert smallest(known.text, one, other)[0] == known.text


def test_the_smallest_text_is_found() -> None:
    def counted(batch: Any, letter: str) -> list[list[int]]:
        return [[text.count(letter)] for text in batch]

    text = "a lot of text with q in it, and no other one"
    assert smallest(text, functools.partial(counted, letter="q"), functools.partial(counted, letter="Q")) == (
        "q",
        [1],
        [0],
    )


def test_the_page_has_every_row_and_no_difference() -> None:
    page = PAGE.read_text("utf-8")
    there = {(name, library.rpartition(" ")[0]): different for name, library, *_, different, _ in cells(page)}
    wanted = {(row.name, peer.library) for row in ROWS if row.is_known for peer in row.peers}
    assert there.keys() == wanted
    assert set(there.values()) == {"0"}
    assert expected() in page


def test_only_what_stands_between_the_marks_is_written() -> None:
    assert rewritten(f"a {BEGIN} old {END} z", "new") == f"a {BEGIN}\nnew\n{END} z"
    with pytest.raises(ValueError, match="lacks"):
        rewritten("a z", "new")
