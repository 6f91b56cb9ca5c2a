"""bpe-openai: linear-time encoding of OpenAI's vocabularies."""

from __future__ import annotations

from benches.contest import Contestant, Encoder, UnsupportedError, Vocabulary

BUILT_IN = {"cl100k_base", "o200k_base"}


class BpeOpenai(Contestant):
    """The tokenizer under its tiktoken-like wrapper, which adds checks of special tokens to each call."""

    package = "bpe-openai"
    module = "bpe_openai"
    settings = "bpe_openai._bindings.tokenizer_for_encoding(name).encode (what get_encoding wraps)"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        if vocabulary.published not in BUILT_IN:
            raise UnsupportedError("has only the vocabularies that are compiled into it")
        from bpe_openai import _bindings

        tok = _bindings.tokenizer_for_encoding(vocabulary.published)

        def lists(texts: list[str]) -> list[list[int]]:
            return [tok.encode(text) for text in texts]

        return Encoder(one=tok.encode, batch=lists, lists=lists, count=tok.count, decode_list=tok.decode)

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys
from bpe_openai._bindings import tokenizer_for_encoding
print(tokenizer_for_encoding({vocabulary.published!r}).count(open(sys.argv[1], encoding="utf-8").read()))"""
        return ["-c", code]


CONTESTANT = BpeOpenai()
