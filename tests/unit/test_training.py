"""Training: what is learned under each setting, when it ends, and what is refused."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import bytepair as bp


def learned(tok: bp.Tokenizer) -> list[tuple[str, str]]:
    """The merges as text; bytes that are none are escaped."""

    def text(id: int) -> str:
        return tok.bytes_of(id).decode("utf-8", "backslashreplace")

    return [(text(left), text(right)) for left, right in tok.merges]


def train(texts: Iterable[str | bytes], **settings: Any) -> bp.Tokenizer:
    """Trains; stopping early is no news here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TrainingWarning)
        return bp.train(texts=texts, **settings)


# The algorithm


def test_counts_pass_32_bits() -> None:
    tok = bp.train(counts={"the": 3_000_000_000, "xy": 5}, num_merges=3)
    assert learned(tok) == [("h", "e"), ("t", "he"), ("x", "y")]
    assert tok.training is not None
    assert tok.training.counts == (3_000_000_000, 3_000_000_000, 5)


def test_counts_past_64_bits_are_refused() -> None:
    with pytest.raises(bp.TrainingError, match=r"2\^64"):
        bp.train(counts={"ab": 1 << 63, "cd": 1 << 63}, num_merges=1)
    with pytest.raises(bp.TrainingError, match=str(1 << 64)):
        bp.train(counts={"ab": 1 << 64}, num_merges=1)


@pytest.mark.parametrize(
    ("text", "merges"), [("", []), ("   ", [(" ", " "), ("  ", " ")]), ("aaaa", [("a", "a"), ("aa", "aa")])]
)
def test_too_little_text_ends_early(text: str, merges: list[tuple[str, str]]) -> None:
    with pytest.warns(bp.TrainingWarning, match=f"stopped at {256 + len(merges)} tokens of 260: no pair is left"):
        tok = bp.train(texts=[text], vocab_size=260)
    assert learned(tok) == merges
    assert tok.training is not None
    assert tok.training.stopped == "no pairs"


def test_running_out_of_pairs_reports_the_size() -> None:
    with pytest.warns(bp.TrainingWarning, match="stopped at 257 tokens of 300"):
        tok = bp.train(texts=["ab"], vocab_size=300)
    assert learned(tok) == [("a", "b")]
    assert tok.n_vocab == 257
    with pytest.warns(bp.TrainingWarning, match="stopped at 1 merge of 10"):
        bp.train(texts=["ab"], num_merges=10)


@pytest.mark.parametrize("text", ["bbbaaaddddcccc", "ccccddddaaabbb"])
def test_ties_depend_on_the_tokens_alone(text: str) -> None:
    assert learned(bp.train(texts=[text], num_merges=4, pattern=None)) == [(c, c) for c in "cdab"]


def test_the_first_pair_in_the_text_can_win() -> None:
    assert learned(bp.train(texts=["zzyyxx"], num_merges=1, ties="first", pattern=None)) == [("z", "z")]
    assert learned(bp.train(texts=["zzyyxx"], num_merges=1, ties="greatest", pattern=None)) == [("z", "z")]
    assert learned(bp.train(texts=["zzyyxx"], num_merges=1, pattern=None)) == [("x", "x")]


def test_a_space_is_low_or_high() -> None:
    settings: dict[str, Any] = {"texts": ["q ab q ab"], "num_merges": 1, "pattern": "gpt2"}
    assert learned(bp.train(**settings)) == [(" ", "a")]
    assert learned(bp.train(**settings, ties="huggingface")) == [("a", "b")]


def test_a_pair_that_overlaps_itself_fires_less_often_than_it_stands() -> None:
    tok = bp.train(texts=["aaa"], num_merges=1)
    assert tok.training is not None
    assert (tok.training.counts, tok.training.fired) == ((2,), (1,))


def test_the_best_count_must_reach_the_minimum() -> None:
    with pytest.warns(bp.TrainingWarning, match="no pair occurs 2 times"):
        tok = bp.train(counts={"ab": 2, "ac": 1}, num_merges=10, min_count=2)
    assert learned(tok) == [("a", "b")]
    assert tok.training is not None
    assert tok.training.stopped == "min count"


def test_tokens_can_be_kept_short() -> None:
    for limit, longest in ((None, 12), (5, 3), (2, 2), (1, 1)):
        tok = train(["abcabcabcabc"], num_merges=50, max_token_bytes=limit, pattern=None)
        assert max(len(token) for token in tok.vocabulary.values()) == longest


def test_special_tokens_are_boundaries() -> None:
    tok = train(["ab<|endoftext|>ab"], num_merges=10, pattern=None, special_tokens=["<|endoftext|>"])
    assert learned(tok) == [("a", "b")]
    assert tok.special_tokens == {"<|endoftext|>": 257}
    assert not [t for id, t in tok.vocabulary.items() if id < 257 and (b"<|" in t or b"|>" in t)]


def test_special_tokens_are_boundaries_in_counts_too() -> None:
    settings: dict[str, Any] = {"num_merges": 3, "pattern": None, "special_tokens": ["<|end|>", "<|end|>x"]}
    cut = bp.train(counts={"ab<|end|>xcd<|end|>": 3, "<|end|>": 9, "ab": 1}, **settings | {"num_merges": 2})
    assert learned(cut) == [("a", "b"), ("c", "d")]
    assert cut.training is not None
    assert cut.training.counts == (4, 3)
    assert (cut.training.pretokens, cut.training.distinct, cut.training.bytes) == (7, 2, 14)
    texts = ["ab<|end|>xcd<|end|>"] * 3 + ["<|end|>"] * 9 + ["ab"]
    assert bp.train(texts=texts, **settings | {"num_merges": 2}) == cut


def test_numbers_may_be_those_of_numpy() -> None:
    tok = bp.train(texts=["low low"], vocab_size=np.int64(258), min_count=np.uint8(1), threads=np.int32(2))  # type: ignore[arg-type]
    assert len(tok) == 258


def test_the_default_pattern_gives_way_to_characters() -> None:
    assert bp.train(texts=["ab"], num_merges=1, alphabet="characters").pattern is None
    assert bp.train(texts=["ab"], num_merges=1, alphabet="characters", pattern=None).pattern is None
    default, named = bp.train(texts=["ab"], num_merges=1), bp.train(texts=["ab"], num_merges=1, pattern="o200k")
    assert default.pattern == named.pattern == bp.PATTERNS["o200k"]


def test_special_tokens_follow_the_last_merge_and_count() -> None:
    tok = bp.train(texts=["low low"], vocab_size=260, special_tokens=["<s>", "</s>"])
    assert tok.special_tokens == {"<s>": 258, "</s>": 259}
    assert tok.n_vocab == len(tok) == 260
    early = train(["ab"], vocab_size=300, special_tokens=["<s>"])
    assert early.special_tokens == {"<s>": 257}


def test_characters_with_a_joined_mark_as_subword_nmt_does() -> None:
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    text = "\n".join(word for word, count in words.items() for _ in range(count))
    settings: dict[str, Any] = {
        "num_merges": 10,
        "alphabet": "characters",
        "end_of_word": "</w>",
        "end_of_word_joined": True,
        "ties": "greatest",
        "min_count": 2,
    }
    codes = "s t</w>,e st</w>,l o,w est</w>,n e,ne west</w>,lo w</w>,w i,wi d,wid est</w>"
    for tok in (bp.train(texts=[text], **settings), bp.train(counts=words, **settings)):
        merges = [f"{tok.bytes_of(a).decode()} {tok.bytes_of(b).decode()}" for a, b in tok.merges]
        assert ",".join(merges) == codes
        pieces = [tok.bytes_of(id).decode() for id in tok.encode("low lower lowest newer")]
        assert pieces == ["low</w>", "lo", "w", "e", "r</w>", "lo", "west</w>", "ne", "w", "e", "r</w>"]
        assert all(
            tok.id_of(piece) == id for piece, id in zip(pieces, tok.encode("low lower lowest newer"), strict=True)
        )


def test_characters_are_numbered_by_code_point_after_the_mark() -> None:
    alone = bp.train(texts=["ba é"], num_merges=0, alphabet="characters", end_of_word="_")
    assert list(alone.vocabulary.values()) == [b"_", b"a", b"b", "é".encode()]
    joined = bp.train(texts=["ba é"], num_merges=0, alphabet="characters", end_of_word="_", end_of_word_joined=True)
    assert list(joined.vocabulary.values()) == [text.encode() for text in ("a", "a_", "b", "b_", "é", "é_")]
    assert joined.decode(joined.encode("éb b")) == "éb b"


# Limits


def test_a_vocabulary_below_the_alphabet_is_refused() -> None:
    with pytest.raises(ValueError, match=r"vocab_size is 100, .* 256 bytes\n"):
        bp.train(texts=["ab"], vocab_size=100)
    with pytest.raises(bp.TrainingError, match=r"vocab_size is 5, .* 7 characters\n"):
        bp.train(texts=["abcdefg"], vocab_size=5, alphabet="characters")
    with pytest.raises(bp.TrainingError, match=r"vocab_size is 257, .* 256 bytes and 2 special tokens"):
        bp.train(texts=["ab"], vocab_size=257, special_tokens=["<s>", "</s>"])
    assert len(bp.train(texts=["ab"], vocab_size=258, special_tokens=["<s>", "</s>"])) == 258
    assert len(bp.train(texts=["abcdefg"], vocab_size=7, alphabet="characters")) == 7


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({}, TypeError, "got none of vocab_size, num_merges"),
        ({"vocab_size": 300, "num_merges": 3}, TypeError, "got vocab_size and num_merges"),
        ({"num_merges": -1}, ValueError, "num_merges is -1"),
        ({"num_merges": 1.5}, TypeError, "float"),
        ({"num_merges": True}, TypeError, "bool"),
        ({"num_merges": 1 << 64}, ValueError, "num_merges is"),
        ({"vocab_size": 0}, ValueError, "vocab_size is 0"),
        ({"num_merges": 1, "min_count": -1}, ValueError, "min_count is -1"),
        ({"num_merges": 1, "max_token_bytes": 0}, ValueError, "max_token_bytes is 0"),
        ({"num_merges": 1, "ties": "best"}, ValueError, 'ties is "best"'),
        ({"num_merges": 1, "threads": 0}, ValueError, "threads is 0"),
        ({"num_merges": 1, "threads": 1 << 80}, ValueError, r"threads is \d+\nhint: it is an integer from 1 to 4096"),
        ({"num_merges": 1, "min_count": 1 << 80}, ValueError, "min_count is"),
        ({"num_merges": 1, "max_token_bytes": 1 << 80}, ValueError, "max_token_bytes is"),
        ({"vocab_size": 1 << 80}, ValueError, "vocab_size is"),
        ({"num_merges": 1, "alphabet": "words"}, bp.VocabularyError, "words"),
        ({"num_merges": 1, "end_of_word": "_"}, bp.VocabularyError, "alphabet of bytes"),
        ({"num_merges": 1, "alphabet": "characters", "end_of_word": ""}, bp.VocabularyError, "empty"),
        ({"num_merges": 1, "alphabet": "characters", "pattern": "a+"}, bp.VocabularyError, "leave the pattern out"),
        ({"num_merges": 1, "alphabet": "characters", "pattern": "o200k"}, bp.VocabularyError, "leave the pattern out"),
        ({"num_merges": 1, "special_tokens": "<s>"}, TypeError, r"\['<s>'\]"),
        ({"num_merges": 1, "special_tokens": b"<s>"}, TypeError, "of type `bytes`"),
        ({"num_merges": 1, "special_tokens": {"<s>", "</s>"}}, TypeError, "`set`, whose order .*\nhint: pass a list"),
        ({"num_merges": 1, "special_tokens": {"<s>": 300}}, TypeError, "`dict`, but training chooses the ids\nhint: "),
        ({"num_merges": 1, "special_tokens": iter(["<s>"])}, TypeError, "hint: pass a list"),
        ({"num_merges": 1, "special_tokens": None}, TypeError, "NoneType"),
        ({"num_merges": 1, "special_tokens": [b"<s>"]}, TypeError, r"special_tokens\[0\]"),
        ({"num_merges": 1, "special_tokens": ["<s>", ""]}, bp.SpecialTokenError, r"special_tokens\[1\] is empty"),
        (
            {"num_merges": 1, "special_tokens": ["<a>", "<s>", "<s>"]},
            bp.SpecialTokenError,
            r"special_tokens\[2\] is '<s>', and so is special_tokens\[1\]\nhint: ",
        ),
        ({"num_merges": 1, "special_tokens": ["\ud83d"]}, bp.SpecialTokenError, "surrogate"),
        ({"num_merges": 1, "pattern": "a("}, bp.PatternError, "hint: "),
        ({"num_merges": 1, "pattern": "a\ud83d"}, bp.PatternError, "surrogate"),
        ({"num_merges": 1, "ties": None}, TypeError, "ties is of type `NoneType`\nhint: "),
        ({"num_merges": 1, "alphabet": []}, TypeError, "alphabet is of type `list`\nhint: "),
        (
            {"num_merges": 1, "alphabet": "characters", "end_of_word": 5},
            TypeError,
            "end_of_word is of type `int`\nhint: ",
        ),
        ({"num_merges": 1, "alphabet": "characters", "end_of_word": "\udcff"}, ValueError, "end_of_word holds a surr"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bp.train(texts=["ab"], **settings)


def test_characters_must_be_text() -> None:
    with pytest.raises(bp.TrainingError, match="hint: "):
        bp.train(texts=[b"ab\xff"], num_merges=1, alphabet="characters", errors="bytes")


# Independence of threads and order


def test_the_number_of_threads_changes_nothing() -> None:
    texts = [f"line {n * n} of text number {n % 97}: low lower lowest {'x' * (n % 13)}" * 4 for n in range(10_007)]
    toks = [train(texts, vocab_size=600, pattern="gpt2", threads=threads) for threads in (1, 2, 3, 7, 16)]
    assert len({tok.fingerprint for tok in toks}) == 1
    assert len({tok.training for tok in toks}) == 1


@pytest.mark.parametrize("ties", ["lowest", "huggingface", "greatest"])
def test_the_order_of_documents_changes_nothing(ties: str) -> None:
    texts = ["the cat", "sat on", "the mat", "and the", "catalogue"]
    forward, backward = (train(order, num_merges=20, ties=ties) for order in (texts, texts[::-1]))
    assert forward == backward


# Progress


def test_progress_tells_every_merge_as_it_is_learned() -> None:
    seen: list[bp.Progress] = []
    tok = bp.train(texts=["low lower lowest"], vocab_size=260, special_tokens=["<s>"], progress=seen.append)
    assert [(event.phase, event.done, event.total) for event in seen] == [
        ("count", 16, 16),
        ("merge", 1, 3),
        ("merge", 2, 3),
        ("merge", 3, 3),
    ]
    merges = [event.merge for event in seen if event.merge is not None]
    assert [(merge.rank, merge.id) for merge in merges] == [(0, 256), (1, 257), (2, 258)]
    assert [tok.bytes_of(merge.id) for merge in merges] == [merge.token for merge in merges]
    assert [merge.left + merge.right for merge in merges] == [merge.token for merge in merges]
    assert tok.training is not None
    assert tuple(merge.count for merge in merges) == tok.training.counts
    assert tuple(merge.fired for merge in merges) == tok.training.fired


def test_progress_knows_characters_too() -> None:
    seen: list[bp.Progress] = []
    tok = bp.train(texts=["é low"], num_merges=2, alphabet="characters", end_of_word="_", progress=seen.append)
    assert [event.merge.token for event in seen if event.merge] == [
        tok.bytes_of(id) for id in list(tok.vocabulary)[-2:]
    ]


def test_an_error_in_the_callback_ends_the_training() -> None:
    class StopError(Exception):
        """The callback's own."""

    def stop(event: bp.Progress) -> None:
        if event.merge is not None and event.merge.rank == 1:
            raise StopError

    with pytest.raises(StopError):
        bp.train(texts=["low lower lowest"], num_merges=3, progress=stop)


def test_the_record_tells_what_was_read() -> None:
    record = bp.train(texts=["low low", b"lower"], num_merges=2, pattern="gpt2").training
    assert record == bp.TrainingRecord(
        ties="lowest",
        min_count=1,
        documents=2,
        bytes=12,
        pretokens=3,
        distinct=3,
        stopped="goal",
        counts=(3, 3),
        fired=(3, 3),
    )
