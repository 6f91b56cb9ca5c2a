"""gigabpe: a trainer with its own scanner for GPT-2's pattern."""

from __future__ import annotations

from collections.abc import Callable

from benches.contest import Contestant, Merge, Training, UnsupportedError, spelled
from benches.patterns import GPT2


class Gigabpe(Contestant):
    """Trains from files, line by line as Hugging Face's tokenizers do; threads by `threads=`."""

    package = "gigabpe"
    module = "gigabpe"
    settings = 'train_bpe(files, pretokenizer="bytelevel", threads=)'
    documents = "line"

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        import gigabpe

        if asked.pattern != GPT2:
            raise UnsupportedError("cuts by GPT-2's pattern alone")
        if asked.texts is not None:
            raise UnsupportedError("reads files alone")
        _, merges = gigabpe.train_bpe(
            [asked.path],
            asked.size,
            special_tokens=list(asked.specials),
            pretokenizer="bytelevel",
            threads=asked.threads,
        )
        return lambda: [spelled(pair) for pair in merges]


CONTESTANT = Gigabpe()
