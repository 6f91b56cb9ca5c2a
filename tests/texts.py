"""Texts for the tests: about as much as asked for, in many languages, from what the clone itself ships.

`sample("ru", 1_000_000)` gives text of about a million bytes, the same on every machine ("code" is the standard library
of the running Python, so it differs between versions). The clone ships tens of kilobytes a language, so the sentences
are drawn over and over in a seeded random order. Where BYTEPAIR_CORPORA names a folder with `ru.txt` or `multi/ru.txt`,
that file's beginning is used instead.
"""

from __future__ import annotations

import functools
import json
import lzma
import os
import random
import sysconfig
from collections.abc import Iterator
from pathlib import Path

SHIPPED = Path(__file__).resolve().parent.parent / "testdata" / "texts"
BOOKS = {"en": "alice_body.txt", "ru": "ru_gogol_shinel.txt", "ja": "ja_akutagawa.txt", "tr": "tr_anayasa.txt"}
NINE_LANGUAGES = ("ar", "de", "es", "hi", "ja", "ko", "ru", "tr", "zh")


def sample(language: str, size: int) -> str:
    """About `size` bytes of UTF-8 in a language (an ISO code, or "code" for program text)."""
    corpus = _corpus(language)
    if corpus is not None:
        with corpus.open("rb") as file:
            return file.read(size).decode("utf-8", errors="ignore")
    if language == "code":
        return _code(size)
    return _shuffled(sentences(language), size, seed=language)


@functools.cache
def sentences(language: str) -> tuple[str, ...]:
    """The lines of the book (where one is shipped) and the articles of the Declaration in a language."""
    lines = list(declaration()[language])
    if language in BOOKS:
        lines += (SHIPPED / BOOKS[language]).read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line.strip())


@functools.cache
def declaration() -> dict[str, tuple[str, ...]]:
    """The Universal Declaration of Human Rights: language -> its articles."""
    with lzma.open(SHIPPED / "udhr.jsonl.xz", "rt", encoding="utf-8") as file:
        return {record["lang"]: tuple(record["articles"]) for record in map(json.loads, file)}


def _corpus(language: str) -> Path | None:
    folder = os.environ.get("BYTEPAIR_CORPORA")
    if not folder:
        return None
    candidates = [Path(folder) / f"{language}.txt", Path(folder) / "multi" / f"{language}.txt"]
    return next((file for file in candidates if file.is_file()), None)


def _code(size: int) -> str:
    parts: list[str] = []
    total = 0
    for file in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        parts.append(file.read_text(encoding="utf-8"))
        total += len(parts[-1].encode())
        if total >= size:
            break
    return "".join(parts).encode()[:size].decode("utf-8", errors="ignore")


def _shuffled(lines: tuple[str, ...], size: int, seed: str) -> str:
    return "".join(_rounds(lines, size, random.Random(seed)))


def _rounds(lines: tuple[str, ...], size: int, rng: random.Random) -> Iterator[str]:
    """The first round is the text as it is; the later ones shuffle the sentences and now and then their words."""
    order = list(lines)
    total = 0
    while total < size:
        for line in order:
            words = line.split(" ")
            if total and rng.random() < 0.3:
                rng.shuffle(words)
            piece = " ".join(words) + rng.choice(("\n", "\n", "\n\n", " ", "  ", "\r\n"))
            yield piece
            total += len(piece.encode())
            if total >= size:
                return
        rng.shuffle(order)
