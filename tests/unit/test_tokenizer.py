"""Text -> ids and back: what each option means, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytepair as bp
from bytepair.normalizing import Normalizer, Step
from bytepair.render.about import about_table
from bytepair.render.plain import plain

BYTES = tuple((byte, bytes([byte])) for byte in range(256))


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    """Some merges, two special tokens of which one begins with the other."""
    return bp.train(texts=["low lower lowest low"] * 3, num_merges=3, special_tokens=["<|end|>", "<|end|>>"])


def byte_level(*specials: str) -> bp.Tokenizer:
    return bp.train(texts=[], vocab_size=256 + len(specials), special_tokens=specials)


def parts(tokens: dict[bytes, int], merges: list[tuple[int, int]] | None, **more: object) -> bp.Parts:
    contents = BYTES + tuple((id, content) for content, id in tokens.items())
    return bp.Parts(tokens=contents, merges=None if merges is None else tuple(merges), **more)  # type: ignore[arg-type]


# Encoding


def test_empty_text_gives_nothing(tok: bp.Tokenizer) -> None:
    assert tok.encode("") == tok.encode(b"") == []
    assert tok.count("") == 0
    assert tok.decode([]) == ""
    assert tok.decode_bytes([]) == b""
    assert tok.split("") == []
    assert tok.trace("").ids == ()
    assert tok.trace("").byte_offsets == ()
    assert tok.encode_to_numpy("").tolist() == []
    assert tok.encode_batch([]) == []
    ids, offsets = tok.encode_batch_to_numpy([])
    assert (ids.tolist(), offsets.tolist()) == ([], [0])


def test_every_byte_round_trips(tok: bp.Tokenizer) -> None:
    data = bytes(range(256)) * 3 + b"\xf0\x9f" + "é漢🌱".encode()
    assert tok.decode_bytes(tok.encode(data)) == data


def test_text_that_the_pattern_does_not_match_is_kept() -> None:
    tok = bp.train(texts=[], vocab_size=256, pattern="[a-z]+")
    assert tok.decode(tok.encode("ab 12 cd")) == "ab 12 cd"


def test_digits_are_grouped_as_the_pattern_says() -> None:
    two, three = (bp.PATTERNS["cl100k"].replace(r"\p{N}{1,3}+", rf"\p{{N}}{{1,{n}}}") for n in (2, 3))
    assert bp.train(texts=[], vocab_size=256, pattern=two).split("1234567890") == ["12", "34", "56", "78", "90"]
    assert bp.train(texts=[], vocab_size=256, pattern=three).split("1234567890") == ["123", "456", "789", "0"]


def test_whole_pretokens_are_looked_up_before_they_are_merged() -> None:
    tok = bp.Tokenizer.from_parts(parts({b"abc": 256}, [], whole_first=True))
    assert [tok.encode(text) for text in ("abc", "xabc")] == [[256], [120, 97, 98, 99]]


def test_a_rank_file_merges_what_its_tokens_allow() -> None:
    tok = bp.Tokenizer.from_parts(parts({b"ab": 256, b"abc": 257}, None, whole_first=True))
    assert tok.encode("xabc") == [120, 257]
    assert list(tok.merges) == [(97, 98), (256, 99)]
    assert tok.info().rank_file


def test_special_tokens_are_text_unless_allowed(tok: bp.Tokenizer) -> None:
    text = "low<|end|>"
    end = tok.special_tokens["<|end|>"]
    assert end not in tok.encode(text)
    assert tok.encode(text, allowed_special={"<|end|>"})[-1] == end
    assert tok.encode(text, allowed_special="all")[-1] == end
    assert tok.encode(text, disallowed_special=()) == tok.encode(text)
    assert tok.count(text) == len(tok.encode(text))


def test_the_longest_special_token_wins(tok: bp.Tokenizer) -> None:
    end, longer = tok.special_tokens.values()
    assert tok.encode("<|end|>><|end|>", allowed_special="all") == [longer, end]
    assert tok.encode("<|end|>>", allowed_special=["<|end|>"]) == [end, ord(">")]


def test_a_forbidden_special_token_is_named_with_its_character(tok: bp.Tokenizer) -> None:
    with pytest.raises(bp.SpecialTokenError, match=r"`<\|end\|>` at character 4\b") as caught:
        tok.encode("séé <|end|>", disallowed_special="all")
    assert isinstance(caught.value, ValueError)
    assert "hint:" in str(caught.value)
    with pytest.raises(bp.SpecialTokenError, match="at byte 6"):
        tok.encode("séé <|end|>".encode(), disallowed_special="all")
    with pytest.raises(bp.SpecialTokenError, match=r"item 1 of the texts: .* at character 1\b"):
        tok.encode_batch(["fine", "é<|end|>"], disallowed_special={"<|end|>"})
    # What is allowed is not forbidden.
    assert tok.encode("<|end|>", allowed_special="all", disallowed_special="all") == [tok.special_tokens["<|end|>"]]


@pytest.mark.parametrize("option", ["allowed_special", "disallowed_special"])
def test_names_of_special_tokens_are_checked(tok: bp.Tokenizer, option: str) -> None:
    with pytest.raises(bp.SpecialTokenError, match=r"names '<\|no\|>'") as caught:
        tok.encode("x", **{option: {"<|no|>"}})  # type: ignore[arg-type]
    assert "`<|end|>`" in caught.value.hint
    with pytest.raises(bp.SpecialTokenError):
        tok.encode("x", **{option: [3]})  # type: ignore[arg-type]
    for word in ("<|end|>", "", "ALL"):
        with pytest.raises(TypeError, match="pass a collection"):
            tok.encode("x", **{option: word})  # type: ignore[arg-type]
    nothing: Any
    for nothing in ((), [], set(), frozenset(), {}, iter(())):
        assert tok.encode("<|end|>", **{option: nothing}) == tok.encode("<|end|>")


def test_parts_mix_special_tokens_and_text(tok: bp.Tokenizer) -> None:
    end = tok.special_tokens["<|end|>"]
    ids = tok.encode_parts([bp.Special("<|end|>"), "low<|end|>", b"\xff", bp.Special("<|end|>")])
    assert ids == [end, *tok.encode("low<|end|>"), 0xFF, end]
    with pytest.raises(bp.SpecialTokenError, match=r"no special token .*\nhint: it has '<|end|>'"):
        tok.encode_parts([bp.Special("<|no|>")])
    for wrong in ("\ud83d", "", None, 3):
        with pytest.raises(bp.SpecialTokenError, match="no special token"):
            tok.encode_parts([bp.Special(wrong)])  # type: ignore[arg-type]
    with pytest.raises(bp.SpecialTokenError, match="hint: it has none"):
        byte_level().encode_parts([bp.Special("<|no|>")])
    with pytest.raises(TypeError, match="one text"):
        tok.encode_parts("low")
    with pytest.raises(TypeError, match="NoneType"):
        tok.encode_parts([None])  # type: ignore[list-item]


# Characters


def test_unknown_characters_are_refused_replaced_or_left_out() -> None:
    tok = bp.train(texts=["ab"], num_merges=0, alphabet="characters", special_tokens=["<unk>"])
    unk = tok.special_tokens["<unk>"]
    with pytest.raises(bp.UnknownSymbolError, match='"é" at character 3'):
        tok.encode("ab é")
    with pytest.raises(bp.UnknownSymbolError, match="at byte 3"):
        tok.encode("ab é".encode())
    assert tok.encode("aéb", unknown="unk") == [0, unk, 1]
    assert tok.encode("aéb", unknown="skip") == [0, 1]
    without = bp.train(texts=["ab"], num_merges=0, alphabet="characters")
    with pytest.raises(ValueError, match="<unk>"):
        without.encode("a", unknown="unk")
    with pytest.raises(ValueError, match="it is"):
        without.encode("a", unknown="ignore")  # type: ignore[arg-type]


def test_a_mark_ends_words_and_becomes_a_space() -> None:
    for joined in (False, True):
        tok = bp.train(
            texts=["low lower", "low"],
            num_merges=3,
            alphabet="characters",
            end_of_word="</w>",
            end_of_word_joined=joined,
        )
        assert tok.lossy
        assert tok.pattern is None
        assert tok.decode(tok.encode(" low\n lower low")) == "low lower low"
        # The mark is no text, and text is no mark.
        with pytest.raises(bp.UnknownSymbolError):
            tok.encode("low</w>")


# Arrays


def test_arrays_hold_the_same_ids(tok: bp.Tokenizer) -> None:
    text = "lowest low é"
    wide, narrow = tok.encode_to_numpy(text), tok.encode_to_numpy(text, dtype="smallest")
    assert wide.dtype == np.uint32
    assert narrow.dtype == np.uint16
    assert wide.tolist() == narrow.tolist() == tok.encode(text)
    assert wide.flags.writeable
    wide[0] = 7
    ids, offsets = tok.encode_batch_to_numpy([text, "", b"low"])
    assert (str(ids.dtype), str(offsets.dtype)) == ("uint32", "uint64")
    pieces = [ids[start:end].tolist() for start, end in pairwise(offsets)]
    assert pieces == tok.encode_batch([text, "", b"low"]) == [tok.encode(text), [], tok.encode("low")]
    small, ends = tok.encode_batch_to_numpy([text, "", b"low"], dtype="smallest")
    assert (str(small.dtype), str(ends.dtype)) == ("uint16", "uint64")
    assert (small.tolist(), ends.tolist()) == (ids.tolist(), offsets.tolist())


@pytest.mark.parametrize(("size", "dtype"), [(65_535, "uint16"), (65_536, "uint16"), (65_537, "uint32")])
def test_the_smallest_dtype_holds_every_id(size: int, dtype: str) -> None:
    tokens = {b"%05d" % id: id for id in range(256, size)}
    tok = bp.Tokenizer.from_parts(parts(tokens, [], whole_first=True))
    last = tok.bytes_of(size - 1)
    ids = tok.encode_to_numpy(last, dtype="smallest")
    assert str(ids.dtype) == dtype
    assert ids.tolist() == [size - 1]
    assert tok.decode_bytes(ids) == last
    assert str(tok.encode_batch_to_numpy([last], dtype="smallest")[0].dtype) == dtype
    if dtype == "uint32":
        with pytest.raises(ValueError, match="65537"):
            tok.encode_to_numpy("a", dtype="uint16")
        with pytest.raises(ValueError, match="65537"):
            tok.encode_batch_to_numpy(["a"], dtype="uint16")
    with pytest.raises(ValueError, match="float"):
        tok.encode_to_numpy("a", dtype="float")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="float"):
        tok.encode_batch_to_numpy(["a"], dtype="float")  # type: ignore[arg-type]


def test_a_batch_longer_than_its_slices_is_whole(tok: bp.Tokenizer) -> None:
    texts = ["low lower " * 50_000] * 20  # 10 MB: three slices of one thread's 4 MB
    one = tok.encode(texts[0])
    assert tok.encode_batch(texts, threads=1) == [one] * 20
    ids, offsets = tok.encode_batch_to_numpy(texts, threads=3)
    assert offsets.tolist() == [len(one) * count for count in range(21)]
    assert ids.tolist() == one * 20


def test_batches_name_the_item_that_is_no_text(tok: bp.Tokenizer) -> None:
    with pytest.raises(TypeError, match="item 1 of the texts is of type `NoneType`"):
        tok.encode_batch(["a", None])  # type: ignore[list-item]
    one: Any
    for one in ("ab", b"ab"):
        with pytest.raises(TypeError, match="one text"):
            tok.encode_batch(one)
    with pytest.raises(TypeError, match="NoneType"):
        tok.encode(None)  # type: ignore[arg-type]
    for threads in (0, -1, 5000, 1 << 80):
        with pytest.raises(ValueError, match="threads is"):
            tok.encode_batch(["a"], threads=threads)
    assert tok.encode_batch(text for text in ["low"]) == [tok.encode("low")]


# Counting and truncating


def test_counting_stops_at_the_limit(tok: bp.Tokenizer) -> None:
    text = "low lowest"
    count = len(tok.encode(text))
    assert tok.count(text) == tok.count_up_to(text, count) == count
    assert tok.count_up_to(text, count - 1) is None
    assert tok.count_up_to("", 0) == 0
    for huge in (1 << 31, 1 << 63, 1 << 64, 1 << 70):
        assert tok.count_up_to(text, huge) == count
        assert tok.truncate(text, huge) == text
    assert tok.count_up_to(text, np.int64(count)) == count  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="limit is -1"):
        tok.count_up_to(text, -1)
    with pytest.raises(TypeError, match="float"):
        tok.count_up_to(text, 1.0)  # type: ignore[arg-type]


def test_truncating_keeps_whole_characters_and_the_type() -> None:
    tok = byte_level()
    assert [tok.truncate("aé🌱", n) for n in range(8)] == ["", "a", "a", "aé", "aé", "aé", "aé", "aé🌱"]
    assert tok.truncate(b"a\xc3\xa9", 2) == b"a"
    assert tok.truncate(bytearray(b"abc"), 2) == b"ab"
    with pytest.raises(ValueError, match="max_tokens is -5"):
        tok.truncate("a", -5)


# What it is


def test_tokens_are_found_by_id_and_by_bytes(tok: bp.Tokenizer) -> None:
    assert tok.bytes_of(tok.id_of(b"low")) == b"low"
    assert tok.id_of("<|end|>") == tok.special_tokens["<|end|>"]
    for unknown in (-1, 100_000, 1 << 40):
        with pytest.raises(bp.UnknownTokenError):
            tok.bytes_of(unknown)
    with pytest.raises(KeyError):
        tok.id_of(b"absent")
    with pytest.raises(TypeError):
        tok.bytes_of("low")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="bool"):
        tok.bytes_of(True)
    assert tok.bytes_of(np.uint8(97)) == b"a"  # type: ignore[arg-type]


def test_vocabulary_and_merges_are_views(tok: bp.Tokenizer) -> None:
    vocabulary = tok.vocabulary
    assert len(vocabulary) == len(tok) == len(dict(vocabulary))
    assert list(vocabulary) == sorted(vocabulary)
    assert vocabulary[256] == tok.bytes_of(256)
    assert 256 in vocabulary
    assert -1 not in vocabulary
    assert "x" not in vocabulary  # type: ignore[comparison-overlap]
    for number in (np.uint32(97), np.int64(97)):
        assert number in vocabulary
        assert vocabulary[number] == b"a"  # type: ignore[index]
    for other in (np.int64(-1), 1 << 80, 97.0, True, None, np.array([97, 98])):
        assert other not in vocabulary
    assert vocabulary.get(10**6) is None
    assert len(tok.merges) == 3
    assert tok.merges[0] == (ord("l"), ord("o"))
    assert tok.merges[-1:] == list(tok.merges)[-1:]
    assert tok.merges == tok.merges
    with pytest.raises(TypeError):
        tok.merges[0] = (0, 0)  # type: ignore[index]


@pytest.mark.parametrize(
    ("pattern", "splitter", "words"),
    [
        (None, "whole", "there is no pattern"),
        (r"(a)\1|.", "backtracking", ""),
        ("cl100k", "automaton", "the processor has neither"),
        (r"(?:a{1,50}b|[^ab]){1,20}|\p{L}", "automaton", ""),
    ],
)
def test_info_says_which_path_serves_and_why(pattern: str | None, splitter: str, words: str) -> None:
    info = bp.train(texts=[], vocab_size=256, pattern=pattern).info()
    assert info.splitter == splitter
    assert (info.splitter_reason is not None) == (splitter == "backtracking")
    assert info.path in {"AVX-512", "AVX2", "scalar"}
    assert (info.path_reason is not None) == (info.path == "scalar")
    assert info.path_reason is None or info.path_reason.startswith(words)
    assert splitter == "automaton" or info.path == "scalar"


def test_info_says_what_is_unusual() -> None:
    odd = parts({b"ab": 300, b"abc": 256, b"xyz": 257}, [(97, 98), (300, 99)], whole_first=True)
    info = bp.Tokenizer.from_parts(odd).info()
    assert (info.unmade, info.ordered) == (1, False)
    assert info.normalizer == ()
    steps = Normalizer((Step("nfc"), Step("replace", ("a", "b"))), (Step("prepend_always", (" ",)),))
    changed = bp.Tokenizer.from_parts(replace(odd, normalizer=steps))
    assert changed.info().normalizer == ("nfc", "replace 'a' 'b'", "prepend_always ' '")
    rows = list(plain(about_table(changed.info(), {})))
    assert "normalizer\tnfc; replace 'a' 'b'; prepend_always ' '" in rows
    words = bp.train(texts=["low low lower"], num_merges=3, alphabet="characters", end_of_word="</w>")
    assert (words.info().unmade, words.info().ordered) == (0, True)


def test_info_says_what_it_is(tok: bp.Tokenizer) -> None:
    info = tok.info()
    assert (tok.alphabet, tok.end_of_word) == (info.alphabet, info.end_of_word) == ("bytes", None)
    characters = bp.train(texts=["ab"], num_merges=0, alphabet="characters", end_of_word="</w>")
    assert (characters.alphabet, characters.end_of_word) == ("characters", "</w>")
    assert (info.n_vocab, info.tokens, info.merges, info.specials) == (261, 261, 3, 2)
    assert (info.preset, info.pattern, info.alphabet) == ("o200k", bp.PATTERNS["o200k"], "bytes")
    assert (info.splitter, info.splitter_reason, info.gaps, info.lossy) == ("automaton", None, (), False)
    assert info.fingerprint == tok.fingerprint
    gapped = bp.Tokenizer.from_parts(parts({b"ab": 300, b"cd": 302}, []))
    assert gapped.info().gaps == ((256, 299), (301, 301))
    assert (gapped.n_vocab, len(gapped)) == (303, 258)


def test_repr_is_one_line(tok: bp.Tokenizer) -> None:
    assert repr(tok) == '<Tokenizer 261 tokens, pattern "o200k", 2 specials>'
    assert repr(bp.train(texts=[], vocab_size=256, pattern=None)) == "<Tokenizer 256 tokens, no pattern, 0 specials>"
    long = bp.train(texts=[], vocab_size=257, pattern="[a-z]+|" * 9 + ".", special_tokens=["<s>"])
    assert (
        repr(long) == '<Tokenizer 257 tokens, pattern "[a-z]+|[a-z]+|[a-z]+|[a-z]+...", 1 special>'[: len(repr(long))]
    )
    characters = bp.train(texts=["a"], num_merges=0, alphabet="characters", end_of_word="</w>")
    assert repr(characters) == '<Tokenizer 2 tokens, characters, "</w>", 0 specials>'


def test_parts_put_together_again_are_equal(tok: bp.Tokenizer) -> None:
    again = bp.Tokenizer.from_parts(tok.parts)
    assert again == tok
    assert again.parts == tok.parts
    assert again.training == tok.training
    assert tok.parts.pattern == bp.PATTERNS["o200k"]


@pytest.mark.parametrize(
    ("tokens", "merges"),
    [
        ({b"ab": 5}, []),  # an id that stands twice
        ({b"": 300}, []),
        ({}, [(97, 98)]),  # a merge whose result is no token
        ({b"ab": 256}, [(97, 999)]),
        ({b"ab": 256}, [(97, 98), (97, 98)]),
        ({b"ab": -1}, []),
        ({b"ab": 1 << 32}, []),
        ({b"ab": "x"}, []),
    ],
)
def test_parts_that_contradict_each_other_are_refused(tokens: dict[bytes, int], merges: list[tuple[int, int]]) -> None:
    with pytest.raises(bp.VocabularyError, match="hint: "):
        bp.Tokenizer.from_parts(parts(tokens, merges))


def test_special_tokens_that_contradict_the_vocabulary_are_refused() -> None:
    with pytest.raises(bp.SpecialTokenError):
        bp.Tokenizer.from_parts(parts({}, [], specials=(bp.SpecialToken("<s>", 65),)))


def test_the_class_is_not_called() -> None:
    with pytest.raises(TypeError, match="use train, load"):
        bp.Tokenizer()


def test_a_saved_tokenizer_is_equal(tok: bp.Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "tokenizer.json")
    assert bp.load(tmp_path / "tokenizer.json") == tok
    with pytest.warns(bp.FormatWarning, match="the pattern .*; 2 special tokens: "):
        tok.save(tmp_path / "ranks.tiktoken", allow_loss=True)
    again = bp.load(tmp_path / "ranks.tiktoken", pattern="o200k", special_tokens=tok.special_tokens)
    assert again.encode("lowest low é<|end|>") == tok.encode("lowest low é<|end|>")


def test_a_mistyped_preset_is_no_regular_expression() -> None:
    with pytest.raises(bp.PatternError, match="`o200`") as caught:
        bp.train(texts=[], vocab_size=256, pattern="o200")
    assert "o200k" in caught.value.hint
    with pytest.raises(bp.PatternError, match="hint: "):
        bp.train(texts=[], vocab_size=256, pattern="(")
    with pytest.raises(TypeError, match="int"):
        bp.train(texts=[], vocab_size=256, pattern=3)  # type: ignore[arg-type]


def test_a_rank_file_is_told_its_pattern_and_the_order_of_its_special_tokens(tmp_path: Path) -> None:
    path = tmp_path / "ranks.tiktoken"
    bp.Tokenizer.from_parts(parts({b"ab": 256}, None, whole_first=True)).save(path)
    whole = bp.load(path, pattern=None, special_tokens=["<a>", "<b>"])
    assert (whole.pattern, whole.special_tokens) == (None, {"<a>": 257, "<b>": 258})
    assert whole.split("ab ab") == ["ab ab"]
    with pytest.raises(bp.FormatError, match="None for no pattern"):
        bp.load(path)
    unordered: Any = {"<a>", "<b>"}
    with pytest.raises(TypeError, match="`set`, which has no order\nhint: "):
        bp.load(path, pattern=None, special_tokens=unordered)


@pytest.mark.parametrize("wrong", [None, 3, 1.5])
def test_what_holds_nothing_is_refused_in_two_lines(tok: bp.Tokenizer, wrong: Any) -> None:
    for call in (tok.encode_batch, tok.encode_batch_to_numpy, tok.encode_parts, tok.decode_batch):
        with pytest.raises(TypeError, match=f"of type `{type(wrong).__name__}`\nhint: "):
            call(wrong)
    if wrong is not None:
        with pytest.raises(TypeError, match=f"allowed_special is of type `{type(wrong).__name__}`\nhint: "):
            tok.encode("a", allowed_special=wrong)


def test_parts_have_their_pattern_spelled_out() -> None:
    with pytest.raises(bp.PatternError, match=r"'o200k', a preset's name\nhint: "):
        bp.Tokenizer.from_parts(parts({}, [], pattern="o200k"))
    tok = bp.Tokenizer.from_parts(parts({}, [], pattern=bp.PATTERNS["o200k"]))
    assert tok.split("hello world") == ["hello", " world"]
