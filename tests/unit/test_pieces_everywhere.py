"""Tokenizers that normalise, through every door: each gives what `encode` gives, or says that it cannot."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import Parts, SpecialToken
from bytepair.normalizing import Decoder, Normalizer, Step

BYTES = tuple((3 + byte, b"\xff" + bytes([byte])) for byte in range(256))
LETTERS = {letter: 259 + place for place, letter in enumerate("▁abcdelostw")}
PAIRS = (("l", "o"), ("▁", "lo"), ("s", "t"), ("▁lo", "w"), ("e", "st"), ("▁low", "est"), ("a", "b"))
TEXTS = ["low lowest", "", "  a", "café 日本 <s> low", "user low", "low<|x|> lowest"]


def template(id_: int) -> str:
    """A post-processor that puts `<s>` before each text."""
    single = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    tokens = {"<s>": {"id": "<s>", "ids": [id_], "tokens": ["<s>"]}}
    post = {"type": "TemplateProcessing", "single": single, "pair": single, "special_tokens": tokens}
    return json.dumps(post, sort_keys=True)


@pytest.fixture(scope="module")
def pieces() -> bp.Tokenizer:
    ids, merges = dict(LETTERS), []
    for left, right in PAIRS:
        merges.append((ids[left], ids[right]))
        ids[left + right] = 259 + len(ids)
    specials = (
        SpecialToken("<s>", 1),
        SpecialToken("<|x|>", 400, normalized=True, lstrip=True),
        SpecialToken("user", 401, special=False, normalized=True, single_word=True),
    )
    return bp.Tokenizer.from_parts(
        Parts(
            alphabet="unicode",
            tokens=(*BYTES, *((id, text.encode()) for text, id in ids.items())),
            merges=tuple(merges),
            specials=specials,
            normalizer=Normalizer((Step("prepend", ("▁",)), Step("replace", (" ", "▁")))),
            decoder=Decoder("▁", 1),
            post_processor=template(1),
        )
    )


@pytest.fixture(scope="module")
def folded() -> bp.Tokenizer:
    tok = bp.train(texts=["the naïve café, low lower lowest"] * 5, num_merges=20, special_tokens=["<s>"])
    normalizer = Normalizer((Step("nfkc"), Step("lowercase")))
    return bp.Tokenizer.from_parts(replace(tok.parts, normalizer=normalizer, training=None))


@pytest.fixture(params=["pieces", "folded"])
def tok(request: pytest.FixtureRequest) -> bp.Tokenizer:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, bp.Tokenizer)
    return found


def test_every_way_to_encode(tok: bp.Tokenizer) -> None:
    expected = [tok.encode(text, allowed_special="all", unknown="skip") for text in TEXTS]
    assert any(expected)
    assert tok.encode_arrow(pa.array(TEXTS), allowed_special="all", unknown="skip").to_pylist() == expected
    assert tok.encode_batch(TEXTS, allowed_special="all", unknown="skip") == expected
    for text, ids in zip(TEXTS, expected, strict=True):
        assert tok.encode(text, dropout=0, allowed_special="all", unknown="skip") == ids
        parts = tok.encode_stream([text[:3], text[3:]], allowed_special="all", unknown="skip")
        assert [id for part in parts for id in part] == ids
        assert tok.as_huggingface()(text, add_special_tokens=False)["input_ids"] == ids


def test_dropout_normalizes(tok: bp.Tokenizer) -> None:
    """As plain encoding does, and then merges less: with almost no dropout the ids are those of plain encoding."""
    for text in TEXTS:
        assert tok.encode(text, dropout=1e-12, unknown="skip") == tok.encode(text, unknown="skip")
        for seed in range(5):
            ids = tok.encode(text, dropout=0.5, seed=seed, allowed_special="all", unknown="skip")
            assert tok.decode(ids) == tok.decode(tok.encode(text, allowed_special="all", unknown="skip"))
            assert ids == tok.encode(text, dropout=0.5, seed=seed, allowed_special="all", unknown="skip")


def test_one_stream_of_numbers_serves_the_whole_text(pieces: bp.Tokenizer) -> None:
    """Equal parts between special tokens are not always cut alike."""
    alike = [pieces.encode("lowest<s>lowest", dropout=0.5, seed=seed, allowed_special="all") for seed in range(40)]
    halves = [(ids[: ids.index(1)], ids[ids.index(1) + 1 :]) for ids in alike]
    assert any(left != right for left, right in halves)


@given(st.text(st.sampled_from("low est▁é<s>"), max_size=30), st.floats(0, 1), st.integers(0, 99))
def test_dropout_loses_no_text(pieces: bp.Tokenizer, text: str, dropout: float, seed: int) -> None:
    ids = pieces.encode(text, dropout=dropout, seed=seed)
    assert pieces.decode(ids) == pieces.decode(pieces.encode(text))


def test_tiktokens_interface_is_refused(tok: bp.Tokenizer) -> None:
    with pytest.raises(bp.VocabularyError, match=r"^the tokenizer (has|normalizes) .*\nhint: "):
        tok.as_tiktoken()


def test_the_template_of_the_file_is_the_default_of_the_other_door(pieces: bp.Tokenizer) -> None:
    mine = pieces.as_huggingface()
    assert mine("low")["input_ids"] == [1, *pieces.encode("low")]
    assert mine("low", add_special_tokens=False)["input_ids"] == pieces.encode("low")


def test_edits_keep_what_is_around(pieces: bp.Tokenizer) -> None:
    longest = pieces.id_of("▁lowest")
    for edited in (pieces.without([longest]), pieces.truncated(3), pieces.with_special_tokens(["<t>"])):
        before, after = pieces.parts, edited.tokenizer.parts
        for field in ("alphabet", "normalizer", "decoder", "unknown", "fuse_unknown", "pattern"):
            assert getattr(after, field) == getattr(before, field)
        flags = [special.plain[2:] for special in after.specials if special.content != "<t>"]
        assert flags == [special.plain[2:] for special in before.specials]
        begin = edited.tokenizer.special_tokens["<s>"]
        assert begin == edited.old_to_new[1]
        assert edited.tokenizer.as_huggingface()("low")["input_ids"][0] == begin
        assert after.post_processor == template(begin)
    assert pieces.without([longest]).tokenizer.as_huggingface().tokenize("lowest") == ["▁low", "est"]


def test_a_template_whose_token_is_gone_is_told_of(pieces: bp.Tokenizer) -> None:
    edited = pieces.without([1]).tokenizer
    with pytest.warns(bp.FormatWarning, match='names "<s>" with the id 1, and is not kept'):
        assert edited.as_huggingface()("low")["input_ids"] == edited.encode("low")


def test_what_is_no_template_is_refused(pieces: bp.Tokenizer) -> None:
    rubbish = bp.Tokenizer.from_parts(replace(pieces.parts, post_processor="{"))
    with pytest.raises(bp.FormatError, match=r"`post_processor` is no JSON: .*\nhint: "):
        rubbish.as_huggingface()
    with pytest.raises(bp.FormatError, match=r"`post_processor` is no JSON: .*\nhint: "):
        rubbish.truncated(1)


CORPUS = ["low lowest", "Low\uff4fw <s>low", "", "café lo", "low<|x|> low"]


def test_pruning_leaves_the_ids_of_a_corpus(tok: bp.Tokenizer) -> None:
    edited = tok.pruned(CORPUS)
    assert edited.removed
    for allowed in ((), "all"):
        for text in CORPUS:
            ids = tok.encode(text, allowed_special=allowed, unknown="skip")
            found = edited.tokenizer.encode(text, allowed_special=allowed, unknown="skip")
            assert found == edited.old_to_new[ids].tolist() or "<s>" in text, text
    used = {id for text in CORPUS for id in tok.encode(text, allowed_special="all", unknown="skip")}
    assert used.isdisjoint(edited.removed)
    parts = edited.tokenizer.parts
    assert (parts.normalizer, parts.decoder) == (tok.parts.normalizer, tok.parts.decoder)
    fewer = tok.pruned(CORPUS, keep=len(edited.tokenizer) - 1)
    assert len(fewer.tokenizer) == len(edited.tokenizer) - 1
    assert set(edited.removed) < set(fewer.removed)


def test_pruning_takes_a_corpus_as_everybody_does(tok: bp.Tokenizer, tmp_path: Path) -> None:
    for name, text in enumerate(CORPUS):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    assert tok.pruned(files=str(tmp_path / "*.txt")).removed == tok.pruned(CORPUS).removed
    with pytest.raises(bp.TrainingError, match=r"counts of pretokens are of texts as they are\nhint: "):
        tok.pruned(counts={b"low": 1})
    with pytest.raises(TypeError, match="give exactly one of texts, files, counts"):
        tok.pruned()
    with pytest.raises(TypeError):
        tok.pruned(["low"], nothing=1)  # type: ignore[call-arg]


def test_learning_goes_on_from_normalised_texts(folded: bp.Tokenizer, tmp_path: Path) -> None:
    texts = ["ŒUVRE œuvre Œuvre<s>œuvre", "<s>ﬁx fix FIX"] * 3
    edited = folded.extended(texts, 8)
    new = [edited.tokenizer.bytes_of(id) for id in edited.added]
    assert len(new) == 8
    assert "œuvre".encode() in new
    assert b"fix" in new
    assert (
        edited.tokenizer.encode("ŒUVRE")
        == edited.tokenizer.encode("œuvre")
        == [edited.added[new.index("œuvre".encode())]]
    )
    assert edited.tokenizer.parts.normalizer == folded.parts.normalizer
    before, after = folded.parts, edited.tokenizer.parts
    assert after.tokens[: len(before.tokens)] == before.tokens
    assert after.merges is not None
    assert before.merges is not None
    assert after.merges[: len(before.merges)] == before.merges
    assert after.specials == before.specials
    # It is what training on texts that are normalised already gives.
    bare = bp.Tokenizer.from_parts(replace(folded.parts, normalizer=Normalizer()))
    expected = bare.extended(["œuvre œuvre œuvre<s>œuvre", "<s>fix fix fix"] * 3, 8).tokenizer.parts
    assert (expected.tokens, expected.merges) == (after.tokens, after.merges)
    for name, text in enumerate(texts):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    assert folded.extended(files=str(tmp_path / "*.txt"), num_merges=8).tokenizer == edited.tokenizer
    assert folded.extended({"a": texts[::2], "b": texts[1::2]}, 8).tokenizer == edited.tokenizer
    with_new = folded.extended(["LOWX <NEW> lowx"] * 3, 2, special_tokens=["<NEW>"])
    assert with_new.tokenizer.special_tokens["<NEW>"] == folded.n_vocab + 2
    assert [with_new.tokenizer.bytes_of(id) for id in with_new.added[:2]] == [b"low", b" lowx"]


@pytest.mark.parametrize("steps", [(), (Step("nfc"),)])
def test_learning_keeps_the_template_of_the_file(steps: tuple[Step, ...]) -> None:
    base = bp.train(texts=["low"], num_merges=1, special_tokens=["<s>"])
    base = bp.Tokenizer.from_parts(replace(base.parts, post_processor=template(257), normalizer=Normalizer(steps)))
    more = base.extended(["est est"], 2).tokenizer
    assert more.parts.post_processor == template(257)
    assert more.as_huggingface()("est")["input_ids"] == [257, 259]


def test_extensions_that_cannot_be(pieces: bp.Tokenizer, folded: bp.Tokenizer) -> None:
    with pytest.raises(bp.TrainingError, match=r"^the base .*, and training does not\nhint: "):
        pieces.extended(["low"], 1)
    with pytest.raises(bp.TrainingError, match=r"^the tokenizer normalises texts, and counts .*\nhint: "):
        folded.extended(counts={b"low": 1}, num_merges=1)
    with pytest.raises(TypeError, match="got none of files and texts"):
        folded.extended(num_merges=1)
    with pytest.raises(TypeError, match="base is this tokenizer"):
        folded.extended(["low"], 1, base=folded)


def test_judging(tok: bp.Tokenizer) -> None:
    texts = ["low lowest", "a b c"]
    expected = sum(tok.count(text) for text in texts)
    assert bp.measure(tok, texts).of("tokenizer").tokens == expected
    assert bp.zipf(tok, texts).counts["tokenizer"].sum() == expected
    assert bp.audit(tok).tokens == len(tok)
    page = bp.report(tok, texts, name="one")
    assert page.results.measurement is not None
    assert bp.sweep(tok, texts).tokens()[-1] == expected
    assert page.results.sweep is not None
    assert bp.audit(tok, texts).texts_tokens == expected
    assert bp.compare(tok, tok, texts).tokens == (expected, expected)
    if tok.end_of_word is None:
        assert bp.gap_to_optimal(tok, texts).tokens == expected
        return
    with pytest.raises(ValueError, match=r"^the tokenizer .*\nhint: "):
        bp.gap_to_optimal(tok, texts)


def test_what_stands_for_a_space_is_one(pieces: bp.Tokenizer) -> None:
    found = {group.name: group.tokens for group in bp.kinds(pieces).of("kind")}
    assert found["space + letters"] == 3


def test_an_audit_finds_contexts(pieces: bp.Tokenizer) -> None:
    """A token that is not at the beginning of a word comes out only behind something."""
    found = {finding.kind: finding for finding in bp.audit(pieces).findings}
    assert pieces.id_of("est") in {item.id for item in found["needs_context"].items}
    assert pieces.id_of("est") not in {item.id for item in found["unreachable"].items}
