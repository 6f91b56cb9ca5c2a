"""The data that is drawn: escapes that can be undone, letters, windows, wraps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bytepair.render.letters import letter_lines, letters_of
from bytepair.render.plain import plain
from bytepair.render.spans import Flow, Span, Table, line, text_of
from bytepair.render.steps import symbols_line
from bytepair.render.terminal import Terminal
from bytepair.render.tokens import token_flow
from bytepair.render.visible import visible
from cli.running import ESCAPE, hidden


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_visible_is_printable_and_can_be_undone(content: bytes) -> None:
    shown = visible(content)
    assert shown.isprintable()
    assert hidden(shown) == content


@given(st.lists(st.binary(min_size=1)), st.integers(20, 90), st.booleans())
def test_flows_keep_everything_and_fit(tokens: list[bytes], width: int, colour: bool) -> None:
    flow = token_flow(tokens, indent=2)
    rows = ESCAPE.sub("", Terminal(width=width, colour=colour).draw(flow)).split("\n")
    assert all(cell_len(row) <= width for row in rows)
    if colour:
        kept = "".join(row[2:] for row in rows)
        wanted = "".join(visible(token) for token in tokens)
        assert kept.replace(" ", "") == "".join(text_of([span]) for span in flow.spans if span.role != "break").replace(
            " ", ""
        )
        if b"\n" not in b"".join(tokens):
            assert kept.replace(" ", "") == wanted.replace(" ", "")


@given(st.lists(st.sampled_from([b"ab", b"\xd0", b" x", "猫".encode()]), min_size=1, max_size=80), st.data())
def test_the_made_symbol_is_always_shown(symbols: list[bytes], data: st.DataObject) -> None:
    made = data.draw(st.integers(0, len(symbols) - 1))
    shown = symbols_line(symbols, made)
    strong = [span.text for span in shown.spans if span.role == "made"]
    assert strong == [visible(symbols[made]).replace(" ", "␣")]
    assert len(text_of(shown.spans)) < 50


@given(st.lists(st.binary(min_size=1, max_size=5), max_size=8))
def test_every_letter_is_somewhere(tokens: list[bytes]) -> None:
    letters = letters_of(tokens)
    text = b"".join(tokens).decode("utf-8", "surrogateescape")
    wanted = [letter for letter in text if not letter.isspace()]
    assert len(letters.seen) + len(letters.hidden) + len(letters.cut) == len(wanted)


def test_letters() -> None:
    letters = letters_of([b" ", b"st", "к".encode()[:1], "к".encode()[1:], b" a", b"rr"])
    assert (letters.seen, letters.hidden, letters.cut) == (("a",), ("s", "t", "r", "r"), ("к",))
    said = "\n".join(text_of(row.spans) for row in letter_lines([b"st", b"r", b"rr"]))
    assert "3 numbers, not 5 letters" in said
    assert "it sees r." in said
    assert "r (2 times)" in said
    assert letter_lines([b" "]) == []


def test_tables_fold_without_losing_spaces() -> None:
    pattern = r"\p{N}{1,3}| ?[^\s]+" * 9
    table = Table(("", ""), ((line("pattern"), line(pattern)),), fold=True)
    rows = Terminal(width=40, colour=False).draw(table).splitlines()
    assert "".join(row[9:].ljust(31) if index < len(rows) - 1 else row[9:] for index, row in enumerate(rows)) == pattern


def test_plain_rows() -> None:
    flow = Flow((Span("a", "token"), Span("b", "token"), Span("\n", "break"), Span("c", "partial")), indent=1)
    assert list(plain(flow)) == [" a|b", " c"]
