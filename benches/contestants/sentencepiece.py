"""sentencepiece: a trainer with its own way of cutting text; its merges cannot be compared, only its time is shown."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benches.contest import Contestant, Merge, Training


class Sentencepiece(Contestant):
    """Trains from a file; threads by `num_threads=`."""

    package = "sentencepiece"
    module = "sentencepiece"
    settings = 'SentencePieceTrainer.train(model_type="bpe", byte_fallback, num_threads=)'
    documents = "its own"

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        import sentencepiece

        source: Any = {"input": asked.path} if asked.texts is None else {"sentence_iterator": iter(asked.texts)}
        with tempfile.TemporaryDirectory() as folder:
            sentencepiece.SentencePieceTrainer.train(
                **source,
                model_prefix=str(Path(folder) / "model"),
                model_type="bpe",
                vocab_size=asked.size,
                user_defined_symbols=list(asked.specials),
                num_threads=asked.threads,
                byte_fallback=True,
                normalization_rule_name="identity",
                max_sentence_length=1 << 30,
                minloglevel=2,
            )
        return list


CONTESTANT = Sentencepiece()
