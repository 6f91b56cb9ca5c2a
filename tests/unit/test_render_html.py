"""HTML and SVG: everything is escaped, nothing is lost, text runs as it is read, colours have contrast."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.render.html import html
from bytepair.render.pictures import tree_svg
from bytepair.render.spans import Flow, Line, Picture, Table, line, text_of
from bytepair.render.style import page, standalone, stylesheet
from bytepair.render.tokens import token_flow
from bytepair.render.views import (
    MOST_ROWS,
    MOST_TOKENS,
    steps_view,
    tokenizer_view,
    trace_flow,
    trace_view,
    trees_view,
)
from bytepair.render.visible import visible
from cli.running import hidden

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>\"'&<!--]]>"
TAGS = re.compile("p|span|bdi|div|table|thead|tbody|tr|th|td|strong|details|summary|figure|svg|g|rect|text|path|title")
ATTRIBUTES = re.compile(
    "class|dir|title|scope|tabindex|role|aria-label|aria-level|data-id|viewbox|width|height|xmlns|x|y|rx|d|text-anchor|"
    "unicode-bidi"
)


class Reader(HTMLParser):
    """What a page holds: its tags and attributes, balanced, and its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(source: str) -> Reader:
    """The page, of which nothing but what the renderer writes is a tag or an attribute."""
    reader = Reader()
    reader.feed(source)
    reader.close()
    assert reader.open == []
    assert all(map(TAGS.fullmatch, reader.tags))
    assert all(map(ATTRIBUTES.fullmatch, reader.attributes))
    return reader


def parsed(svg: str) -> ET.Element:
    """A drawing of our own."""
    return ET.fromstring(svg)  # noqa: S314


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    texts = ["low lower lowest قال مرحبا बुद्धि 猫 🌱 <b>bold</b> a  a\n\n"] * 3
    return bp.train(texts=texts, num_merges=40, special_tokens=["<|end|>", HOSTILE])


@given(st.text() | st.text(alphabet="<>&\"'/! -ab\n\t\\مرחב\u202e\u200d🌱"))
def test_a_text_comes_out_as_it_went_in(tok: bp.Tokenizer, text: str) -> None:
    trace = tok.trace(text, allowed_special="all")
    reader = read(html([trace_flow(trace)]))
    assert hidden("".join(reader.text)) == text.encode("utf-8", "surrogatepass")
    for block in (trace_view(trace), trees_view(tok.explain(text)), steps_view(tok.steps(text))):
        read(html(block))


@given(st.lists(st.binary(min_size=1), max_size=20))
def test_any_bytes_come_out(tokens: list[bytes]) -> None:
    reader = read(html([token_flow(tokens)]))
    assert hidden("".join(reader.text)) == b"".join(tokens)


def test_names_cannot_leave_their_place(tok: bp.Tokenizer) -> None:
    blocks = [line(HOSTILE), Table((HOSTILE, "b"), ((line(HOSTILE), line(HOSTILE)),)), *tokenizer_view(tok)]
    assert "".join(read(html(blocks)).text).count(HOSTILE) >= 4
    assert HOSTILE not in page(HOSTILE, "")
    assert read(html([trace_flow(tok.trace(f"a{HOSTILE}b", allowed_special="all"))])).text == ["a", HOSTILE, "b"]


def test_boxes_tell_what_they_hold(tok: bp.Tokenizer) -> None:
    drawn = html([trace_flow(tok.trace("low ⭢<|end|>", allowed_special="all"))])
    assert re.findall(r'<bdi class="(\w+)', drawn) == [
        *("pretoken", "token", "pretoken", "token", "partial", "partial", "partial", "special")
    ]
    low = tok.encode("low")[0]
    assert f'data-id="{low}" title="id {low}, bytes 0 to 3">low</bdi>' in drawn
    assert drawn.count("part of &#x27;⭢&#x27;") == 3
    assert '<span class="space"> </span>' in drawn
    assert "special token, id" in drawn


def test_right_to_left() -> None:
    letters, latin, mixed = "مرحبا".encode(), b"hello", " 12 שלום".encode()
    rows = re.findall(r'<div class="row" dir="(\w+)">(.*?)</div>', html([token_flow([letters, latin])]))
    assert [direction for direction, _ in rows] == ["rtl"]
    assert rows[0][1].startswith('<span class="token')  # it joins what stands beside it
    assert '<bdi class="token shade-1">hello</bdi>' in rows[0][1]
    assert 'dir="ltr"' in html([token_flow([latin, letters])])
    assert 'dir="rtl"' in html([token_flow([mixed])])
    assert 'dir="ltr"' in html([token_flow([letters[:1]])])  # a byte has no direction


def test_rows_are_lines(tok: bp.Tokenizer) -> None:
    drawn = html([trace_flow(tok.trace("a\n\nb"))])
    assert drawn.count('class="row"') == 3


def test_views_stay_small(tok: bp.Tokenizer) -> None:
    trace = tok.trace("x" * (MOST_TOKENS + 7))
    blocks = trace_view(trace)
    assert len(blocks[1].spans if isinstance(blocks[1], Flow) else ()) == MOST_TOKENS
    said = [text_of(block.spans) for block in blocks if isinstance(block, Line)]
    assert "and 7 tokens more" in said
    assert len(trace_flow(trace).spans) == MOST_TOKENS + 7
    steps = tok.steps("low " * MOST_ROWS * 2)
    assert f"and {len(steps) - MOST_ROWS:,} merges more" in [
        text_of(block.spans) for block in steps_view(steps) if isinstance(block, Line)
    ]
    trees = trees_view(tok.explain("low lower " * 40))
    assert sum(isinstance(block, Picture) for block in trees) <= 20
    assert "more" in text_of(trees[-1].spans if isinstance(trees[-1], Line) else ())


def test_steps_show_what_was_made(tok: bp.Tokenizer) -> None:
    steps = tok.steps("low low")
    tables = [block for block in steps_view(steps) if isinstance(block, Table)]
    made = [span.text for table in tables for row in table.rows for span in row[-1].spans if span.role == "made"]
    assert made == [visible(step.pair[0] + step.pair[1]).replace(" ", "␣") for step in steps]
    assert "No merge applies" in "".join(read(html(steps_view(tok.steps("z")))).text)


def test_trees_are_drawn_below_one_another(tok: bp.Tokenizer) -> None:
    [tree] = tok.explain("lower")[:1]
    drawn = parsed(tree_svg(tree))
    boxes = drawn.findall(f".//{SVG}rect")
    assert len(boxes) == sum(1 for _ in tree.walk())
    assert len(drawn.findall(f".//{SVG}path")) == len(boxes) - 1
    rows: dict[float, list[tuple[float, float]]] = {}
    for box in boxes:
        left = float(box.attrib["x"])
        rows.setdefault(float(box.attrib["y"]), []).append((left, left + float(box.attrib["width"])))
    for row in rows.values():
        assert all(one[1] < other[0] for one, other in pairwise(sorted(row)))
    width = float(drawn.attrib["width"])
    assert all(left >= -2 and right <= width for row in rows.values() for left, right in row)
    said = [element.text for element in drawn.iter(f"{SVG}title")]
    assert f"'{tree.bytes.decode()}': id {tree.id}, rank {tree.rank}, its pair stood {tree.count} times" in str(said[0])


def test_a_deep_tree_is_cut() -> None:
    # ab, abb, abbb, ...: each token is the one before with one more letter.
    letters = ((97, b"a"), (98, b"b"))
    made = tuple((255 + size, b"a" + b"b" * size) for size in range(1, 3000))
    merges = ((97, 98), *((255 + size, 98) for size in range(1, 2999)))
    [tree] = bp.Tokenizer.from_parts(bp.Parts(tokens=letters + made, merges=merges)).explain(3254)
    drawn = parsed(tree_svg(tree, most=21))
    assert len(drawn.findall(f".//{SVG}rect")) == 21
    [cut] = drawn.findall(f".//{SVG}g[@class='cut']")
    assert "2,990 symbols" in "".join(cut.itertext())
    assert len(tree_svg(tree)) < 200_000
    assert len(html(trees_view([tree]))) < 300_000


def test_notebooks_get_html_that_stands_alone(tok: bp.Tokenizer) -> None:
    for shown in (tok, tok.trace("low"), tok.steps("low"), tok.explain("low")[0], bp.measure(tok, ["low lower"])):
        drawn = shown._repr_html_()
        assert drawn.startswith('<div class="bytepair"><style>')
        assert drawn == standalone(drawn.split("</style>\n", 1)[1].removesuffix("\n</div>"))


def colours() -> dict[str, tuple[str, str]]:
    """Name -> (light, dark)."""
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", stylesheet())
    return {name: (light, dark) for name, light, dark in found}


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as WCAG 2 has it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_black_on_white() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_have_contrast(scheme: int) -> None:
    """Text 4.5 to its ground, edges and lines of charts 3 (WCAG 2.2, AA)."""
    named = {name: pair[scheme] for name, pair in colours().items()}
    tokens = [name for name in named if name.startswith("token-")]
    assert len(tokens) == 6
    text = [("ink", ground) for ground in ("paper", "panel", "accent-soft", "made", *tokens)]
    coloured = ("muted", "accent", "good", "warn", "bad", "second")
    text += [*((name, ground) for name in coloured for ground in ("paper", "panel")), ("block-ink", "block")]
    shapes = [("edge", "paper"), ("accent", "paper"), ("second", "paper"), ("block", "paper")]
    for pairs, least in ((text, 4.5), (shapes, 3)):
        found = {pair: contrast(named[pair[0]], named[pair[1]]) for pair in pairs}
        assert {pair: value for pair, value in found.items() if value < least} == {}


def test_colours_stand_in_variables_only() -> None:
    rules = re.sub(r"--[\w-]+: light-dark\([^)]*\);", "", re.sub(r"/\*.*?\*/", "", stylesheet(), flags=re.DOTALL))
    assert re.findall(r"#[0-9a-f]{3,8}\b|\brgba?\(", rules) == []
    used = set(re.findall(r"var\(--([\w-]+)\)", stylesheet()))
    assert used <= {*colours(), "mono", "sans"}
    selectors = re.findall(r"^ *([^\s}@][^{\n]*)\{", rules, re.MULTILINE)
    assert len(selectors) > 40
    assert [each for each in selectors if ".bytepair" not in each] == []
