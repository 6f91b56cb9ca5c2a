"""splintr-rs: bundled vocabularies by name, others from rank files with their pattern."""

from __future__ import annotations

from benches.contest import Contestant, Encoder, Ids, UnsupportedError, Vocabulary, flat_first

BUNDLED = {"cl100k_base", "o200k_base"}


class Splintr(Contestant):
    """`encode_batch_flat` gives two buffers; the JIT of its regex engine is on."""

    package = "splintr-rs"
    module = "splintr"
    settings = (
        "Tokenizer.from_pretrained or (rank file, pattern); encode_batch_flat, encode_ordinary; RAYON_NUM_THREADS"
    )

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import numpy as np
        import splintr

        try:
            if vocabulary.published in BUNDLED:
                tok = splintr.Tokenizer.from_pretrained(vocabulary.published)
            else:
                tok = splintr.Tokenizer(vocabulary.ranks, vocabulary.pattern, vocabulary.specials)
        except (ValueError, RuntimeError) as error:
            raise UnsupportedError(str(error).splitlines()[0][:160]) from error

        def array(text: str) -> Ids:
            return np.frombuffer(tok.encode_flat(text), dtype=np.uint32)

        return Encoder(
            one=tok.encode_ordinary,
            array=array,
            batch=tok.encode_batch_flat,
            flat=flat_first,
            lists=tok.encode_batch,
            decode_list=tok.decode_lossy,
            decode_batch=tok.decode_batch_lossy,
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys
from splintr import Tokenizer
tok = Tokenizer.from_pretrained({vocabulary.published!r})
print(len(tok.encode_ordinary(open(sys.argv[1], encoding="utf-8").read())))"""
        return ["-c", code]


CONTESTANT = Splintr()
