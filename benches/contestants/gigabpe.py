"""gigabpe: a trainer with its own scanner for GPT-2's pattern."""

from __future__ import annotations

from collections.abc import Callable

from benches.contest import Contestant, Merge, spelled


class Gigabpe(Contestant):
    """Trains from files; threads by `threads=`."""

    package = "gigabpe"
    module = "gigabpe"
    settings = 'train_bpe(files, pretokenizer="bytelevel", threads=)'

    def train(self, path: str, size: int, threads: int) -> Callable[[], list[Merge]]:
        import gigabpe

        _, merges = gigabpe.train_bpe([path], size, pretokenizer="bytelevel", threads=threads)
        return lambda: [spelled(pair) for pair in merges]


CONTESTANT = Gigabpe()
