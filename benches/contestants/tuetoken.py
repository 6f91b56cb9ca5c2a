"""tuetoken: reads tokenizer.json; its rank files come only from a server, so they are not used."""

from __future__ import annotations

from benches.contest import Contestant, Encoder, Ids, UnsupportedError, Vocabulary


def flat(result: dict[str, Ids]) -> Ids:
    """The ids of its batches."""
    import numpy as np

    return np.asarray(result["data"], dtype=np.uint32)


class Tuetoken(Contestant):
    """`encode_ordinary_to_buffer` for arrays, `decode_array` for decoding; threads by `num_threads=`."""

    package = "tuetoken"
    module = "tuetoken"
    settings = "Tokenizer(tokenizer.json); encode_ordinary_to_buffer(num_threads=), encode_ordinary, decode_array"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import numpy as np
        from tuetoken import Tokenizer

        try:
            tok = Tokenizer(vocabulary.json)
        except ValueError as error:
            raise UnsupportedError(str(error).splitlines()[0][:160]) from error
        return Encoder(
            one=tok.encode_ordinary,
            array=lambda text: np.frombuffer(tok.encode_to_bytes(text), dtype=np.uint32),
            batch=lambda texts: tok.encode_ordinary_to_buffer(texts, threads),
            flat=flat,
            lists=lambda texts: tok.encode_ordinary_batch(texts, threads),
            count=tok.count_tokens,
            decode_list=tok.decode,
            decode_array=tok.decode_array,
            decode_batch=lambda batch: tok.decode_batch(batch, threads),
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys
from tuetoken import Tokenizer
print(Tokenizer({vocabulary.json!r}).count_tokens(open(sys.argv[1], encoding="utf-8").read()))"""
        return ["-c", code]


CONTESTANT = Tuetoken()
