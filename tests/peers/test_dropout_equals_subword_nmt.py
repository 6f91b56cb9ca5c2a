"""BPE-dropout cuts a word in each way as often as subword-nmt does.

It merges all occurrences of a pair that were kept at once, so the words here have no pair twice. What `tokenizers` does
is another thing: where an entry of its queue has become void, it draws again for what it had dropped.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
import tokenizers
from subword_nmt import apply_bpe

import bytepair as bp

ROUNDS = 4000


@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("word", ["lowest", "newer", "wide"])
def test_segmentations(word: str, dropout: float, monkeypatch: pytest.MonkeyPatch) -> None:
    tok = bp.train(
        texts=["low low lower lowest newer newest widest wide wider"] * 2,
        num_merges=17,
        alphabet="characters",
        end_of_word="</w>",
        end_of_word_joined=True,
    )
    names = {id: content.decode() for id, content in tok.vocabulary.items()}
    codes = {(names[left], names[right]): rank for rank, (left, right) in enumerate(tok.merges)}
    back = {left + right: (left, right) for left, right in codes}
    monkeypatch.setattr(apply_bpe, "random", random.Random(5))
    theirs: Counter[tuple[str, ...]] = Counter()
    for _ in range(ROUNDS):
        pieces = apply_bpe.encode(word, codes, back, None, "@@", (0, 2), {}, None, dropout)
        theirs[(*pieces[:-1], f"{pieces[-1]}</w>")] += 1
    ours = Counter(tuple(names[id] for id in tok.encode(word, dropout=dropout, seed=seed)) for seed in range(ROUNDS))
    assert len(theirs) > 2
    for cut in theirs.keys() | ours.keys():
        share = (theirs[cut] + ours[cut]) / (2 * ROUNDS)
        # Five standard deviations of the difference of two counts.
        assert abs(theirs[cut] - ours[cut]) <= 5 * (2 * ROUNDS * share * (1 - share)) ** 0.5 + 1, cut


def test_tokenizers_leaves_out_fewer_merges() -> None:
    """Of tokenizers 0.23: `b c` is void when `a b` has merged, and while it waits, `ab c` is drawn for twice."""
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "bc": 5}
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab=vocab, merges=[("a", "b"), ("ab", "c"), ("b", "c")], dropout=0.5)
    )
    tokens = tuple((id, content.encode()) for content, id in vocab.items())
    tok = bp.Tokenizer.from_parts(bp.Parts(tokens=tokens, merges=((0, 1), (3, 2), (1, 2))))
    whole = (
        sum(theirs.encode("abc").ids == [4] for _ in range(ROUNDS)),
        sum(tok.encode("abc", dropout=0.5, seed=seed) == [4] for seed in range(ROUNDS)),
    )
    deviation = (ROUNDS * 0.25) ** 0.5
    assert whole[0] == pytest.approx(ROUNDS * 5 / 16, abs=5 * deviation)
    assert whole[1] == pytest.approx(ROUNDS * 4 / 16, abs=5 * deviation)
