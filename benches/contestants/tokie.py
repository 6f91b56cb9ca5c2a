"""tokie: reads tokenizer.json."""

from __future__ import annotations

from benches.contest import Contestant, Encoder, UnsupportedError, Vocabulary


class Tokie(Contestant):
    """`encode_batch` without special tokens; threads by RAYON_NUM_THREADS."""

    package = "tokie"
    module = "tokie"
    settings = "Tokenizer.from_json; encode_batch, encode, encode_files; RAYON_NUM_THREADS"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import tokie

        try:
            tok = tokie.Tokenizer.from_json(vocabulary.json)
        except tokie.TokieError as error:
            raise UnsupportedError(str(error).splitlines()[0][:160]) from error

        def lists(texts: list[str]) -> list[list[int]]:
            return [encoding.ids for encoding in tok.encode_batch(texts, add_special_tokens=False)]

        return Encoder(
            one=lambda text: tok.encode(text, add_special_tokens=False).ids,
            batch=lists,
            lists=lists,
            count=tok.count_tokens,
            decode_list=tok.decode,
            decode_batch=tok.decode_batch,
            file=lambda path, separator: tok.encode_files([path], separator=separator.encode()),
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys, tokie
print(tokie.Tokenizer.from_json({vocabulary.json!r}).count_tokens(open(sys.argv[1], encoding="utf-8").read()))"""
        return ["-c", code]


CONTESTANT = Tokie()
