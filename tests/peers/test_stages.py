"""Patterns in stages: the engine, the reference and the pre-tokenizers of `tokenizers`, on random sequences of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import bytepair as bp
import oracles
import texts
from bytepair import reference
from bytepair.formats import pattern_stages
from bytepair.formats.byte_alphabet import spell
from bytepair.formats.huggingface import parse
from bytepair.formats.pattern_stages import DIGITS, GPT2_PATTERN, THEN
from bytepair.parts import Parts
from bytepair.patterns import PATTERNS

SIGNS = ["a", "b", "ab", "'s", "'", " ", "  ", "\n", "1", "23", "½", "-", "!", "…", "é", "日", "_", "\u3000", "\u200d"]
REGEXES = [r"\p{N}{1,3}", "[一-龥]+", "a", "a|b+", r"\s+(?!\S)|\s+", " ?[^ ]", r"\p{L}+(?!\p{N})", GPT2_PATTERN]
BEHAVIORS = ["Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"]


def text(draw: random.Random) -> str:
    return "".join(draw.choices(SIGNS, k=draw.randint(0, 14)))


def pre_tokenizer(draw: random.Random) -> dict[str, Any]:
    behavior = draw.choice(BEHAVIORS)
    inverts = draw.random() < 0.3 and not behavior.startswith("Merged")
    regex = {"Regex": draw.choice(REGEXES)} if draw.random() < 0.8 else {"String": draw.choice(["a", " ", "'s", "-"])}
    return draw.choice(
        [
            {"type": "Split", "pattern": regex, "behavior": behavior, "invert": inverts},
            {"type": "Split", "pattern": regex, "behavior": behavior, "invert": inverts},
            {"type": "Digits", "individual_digits": draw.random() < 0.5},
            {"type": "Punctuation", "behavior": behavior},
            {"type": "Whitespace"},
            {"type": "WhitespaceSplit"},
            {"type": "BertPreTokenizer"},
            {"type": "CharDelimiterSplit", "delimiter": draw.choice("a-é ")},
        ]
    )


def document(
    steps: list[dict[str, Any]], *, use_regex: bool, behind: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*steps, level, *(behind or [])]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "vocab": {spell(bytes((byte,))): byte for byte in range(256)}, "merges": []},
    }


def pieces(tok: bp.Tokenizer) -> Callable[[str], list[str]]:
    return lambda text: [spell(pretoken.text) for pretoken in tok.trace(text).pretokens]


def theirs(made: dict[str, Any]) -> Callable[[str], list[str]]:
    peer = tokenizers.Tokenizer.from_str(json.dumps(made))
    return lambda text: [piece for piece, _ in peer.pre_tokenizer.pre_tokenize_str(text)]


@pytest.mark.parametrize("seed", range(60))
def test_sequences_split_as_tokenizers_splits(seed: int) -> None:
    draw = random.Random(seed)
    made = document([pre_tokenizer(draw) for _ in range(draw.randint(0, 4))], use_regex=draw.random() < 0.3)
    parts = parse(json.dumps(made).encode())
    tok = bp.Tokenizer.from_parts(parts)
    again = bp.Tokenizer.from_parts(parse(written(parts)))
    ours, peer, reread = pieces(tok), theirs(made), pieces(again)
    for _ in range(150):
        one = text(draw)
        assert ours(one) == peer(one), (made["pre_tokenizer"], parts.pattern, one)
        assert reread(one) == ours(one)
        assert [spell(piece) for piece in reference.split(parts.pattern, one.encode())] == ours(one)
        assert tok.lossy or tok.decode(tok.encode(one)) == one


@pytest.mark.parametrize("seed", range(60))
def test_sequences_behind_the_spelling_of_bytes(seed: int) -> None:
    draw = random.Random(1000 + seed)
    before, behind = ([pre_tokenizer(draw) for _ in range(draw.randint(least, 2))] for least in (0, 1))
    made = document(before, use_regex=draw.random() < 0.5, behind=behind)
    prefix = not before and draw.random() < 0.3
    made["pre_tokenizer"]["pretokenizers"][len(before)]["add_prefix_space"] = prefix
    parts = parse(json.dumps(made).encode())
    tok, again = bp.Tokenizer.from_parts(parts), bp.Tokenizer.from_parts(parse(written(parts)))
    assert "bytepair" not in json.loads(written(parts))
    peer, reread = (
        tokenizers.Tokenizer.from_str(json.dumps(made)),
        tokenizers.Tokenizer.from_str(written(parts).decode()),
    )
    for _ in range(150):
        one = text(draw)
        ids = tok.encode(one)
        assert ids == peer.encode(one).ids, (made["pre_tokenizer"], parts.pattern, one)
        assert again.encode(one) == reread.encode(one).ids == ids
        if not prefix:
            cut = theirs(made)(one)
            assert [spell(piece.text) for piece in tok.trace(one).pretokens] == cut
            assert [spell(piece) for piece in reference.split(parts.pattern, one.encode())] == cut
        assert tok.lossy or tok.decode(ids) == one


def test_every_byte_is_cut_as_it_is_spelled() -> None:
    """Punctuation, digits and words of the alphabet of bytes, which other versions of Unicode might see otherwise."""
    steps: list[dict[str, Any]] = [
        {"type": "Digits", "individual_digits": True},
        {"type": "Punctuation"},
        {"type": "Whitespace"},
    ]
    for step in steps:
        made = document([], use_regex=False, behind=[step])
        ours, peer = pieces(bp.Tokenizer.from_parts(parse(json.dumps(made).encode()))), theirs(made)
        for point in (*range(0x500), *range(0x2000, 0x2100), 0x3042, 0x1F600):
            for one in (chr(point), f"a{chr(point)}1", f"{chr(point)} {chr(point)}"):
                assert ours(one) == peer(one), (step, one)


FALCON: list[dict[str, Any]] = [
    {"type": "Punctuation", "behavior": "Contiguous"},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
    {"type": "Digits", "individual_digits": False},
    {"type": "Split", "pattern": {"Regex": "[0-9][0-9][0-9]"}, "behavior": "Isolated", "invert": False},
]


def test_the_order_of_falcon(tmp_path: Path) -> None:
    tok = bp.train(texts=[texts.sample("en", 100_000), texts.sample("de", 50_000), "ò² ½ ¼³" * 40], vocab_size=1500)
    tok.save(tmp_path / "tokenizer.json")
    made = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))
    made["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": FALCON}
    made["model"].pop("bytepair", None)
    (tmp_path / "tokenizer.json").write_text(json.dumps(made), "utf-8")
    falcon = bp.load(tmp_path / "tokenizer.json")
    peer = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    some = [texts.sample(name, 20_000) for name in ("en", "de", "code", "ja", "ru")] + oracles.random_texts(2000)
    some += ["ò", "ò1", "1234567 12,345.67", "a²b½c¼ò³", "x" * 100_000, "١٢٣٤ ²²²"]
    for one in some:
        found = peer.encode(one)
        assert falcon.encode(one) == found.ids
        assert falcon.decode(found.ids) == one
    ids = [id for part in falcon.encode_stream([some[0][:777], some[0][777:], some[3]]) for id in part]
    assert ids == peer.encode(some[0] + some[3]).ids
    # Inside a character, tokens share its place.
    assert falcon.trace("aò1").char_offsets == ((0, 1), (1, 2), (1, 2), (2, 3))
    falcon.save(tmp_path / "again.json")
    assert bp.load(tmp_path / "again.json") == falcon
    assert tokenizers.Tokenizer.from_file(str(tmp_path / "again.json")).encode(some[1]).ids == falcon.encode(some[1])


def test_characters_behind_every_pre_tokenizer() -> None:
    """Files whose tokens are characters, not bytes."""
    draw = random.Random(17)
    letters = sorted({letter for sign in SIGNS for letter in sign})
    vocab = {letter: at for at, letter in enumerate([*letters, "ab", "23", "éa"])}
    model = {"type": "BPE", "vocab": vocab, "merges": [["a", "b"], ["2", "3"], ["é", "a"]]}
    for _ in range(60):
        steps = [pre_tokenizer(draw) for _ in range(draw.randint(1, 3))]
        pre = {"type": "Sequence", "pretokenizers": steps}
        made = {**document([], use_regex=False), "pre_tokenizer": pre, "decoder": {"type": "Fuse"}, "model": model}
        peer = tokenizers.Tokenizer.from_str(json.dumps(made))
        parts = parse(json.dumps(made).encode())
        tok, again = bp.Tokenizer.from_parts(parts), bp.Tokenizer.from_parts(parse(written(parts)))
        for _ in range(60):
            one = text(draw)
            assert tok.encode(one) == again.encode(one) == peer.encode(one).ids, (pre, parts.pattern, one)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([FALCON[1], FALCON[1]], 'is "ByteLevel": bytes are spelled once'),
        ([FALCON[1], {"type": "Metaspace", "replacement": "_"}], 'is "Metaspace": it marks spaces'),
        ([FALCON[1], {"type": "UnicodeScripts"}], r'pretokenizers\[1\]` is "UnicodeScripts": it splits by scripts'),
        ([{"type": "UnicodeScripts"}, FALCON[1]], r'pretokenizers\[0\]` is "UnicodeScripts": it splits by scripts'),
        ([FALCON[1], {"type": "FixedLength", "length": 5}], 'is "FixedLength": it splits by length'),
        ([FALCON[1], {"type": "Unheard"}], 'is "Unheard": it is not known'),
        ([FALCON[0], {**FALCON[1], "add_prefix_space": True}], "add_prefix_space` is true after a Split"),
        ([{"type": "CharDelimiterSplit", "delimiter": "ab"}, FALCON[1]], 'delimiter` is "ab"'),
    ],
)
def test_what_does_not_split_bytes_is_named(steps: list[dict[str, Any]], said: str) -> None:
    made = document([], use_regex=False)
    made["pre_tokenizer"]["pretokenizers"] = steps
    with pytest.raises(bp.FormatError, match=said + r".*\nhint: "):
        parse(json.dumps(made).encode())


def test_sequences_in_sequences() -> None:
    made = document([], use_regex=False)
    inner = {"type": "Sequence", "pretokenizers": [FALCON[1], FALCON[2]]}
    nested = {**made, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [FALCON[0], inner, FALCON[3]]}}
    flat = {**made, "pre_tokenizer": {"type": "Sequence", "pretokenizers": FALCON}}
    assert parse(json.dumps(nested).encode()) == parse(json.dumps(flat).encode())
    assert theirs(nested)("a, 1234b") == theirs(flat)("a, 1234b")


def written(parts: Parts) -> bytes:
    from bytepair.formats import huggingface  # noqa: PLC0415

    return huggingface.render(parts)


def cut_by(pattern: str) -> Callable[[str], list[str]]:
    return pieces(
        bp.Tokenizer.from_parts(Parts(pattern=pattern, tokens=tuple((b, bytes((b,))) for b in range(256)), merges=()))
    )


def test_digits_and_the_pattern_of_gpt2_are_one_pattern() -> None:
    one, two = cut_by(DIGITS), cut_by(rf"\p{{N}}{THEN}{GPT2_PATTERN}")
    draw = random.Random(5)
    for _ in range(3000):
        sample = text(draw)
        assert one(sample) == two(sample), sample


@pytest.mark.parametrize("name", pattern_stages.TOTAL)
def test_presets_that_leave_no_character_unmatched(name: str) -> None:
    samples = "".join(map(chr, (*range(0x3400), *range(0xD7A0, 0xD800), *range(0xE000, 0x13000, 7), 0x1F600, 0x10FFFF)))
    whole, kept = cut_by(PATTERNS[name]), cut_by("(?kept)" + PATTERNS[name])
    assert whole(samples) == kept(samples)
    draw = random.Random(7)
    for _ in range(2000):
        sample = text(draw)
        assert whole(sample) == kept(sample), sample


def test_stages_are_refused_by_number() -> None:
    with pytest.raises(bp.PatternError, match="more than 16 stages"):
        cut_by(THEN.join("a" * 17))
    with pytest.raises(bp.PatternError):
        cut_by("(?kept)(?kept)a")


def test_a_text_that_is_read_in_parts_is_split_the_same() -> None:
    draw = random.Random(11)
    pattern = r"\p{N}{1,3}(?then)[一-龥]+(?then) ?\p{L}+|[^\s\p{L}\p{N}]+|\s+"
    tok = bp.train(texts=["a man 12 日本 23ab'! " * 9], num_merges=12, pattern=pattern)
    long = "".join(text(draw) for _ in range(20_000))
    expected = [id for piece in reference.split(pattern, long.encode()) for id in tok.encode(piece)]
    assert tok.encode(long) == expected
    stream = tok.encode_stream([long[at : at + 777] for at in range(0, len(long), 777)])
    assert [id for some in stream for id in some] == expected
    assert tok.count(long) == len(expected)
