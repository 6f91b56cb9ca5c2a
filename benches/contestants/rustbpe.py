"""rustbpe: a trainer; any pattern."""

from __future__ import annotations

from collections.abc import Callable

from benches.contest import Contestant, Merge, Training

PAIR = 2


class Rustbpe(Contestant):
    """Trains from an iterator of texts, here of a megabyte each; threads by RAYON_NUM_THREADS."""

    package = "rustbpe"
    module = "rustbpe"
    settings = "Tokenizer.train_from_iterator(pieces of 1 MB); RAYON_NUM_THREADS"
    documents = "piece"

    def environment(self, threads: int) -> dict[str, str]:
        return {"RAYON_NUM_THREADS": str(threads)}

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        import rustbpe

        tok = rustbpe.Tokenizer()
        tok.train_from_iterator(asked.pieces(), asked.size - len(asked.specials), pattern=asked.pattern)
        return lambda: replayed([bytes(token) for token, _ in tok.get_mergeable_ranks()])


def replayed(tokens: list[bytes]) -> list[Merge]:
    """The merges of a list of tokens in order: each token is made of two that it is left with by those before it."""
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return [_last_pair(token, ranks) for token in tokens if len(token) > 1]


def _last_pair(token: bytes, ranks: dict[bytes, int]) -> Merge:
    parts = [bytes([byte]) for byte in token]
    while len(parts) > PAIR:
        rank, place = min((ranks.get(parts[i] + parts[i + 1], len(ranks)), i) for i in range(len(parts) - 1))
        if rank >= ranks[token]:
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts[0], b"".join(parts[1:])


CONTESTANT = Rustbpe()
