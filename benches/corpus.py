"""The texts: what BYTEPAIR_CORPORA points to, else what the clone ships; and how a text is cut into documents.

A text is divided into parts that no two steps share, so that "steady" means other text than that which filled the
caches. The clone ships tens of kilobytes a language, which are drawn over and over in a seeded random order: with
them steady is almost warm, and the record says which text it was.
"""

from __future__ import annotations

import hashlib
import os
import random
from pathlib import Path

import texts
from benches.paths import CACHE

KINDS = ("en", "code", "ru", "ja", "zh", "ar")
DOCUMENT = 7_000
BATCH = 2_000_000
CONTINUATION_MASK, CONTINUATION = 0xC0, 0x80


def prepare(kind: str, size: int) -> Path:
    """A file of at most `size` bytes of a kind of text, in the cache."""
    folder = os.environ.get("BYTEPAIR_CORPORA")
    source = hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()[:8] if folder else "shipped"
    target = CACHE / "texts" / f"{source}-{kind}-{size}.txt"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(texts.sample(kind, size), encoding="utf-8", newline="")
    return target


def beginning(path: Path, size: int) -> Path:
    """The first `size` bytes of a text, as a file in the cache."""
    target = path.with_name(f"{path.stem}-first-{size}.txt")
    if not target.is_file():
        with path.open("rb") as file:
            target.write_bytes(file.read(size).decode("utf-8", errors="ignore").encode())
    return target


def separated(path: Path, size: int, separator: str) -> Path:
    """A file of `size` bytes: the documents of a text over and over, in a seeded random order each time."""
    target = path.with_name(f"{path.stem}-file-{size}.txt")
    if not target.is_file():
        order, written = random.Random(0), 0
        pieces = [document.encode() + separator.encode() for document in documents(path.read_bytes())]
        partial = target.with_suffix(".partial")
        with partial.open("wb") as file:
            while written < size:
                order.shuffle(pieces)
                for piece in pieces:
                    written += file.write(piece)
                    if written >= size:
                        break
        partial.replace(target)
    return target


def parts(path: str, shares: tuple[float, ...]) -> list[bytes]:
    """The text of a file in parts of the given shares, cut where characters begin."""
    content = Path(path).read_bytes()
    found, start, position = [], 0, 0.0
    for share in shares:
        position += share
        end = _edge(content, min(round(position * len(content)), len(content)))
        found.append(content[start:end])
        start = end
    return found


def documents(content: bytes, size: int = DOCUMENT) -> list[str]:
    """A text as documents of `size` bytes or a little more."""
    cut, start = [], 0
    while start < len(content):
        end = _edge(content, start + size)
        cut.append(content[start:end].decode("utf-8"))
        start = end
    return cut


def batches(content: bytes, size: int = BATCH) -> list[list[str]]:
    """A text as batches of about `size` bytes of documents."""
    all_documents = documents(content)
    count = max(1, size // DOCUMENT)
    return [all_documents[start : start + count] for start in range(0, len(all_documents), count)]


def _edge(content: bytes, position: int) -> int:
    """The first place at or after `position` where a character begins."""
    while position < len(content) and content[position] & CONTINUATION_MASK == CONTINUATION:
        position += 1
    return min(position, len(content))
