"""What a corpus of any size costs, by arithmetic from what is measured here: the figures of docs/guide/scale.md.

    python scripts/scale_arithmetic.py en.txt code.txt multi.txt --bytes 10T

Of each file: how fast one processor counts it and makes shards of it (CPU time), how many tokens that gives, and how
the number of different pretokens grows with the bytes: Heaps' law, V = K * n^b, fitted by least squares of logarithms
to the sizes that are powers of two of a megabyte. From these, what so many bytes of such text would cost. The law is
fitted to megabytes, so what it says of terabytes is an order of magnitude: it is given twice, with the exponent that
fits all sizes and with that of the last doubling, which is smaller.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from itertools import pairwise
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
    memory: float
    """Bytes of memory for each different pretoken."""
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
    """Text cut at line ends near 1, 2, 4 ... megabytes."""
    edges, size = [0], FIRST
    while size < len(content):
        edges.append(content.rfind(b"\n", 0, size) + 1)
        size *= 2
    edges.append(len(content))
    return [content[start:stop] for start, stop in pairwise(edges) if stop > start]


def measured(path: Path) -> Measured:
    """Counts a file piece by piece, trains on it and makes shards of it."""
    content = path.read_bytes()
    sizes, distinct, once, spent, counts = [0], list[int](), list[float](), 0.0, None
    for piece in pieces(content):
        began = time.process_time()
        new = bp.count_pretokens(texts=[piece], threads=1, errors="bytes")
        spent += time.process_time() - began
        counts = new if counts is None else counts.merge(new)
        sizes.append(sizes[-1] + len(piece))
        distinct.append(len(counts))
        once.append(1 - len(counts.prune(2)) / len(counts))
    assert counts is not None, f"{path} is empty"  # noqa: S101 - a script
    with warnings.catch_warnings(action="ignore"):
        tok = bp.train(counts=counts, vocab_size=VOCABULARY, special_tokens=["<|endoftext|>"])
    shard_rate, tokens = sharded(tok, path, len(content))
    memory = counts.table.memory / len(counts)
    return Measured(
        path.name, len(content), sizes[1:], distinct, once, memory, len(content) / spent, shard_rate, tokens
    )


def sharded(tok: bp.Tokenizer, path: Path, size: int) -> tuple[float, int]:
    """Bytes of text a second of CPU time, and the tokens: the item's work as a worker does it, writing included."""
    with tempfile.TemporaryDirectory() as directory:
        began, dtype = time.process_time(), np.dtype(np.uint16)
        after = (tok.special_tokens["<|endoftext|>"],)
        encoding = Encoding(tok, dtype, before=(), after=after, unknown="raise", threads=1)
        texts = corpus(files=path, errors="bytes", separator="\n\n")
        folder = folder_at(directory)
        with Cutting(folder, format_of("nanogpt"), dtype, most=100_000_000, stem="a") as cutting:
            for some in encoding.encoded(texts):
                cutting.add(some.ids, some.ends)
            shards = cutting.end()
        return size / (time.process_time() - began), sum(shard.tokens for shard in shards)


def main() -> int:
    """Measures, and prints two tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--bytes", type=size_of, default=10**13, help="the corpus that is asked about, such as 10T")
    arguments = parser.parse_args()
    found = [measured(path) for path in arguments.files]
    print(
        f"{'file':<12}{'MB':>6}{'distinct':>12}{'once':>7}{'B each':>8}{'K':>8}{'b':>7}{'last b':>8}"
        f"{'count MB/s':>12}{'shard MB/s':>12}{'B/token':>9}"
    )
    for one in found:
        constant, power = one.law
        print(
            f"{one.name:<12}{one.bytes / 1e6:>6.0f}{one.distinct[-1]:>12,}{one.once[-1]:>7.0%}{one.memory:>8.0f}"
            f"{constant:>8.1f}{power:>7.3f}{one.last_power:>8.3f}{one.count_rate / 1e6:>12.0f}"
            f"{one.shard_rate / 1e6:>12.0f}{one.bytes / one.tokens:>9.2f}"
        )
    size = arguments.bytes
    print(f"\nof {size / 1e12:g} TB")
    print(
        f"{'like':<12}{'count core-h':>14}{'shard core-h':>14}{'T tokens':>10}{'TB uint16':>11}"
        f"{'G distinct':>16}{'GB of memory':>18}"
    )
    for one in found:
        tokens = size * one.tokens / one.bytes
        high, low = one.at(size)
        print(
            f"{one.name:<12}{size / one.count_rate / 3600:>14,.0f}{size / one.shard_rate / 3600:>14,.0f}"
            f"{tokens / 1e12:>10.2f}{2 * tokens / 1e12:>11.1f}{f'{low / 1e9:.2f} to {high / 1e9:.2f}':>16}"
            f"{f'{low * one.memory / 1e9:,.0f} to {high * one.memory / 1e9:,.0f}':>18}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
