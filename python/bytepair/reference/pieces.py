"""Characters that fall back to bytes, and what is done to a text first: SentencePiece (Kudo and Richardson, 2018).

The whole text is one pretoken; a space is a character like any other, written U+2581, so that decoding can bring it
back. A character that is no token becomes the tokens of its bytes, or else the unknown token. A token that means a byte
is no text: its content is FF, which no text has, and the byte.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from bytepair.reference.training import MARK
from bytepair.reference.vocabulary import Vocabulary, merge_all

SPACE = "\u2581"


def normalise(text: str, steps: Iterable[Sequence[str]]) -> str:
    """A text after some steps, each a name and its arguments.

    >>> normalise(" Ⅳ a", [("nfkc",), ("lowercase",), ("prepend", "_"), ("replace", " ", "_")])
    '__iv_a'
    """
    for name, *given in steps:
        if name in {"nfc", "nfd", "nfkc", "nfkd"}:
            text = unicodedata.normalize(name.upper(), text)  # type: ignore[arg-type]
        elif name == "lowercase":
            text = "".join(char.lower() for char in text)
        elif name == "strip_accents":
            text = "".join(char for char in text if not unicodedata.category(char).startswith("M"))
        elif name == "strip":
            text = text.strip()
        elif name == "replace":
            text = text.replace(given[0], given[1])
        elif name == "prepend":
            text = given[0] + text if text else text
        elif name == "prepend_always":
            text = given[0] + text if text and not text.startswith(given[0]) else text
        elif name == "sentencepiece":  # add_dummy_prefix and remove_extra_whitespaces
            text = re.sub(" +", " ", text.strip(" "))
            text = (" " + text if text else text).replace(" ", SPACE)
        else:
            raise ValueError(f"{name!r} is no step\nhint: see the code for those that are")
    return text


def encode(vocabulary: Vocabulary, text: str, unknown: int, *, fuse: bool = False) -> list[int]:
    r"""The ids of a text; `fuse`: unknown characters that follow each other become one unknown token.

    >>> pieces = Vocabulary({0: b"a", 1: b"\xffa", 2: b"\xff\xc3", 3: b"\xff\xa9", 4: b"aa"}, {(0, 0): (0, 4)})
    >>> encode(pieces, "aaéж", unknown=9)
    [4, 2, 3, 9]
    """
    symbols: list[int] = []
    unknown_before = False
    for char in text:
        parts = [vocabulary.ids.get(char.encode())]
        if parts == [None]:
            parts = [vocabulary.ids.get(MARK + bytes((byte,))) for byte in char.encode()]
        known = [number for number in parts if number is not None]
        if len(known) == len(parts):
            symbols += known
        elif not (fuse and unknown_before):
            symbols.append(unknown)
        unknown_before = len(known) < len(parts)
    return merge_all(vocabulary, symbols)


def decode(tokens: Mapping[int, bytes], ids: Iterable[int], strip: int = 1) -> bytes:
    r"""The bytes of these ids: U+2581 is a space, and up to `strip` spaces at the start are not text.

    >>> decode({0: "▁a".encode(), 1: b"\xffb"}, [0, 1, 0])
    b'ab a'
    """
    contents = [tokens[number] for number in ids]
    text = b"".join(c[1:] if c.startswith(MARK) else c.replace(SPACE.encode(), b" ") for c in contents)
    return text[min(strip, len(text) - len(text.lstrip(b" "))) :]
