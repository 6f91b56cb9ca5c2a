"""fastokens: flat buffers for batches; ordinary text, no special tokens looked for."""

from __future__ import annotations

from typing import Any

from benches.contest import Contestant, Encoder, Ids, UnsupportedError, Vocabulary, flat_first

ENCODINGS = {"cl100k_base", "o200k_base"}


class Fastokens(Contestant):
    """`encode_batch_flat` gives two buffers; lists come from `Encoding.ids`."""

    package = "fastokens"
    module = "fastokens"
    settings = "from_tiktoken(encoding=) or from_file(json); encode_batch_flat, encode_ordinary; FASTOKENS_BPE_THREADS"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads), "FASTOKENS_BPE_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import numpy as np
        from fastokens import Tokenizer

        try:
            if vocabulary.published in ENCODINGS:
                tok = Tokenizer.from_tiktoken(vocabulary.ranks, encoding=vocabulary.published)
            else:
                tok = Tokenizer.from_file(vocabulary.json)
        except ValueError as error:
            raise UnsupportedError(str(error).splitlines()[0][:160]) from error

        def lists(texts: list[str]) -> list[list[int]]:
            return [tok.encode_ordinary(text).ids for text in texts]

        def array(text: str) -> Ids:
            return np.frombuffer(tok.encode_batch_flat([text])[0], dtype=np.uint32)

        def batch(texts: list[str]) -> Any:
            ids, offsets = tok.encode_batch_flat(texts)
            return np.frombuffer(ids, np.uint32), np.frombuffer(offsets, np.uint64)

        return Encoder(
            one=lambda text: tok.encode_ordinary(text).ids,
            array=array,
            batch=batch,
            flat=flat_first,
            lists=lists,
            decode_list=tok.decode,
            decode_array=None,
            decode_batch=tok.decode_batch,
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys
from fastokens import Tokenizer
tok = Tokenizer.from_tiktoken({vocabulary.ranks!r}, encoding={vocabulary.published!r})
print(len(tok.encode_ordinary(open(sys.argv[1], encoding="utf-8").read())))"""
        return ["-c", code]


CONTESTANT = Fastokens()
