"""What `info` tells of what is around a vocabulary, and what cannot be judged there."""

from __future__ import annotations

import re
from dataclasses import replace

import bytepair as bp
from bytepair.normalizing import Decoder, Normalizer, Step
from bytepair.parts import Parts, SpecialToken
from bytepair.render.about import about_table
from bytepair.render.plain import plain

MARK = "\u2581"
STEPS = (Step("prepend", (MARK,)), Step("replace", (" ", MARK)))
PARTS = Parts(
    alphabet="unicode",
    tokens=((1, MARK.encode()), (2, b"a"), (3, (MARK + "a").encode())),
    merges=((1, 2),),
    specials=(SpecialToken("<unk>", 0),),
    unknown=0,
    fuse_unknown=True,
    normalizer=Normalizer(STEPS),
    decoder=Decoder(MARK, 1),
)


def test_info_tells_normalizer_decoder_and_unknown_id() -> None:
    tok = bp.Tokenizer.from_parts(PARTS)
    info = tok.info()
    assert info.normalizer == (f"prepend {MARK!r}", f"replace ' ' {MARK!r}")
    assert info.decoder == f"{MARK!r} becomes a space; 1 at the beginning is taken away"
    assert info.unknown == 0
    assert info.normalizer_unicode == ()
    rows = dict(row.split("\t", 1) for row in plain(about_table(info, tok.special_tokens)))
    assert rows["normalizer"].startswith("prepend")
    assert rows["unknown"] == "0"
    assert "becomes a space" in rows["decoder"]


def test_info_of_a_tokenizer_without_them_shows_none() -> None:
    tok = bp.train(texts=["a"], num_merges=0)
    info = tok.info()
    assert (info.normalizer, info.decoder, info.unknown) == ((), None, None)
    assert not any(row.startswith(("normalizer", "decoder", "unknown")) for row in plain(about_table(info, {})))
    steps = replace(tok.parts, normalizer=Normalizer((Step("nfc"), Step("lowercase"))))
    found = bp.Tokenizer.from_parts(steps).info()
    assert found.normalizer == ("nfc", "lowercase")
    names, versions = zip(*(each.rsplit(" ", 1) for each in found.normalizer_unicode), strict=True)
    assert names == ("normal forms", "small letters")
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
    shown = [row for row in plain(about_table(found, {})) if row.startswith("normalizer unicode")]
    assert shown == [f"normalizer unicode\t{', '.join(found.normalizer_unicode)}"]


def test_measures_count_what_encode_gives() -> None:
    tok = bp.Tokenizer.from_parts(PARTS)
    texts = ["a a", "aa b", "", MARK]
    wanted = [id for text in texts for id in tok.encode(text)]
    assert bp.measure(tok, texts=texts).rows()[0]["tokens"] == len(wanted)
    found = bp.zipf(tok, texts=texts).figures[0]
    assert (found.vocab_size, found.tokens_in_use, found.never_seen) == (4, 4, 0)


def test_words_are_looked_for_only_where_tokens_lie_in_the_text() -> None:
    # Normalised, a text may be as long as before, with other words: those that count are the ones that are encoded.
    steps = Normalizer((Step("replace", ("ba c", "cc c")),))
    byte = tuple((value, bytes((value,))) for value in range(256))
    tok = bp.Tokenizer.from_parts(Parts(tokens=(*byte, (256, b"cc")), merges=((99, 99),), normalizer=steps))
    plain = bp.Tokenizer.from_parts(replace(tok.parts, normalizer=Normalizer()))
    for name in ("tokens_per_word", "single_token_words"):
        assert bp.measure(tok, texts=["ba c"]).rows()[0][name] == bp.measure(plain, texts=["cc c"]).rows()[0][name]
    joined = replace(tok.parts, normalizer=Normalizer((Step("replace", (" ", "")),)))
    assert bp.measure(bp.Tokenizer.from_parts(joined), texts=["a b a b"]).rows()[0]["tokens_per_word"] == 4
    dropped = bp.Tokenizer.from_parts(Parts(tokens=byte, merges=(), pattern=r"(?removed)\s"))
    assert bp.measure(dropped, texts=["ba c"]).rows()[0]["tokens_per_word"] is None
    assert bp.measure(dropped, texts=["ba c"]).rows()[0]["tokens"] == 3


def test_what_may_be_one_unknown_token_is_judged_too() -> None:
    tok = bp.Tokenizer.from_parts(PARTS)
    texts = ["a☃☃ a", "☃"]
    wanted = sum(map(tok.count, texts))
    assert bp.audit(tok, texts=texts).texts_tokens == wanted
    assert bp.sweep(tok, texts=texts).tokens().tolist() == [wanted + 2, wanted]
    assert bp.gap_to_optimal(tok, texts=texts).tokens == wanted
