"""What training starts from: a base that is continued, seeds; with a plain check of what each promises."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

LETTERS = st.lists(st.text("abé ", max_size=8), max_size=6)
TIES = st.sampled_from(["lowest", "first", "huggingface", "greatest"])


def train(**settings: Any) -> bp.Tokenizer:
    """Trains; stopping early is no news here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TrainingWarning)
        return bp.train(**settings)


# A base


@given(LETTERS, LETTERS, TIES, st.tuples(st.integers(0, 4), st.integers(0, 4)), st.booleans())
def test_everything_old_stays(
    before: list[str], after: list[str], ties: str, merges: tuple[int, int], is_characters: bool
) -> None:
    old, new = merges
    how: dict[str, Any] = {"alphabet": "characters", "end_of_word": "</w>"} if is_characters else {"pattern": "gpt2"}
    base = train(texts=before, num_merges=old, special_tokens=["<s>"], **how)
    told: list[bp.Progress] = []
    tok = train(texts=after, base=base, num_merges=new, ties=ties, special_tokens=["<t>"], progress=told.append)
    for id, token in base.vocabulary.items():
        assert tok.bytes_of(id) == token
    assert list(tok.merges)[: len(base.merges)] == list(base.merges)
    assert tok.special_tokens["<s>"] == base.special_tokens["<s>"]
    assert tok.special_tokens["<t>"] == max(tok.vocabulary)
    assert sorted(tok.vocabulary)[len(base) :] == list(range(base.n_vocab, tok.n_vocab))
    record = tok.training
    assert record is not None
    assert record.base_merges == len(base.merges)
    assert record.base_merges + len(record.counts) == len(tok.merges)
    for event in told:
        if event.merge is not None:
            assert tok.bytes_of(event.merge.id) == event.merge.token == event.merge.left + event.merge.right


def test_the_size_is_the_total() -> None:
    base = bp.train(texts=["low lower lowest"], vocab_size=260, special_tokens=["<s>"])
    tok = bp.train(texts=["newest newer"], base=base, vocab_size=263)
    assert (len(tok), len(tok.merges)) == (263, 6)
    more = bp.train(texts=["newest newer"], base=base, vocab_size=263, special_tokens=["<t>"])
    assert (len(more), more.special_tokens) == (263, {"<s>": 259, "<t>": 262})
    assert bp.train(texts=["newest"], base=base, num_merges=0) == base
    for vocab_size, specials in ((259, []), (260, ["<t>"])):
        with pytest.raises(bp.TrainingError, match=r"but the base already has 260 tokens.*\nhint: ask for at least 26"):
            bp.train(texts=["x"], base=base, vocab_size=vocab_size, special_tokens=specials)


def test_a_base_says_how_text_is_cut() -> None:
    base = bp.train(texts=["low lower"], num_merges=2, pattern="gpt2")
    assert train(texts=["low"], base=base, num_merges=1).pattern == base.pattern
    assert train(texts=["low"], base=base, num_merges=1, pattern="gpt2").pattern == base.pattern
    with pytest.raises(
        bp.TrainingError, match="pattern is o200k, but that of the base is gpt2\nhint: leave pattern out"
    ):
        bp.train(texts=["low"], base=base, num_merges=1, pattern="o200k")
    with pytest.raises(bp.TrainingError, match="alphabet is 'characters', but that of the base is 'bytes'"):
        bp.train(texts=["low"], base=base, num_merges=1, alphabet="characters")
    with pytest.raises(TypeError, match="base is of type `str`"):
        bp.train(texts=["low"], base="base.json", num_merges=1)  # type: ignore[arg-type]
    counts = bp.count_pretokens(texts=["low lowest"], pattern="gpt2")
    assert bp.train(counts=counts, base=base, num_merges=2) == bp.train(texts=["low lowest"], base=base, num_merges=2)
    with pytest.raises(bp.TrainingError, match="the base and these counts do not agree: the pattern is gpt2 and o200k"):
        bp.train(counts=bp.count_pretokens(texts=["low"]), base=base, num_merges=1)


def test_special_tokens_of_a_base_are_boundaries() -> None:
    base = bp.train(texts=["x"], num_merges=0, pattern=None, special_tokens=["<s>"])
    tok = bp.train(texts=["ab<s>ab"] * 2, base=base, num_merges=1)
    assert tok.bytes_of(257) == b"ab"
    assert tok.special_tokens == {"<s>": 256}


def test_a_continued_training_is_saved_and_loaded(tmp_path: Any) -> None:
    base = bp.train(texts=["low lower lowest"], num_merges=3)
    tok = bp.train(texts=["newest"], base=base, num_merges=2)
    tok.save(tmp_path / "tok.json")
    loaded = bp.load(tmp_path / "tok.json")
    assert (loaded, loaded.training) == (tok, tok.training)
    counts = [tree.count for tree in loaded.explain("newest low")]
    assert counts[-1] is None, "a merge of the base has no count"
    again = train(texts=["low low"], base=loaded, num_merges=1)
    assert again.training is not None
    assert again.training.base_merges == 5


def test_a_rank_file_can_be_continued(tmp_path: Any) -> None:
    base = bp.train(texts=["low lower lowest newest"], num_merges=6, pattern="gpt2")
    with pytest.warns(bp.FormatWarning, match="pattern"):
        base.save(tmp_path / "base.tiktoken", allow_loss=True)
    ranks = bp.load(tmp_path / "base.tiktoken", pattern="gpt2")
    tok = bp.train(texts=["zyx zyx zyxw"], base=ranks, num_merges=3)
    assert all(tok.bytes_of(id) == token for id, token in ranks.vocabulary.items())
    for text in ("low lowest zyxw", "newest zyx"):
        assert tok.decode(tok.encode(text)) == text
    assert tok.training is not None
    assert len(tok.training.counts) == 3


# Seeds


@given(LETTERS, st.lists(st.text("abé", min_size=1, max_size=6), max_size=4), TIES)
def test_seeds_are_tokens(texts: list[str], seeds: list[str], ties: str) -> None:
    tok = train(texts=texts, seed_tokens=seeds, ties=ties, num_merges=40)
    for seed in seeds:
        assert tok.encode(seed) == [tok.id_of(seed)]


def test_seeds_may_be_used_later() -> None:
    tok = bp.train(texts=["   x"] * 3, seed_tokens=["   "], num_merges=3, pattern=None)
    assert [tok.bytes_of(id) for id in (256, 257, 258)] == [b"  ", b"   ", b"   x"]


@pytest.mark.parametrize(
    ("seeds", "error", "message"),
    [
        ("abc", TypeError, "seed_tokens is of type `str`"),
        ({"abc"}, TypeError, "seed_tokens is of type `set`"),
        ([3], TypeError, r"seed_tokens\[0\] is of type `int`"),
        (["a", ""], bp.TrainingError, r"seed_tokens\[1\] is empty"),
        (
            ["a b"],
            bp.TrainingError,
            r"seed_tokens\[0\] is 'a b', which the pattern cuts into 2 pieces: 'a', ' b'\nhint: ",
        ),
        (["a<s>b"], bp.TrainingError, "holds the special token '<s>'"),
        ([b"x" * 9 + b" y z"], bp.TrainingError, "which the pattern cuts into 3 pieces"),
    ],
)
def test_seeds_that_cannot_be_tokens_are_refused(seeds: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bp.train(texts=["low"], num_merges=1, pattern="gpt2", seed_tokens=seeds, special_tokens=["<s>"])


def test_seeds_of_characters_are_words() -> None:
    how: dict[str, Any] = {"alphabet": "characters", "end_of_word": "</w>"}
    tok = bp.train(texts=["low lower"], seed_tokens=["est", "new</w>"], num_merges=8, **how)
    assert {b"est", b"new</w>"} <= set(tok.vocabulary.values())
    with pytest.raises(bp.TrainingError, match="which white space cuts into 2 pieces: 'a', 'b'"):
        bp.train(texts=["low"], seed_tokens=["a b"], num_merges=8, **how)


# Whole characters


@given(st.lists(st.text("aéж漢😀 ", max_size=8), max_size=6), st.integers(0, 30))
def test_whole_characters_are_not_joined_to_parts(texts: list[str], merges: int) -> None:
    tok = train(texts=texts, num_merges=merges, whole_characters=True, pattern=None)
    for id, token in tok.vocabulary.items():
        if id >= 256:
            parts = {"aéж漢😀 "[n].encode()[a:b] for n in range(6) for a in range(4) for b in range(5)}
            assert token in parts or token.decode("utf-8")
