"""bytepair itself, through its public interface."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from benches.contest import Contestant, Encoder, Merge, Training, Vocabulary, flat_first


class Bytepair(Contestant):
    """`encode_batch_to_numpy` for arrays; `threads=` says how many threads."""

    package = "bytepair"
    module = "bytepair"
    settings = "load(file); encode_batch_to_numpy(texts, threads=), encode, decode; train(files= or texts=, threads=)"

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import bytepair as bp

        if vocabulary.published:
            tok = bp.load(vocabulary.ranks, pattern=vocabulary.preset, special_tokens=vocabulary.specials)
        else:
            tok = bp.load(vocabulary.json)

        encode_files: Any = getattr(tok, "encode_files", None)

        def read(path: str, separator: str) -> Any:
            return encode_files(path, threads=threads, allowed_special={separator}.intersection(vocabulary.specials))

        return Encoder(
            one=tok.encode,
            array=tok.encode_to_numpy,
            batch=lambda texts: tok.encode_batch_to_numpy(texts, threads=threads),
            flat=flat_first,
            lists=lambda texts: tok.encode_batch(texts, threads=threads),
            count=tok.count,
            decode_list=tok.decode,
            decode_array=tok.decode,
            decode_batch=tok.decode_batch,
            file=encode_files and read,
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        command = "import sys; from bytepair.cli import main; sys.exit(main())"  # what the installed `bytepair` does
        return ["-c", command, "count", "-t", vocabulary.ranks, "--pattern", vocabulary.preset, "-f"]

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        import bytepair as bp

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bp.TrainingWarning)
            tok = bp.train(
                **source(asked),
                vocab_size=asked.size,
                pattern=asked.preset,
                special_tokens=asked.specials,
                ties="huggingface",
                threads=asked.threads,
            )
        return lambda: merges_of(tok)

    def table(self, asked: Training) -> int:
        import bytepair as bp

        counts = bp.count_pretokens(**source(asked), pattern=asked.preset, special_tokens=asked.specials)
        return counts.table.memory


def source(asked: Training) -> Any:
    """The argument that says what text there is."""
    return {"files": asked.path} if asked.texts is None else {"texts": iter(asked.texts)}


def merges_of(tok: Any) -> list[Merge]:
    """The merges of a tokenizer, as bytes."""
    parts = tok.parts
    content = dict(parts.tokens)
    return [(content[left], content[right]) for left, right in parts.merges]


CONTESTANT = Bytepair()
