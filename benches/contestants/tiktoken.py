"""tiktoken: what the others' ids are held against."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from benches.contest import Contestant, Encoder, Ids, Vocabulary
from benches.paths import CACHE

FILES = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
ITS_OWN = {"cl100k_base", "o200k_base", "r50k_base"}
FOLDER = CACHE / "tiktoken"


class Tiktoken(Contestant):
    """Its own encodings, which find their rank files in its cache; others from rank file and pattern."""

    package = "tiktoken"
    module = "tiktoken"
    settings = "get_encoding(name) or Encoding(rank file, pattern); encode_to_numpy, encode_ordinary(_batch)"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads), "TIKTOKEN_CACHE_DIR": str(FOLDER)}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import tiktoken
        from tiktoken.load import load_tiktoken_bpe

        if vocabulary.published in ITS_OWN:
            known(vocabulary)
            tok = tiktoken.get_encoding(vocabulary.published)
        else:
            tok = tiktoken.Encoding(
                vocabulary.name,
                pat_str=vocabulary.pattern,
                mergeable_ranks=load_tiktoken_bpe(vocabulary.ranks),
                special_tokens=vocabulary.specials,
            )

        def arrays(texts: list[str]) -> list[Ids]:
            return [tok.encode_to_numpy(text, disallowed_special=()) for text in texts]

        def lists(texts: list[str]) -> list[list[int]]:
            if threads == 1:
                return [tok.encode_ordinary(text) for text in texts]
            return tok.encode_ordinary_batch(texts, num_threads=threads)

        return Encoder(
            one=tok.encode_ordinary,
            array=lambda text: tok.encode_to_numpy(text, disallowed_special=()),
            batch=arrays if threads == 1 else lists,
            lists=lists,
            decode_list=tok.decode,
            decode_array=lambda ids: tok.decode(ids.tolist()),
            decode_batch=lambda batch: tok.decode_batch(batch, num_threads=threads),
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        known(vocabulary)
        code = f"""import sys, tiktoken
tok = tiktoken.get_encoding({vocabulary.published!r})
print(len(tok.encode_ordinary(open(sys.argv[1], encoding="utf-8").read())))"""
        return ["-c", code]


def known(vocabulary: Vocabulary) -> None:
    """Puts the rank file where tiktoken keeps what it has fetched."""
    place = FOLDER / hashlib.sha1(FILES.format(vocabulary.published).encode()).hexdigest()  # noqa: S324
    if not place.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        partial = place.with_name(f"{place.name}.{os.getpid()}")
        partial.write_bytes(Path(vocabulary.ranks).read_bytes())
        partial.replace(place)


CONTESTANT = Tiktoken()
