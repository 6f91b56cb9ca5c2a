"""gigatoken: its own interface, which its documentation calls the fastest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benches.contest import Contestant, Encoder, Ids, Merge, Training, UnsupportedError, Vocabulary
from benches.patterns import GPT2

SCHEMES = {"cl100k_base": "gpt4", "o200k_base": "o200k", "r50k_base": "gpt2"}


def flat(result: Any) -> Ids:
    """The ids of an awkward array of documents."""
    import awkward as ak
    import numpy as np

    return np.asarray(ak.flatten(result), dtype=np.uint32)


class Gigatoken(Contestant):
    """`Tokenizer.encode_batch(texts, parallel=)` gives awkward arrays, `encode` NumPy arrays, `decode` bytes."""

    package = "gigatoken"
    module = "gigatoken"
    settings = "from_tiktoken or Tokenizer(json); encode_batch(parallel=), encode_batch_list, encode; RAYON_NUM_THREADS"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import gigatoken

        try:
            if vocabulary.published in SCHEMES:
                scheme = SCHEMES[vocabulary.published]
                tok = gigatoken.Tokenizer.from_tiktoken(vocabulary.ranks, scheme, vocabulary.specials)
            else:
                tok = gigatoken.Tokenizer(vocabulary.json)
        except (RuntimeError, ValueError) as error:
            raise UnsupportedError(str(error).splitlines()[0][:160]) from error
        parallel = threads > 1
        return Encoder(
            one=lambda text: tok.encode(text).tolist(),
            array=tok.encode,
            batch=lambda texts: tok.encode_batch(texts, parallel=parallel),
            flat=flat,
            lists=lambda texts: tok.encode_batch_list(texts, parallel=parallel),
            decode_list=tok.decode,
            decode_array=tok.decode,
            file=lambda path, separator: tok.encode_files(
                gigatoken.TextFileSource([path], separator=separator), parallel=parallel
            ),
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        scheme = SCHEMES[vocabulary.published or ""]
        code = f"""import sys, gigatoken
tok = gigatoken.Tokenizer.from_tiktoken({vocabulary.ranks!r}, {scheme!r})
print(len(tok.encode(open(sys.argv[1], encoding="utf-8").read())))"""
        return ["-c", code]

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        from pathlib import Path

        from gigatoken.gigatoken_rs import train_bpe

        if asked.pattern != GPT2:
            raise UnsupportedError("cuts by GPT-2's pattern alone")
        if asked.texts is not None:
            raise UnsupportedError("reads files alone")
        _, merges = train_bpe(Path(asked.path), asked.size, list(asked.specials))
        return lambda: list(merges)


CONTESTANT = Gigatoken()
