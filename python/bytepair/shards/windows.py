"""Windows of ids out of shards, as a sequence: item i is a function of the seed and i, and of nothing else.

The idea: no generator has a state that processes could share by mistake or that depends on what was asked for before.
A hash of seed and number is a place among all places where a window can begin, shard by shard; so each is as likely,
and a loader may ask for windows in any order, from any process. For another epoch, take another seed.

No window crosses the end of a shard. Documents may end and begin within one.
"""

from __future__ import annotations

import hashlib
import operator
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from bytepair.data.arrow import imported
from bytepair.integers import checked_integer
from bytepair.shards.arrays import Arrays

if TYPE_CHECKING:
    from bytepair.shards.formats import Ids
    from bytepair.shards.reading import Shards

__all__ = ["TensorWindows", "Windows"]


class Windows(Arrays):
    """Windows of ids, each an array of shape (length,); `Shards.windows` makes them."""

    _called = "window"

    def __init__(self, shards: Shards, length: int, seed: int | None, count: int | None) -> None:
        self.shards = shards
        self.length = checked_integer("length", length, 1)
        self.seed = None if seed is None else checked_integer("seed", seed, 0)
        sizes = [shard.shard.tokens for shard in shards.shards]
        self._starts = [0, *accumulate(max(size - self.length + 1, 0) for size in sizes)]
        """How many places there are where a window can begin, before each shard."""
        self._ends = [0, *accumulate(size // self.length for size in sizes)]
        """How many windows lie end to end, before each shard."""
        if not self._starts[-1]:
            raise ValueError(
                f"no shard has {self.length:,} tokens; the largest has {max(sizes, default=0):,}\n"
                "hint: take shorter windows, or make larger shards"
            )
        most = self._ends[-1]
        self._count = most if count is None else checked_integer("count", count, 0)
        if self.seed is None and self._count > most:
            raise ValueError(
                f"count is {self._count}, and {most} windows lie end to end\nhint: leave count= out, or give a seed"
            )

    def __len__(self) -> int:
        return self._count

    def place(self, index: int) -> tuple[int, int]:
        """The shard in which a window lies, and where in it."""
        if self.seed is None:
            shard = bisect_right(self._ends, index) - 1
            return shard, (index - self._ends[shard]) * self.length
        digest = hashlib.blake2b(f"{self.seed} {index}".encode(), digest_size=16).digest()
        chosen = int.from_bytes(digest, "big") % self._starts[-1]
        shard = bisect_right(self._starts, chosen) - 1
        return shard, chosen - self._starts[shard]

    def _at(self, number: int) -> Ids:
        """A window."""
        shard, start = self.place(number)
        return self.shards.shards[shard].ids[start : start + self.length]

    def as_torch(self) -> TensorWindows:
        """The same as a map-style dataset of PyTorch's: its items are tensors of int64 of shape (length,).

        Raises:
            ImportError: torch is not installed.
        """
        imported("torch", "as_torch")
        return TensorWindows(self)

    def __repr__(self) -> str:
        return f"<Windows {len(self):,} of {self.length:,} tokens, seed {self.seed}>"


class TensorWindows:
    """Windows as tensors: what a `DataLoader` takes, which asks for nothing but a length and items.

    int64, which embeddings take, since torch can do little with uint16 and uint32; copies, since what is mapped cannot
    be written to.
    """

    def __init__(self, windows: Windows) -> None:
        self.windows = windows

    def __len__(self) -> int:
        return len(self.windows)

    def __getitem__(self, index: int) -> Any:  # noqa: ANN401 - torch need not be there
        """A window."""
        return imported("torch", "as_torch").from_numpy(self.windows[operator.index(index)].astype("int64"))
