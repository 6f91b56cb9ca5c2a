"""rs-bpe: linear-time encoding of OpenAI's vocabularies."""

from __future__ import annotations

from benches.contest import Contestant, Encoder, UnsupportedError, Vocabulary

BUILT_IN = {"cl100k_base", "o200k_base"}


class RsBpe(Contestant):
    """`encode` per text; its batches return the same lists with timings beside them."""

    package = "rs-bpe"
    module = "rs_bpe"
    settings = "rs_bpe.bpe.openai.NAME(); encode, decode, decode_batch"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        if vocabulary.published not in BUILT_IN:
            raise UnsupportedError("has only the vocabularies that are compiled into it")
        from rs_bpe.bpe import openai

        tok = getattr(openai, vocabulary.published)()

        def lists(texts: list[str]) -> list[list[int]]:
            return [tok.encode(text) for text in texts]

        return Encoder(one=tok.encode, batch=lists, lists=lists, count=tok.count, decode_list=tok.decode)

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys
from rs_bpe.bpe import openai
print(openai.{vocabulary.published}().count(open(sys.argv[1], encoding="utf-8").read()))"""
        return ["-c", code]


CONTESTANT = RsBpe()
