"""Edits: what each returns and refuses; rows of embeddings; characters; what is found by hand in small cases."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytepair as bp
from bytepair import Parts

BYTES = tuple((byte, bytes([byte])) for byte in range(256))


def abc(**changed: Any) -> bp.Tokenizer:
    """`ab`, `abc` and `bc`, with a merge for each; `abc` is made of `ab` and `c`."""
    tokens = (*BYTES, (256, b"ab"), (257, b"bc"), (258, b"abc"))
    merges = ((97, 98), (98, 99), (256, 99))
    return bp.Tokenizer.from_parts(Parts(**{"tokens": tokens, "merges": merges, **changed}))


def test_a_longer_token_is_made_of_two_other_parts() -> None:
    edited = abc().without(["ab"])
    tok = edited.tokenizer
    assert [(tok.bytes_of(one), tok.bytes_of(two)) for one, two in tok.merges] == [(b"b", b"c"), (b"a", b"bc")]
    assert edited.whole_only == ()
    assert not tok.info().whole_first
    assert tok.encode("abcab") == [tok.id_of("abc"), 97, 98]
    assert edited.old_to_new[[97, 256, 257, 258]].tolist() == [97, -1, 256, 257]
    assert (edited.removed, edited.added) == ((256,), ())


def test_where_there_are_no_two_parts_it_is_looked_up() -> None:
    edited = abc().without(["ab", 257])
    tok = edited.tokenizer
    assert [tok.bytes_of(id) for id in edited.whole_only] == [b"abc"]
    assert tok.info().whole_first
    assert tok.encode("abc") == [256]
    assert tok.encode("abcd") == [97, 98, 99, 100]


def test_a_rank_file_stays_one(tmp_path: Path) -> None:
    ranks = abc(merges=None, whole_first=True)
    edited = ranks.without(["ab"])
    assert edited.tokenizer.info().rank_file
    assert edited.whole_only == ()
    assert edited.tokenizer.encode("abcabd") == [257, 97, 98, 100]
    edited.tokenizer.save(tmp_path / "x.tiktoken")
    assert bp.load(tmp_path / "x.tiktoken", pattern=None) == edited.tokenizer
    assert [ranks.bytes_of(id) for id in (256, 257, 258)] == [b"ab", b"bc", b"abc"]


@pytest.mark.parametrize("tokens", [["a"], [b"\xff"], [97], ["ab", 255]])
def test_base_symbols_stay(tokens: list[Any]) -> None:
    with pytest.raises(
        bp.VocabularyError, match=r"is a base symbol and cannot be removed\nhint: leave it out: without it some"
    ):
        abc().without(tokens)


def test_what_is_no_token_is_refused() -> None:
    for tokens, error in (
        ("ab", TypeError),
        (97, TypeError),
        ([1.5], TypeError),
        (["zz"], KeyError),
        ([999], KeyError),
        ([-1], KeyError),
    ):
        with pytest.raises(error, match=r"hint: |999|zz|-1"):
            abc().without(tokens)  # type: ignore[arg-type]


def test_special_tokens_are_added_and_removed() -> None:
    tok = abc().with_special_tokens(["<s>"]).tokenizer.with_special_tokens({"<t>": 300, "abc": 258}).tokenizer
    assert tok.special_tokens == {"abc": 258, "<s>": 259, "<t>": 300}
    edited = tok.without(["<s>", "<t>", "abc"])
    assert edited.tokenizer.special_tokens == {}
    assert edited.old_to_new[[258, 259, 300]].tolist() == [-1, -1, -1]
    assert len(edited.old_to_new) == 301
    assert edited.tokenizer == abc().without(["abc"]).tokenizer


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ({"<x>": 258}, "the special token `<x>` has id 258, which is the id of the token `abc`"),
        ({"<x>": 259}, "the special token `<x>` has id 259, which is the id of the special token `<s>`"),
        (["<s>"], "`<s>` is a special token already, with id 259"),
        (["abc"], "the special token `abc` has id 260, and there is a token of these bytes with id 258"),
        (["<x>", "<x>"], "the special token '<x>' stands twice"),
        (["<x>", ""], "a special token is empty"),
        ({"<x>": 2**32}, "the id of '<x>' is 4294967296"),
    ],
)
def test_collisions_are_refused_by_name(tokens: Any, said: str) -> None:
    tok = abc().with_special_tokens(["<s>"]).tokenizer
    with pytest.raises(ValueError, match="\nhint: ") as caught:
        tok.with_special_tokens(tokens)
    assert said in str(caught.value)
    for wrong in ({"<x>"}, "<x>", 5, [5], [b"<x>"]):
        with pytest.raises(TypeError, match="\nhint: "):
            tok.with_special_tokens(wrong)  # type: ignore[arg-type]


def test_truncated_is_what_a_shorter_training_gives() -> None:
    texts = ["low lower lowest newest widest low low"] * 2
    tok = bp.train(texts=texts, num_merges=9, special_tokens=["<s>", "<t>"])
    for merges in range(10):
        expected = bp.train(texts=texts, num_merges=merges, special_tokens=["<s>", "<t>"])
        for edited in (tok.truncated(merges), tok.truncated(vocab_size=258 + merges)):
            assert edited.tokenizer == expected
            assert edited.tokenizer.training == expected.training
            assert edited.old_to_new[tok.special_tokens["<t>"]] == 257 + merges
    with pytest.raises(ValueError, match="num_merges is 10\nhint: it is an integer from 0 to 9"):
        tok.truncated(10)
    with pytest.raises(
        bp.VocabularyError, match="symbols and special tokens alone are 258\nhint: ask for at least 258"
    ):
        tok.truncated(vocab_size=257)
    for none_or_both in ({}, {"num_merges": 1, "vocab_size": 300}):
        with pytest.raises(TypeError, match="exactly one"):
            tok.truncated(**none_or_both)


def test_the_record_of_a_continued_training_is_cut_too() -> None:
    base = bp.train(texts=["low low lower"], num_merges=3)
    tok = base.extended(["newest newest"], 3).tokenizer
    record = tok.truncated(2).tokenizer.training
    assert record is not None
    assert (record.base_merges, record.counts) == (2, ())
    record = tok.truncated(4).tokenizer.training
    assert record is not None
    assert (record.base_merges, record.counts, record.fired) == (3, (2,), (2,))


def test_extending_appends() -> None:
    base = bp.train(counts={"low": 5, "lower": 2}, num_merges=3)
    edited = base.extended(num_merges=2, counts={"newest": 6, "widest": 3})
    tok = edited.tokenizer
    assert [(tok.bytes_of(one), tok.bytes_of(two)) for one, two in tok.merges] == [
        (b"l", b"o"),
        (b"lo", b"w"),
        (b"e", b"r"),
        (b"e", b"s"),
        (b"es", b"t"),
    ]
    assert edited.added == (259, 260)
    assert edited.old_to_new.tolist() == list(range(259))
    with pytest.raises(TypeError, match="leave `base` out"):
        base.extended(["x"], 1, base=base)


def test_pruning_takes_texts_files_and_counts(tmp_path: Path) -> None:
    tok = bp.train(texts=["low lower lowest low newest"], num_merges=8, pattern="gpt2", special_tokens=["<s>"])
    (tmp_path / "a.txt").write_text("lower<s>low", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"t": "lower"}\n{"t": "low"}\n', encoding="utf-8")
    ways = [
        tok.pruned(["lower", "low"]),
        tok.pruned(files=tmp_path / "a.txt"),
        tok.pruned(files=tmp_path / "a.jsonl", text_field="t"),
        tok.pruned(counts={"lower": 1, "low": 1}),
        tok.pruned(counts=bp.count_pretokens(texts=["lower", "low"], pattern="gpt2")),
    ]
    assert len({edited.tokenizer.fingerprint for edited in ways}) == 1
    assert ways[0].tokenizer.encode("lower") == ways[0].old_to_new[tok.encode("lower")].tolist()
    assert tok.pruned([]).tokenizer == tok.truncated(0).tokenizer
    for wrong in ({}, {"texts": ["x"], "files": "x"}, {"texts": ["x"], "counts": {"x": 1}}):
        with pytest.raises(TypeError, match="exactly one of texts, files, counts"):
            tok.pruned(**wrong)
    with pytest.raises(bp.VocabularyError, match=r"keep is 256, but .* alone are 257\nhint: keep at least 257"):
        tok.pruned(["x"], 256)
    with pytest.raises(bp.TrainingError, match="the pattern is"):
        tok.pruned(counts=bp.count_pretokens(texts=["low"], pattern="o200k"))
    with pytest.raises(bp.TrainingError, match="separator says how texts are read"):
        tok.pruned(counts={"x": 1}, separator="\n")


def test_the_least_used_go_first() -> None:
    tok = bp.train(texts=["aa bb bb cc cc cc"], num_merges=3, pattern=r"\w+|\W")
    kept = tok.pruned(["aa aa aa bb cc cc"], 258).tokenizer
    assert [kept.bytes_of(id) for id in (256, 257)] == [b"cc", b"aa"]


@pytest.mark.parametrize("is_joined", [False, True])
def test_characters(is_joined: bool) -> None:
    tok = bp.train(
        texts=["lower lowest low lows été étés"],
        num_merges=12,
        alphabet="characters",
        end_of_word="</w>",
        end_of_word_joined=is_joined,
    )
    words = "lower lowest low lows étés"
    for id, token in tok.vocabulary.items():
        shown = token.decode()
        if len(shown) == 1 or shown == "</w>" or (is_joined and len(shown.removesuffix("</w>")) == 1):
            with pytest.raises(bp.VocabularyError, match="is a base symbol"):
                tok.without([id])
            continue
        edited = tok.without([id])
        assert shown.encode() not in edited.tokenizer.vocabulary.values()
        assert edited.tokenizer.decode(edited.tokenizer.encode(words)) == words
        for other in tok.vocabulary.values():
            if other.endswith(b"</w>") and other != token and len(tok.encode(other.decode()[:-4])) == 1:
                assert len(edited.tokenizer.encode(other.decode()[:-4])) == 1
    pruned = tok.pruned([words])
    assert pruned.tokenizer.encode(words) == pruned.old_to_new[tok.encode(words)].tolist()
    assert len(tok.pruned(["low"]).tokenizer) < len(pruned.tokenizer)
    assert tok.truncated(3).tokenizer.decode(tok.truncated(3).tokenizer.encode(words)) == words


def test_rows_follow_their_tokens() -> None:
    tok = abc().with_special_tokens({"<s>": 300}).tokenizer
    rows = np.random.default_rng(0).normal(size=(tok.n_vocab + 20, 3)).astype(np.float32)
    edited = tok.without(["ab"])
    moved = edited.move_rows(rows)
    assert moved.shape == (edited.tokenizer.n_vocab, 3) == (259, 3)
    assert moved.dtype == np.float32
    for id, token in edited.tokenizer.vocabulary.items():
        assert (moved[id] == rows[tok.id_of(token)]).all()
    more = tok.extended(["zyx zyx"], 2)
    moved = more.move_rows(rows)
    assert (moved[:301] == rows[:301]).all()
    for id in more.added:
        assert moved[id] == pytest.approx(rows[tok.encode(more.tokenizer.bytes_of(id))].mean(axis=0))
    assert tok.without([]).move_rows(rows[:, 0]).shape == (260,)
    for wrong, error in ((rows[:300], ValueError), (rows.tolist(), TypeError), (rows.astype(int), TypeError)):
        with pytest.raises(error, match="hint: "):
            edited.move_rows(wrong)


def test_maps_are_written_and_cannot_be_changed(tmp_path: Path) -> None:
    edited = abc().without(["ab"])
    edited.save_map(tmp_path / "map.npy")
    edited.save_map(tmp_path / "map.json")
    assert np.array_equal(np.load(tmp_path / "map.npy"), edited.old_to_new)
    assert json.loads((tmp_path / "map.json").read_text("utf-8")) == edited.old_to_new.tolist()
    with pytest.raises(ValueError, match=r"ends in neither `\.npy` nor `\.json`"):
        edited.save_map(tmp_path / "map.txt")
    with pytest.raises(ValueError, match="read-only"):
        edited.old_to_new[0] = 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.json", "map.npy"]
    assert pickle.loads(pickle.dumps(edited)).tokenizer == edited.tokenizer  # noqa: S301 - our own


def test_ids_that_leave_no_room_are_refused() -> None:
    tok = abc().with_special_tokens({"<s>": 2**31}).tokenizer
    with pytest.raises(ValueError, match="the largest id is 2147483648: there is no room"):
        tok.without(["ab"])


def test_long_tokens_are_merged_again_quickly() -> None:
    """Tokens of up to 2**14 bytes, all built through one that goes."""
    contents = [b"a" * 2**power for power in range(1, 15)]
    tokens = (*BYTES, *((256 + index, content) for index, content in enumerate(contents)))
    merges = ((97, 97), *((id, id) for id in range(256, 256 + len(contents) - 1)))
    tok = bp.Tokenizer.from_parts(Parts(tokens=tokens, merges=merges))
    edited = tok.without([b"aa"])
    assert len(edited.whole_only) == len(contents) - 1
    assert len(edited.tokenizer.encode(b"a" * 2**14)) == 1
