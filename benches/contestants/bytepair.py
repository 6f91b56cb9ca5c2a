"""bytepair itself, through its public interface."""

from __future__ import annotations

from benches.contest import Encoder, Vocabulary, flat_first


class Bytepair:
    """`encode_batch_to_numpy` for arrays; `threads=` says how many threads."""

    package = "bytepair"
    module = "bytepair"
    settings = "load(file); encode_batch_to_numpy(texts, threads=), encode, decode"

    def environment(self, threads: int) -> dict[str, str]:  # noqa: ARG002
        return {}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        import bytepair as bp

        if vocabulary.published:
            tok = bp.load(vocabulary.ranks, pattern=vocabulary.preset, special_tokens=vocabulary.specials)
        else:
            tok = bp.load(vocabulary.json)
        return Encoder(
            one=tok.encode,
            array=tok.encode_to_numpy,
            batch=lambda texts: tok.encode_batch_to_numpy(texts, threads=threads),
            flat=flat_first,
            lists=lambda texts: tok.encode_batch(texts, threads=threads),
            count=tok.count,
            decode_list=tok.decode,
            decode_array=tok.decode,
            decode_batch=tok.decode_batch,
        )

    def script(self, vocabulary: Vocabulary) -> list[str]:
        return ["-m", "bytepair.cli", "count", "-t", vocabulary.ranks, "--pattern", vocabulary.preset, "-f"]


CONTESTANT = Bytepair()
