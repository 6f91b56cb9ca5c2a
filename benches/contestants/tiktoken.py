"""tiktoken: what the others' ids are held against."""

from __future__ import annotations

from benches.contest import Encoder, Vocabulary


class Tiktoken:
    """Built from the rank file and the published pattern; threads by `num_threads=`."""

    package = "tiktoken"
    module = "tiktoken"
    settings = "Encoding(rank file, published pattern); encode_ordinary_batch(num_threads=), encode_ordinary, decode"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import tiktoken
        from tiktoken.load import load_tiktoken_bpe

        tok = tiktoken.Encoding(
            vocabulary.name,
            pat_str=vocabulary.pattern,
            mergeable_ranks=load_tiktoken_bpe(vocabulary.ranks),
            special_tokens=vocabulary.specials,
        )

        def lists(texts: list[str]) -> list[list[int]]:
            if threads == 1:
                return [tok.encode_ordinary(text) for text in texts]
            return tok.encode_ordinary_batch(texts, num_threads=threads)

        return Encoder(
            one=tok.encode_ordinary,
            array=lambda text: tok.encode_to_numpy(text, disallowed_special=()),
            batch=lists,
            lists=lists,
            decode_list=tok.decode,
            decode_array=tok.decode,
            decode_batch=lambda batch: tok.decode_batch(batch, num_threads=threads),
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys, tiktoken
from tiktoken.load import load_tiktoken_bpe
ranks = load_tiktoken_bpe({vocabulary.ranks!r})
tok = tiktoken.Encoding("x", pat_str={vocabulary.pattern!r}, mergeable_ranks=ranks, special_tokens={{}})
print(len(tok.encode_ordinary(open(sys.argv[1], encoding="utf-8").read())))"""
        return ["-c", code]


CONTESTANT = Tiktoken()
