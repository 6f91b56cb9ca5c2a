"""What each alternative of a pattern does, against a regular expression that tries them one by one."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

PATTERN = r"'s|\p{L}+| ?\d{1,2}|[^\s\p{L}\d]+|\s+(?!\S)"
TOK = bp.train(texts=[], vocab_size=256, pattern=PATTERN)


@given(st.text(alphabet="abп 's12.\n"))
def test_alternatives_are_tried_in_order(text: str) -> None:
    sources = PATTERN.split("|")
    wanted: list[list[str]] = [[] for _ in sources]
    place = left = 0
    while place < len(text):
        for index, source in enumerate(sources):
            found = regex.compile(source).match(text, place)
            if found is not None and found.end() > place:
                wanted[index].append(found[0])
                place = found.end()
                break
        else:
            left += len(text[place].encode())
            place += 1
    named = [one for one in bp.alternatives(TOK, [text]).alternatives if one.number is not None]
    rest = [one for one in bp.alternatives(TOK, [text]).alternatives if one.number is None]
    assert [one.source for one in named] == sources
    assert [one.pretokens for one in named] == [len(found) for found in wanted]
    assert [one.size for one in named] == [sum(len(one.encode()) for one in found) for found in wanted]
    assert sum(one.size for one in rest) == left
