"""What tokens hold that people do not see, or take for something else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bytepair.auditing.findings import Item

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["controls_in_text", "hidden", "nfc_duplicates", "same_bytes", "special_looking"]

SHOWN = 4
"""Code points that are listed of a token."""

# Marks and controls of the bidirectional algorithm (UAX 9); the rest of what has no width of its own.
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NO_WIDTH = re.compile("[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u3164\ufe00-\ufe0f"
                       "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]")  # fmt: skip
_CONTROL = re.compile(
    r"<\|[^<>|\s]{1,60}\|>|<\uff5c[^<>\s]{1,60}\uff5c>|</?(?:s|unk|pad|bos|eos|mask|sep|cls|bot|eot)>|\[/?INST\]"
    r"|\[(?:PAD|UNK|CLS|SEP|MASK|BOS|EOS|unused\d+)\]|<<?/?SYS>?>|<(?:start|end)_of_\w{1,40}>|<(?:fim|extra|unused)_?\w{0,40}>"
)


def texts_of(tokens: Mapping[int, bytes]) -> dict[int, str]:
    """The tokens that are whole characters and not ASCII, as text."""
    found = dict[int, str]()
    for id, content in tokens.items():
        if not content.isascii():
            try:
                found[id] = content.decode()
            except UnicodeDecodeError:
                continue
    return found


def hidden(tokens: Mapping[int, bytes], kind: str) -> Iterator[Item]:
    r"""Tokens with characters that are not seen: `kind` is "bidirectional" or "zero_width".

    >>> [item.detail for item in hidden({256: " \u200b".encode()}, "zero_width")]
    ['U+200B ZERO WIDTH SPACE']
    """
    wanted = _DIRECTIONS if kind == "bidirectional" else _NO_WIDTH
    for id, text in texts_of(tokens).items():
        if found := dict.fromkeys(wanted.findall(text)):
            names = (f"U+{ord(each):04X} {unicodedata.name(each, 'without a name')}" for each in found)
            yield Item(id, tokens[id], ", ".join(names))


def nfc_duplicates(tokens: Mapping[int, bytes]) -> Iterator[Item]:
    r"""Tokens that are changed by NFC, and are another token then.

    >>> tokens = {256: "\u00e9".encode(), 257: "e\u0301".encode(), 258: "o\u0301".encode()}
    >>> [(item.id, item.detail) for item in nfc_duplicates(tokens)]
    [(257, 'U+0065 U+0301, as 256 U+00E9')]
    """
    changed = {
        id: unicodedata.normalize("NFC", text)
        for id, text in texts_of(tokens).items()
        if not unicodedata.is_normalized("NFC", text)
    }
    if not changed:
        return
    known = {content: id for id, content in tokens.items()}
    first = dict[str, int]()
    for id, text in changed.items():
        twin = known.get(text.encode(), first.setdefault(text, id))
        if twin != id:
            yield Item(id, tokens[id], f"{_points(tokens[id])}, as {twin} {_points(tokens[twin])}")


def _points(content: bytes) -> str:
    """The code points of a token, the first ones of a long one."""
    points = [f"U+{ord(character):04X}" for character in content.decode()]
    return " ".join(points[:SHOWN] + ["..."] * (len(points) > SHOWN))


def same_bytes(vocabulary: Mapping[int, bytes]) -> Iterator[Item]:
    """Tokens, special ones too, whose bytes a token with a lower id has.

    >>> [item.detail for item in same_bytes({1: b"a", 2: b"a"})]
    ['as 1']
    """
    first = dict[bytes, int]()
    for id, content in vocabulary.items():
        if (twin := first.setdefault(content, id)) != id:
            yield Item(id, content, f"as {twin}")


def special_looking(tokens: Mapping[int, bytes]) -> Iterator[Item]:
    """Ordinary tokens that look like control tokens.

    >>> [item.token for item in special_looking({1: b"<|end|>", 2: b"<p>", 3: b" </s>"})]
    [b'<|end|>', b' </s>']
    """
    for id, content in tokens.items():
        if content[-1:] in {b">", b"]"} and _CONTROL.fullmatch(content.decode("utf-8", "replace").strip()):
            yield Item(id, content)


def controls_in_text(tok: Tokenizer) -> Iterator[Item]:
    """Special tokens that text gives though none is allowed: alone, or among other text."""
    ids = set(tok.special_tokens.values())
    for content, id in tok.special_tokens.items():
        texts = [content, f" {content}", f"{content} ", f"a{content}a"]
        for text, given in zip(texts, tok.encode_batch(texts, threads=1, unknown="skip"), strict=True):
            if ids.intersection(given):
                yield Item(id, content.encode(), "in plain text", text.encode())
                break
