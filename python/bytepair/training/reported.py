"""What the engine tells while it trains, on its way to `progress` and into the checkpoint."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bytepair.progress import Callback, LearnedMerge, MergeWatch, Progress

if TYPE_CHECKING:
    from bytepair.checkpoint.directory import Checkpoint
    from bytepair.checkpoint.learned import Merge

__all__ = ["Reported"]


class Reported:
    """Hands on what is laid out and learned."""

    def __init__(
        self,
        progress: Callback | None,
        checkpoint: Checkpoint | None,
        *,
        known: list[Merge],
        contents: dict[int, bytes],
        total: int | None,
        scale: int,
        peak: int,
    ) -> None:
        """What there is before the first merge.

        Args:
            progress: what is called.
            checkpoint: where merges are written down.
            known: the merges that were learned before; `progress` does not see them.
            contents: the bytes of each id; those of merges are added.
            total: how many merges there will be at most, if that is known.
            scale: what weights have made of 1.
            peak: the bytes of memory that the training takes, about.
        """
        self._progress, self._checkpoint, self._contents = progress, checkpoint, contents
        self._total, self._scale, self._peak = total, scale, peak
        for left, right, id, *_ in known:
            contents[id] = contents[left] + contents[right]
        self._watch = MergeWatch(total, len(known))
        self._began = time.monotonic()

    def laid_out(self, done: int, total: int) -> None:
        """So much of the work before the first merge is done."""
        if self._progress is None:
            return
        seconds = time.monotonic() - self._began
        eta = seconds * (total - done) / done if done else None
        self._progress(Progress("lay out", done, total, seconds=seconds, eta=eta, peak=self._peak))
        self._watch.begin()

    def learned(self, rank: int, left: int, right: int, id: int, count: int, fired: int) -> None:  # noqa: PLR0917 - as the engine calls it
        """A merge was learned."""
        if self._checkpoint is not None:
            self._checkpoint.learned((left, right, id, count, fired))
        if self._progress is None:
            return
        contents = self._contents
        contents[id] = contents[left] + contents[right]
        merge = LearnedMerge(rank, contents[left], contents[right], contents[id], id, count, fired, self._scale)
        seconds, eta = self._watch.learned(rank)
        self._progress(Progress("merge", rank + 1, self._total, merge, seconds=seconds, eta=eta))
