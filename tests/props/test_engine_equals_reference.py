"""The engine and the reference agree: training, splitting, encoding, decoding, streaming, on anything.

Texts come from small alphabets, so that pairs repeat and tie, and hold invalid UTF-8 where that is allowed.
"""

from __future__ import annotations

import warnings
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import reference
from bytepair.reference.vocabulary import UnknownSymbolError

ENDS = ("<|a|>", "<|a|>>")
PIECES = [
    b"a",
    b"b",
    b"ab",
    b" ",
    b"\n",
    b"'s",
    b"1",
    b"23",
    b"\xff",
    b"\xf0\x9f",
    "é".encode(),
    "漢".encode(),
    b"\x00",
]
data = st.one_of(
    st.lists(st.sampled_from([*PIECES, *(end.encode() for end in ENDS)]), max_size=30).map(b"".join),
    st.binary(max_size=40),
)
words = st.lists(st.sampled_from(["a", "b", "c", " ", "é", "漢", "\t", "</w>"]), max_size=25).map("".join)
patterns = st.sampled_from(
    [None, *bp.PATTERNS.values(), "[ab]+|.", r"\s+(?!\S)|\S", r"a|ab|\P{L}", r"(?i:é)|b*?c", r"\p{N}+"]
)
ties = st.sampled_from(["lowest", "first", "huggingface", "greatest"])


def both(texts: list[bytes] | list[str], **settings: Any) -> tuple[bp.Tokenizer, reference.Tokenizer]:
    """Trains with the engine and with the reference."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TrainingWarning)
        engine = bp.train(texts=texts, errors="bytes", **settings)
    return engine, reference.train(texts, **settings)


def assert_same(engine: bp.Tokenizer, plain: reference.Tokenizer) -> None:
    """The same merges, counts, tokens and special tokens."""
    assert plain.training is not None
    assert engine.training is not None
    assert list(engine.merges) == [(merge.left, merge.right) for merge in plain.training.merges]
    assert engine.training.counts == tuple(merge.count for merge in plain.training.merges)
    assert engine.training.fired == tuple(merge.fired for merge in plain.training.merges)
    assert engine.training.stopped == plain.training.stopped
    assert dict(engine.parts.tokens) == plain.training.tokens
    assert engine.special_tokens == dict(plain.specials)


@given(
    st.lists(data, max_size=5),
    patterns,
    ties,
    st.integers(0, 30),
    st.integers(0, 3),
    st.none() | st.integers(1, 5),
    st.sampled_from([(), ENDS[:1], ENDS]),
)
def test_training_on_bytes(  # noqa: PLR0917 - hypothesis gives them
    texts: list[bytes],
    pattern: str | None,
    ties: str,
    num_merges: int,
    min_count: int,
    max_token_bytes: int | None,
    special_tokens: tuple[str, ...],
) -> None:
    engine, plain = both(
        texts,
        pattern=pattern,
        ties=ties,
        num_merges=num_merges,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        special_tokens=special_tokens,
    )
    assert_same(engine, plain)


@given(st.lists(words, max_size=5), ties, st.integers(0, 20), st.sampled_from([None, "</w>", "_"]), st.booleans())
def test_training_on_characters(texts: list[str], ties: str, num_merges: int, mark: str | None, joined: bool) -> None:
    settings: dict[str, Any] = {"alphabet": "characters", "end_of_word": mark, "ties": ties, "num_merges": num_merges}
    engine, plain = both(texts, end_of_word_joined=joined and mark is not None, **settings)
    assert_same(engine, plain)
    for text in texts:
        ids = engine.encode(text)
        assert ids == plain.encode(text)
        assert engine.decode(ids) == plain.decode(ids)


@given(
    st.dictionaries(data.filter(bool), st.integers(1, 1 << 40), max_size=8),
    ties,
    st.integers(258, 280),
    st.sampled_from([(), ("a",), ("ab", "abc"), ("<|end|>",)]),
)
def test_training_on_counts(counts: dict[bytes, int], ties: str, vocab_size: int, specials: tuple[str, ...]) -> None:
    settings: dict[str, Any] = {"counts": counts, "ties": ties, "vocab_size": vocab_size, "special_tokens": specials}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.TrainingWarning)
        engine = bp.train(**settings)
    assert_same(engine, reference.train(**settings))


@given(patterns, data | st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_splitting(pattern: str | None, text: bytes) -> None:
    engine = bp.train(texts=[], vocab_size=256, pattern=pattern)
    assert engine.split(text) == reference.split(pattern, text)


@given(st.lists(data, max_size=4), data, patterns, st.integers(0, 25), st.sets(st.sampled_from(ENDS)))
def test_encoding_and_decoding(
    texts: list[bytes], text: bytes, pattern: str | None, num_merges: int, allowed: set[str]
) -> None:
    engine, plain = both(texts, pattern=pattern, num_merges=num_merges, special_tokens=ENDS)
    for sample in (text, *texts):
        ids = engine.encode(sample, allowed_special=allowed)
        assert ids == plain.encode(sample, allowed)
        assert engine.count(sample, allowed_special=allowed) == len(ids)
        assert list(engine.trace(sample, allowed_special=allowed).ids) == ids
        assert [tree.id for tree in engine.explain(sample, allowed_special=allowed)] == ids
        assert engine.decode_bytes(ids) == plain.decode_bytes(ids) == sample
        assert engine.decode(ids) == plain.decode(ids)


@given(st.lists(st.binary(min_size=2, max_size=6), max_size=20, unique=True), data, st.randoms())
def test_rank_files(tokens: list[bytes], text: bytes, random: Any) -> None:
    contents = [*(bytes([byte]) for byte in range(256)), *tokens]
    ids = random.sample(range(400), len(contents))
    ranks = dict(zip(ids, contents, strict=True))
    engine = bp.Tokenizer.from_parts(
        bp.Parts(tokens=tuple(ranks.items()), merges=None, whole_first=True, pattern="[ab]+")
    )
    plain = reference.Tokenizer(reference.from_ranks(ranks), "[ab]+")
    assert engine.encode(text) == plain.encode(text)
    for token in tokens:
        assert engine.encode(token) == plain.encode(token)


@given(st.lists(words, min_size=1, max_size=3), words, st.sampled_from(["raise", "skip", "unk"]), st.booleans())
def test_unknown_characters(texts: list[str], text: str, unknown: str, marked: bool) -> None:
    assume("".join(texts).strip())
    engine, plain = both(
        texts,
        num_merges=5,
        alphabet="characters",
        end_of_word="_" if marked else None,
        special_tokens=["<unk>"],
    )
    policy = plain.specials["<unk>"] if unknown == "unk" else unknown
    try:
        expected = plain.encode(text, unknown=policy)
    except UnknownSymbolError:
        try:
            engine.encode(text, unknown=unknown)  # type: ignore[arg-type]
        except bp.UnknownSymbolError:
            return
        raise
    assert engine.encode(text, unknown=unknown) == expected  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 265)), st.lists(data, max_size=3))
def test_streaming(ids: list[int], texts: list[bytes]) -> None:
    engine, plain = both(texts, num_merges=8, pattern=None, special_tokens=ENDS)
    ids = [id for id in ids if id in engine.vocabulary]
    stream = engine.stream_decoder()
    deltas = [*map(stream.feed, ids), stream.flush()]
    assert deltas == list(reference.stream(plain, ids))
    assert "".join(deltas) == engine.decode(ids) == plain.decode(ids)


@given(data, st.integers(0, 12), st.lists(data, max_size=3), patterns)
def test_truncating_and_counting(text: bytes, limit: int, texts: list[bytes], pattern: str | None) -> None:
    engine, plain = both(texts, num_merges=8, pattern=pattern)
    ids = plain.encode(text)
    assert engine.count_up_to(text, limit) == (len(ids) if len(ids) <= limit else None)
    # The longest text made of the first k <= limit tokens that ends on a character and has at most `limit` tokens.
    ends = (len(plain.decode_bytes(ids[:k])) for k in range(min(limit, len(ids)), -1, -1))
    best = next(end for end in ends if on_edge(text, end) and len(plain.encode(text[:end])) <= limit)
    assert engine.truncate(text, limit) == text[:best]


def on_edge(text: bytes, at: int) -> bool:
    """Whether a text, as `decode` shows it, has an edge of a character here."""
    shown = text.decode("utf-8", "replace")
    return text[:at].decode("utf-8", "replace") + text[at:].decode("utf-8", "replace") == shown


@given(st.text(max_size=30), st.lists(st.text(max_size=10), max_size=4))
def test_surrogates(text: str, texts: list[str]) -> None:
    engine, plain = both(texts, num_merges=8, pattern=None)
    for sample in (text, text + "\ud83d", "\udc00" + text):
        assert engine.encode(sample) == plain.encode(sample)
