"""The printable alphabet in which GPT-2 and its heirs spell bytes.

A `tokenizer.json` holds text, and tokens are bytes, many of them no text. So each of the 256 bytes has a printable
character: bytes that Latin-1 prints stand for themselves, the others take the characters from U+0100 on, in order.
A space is written `Ġ`, a line feed `Ċ`. The mapping is one to one, so spelling and reading lose nothing.

Source: `bytes_to_unicode` in GPT-2's published encoder. Cost: linear in the bytes.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ORDER", "read", "spell"]


_PRINTABLE: Final = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
ORDER: Final = (*_PRINTABLE, *(byte for byte in range(256) if byte not in _PRINTABLE))
"""The bytes in the order in which GPT-2's program lists them, and CLIP numbers them."""


def _characters() -> str:
    printable = frozenset(_PRINTABLE)
    others = iter(range(0x100, 0x200))
    return "".join(chr(byte if byte in printable else next(others)) for byte in range(256))


_CHARACTERS: Final = _characters()
_SPELL: Final = str.maketrans(dict(enumerate(_CHARACTERS)))
_READ: Final = str.maketrans({character: byte for byte, character in enumerate(_CHARACTERS)})
_ALPHABET: Final = frozenset(_CHARACTERS)


def spell(content: bytes) -> str:
    r"""The spelling of some bytes, one character a byte.

    >>> spell(b" the\n"), spell("é".encode())
    ('ĠtheĊ', 'Ã©')
    """
    return content.decode("latin-1").translate(_SPELL)


def read(spelling: str) -> bytes | None:
    r"""The bytes of a spelling; None when it has a character that is not of the alphabet.

    >>> read("Ġthe"), read(" the")
    (b' the', None)
    """
    if not _ALPHABET.issuperset(spelling):
        return None
    return spelling.translate(_READ).encode("latin-1")
