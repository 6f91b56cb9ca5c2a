"""What the tests of shards share: a tokenizer, texts, an engine in this process, and what is to be expected."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bytepair as bp

END = "<|endoftext|>"
START = "<|start|>"
TEXTS = ["low lower lowest", "", "the cat <|endoftext|> sat", "\u00e9\U0001f331\n\n", "x" * 40, "low low low\x00"]


def tokenizer() -> bp.Tokenizer:
    """A small one with two special tokens."""
    return bp.train(texts=["low lower lowest the cat sat on the mat"] * 3, num_merges=15, special_tokens=[END, START])


def with_ids(n_vocab: int) -> bp.Tokenizer:
    """Bytes, and a special token with the highest of so many ids."""
    tokens = tuple((byte, bytes([byte])) for byte in range(256))
    specials = (bp.SpecialToken(END, n_vocab - 1),)
    return bp.Tokenizer.from_parts(bp.Parts(tokens=tokens, merges=(), specials=specials))


def jsonl_lines(texts: Sequence[str | None]) -> bytes:
    """Texts as JSON lines."""
    return "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()


def jsonl(path: Path, texts: Sequence[str | None]) -> Path:
    """The same as a file."""
    path.write_bytes(jsonl_lines(texts))
    return path


def expected(tok: bp.Tokenizer, texts: Sequence[str], *, before: int | None = None, after: int | None = None) -> Any:
    """What documents become, one by one."""
    ends = ([] if before is None else [before]), ([] if after is None else [after])
    return [[*ends[0], *tok.encode(text), *ends[1]] for text in texts]


def cut(documents: list[list[int]], most: int) -> list[list[list[int]]]:
    """Into shards, by the rule in so many words."""
    shards: list[list[list[int]]] = []
    for document in documents:
        is_full = bool(shards) and sum(map(len, shards[-1])) >= most
        if not shards or (is_full and document):
            shards.append([])
        shards[-1].append(document)
    return shards


class Inline:
    """An engine in this process."""

    def __init__(self, order: Callable[[int], list[int]] = lambda count: list(range(count))) -> None:
        self.order = order
        self.worked: list[str] = []

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        for number in self.order(len(items)):
            self.worked.append(items[number].name)
            yield number, function(items[number])

    @contextmanager
    def opened(self, *_: Any, **__: Any) -> Iterator[Inline]:
        yield self


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by their names."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }
