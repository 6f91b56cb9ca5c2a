"""Neighbours of known words, against lists of words; documents that come in parts are as whole ones."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.data import Documents, Part
from bytepair.measuring.neighbours import WORDS, Neighbours
from bytepair.render.visible import visible

SPLITTER = bp.train(texts=[], vocab_size=256, pattern=WORDS)
SPACE = re.compile(rb"[\t\n\v\f\r ]+")  # no other white space is in the texts
TEXT = st.text("ab ,1é猫\n", max_size=20).map(str.encode) | st.binary(max_size=8)


def plainly(documents: list[bytes], known: set[bytes]) -> tuple[int, int, Counter[bytes]]:
    """Pairs, false ones, and the texts of the false ones."""
    pairs = false = 0
    found: Counter[bytes] = Counter()
    for document in documents:
        pieces = SPLITTER.split(document)
        words = [place for place, piece in enumerate(pieces) if not SPACE.fullmatch(piece)]
        kept = [index for index, place in enumerate(words) if pieces[place] in known]
        for left, right in pairwise(kept):
            pairs += 1
            if right - left > 1:
                false += 1
                found[b"".join(pieces[words[left] : words[right] + 1])] += 1
    return pairs, false, found


@given(documents=st.lists(TEXT, max_size=4), known=st.sets(st.sampled_from([b"a", b"ab", b",", "é".encode(), b"\xff"])))
def test_any_documents(documents: list[bytes], known: set[bytes]) -> None:
    found = Neighbours(known)
    found.add(Documents([*documents], str, 0))
    pairs, false, texts = plainly(documents, known)
    assert (found.pairs, found.false) == (pairs, false)
    assert Counter(was for was, _ in found.examples(1000)) == Counter(map(visible, texts))


@given(
    words=st.lists(st.sampled_from(["a", "b" * 50, "п" * 200, "1" * 10_000, "\0"]), max_size=30),
    known=st.sets(st.sampled_from([b"a", b"b" * 50, "п".encode() * 200, b"1" * 10_000])),
)
def test_examples_are_short_whatever_the_text(words: list[str], known: set[bytes]) -> None:
    found = Neighbours(known)
    found.add(Documents([" ".join(words)], str, 0))
    for was, left in found.examples(1000):
        assert max(len(was), len(left)) < 4 * 2 * 130  # a byte is shown by four characters at most


@given(
    text=st.text("ab ,1é\n", max_size=60), known=st.sets(st.sampled_from([b"a", b"ab", b","])), size=st.integers(1, 7)
)
def test_a_document_in_parts(text: str, known: set[bytes], size: int) -> None:
    parts, whole = Neighbours(known), Neighbours(known)
    for _ in range(2):  # nothing is left of a document when the next one begins
        whole.add(Documents([text], str, 0))
        for start in range(0, len(text), size):
            parts.add(Part(text[start : start + size].encode(), False, "text", size))
        parts.add(Part(b"", True, "text", 0))
    assert (parts.pairs, parts.false) == (whole.pairs, whole.false)
