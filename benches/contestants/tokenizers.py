"""Hugging Face's tokenizers: the variant of its calls that makes no offsets."""

from __future__ import annotations

import json
from collections.abc import Callable

from benches.contest import Contestant, Encoder, Merge, Training, Vocabulary, spelled
from benches.patterns import GPT2


class Tokenizers(Contestant):
    """`encode_batch_fast`, without special tokens; threads by RAYON_NUM_THREADS and TOKENIZERS_PARALLELISM."""

    package = "tokenizers"
    module = "tokenizers"
    settings = "Tokenizer.from_file; encode_batch_fast, encode; TOKENIZERS_PARALLELISM, RAYON_NUM_THREADS"
    documents = "line"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false"}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        from tokenizers import Tokenizer

        tok = Tokenizer.from_file(vocabulary.json)

        def lists(texts: list[str]) -> list[list[int]]:
            return [encoding.ids for encoding in tok.encode_batch_fast(texts, add_special_tokens=False)]

        return Encoder(
            one=lambda text: tok.encode_batch_fast([text], add_special_tokens=False)[0].ids,
            batch=lists,
            lists=lists,
            decode_list=tok.decode,
            decode_batch=tok.decode_batch,
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        code = f"""import sys
from tokenizers import Tokenizer
tok = Tokenizer.from_file({vocabulary.json!r})
print(len(tok.encode_batch_fast([open(sys.argv[1], encoding="utf-8").read()], add_special_tokens=False)[0]))"""
        return ["-c", code]

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

        tok = Tokenizer(models.BPE())
        known = asked.pattern == GPT2
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=known)
        split = pre_tokenizers.Split(Regex(asked.pattern), "isolated")
        tok.pre_tokenizer = byte_level if known else pre_tokenizers.Sequence([split, byte_level])
        trainer = trainers.BpeTrainer(
            vocab_size=asked.size,
            special_tokens=list(asked.specials),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        if asked.texts is None:
            tok.train([asked.path], trainer)
        else:
            tok.train_from_iterator(iter(asked.texts), trainer, length=len(asked.texts))
        return lambda: [spelled(pair) for pair in json.loads(tok.to_str())["model"]["merges"]]


CONTESTANT = Tokenizers()
