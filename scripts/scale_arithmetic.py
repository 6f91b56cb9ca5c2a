"""What a corpus of any size costs, by arithmetic from what is measured here: the figures of docs/guide/scale.md.

    python scripts/scale_arithmetic.py en.txt code.txt multi.txt --bytes 10T

Of each file: how fast one processor counts it and makes shards of it (CPU time), how long a training on the counts
takes, how many tokens there are, and how the number of different pretokens grows with the bytes: Heaps' law,
V = K * n^b, fitted by least squares of logarithms at 1, 2, 4 ... megabytes. Text is taken in blocks in a random order,
so that growth is not that of the order in which a file was put together. From these, what so many bytes of such text
would cost. A law that is fitted to megabytes tells of terabytes no more than an order of magnitude; it is given
twice, with the exponent of all sizes and with that of the last doubling.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bytepair as bp
from bytepair.cli.corpus import size_of
from bytepair.data import corpus
from bytepair.scale.folder import folder_at
from bytepair.shards.cutting import Cutting
from bytepair.shards.encoding import Encoding
from bytepair.shards.formats import format_of

FIRST = 1 << 20
BLOCK = 1 << 16
VOCABULARY = 32_000


@dataclass(frozen=True)
class Measured:
    """What one file has shown."""

    name: str
    bytes: int
    sizes: list[int]
    distinct: list[int]
    once: list[float]
    """The part of the different pretokens that occur once, at each size."""
    once_of_all: float
    """The part of all pretokens that are such."""
    memory: float
    """Bytes of memory for each different pretoken, while counting."""
    training: float
    """The same, while training."""
    train_seconds: float
    """CPU time of a training on the counts."""
    count_rate: float
    """Bytes a second of CPU time."""
    shard_rate: float
    tokens: int

    @property
    def law(self) -> tuple[float, float]:
        """K and b."""
        power, constant = np.polyfit(np.log(self.sizes), np.log(self.distinct), 1)
        return math.exp(float(constant)), float(power)

    @property
    def last_power(self) -> float:
        """The exponent of the last doubling."""
        return math.log(self.distinct[-1] / self.distinct[-2]) / math.log(self.sizes[-1] / self.sizes[-2])

    def at(self, size: int) -> tuple[float, float]:
        """The different pretokens of so many bytes: by the law, and by the last exponent."""
        constant, power = self.law
        return constant * size**power, self.distinct[-1] * (size / self.sizes[-1]) ** self.last_power


def pieces(content: bytes) -> list[bytes]:
    """Text in blocks that end with a line, in a random order, in pieces so that 1, 2, 4 ... megabytes are there."""
    blocks, start = list[bytes](), 0
    while start < len(content):
        stop = content.find(b"\n", start + BLOCK) + 1 or len(content)
        blocks.append(content[start:stop])
        start = stop
    random.Random(0).shuffle(blocks)  # noqa: S311 - the same order each time is wanted
    found, held, size, until = list[bytes](), list[bytes](), 0, FIRST
    for block in blocks:
        held.append(block)
        size += len(block)
        if size >= until:
            found.append(b"".join(held))
            held, until = [], 2 * until
    return [*found, b"".join(held)] if size >= until * 3 // 4 else found


def measured(path: Path) -> Measured:
    """Counts a file piece by piece, trains on it and makes shards of it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        sys.exit(f"error: {path}: {error.strerror}\nhint: name a file of text, not compressed")
    sizes, distinct, once, spent, counts = [0], list[int](), list[float](), 0.0, None
    for piece in pieces(content):
        began = time.process_time()
        new = bp.count_pretokens(texts=[piece], threads=1, errors="bytes")
        spent += time.process_time() - began
        counts = new if counts is None else counts.merge(new)
        sizes.append(sizes[-1] + len(piece))
        distinct.append(len(counts))
        once.append(1 - len(counts.prune(2)) / len(counts))
    if counts is None or len(sizes) < 4:  # noqa: PLR2004
        sys.exit(f"error: {path} is too small to tell\nhint: give four megabytes at least")
    began = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        tok = bp.train(counts=counts, vocab_size=VOCABULARY, special_tokens=["<|endoftext|>"])
    train_seconds = time.process_time() - began
    shard_rate, tokens = sharded(tok, path, len(content))
    return Measured(
        name=path.name,
        bytes=len(content),
        sizes=sizes[1:],
        distinct=distinct,
        once=once,
        once_of_all=once[-1] * distinct[-1] / counts.total,
        memory=counts.table.memory / len(counts),
        training=counts.table.training_memory / len(counts),
        train_seconds=train_seconds,
        count_rate=sizes[-1] / spent,
        shard_rate=shard_rate,
        tokens=tokens,
    )


def sharded(tok: bp.Tokenizer, path: Path, size: int) -> tuple[float, int]:
    """Bytes of text a second of CPU time, and the tokens: the item's work as a worker does it, writing included."""
    with tempfile.TemporaryDirectory() as directory:
        began, dtype = time.process_time(), np.dtype(np.uint16)
        after = (tok.special_tokens["<|endoftext|>"],)
        encoding = Encoding(tok, dtype, before=(), after=after, unknown="raise", threads=1)
        texts = corpus(files=path, format="text", errors="bytes", separator="\n\n")
        folder = folder_at(directory)
        with Cutting(folder, format_of("nanogpt"), dtype, most=100_000_000, stem="a") as cutting:
            for some in encoding.encoded(texts):
                cutting.add(some.ids, some.ends)
            shards = cutting.end()
        return size / (time.process_time() - began), sum(shard.tokens for shard in shards)


def show(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """A table of GitHub's Markdown."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, tuple("-" * (width - 1) + ":" for width in widths), *rows):
        print("| " + " | ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + " |")


def main() -> int:
    """Measures, and prints two tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="plain text, not compressed; four megabytes at least")
    parser.add_argument("--bytes", type=size_of, default=10**13, help="the corpus that is asked about, such as 10T")
    arguments = parser.parse_args()
    found = [measured(path) for path in arguments.files]
    show(
        (
            "file",
            "MB",
            "distinct",
            "once",
            "of all",
            "K",
            "b",
            "last b",
            "count MB/s",
            "shard MB/s",
            "train s",
            "B/token",
        ),
        [
            (
                one.name,
                f"{one.bytes / 1e6:.0f}",
                f"{one.distinct[-1]:,}",
                f"{one.once[-1]:.0%}",
                f"{one.once_of_all:.2%}",
                f"{one.law[0]:.2f}",
                f"{one.law[1]:.3f}",
                f"{one.last_power:.3f}",
                f"{one.count_rate / 1e6:.0f}",
                f"{one.shard_rate / 1e6:.0f}",
                f"{one.train_seconds:.1f}",
                f"{one.bytes / one.tokens:.2f}",
            )
            for one in found
        ],
    )
    size = arguments.bytes
    print(f"\n{size / 1e12:g} TB of such text")
    show(
        ("like", "count core-h", "shard core-h", "T tokens", "TB uint16", "M distinct", "GB to count", "GB to train"),
        [
            (
                one.name,
                f"{size / one.count_rate / 3600:,.0f}",
                f"{size / one.shard_rate / 3600:,.0f}",
                f"{size * one.tokens / one.bytes / 1e12:.2f}",
                f"{2 * size * one.tokens / one.bytes / 1e12:.1f}",
                *(
                    " to ".join(f"{number * each:,.{digits}f}" for number in sorted(one.at(size)))
                    for each, digits in ((1e-6, 0), (one.memory / 1e9, 1), (one.training / 1e9, 1))
                ),
            )
            for one in found
        ],
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
