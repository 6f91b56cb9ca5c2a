"""quicktok-v1: bundled vocabularies."""

from __future__ import annotations

from benches.contest import Contestant, Encoder, UnsupportedError, Vocabulary, flat_first

BUNDLED = {"cl100k_base": "cl100k_base", "o200k_base": "o200k_base", "llama3": "llama3"}


class Quicktok(Contestant):
    """`encode_batch(texts, threads)` gives a flat array and offsets."""

    package = "quicktok-v1"
    module = "quicktok"
    settings = "quicktok.get_encoding(name); encode_batch(texts, threads), encode_ordinary, decode"

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        if vocabulary.published not in BUNDLED:
            raise UnsupportedError("has only its bundled vocabularies without Hugging Face's libraries")
        import quicktok

        tok = quicktok.get_encoding(BUNDLED[vocabulary.published])
        return Encoder(
            one=tok.encode_ordinary,
            batch=lambda texts: tok.encode_batch(texts, threads),
            flat=flat_first,
            lists=lambda texts: [tok.encode_ordinary(text) for text in texts],
            count=tok.count,
            decode_list=tok.decode,
            decode_batch=tok.decode_batch,
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys, quicktok
print(quicktok.get_encoding({vocabulary.published!r}).count(open(sys.argv[1], encoding="utf-8").read()))"""
        return ["-c", code]


CONTESTANT = Quicktok()
