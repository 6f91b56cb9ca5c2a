"""Judging tokenizers as SentencePiece's: characters that fall back to bytes, normalised texts, marked spaces."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bytepair as bp
from bytepair import Parts, Tokenizer
from bytepair.data import Documents, Part
from bytepair.measuring.counting import counted
from bytepair.measuring.normalised import texts_of, words_pattern
from bytepair.measuring.stretches import Stretches
from bytepair.measuring.sweeping import changes_of
from bytepair.measuring.tally import Tally, token_lengths
from bytepair.measuring.words import spans
from bytepair.normalizing import Decoder, Normalizer, Step
from bytepair.parts import MARK, SpecialToken

SIGNS = "ab▁éж日 "
SPACES = Step("replace", (" ", "▁"))
ALL = Step("sentencepiece", (), (True, True, True, False))
NORMALIZERS = [
    Normalizer(),
    Normalizer((SPACES,)),
    Normalizer((Step("prepend", ("▁",)), SPACES)),
    Normalizer((ALL,)),
    Normalizer((Step("nfkc"), SPACES)),
    Normalizer((Step("lowercase"), Step("replace", ("b", ""))), (SPACES,)),
]
TEXT = st.text(st.sampled_from(SIGNS + "AÉ\u0301Ⅳx☃\n"), max_size=30)


def made(seed: int, *, falls_back: bool, words: bool) -> Parts:
    """A random vocabulary; with `words`, no token goes on behind a mark."""
    draw = random.Random(seed)
    contents = [sign.encode() for sign in SIGNS[:-1] if draw.random() < 0.8 or sign == "▁"]
    contents += [MARK + bytes((byte,)) for byte in range(256 * falls_back)]
    merges: list[tuple[int, int]] = []
    for _ in range(draw.randrange(30)):
        texts = [id_ for id_, content in enumerate(contents) if not content.startswith(MARK)]
        pair = draw.choice(texts), draw.choice(texts)
        joined = contents[pair[0]] + contents[pair[1]]
        if joined not in contents and not (words and re.search("[^▁]▁", joined.decode())):
            contents.append(joined)
            merges.append(pair)
    return Parts(
        alphabet="unicode",
        tokens=tuple(enumerate(contents)),
        merges=tuple(merges),
        specials=(SpecialToken("<unk>", 5000),),
        unknown=5000,
        fuse_unknown=draw.random() < 0.5,
        decoder=Decoder("▁"),
        normalizer=draw.choice(NORMALIZERS),
    )


def first_merges(parts: Parts, merges: int) -> Tokenizer:
    """The tokenizer that really has only the first merges."""
    assert parts.merges is not None
    contents = dict(parts.tokens)
    ids = {content: id_ for id_, content in parts.tokens}
    made_by = [ids[contents[left] + contents[right]] for left, right in parts.merges]
    kept = [(id_, content) for id_, content in parts.tokens if id_ not in made_by[merges:]]
    return Tokenizer.from_parts(replace(parts, tokens=tuple(kept), merges=parts.merges[:merges]))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.booleans(), st.lists(TEXT, max_size=3))
def test_sweep_is_real_truncation(seed: int, falls_back: bool, words: bool, texts: list[str]) -> None:
    parts = made(seed, falls_back=falls_back, words=words)
    tok = Tokenizer.from_parts(parts)
    swept = bp.sweep(tok, texts)
    assert swept.merges == len(parts.merges or ())
    for merges in range(swept.merges + 1):
        cut = first_merges(parts, merges)
        ids = [id_ for text in texts for id_ in cut.encode(text)]
        assert dict(zip(*(each.tolist() for each in swept.counts(merges)), strict=True)) == Counter(ids)
        at = swept.at(merges=merges)
        assert (at.tokens, at.vocab_size) == (len(ids), len(cut.parts.tokens) + 1)
        assert not ids or at.bytes_per_token == sum(len(text.encode()) for text in texts) / len(ids)
        assert not ids or at.characters_per_token == sum(map(len, texts)) / len(ids)
        assert tok.truncated(merges).tokenizer.count("".join(texts)) == cut.count("".join(texts))
    whole = bp.measure(tok, texts).figures[0]
    last = swept.at(merges=swept.merges)
    assert whole.tokens == last.tokens
    assert whole.bytes_per_token == pytest.approx(last.bytes_per_token, nan_ok=True)


def fewest(parts: Parts, text: str) -> int:
    """The fewest tokens of a normalised text, tried one by one."""
    contents = {content for _, content in parts.tokens if not content.startswith(MARK)}
    falls_back = any(content.startswith(MARK) for _, content in parts.tokens)
    longest = max(len(content.decode()) for content in contents)

    @cache
    def of(start: int) -> int:
        if start == len(text):
            return 0
        sizes = range(1, min(longest, len(text) - start) + 1)
        ways = [1 + of(start + size) for size in sizes if text[start : start + size].encode() in contents]
        if text[start].encode() not in contents:
            again = parts.fuse_unknown and start and text[start - 1].encode() not in contents
            ways.append((len(text[start].encode()) if falls_back else 1 - again) + of(start + 1))
        return min(ways)

    return of(0)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.booleans(), TEXT)
def test_gap_is_the_shortest_way(seed: int, falls_back: bool, words: bool, text: str) -> None:
    parts = made(seed, falls_back=falls_back, words=words)
    tok = Tokenizer.from_parts(parts)
    found = bp.gap_to_optimal(tok, [text])
    [seen] = texts_of(tok, [text])
    assert (found.tokens, found.fewest) == (tok.count(text), fewest(parts, seen.decode()))
    for one in found.savings:
        assert b"".join(one.fewest).replace(b"<unk>", b"") in one.pretoken or falls_back is False
        assert len(one.fewest) < len(one.tokens)


def places(tok: Tokenizer, text: str) -> set[int]:
    """Where tokens end in a text and none goes on."""
    spans = tok.trace(text).byte_offsets
    ends = {end for _, end in spans}
    return {end for end in ends if not any(start < end < other for start, other in spans)} | {0, len(text.encode())}


def differences(one: Tokenizer, other: Tokenizer, text: str) -> list[tuple[int, bytes]]:
    """The stretches that differ, plainly."""
    cuts, raw = (places(one, text), places(other, text)), text.encode()
    common = sorted(cuts[0] & cuts[1])
    return [
        (start, raw[start:end])
        for start, end in pairwise(common)
        if any(start < place < end for place in cuts[0] ^ cuts[1])
    ]


BYTES = bp.train(texts=["ab aab abab ba bab éж"], num_merges=5)
CHARACTERS = bp.train(
    texts=["ab aab abab ba bab éж日☃xA▁ⅣÉ\u0301"], num_merges=5, alphabet="characters", end_of_word="</w>"
)
DROPS = bp.train(texts=["ab aab"], num_merges=2, pattern=r"(?removed)\s")
MARKED = Tokenizer.from_parts(
    Parts(
        end_of_word="</w>",
        end_of_word_joined=True,
        pattern=r"[a-z]+|[^\sa-z]",
        tokens=tuple(
            enumerate([*(bytes([byte]) for byte in range(256)), *(bytes([byte, 255]) for byte in range(256))])
        ),
        merges=(),
        normalizer=Normalizer((Step("nfc"), Step("lowercase"))),
    )
)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32),
    st.booleans(),
    st.sampled_from([BYTES, CHARACTERS, DROPS, MARKED, None]),
    st.lists(TEXT, max_size=3),
)
def test_compare_any_two(seed: int, falls_back: bool, other: Tokenizer | None, texts: list[str]) -> None:
    one = Tokenizer.from_parts(made(seed, falls_back=falls_back, words=False))
    other = other or Tokenizer.from_parts(made(seed + 1, falls_back=True, words=True))
    found = bp.compare(one, other, texts, examples=100)
    wanted = [(index, *each) for index, text in enumerate(texts) for each in differences(one, other, text)]
    assert [(each.document, each.offset, each.text) for each in found.earliest] == wanted
    assert found.tokens == (sum(map(one.count, texts)), sum(map(other.count, texts)))
    assert found.bytes - found.same_bytes == sum(len(text) for *_, text in wanted)
    assert all(b"".join(each.first) == b"".join(each.second) == each.text for each in found.earliest)
    again = bp.compare(other, one, texts, examples=100)
    assert [each.text for each in again.earliest] == [each.text for each in found.earliest]


def test_compare_what_stands_for_spaces_and_bytes() -> None:
    parts = Parts(
        alphabet="unicode",
        tokens=(
            *((byte, MARK + bytes([byte])) for byte in range(256)),
            (256, "▁".encode()),
            (257, "▁a".encode()),
            (258, b"a"),
        ),
        merges=((256, 258),),
        decoder=Decoder("▁"),
        normalizer=Normalizer((SPACES,)),
    )
    other = bp.train(texts=[" a a"], num_merges=1)
    found = bp.compare(Tokenizer.from_parts(parts), other, ["b a é"])
    assert (found.same, found.tokens) == (1, (5, 5))
    assert (found.common, found.only_first, found.only_second) == (257, (), ())


def words_of(tok: Tokenizer, texts: Iterable[str]) -> tuple[int, int, int]:
    """Words of the normalised texts, tokens that overlap one or the mark before it, and words of one token."""
    plain = Tokenizer.from_parts(replace(tok.parts, normalizer=Normalizer()))
    words = touched = single = 0
    space = "▁" if tok.parts.normalizer != Normalizer() else " "  # without steps the text is as it was
    for text in texts_of(tok, list(texts)):
        spans = [span for span in plain.trace(text).byte_offsets if span[0] < span[1]]
        for found in re.finditer(space + "?[^\\W\\d_\u2581\u0300-\u036f][\u0300-\u036f\\w]*", text.decode()):
            start, end = (len(text.decode()[:place].encode()) for place in found.span())
            over = sum(one < end and start < other for one, other in spans)
            words, touched, single = words + 1, touched + over, single + (over == 1)
    return words, touched, single


@settings(max_examples=100, deadline=None)
@example(4689, [" A"])
@given(st.integers(0, 2**32), st.lists(st.text(st.sampled_from("ab é日x☃\nA."), max_size=20), max_size=3))
def test_words_in_context(seed: int, texts: list[str]) -> None:
    tok = Tokenizer.from_parts(made(seed, falls_back=True, words=False))
    words, touched, single = words_of(tok, texts)
    found = bp.measure(tok, texts).figures[0]
    wanted = (touched / words, single / words) if words else (float("nan"),) * 2
    assert (found.tokens_per_word, found.single_token_words) == pytest.approx(wanted, nan_ok=True)


def test_where_words_may_be_cut() -> None:
    parts = made(1, falls_back=False, words=True)
    assert words_pattern(parts) == r"\x{2581}*[^\x{2581}]+|\x{2581}+"
    assert words_pattern(replace(parts, pattern="a+")) == r"a+(?then)\x{2581}*[^\x{2581}]+|\x{2581}+"
    assert words_pattern(replace(parts, whole_first=True)) is None
    assert words_pattern(replace(parts, decoder=Decoder())) is None
    across = replace(parts, tokens=(*parts.tokens, (4000, "a▁b".encode())))
    assert words_pattern(across) is None
    unknown = replace(parts, tokens=tuple(each for each in parts.tokens if each[1] != "▁".encode()), merges=())
    assert words_pattern(unknown) is None


def in_parts(texts: list[str], size: int) -> Iterator[Part]:
    """Texts as they are read that are larger than a part."""
    for text in texts:
        for start in range(0, len(text), size):
            yield Part(text[start : start + size].encode(), False, "text", size)
        yield Part(b"", True, "text", 0)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.lists(TEXT, min_size=1, max_size=3), st.integers(1, 9))
def test_documents_in_parts(seed: int, words: bool, texts: list[str], size: int) -> None:
    tok = Tokenizer.from_parts(made(seed, falls_back=True, words=words))
    whole, parts = (Stretches((tok, BYTES), 100, 1) for _ in range(2))
    whole.add([text.encode() for text in texts])
    for part in in_parts(texts, size):
        parts.add_part(part.content, is_last=part.last)
    assert (parts.frequent(), parts.earliest()) == (whole.frequent(), whole.earliest())
    assert [counts.tolist() for counts in parts.counts] == [counts.tolist() for counts in whole.counts]
    counted_whole = counted(tok, [Documents([*texts], str, 0)], 1)[None]
    counted_parts = counted(tok, in_parts(texts, size), 1)[None]
    assert counted_whole.size == counted_parts.size
    assert (
        changes_of(tok, counted_whole).counts_at(0)[1].tolist()
        == changes_of(tok, counted_parts).counts_at(0)[1].tolist()
    )
    lengths = {"tok": token_lengths(tok)}
    added, streamed = (Tally({"tok": tok}, lengths) for _ in range(2))
    raw = [text.encode() for text in texts]
    added.add(raw, spans(raw), 1)
    for part in in_parts(texts, size):
        streamed.add_part(part.content, 1, is_last=part.last)
    assert (added.sums("tok"), added.sizes) == (streamed.sums("tok"), streamed.sizes)
    assert added.counts["tok"].tolist() == streamed.counts["tok"].tolist()
    assert added.unplaced == streamed.unplaced == set()


def test_audit_with_texts() -> None:
    tok = Tokenizer.from_parts(made(3, falls_back=True, words=True))
    texts = ["ab aab é日 x☃, ba", "ab b"]
    ids = [id_ for text in texts for id_ in tok.encode(text)]
    audited = bp.audit(tok, texts)
    assert audited.texts_tokens == len(ids)
    assert {item.id for item in audited["never_seen"].items} == {id_ for id_, _ in tok.parts.tokens} - set(ids)


def test_a_report_has_everything() -> None:
    tok = Tokenizer.from_parts(made(3, falls_back=True, words=True))
    pytest.importorskip("vl_convert")
    results = bp.report(tok, ["ab aab ba é. ab\n" * 20]).results
    assert results.reasons == {}
    assert results.sweep is not None
    assert results.measurement is not None
    assert results.sweep.tokens()[-1] == results.measurement.figures[0].tokens


def test_what_cannot_be_said() -> None:
    for tok, reason in ((CHARACTERS, "is one of characters"), (MARKED, "has an end-of-word mark")):
        with pytest.raises(ValueError, match=reason):
            bp.gap_to_optimal(tok, ["ab"])
        with pytest.raises(ValueError, match=reason):
            bp.oddities(tok)
        swept = bp.sweep(tok, ["Ab ab"])
        assert swept.tokens()[-1] == tok.count("Ab ab")
