"""sentencepiece: a trainer with its own way of cutting text; its merges cannot be compared, only its time is shown."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from benches.contest import Contestant, Merge


class Sentencepiece(Contestant):
    """Trains from a file; threads by `num_threads=`."""

    package = "sentencepiece"
    module = "sentencepiece"
    settings = 'SentencePieceTrainer.train(model_type="bpe", byte_fallback, num_threads=)'

    def train(self, path: str, size: int, threads: int) -> Callable[[], list[Merge]]:
        import sentencepiece

        with tempfile.TemporaryDirectory() as folder:
            sentencepiece.SentencePieceTrainer.train(
                input=path,
                model_prefix=str(Path(folder) / "model"),
                model_type="bpe",
                vocab_size=size,
                num_threads=threads,
                byte_fallback=True,
                normalization_rule_name="identity",
                max_sentence_length=1 << 30,
                minloglevel=2,
            )
        return list


CONTESTANT = Sentencepiece()
