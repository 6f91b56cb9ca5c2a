"""toktok-rs: the tokenizer behind its counting functions; the vocabularies are compiled into it."""

from __future__ import annotations

from benches.contest import Contestant, Encoder, UnsupportedError, Vocabulary, flat_first

BUILT_IN = {"cl100k_base", "o200k_base"}


class Toktok(Contestant):
    """`encode_batch_to_numpy(texts, threads)` for arrays."""

    package = "toktok-rs"
    module = "toktok"
    settings = "toktok._encoding(name); encode_batch_to_numpy(texts, threads), encode_ordinary"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        if vocabulary.published not in BUILT_IN:
            raise UnsupportedError("has only the vocabularies that are compiled into it")
        import toktok

        tok = toktok._encoding(vocabulary.published)
        return Encoder(
            one=tok.encode_ordinary,
            array=tok.encode_to_numpy,
            batch=lambda texts: tok.encode_batch_to_numpy(texts, threads),
            flat=flat_first,
            lists=lambda texts: [tok.encode_ordinary(text) for text in texts],
            count=tok.count,
            decode_list=tok.decode,
            decode_array=tok.decode,
            decode_batch=tok.decode_batch,
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys, toktok
print(toktok.batch_count([open(sys.argv[1], encoding="utf-8").read()], {vocabulary.published!r}, threads=1)[0])"""
        return ["-c", code]


CONTESTANT = Toktok()
