"""Characters in place of bytes, and a mark at the end of each word (Sennrich, Haddow and Birch, 2016).

Words are what stands between white space. The mark tells `est` at the end of a word from `est` inside one, and where
the next word begins. It is a symbol of its own after the last character, or it is joined to that character. We write
it `</w>`, say, but it is never looked for in the text: in tokens it is the byte 0xFF, which no text has.
"""

from collections.abc import Iterable

from bytepair.reference.patterns import compile_pattern
from bytepair.reference.training import MARK


def words(text: bytes) -> list[bytes]:
    r"""The words of a text; the white space between them is not kept.

    >>> words(b" low\n lower")
    [b'low', b'lower']
    """
    return [word.encode() for word in compile_pattern(r"\S+").findall(text.decode())]


def symbols(word: bytes, *, marked: bool = True, joined: bool = False) -> list[bytes]:
    r"""A word as base symbols.

    >>> symbols(b"low"), symbols(b"low", joined=True)
    ([b'l', b'o', b'w', b'\xff'], [b'l', b'o', b'w\xff'])
    """
    chars = [char.encode() for char in word.decode()]
    if marked and joined:
        return [*chars[:-1], chars[-1] + MARK]
    return [*chars, MARK] if marked else chars


def alphabet(words: Iterable[Iterable[bytes]], *, own_mark: bool) -> list[bytes]:
    r"""The base symbols: first the mark if it is a symbol of its own, then the characters by code point.

    A joined mark doubles each character, for a word may end in any that was seen.

    >>> alphabet([[b"b", b"a", b"\xff"]], own_mark=True), alphabet([[b"a", b"b\xff"]], own_mark=False)
    ([b'\xff', b'a', b'b'], [b'a', b'a\xff', b'b', b'b\xff'])
    """
    seen = {symbol for word in words for symbol in word} - {MARK}
    if any(symbol.endswith(MARK) for symbol in seen):
        seen = {symbol.removesuffix(MARK) + end for symbol in seen for end in (b"", MARK)}
    return [MARK] * own_mark + sorted(seen)


def text(content: bytes) -> bytes:
    r"""Content as text: each mark becomes a space, but the last one, after which no word follows, nothing.

    >>> text(b"low\xfflower\xff")
    b'low lower'
    """
    return content.removesuffix(MARK).replace(MARK, b" ")


def show(content: bytes, mark: str) -> str:
    r"""A token's content as people write it.

    >>> show(b"est\xff", "</w>")
    'est</w>'
    """
    return content.replace(MARK, mark.encode()).decode()
