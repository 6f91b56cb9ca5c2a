"""The texts for the trainers: English and code, nine languages, and the worst cases.

Where BYTEPAIR_CORPORA has a file of that name, it is used; otherwise the text is made, from what the clone ships where
it is text that people write. Everything is made once and kept in the cache.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import mutation
import texts
from benches import corpus
from benches.paths import CACHE

LINES, WORD = 900_000, 9


def prepare(kind: str, size: int) -> Path:
    """A file of at most `size` bytes of a kind of text."""
    folder = os.environ.get("BYTEPAIR_CORPORA")
    if kind not in MADE or (folder and (Path(folder) / f"{kind}.txt").is_file()):
        return corpus.prepare(kind, size)
    source = hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()[:8] if folder else "shipped"
    return _written(f"{source}-{kind}-{size}.txt", lambda: [MADE[kind](size)])


def enlarged(path: Path, distinct: int, size: int) -> Path:
    """A file of `size` bytes: copies of a text that bring new words at the rate of real text."""
    return _written(f"{path.stem}-enlarged-{size}.txt", lambda: mutation.copies(path.read_bytes(), distinct, size))


def _written(name: str, content: Callable[[], Iterable[bytes]]) -> Path:
    """A file of the cache, which appears whole or not at all."""
    target = CACHE / "texts" / name
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        with partial.open("wb") as file:
            file.writelines(content())
        partial.replace(target)
    return target


def _together(languages: Iterable[str], size: int) -> bytes:
    names = list(languages)
    return "\n".join(texts.sample(name, size // len(names) - 1) for name in names).encode()


def _one_word(size: int) -> bytes:
    return bytes(random.Random(0).choices(range(ord("a"), ord("z") + 1), k=size))


def _distinct(size: int) -> bytes:
    rng = random.Random(0)
    lines = []
    for _ in range(max(1, size // (LINES + LINES // WORD))):
        letters = bytes(rng.choices(range(ord("a"), ord("z") + 1), k=LINES))
        lines.append(b" ".join(letters[i : i + WORD] for i in range(0, len(letters), WORD)) + b"\n")
    return b"".join(lines)[:size]


MADE: dict[str, Callable[[int], bytes]] = {
    "multi": lambda size: _together(texts.NINE_LANGUAGES, size),
    "cjk": lambda size: _together(("zh", "ja", "ko"), size),
    "one_word": _one_word,
    "distinct": _distinct,
    "one_line": lambda size: texts.sample("en", size).replace("\n", " ").encode(),
    "short": lambda size: texts.sample("en", size).encode(),
}
