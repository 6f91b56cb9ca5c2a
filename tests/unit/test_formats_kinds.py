"""Every format: what is written is read back, what cannot be held is refused by name, rubbish is an error of ours."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bytepair as bp
from bytepair import formats
from bytepair.cli.tokenizers import FORMATS
from bytepair.errors import BytepairError, FormatError
from bytepair.formats import codes, gpt2, kinds, losses, minbpe, places
from bytepair.parts import MARK, Parts, SpecialToken
from format_files import ALONE, BY_MERGES, BY_RANKS, BYTES, EXAMPLES, IDS, JOINED, SLOTS, Example, as_json, written
from huggingface_files import any_parts, render

LOOKED_UP = replace(BY_MERGES, tokens=(*BY_MERGES.tokens, (300, b"xyz")), whole_first=True)
FEW = 20_000 if "BYTEPAIR_FUZZ" in os.environ else 60

each = pytest.mark.parametrize("example", EXAMPLES, ids=IDS)


@each
def test_what_is_written_is_read_back_and_written_alike(example: Example, tmp_path: Path) -> None:
    path = written(example, tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for format_ in (None, example.format):
        read = formats.read(path, format=format_, **example.said)
        assert bp.Tokenizer.from_parts(read) == bp.Tokenizer.from_parts(example.parts)
        formats.write(read, path, example.format, allow_loss=example.format == "tiktoken")
        assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert bp.load(path, **example.said).fingerprint == bp.Tokenizer.from_parts(example.parts).fingerprint


@each
def test_every_format_has_its_row(example: Example) -> None:
    kind = kinds.known(example.format)
    assert kind.code.__doc__
    assert {kind.name for kind in kinds.KINDS} == {example.format for example in EXAMPLES}
    assert {kind.name for kind in kinds.KINDS} | {"transformers"} == set(FORMATS)
    if kind.name not in {"minbpe", "fastbpe"}:  # which share their names with others
        assert kinds.by_name(f"a/{example.name}") is kind


@given(any_parts(), st.sampled_from([kind.name for kind in kinds.KINDS if not kind.exact]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_file_without_loss_gives_the_same_ids(tmp_path: Path, parts: Parts, format: kinds.Format) -> None:
    path = tmp_path / "vocab.json"
    try:
        tok = bp.Tokenizer.from_parts(parts)
        lost = formats.write(parts, path, format, allow_loss=True)
    except BytepairError:
        return
    said: dict[str, Any] = dict.fromkeys(kinds.known(format).must)
    again = bp.load(path, format=format, **said)
    assert (lost == ()) == (losses.between(parts, again.parts) == ())
    if not lost:
        rng = random.Random(0)
        for _ in range(20):
            text = b"".join(rng.choices([content for _, content in parts.tokens] or [b""], k=9))
            assert again.encode(text, unknown="skip") == tok.encode(text, unknown="skip")
        formats.write(parts, path, format)
    else:
        with pytest.raises(FormatError, match="cannot hold"):
            formats.write(parts, path, format)


@each
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=FEW)
def test_damaged_files_raise_nothing_else(example: Example, tmp_path: Path, data: st.DataObject) -> None:
    written(example, tmp_path)
    path = data.draw(st.sampled_from(places.files(kinds.known(example.format), tmp_path / example.name)))
    content = path.read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.sampled_from([start, start + 1, start + 5, len(content)]))
    noise = data.draw(st.sampled_from(NOISE) | st.binary(max_size=6))
    path.write_bytes(content[:start] + noise + content[end:])
    for format_ in (None, example.format):
        try:
            bp.load(path, format=format_, **example.said)
        except BytepairError as caught:
            error = caught
        else:
            continue
        assert len(str(error).splitlines()) == 2
        assert "\nhint: " in str(error)
        assert str(path) in str(error)


NOISE = [
    *(b"", b"\n", b"\r\n", b" ", b"\x00", b"\xff", b"\xef\xbb\xbf", b'"', b"0", b"9" * 30, b"-1", b"4294967295"),
    *(b"1e9", b"null", b"true", b"{}", b"[[", b"</w>", b"a b\n", b"257 257\n" * 40, b"\xed\xa0\x80", b'"\\ud800"'),
]


@given(st.text() | st.binary(), st.sampled_from([kind.name for kind in kinds.KINDS]))
def test_anything_at_all_raises_nothing_else(content: str | bytes, format: kinds.Format) -> None:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    for format_ in (None, format):
        try:
            formats.parse(data, format=format_)
        except FormatError as caught:
            error = caught
        else:
            continue
        assert "\nhint: " in str(error)


# What is lost


def test_losses_are_named_and_allowed(tmp_path: Path) -> None:
    path = tmp_path / "x.tiktoken"
    with pytest.raises(
        FormatError,
        match=r"x.tiktoken: a rank file cannot hold the pattern .*; 1 special token: `<\|end\|>` \(id",
    ):
        formats.write(BY_RANKS, path)
    assert not path.exists()
    assert len(formats.write(BY_RANKS, path, allow_loss=True)) == 2
    tok = bp.Tokenizer.from_parts(BY_RANKS)
    with pytest.warns(bp.FormatWarning, match=r"x.tiktoken was written without the pattern .*\nhint: ") as caught:
        tok.save(path, allow_loss=True)
    assert caught[0].filename == __file__
    with pytest.raises(ValueError, match="cannot hold"):
        tok.save(path)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (BY_MERGES, BY_MERGES, []),
        (BY_MERGES, BY_RANKS, []),
        (BY_MERGES, replace(BY_MERGES, whole_first=True), []),
        (BY_MERGES, replace(BY_MERGES, merges=BY_MERGES.merges[:2]), ["the merges ("]),  # type: ignore[index]
        (LOOKED_UP, replace(LOOKED_UP, whole_first=False), ["that whole pretokens are looked up first"]),
        (BY_MERGES, replace(BY_MERGES, pattern=None), ['the pattern "gpt2" (no pattern comes back)']),
        (replace(BY_MERGES, pattern=None), BY_MERGES, ["that text is not cut ("]),
        (
            JOINED,
            ALONE,
            ['the alphabet: characters with "</w>" joined', "3 tokens: `l</w>`", "that there is no", "the ids of"],
        ),
        (BY_MERGES, replace(BY_MERGES, specials=()), ["1 special token: `<|end|>` (id 259)"]),
        (
            replace(BY_MERGES, specials=()),
            BY_MERGES,
            ["that there is no special token but those: 1 special token more"],
        ),
        (
            BY_MERGES,
            replace(BY_MERGES, specials=(SpecialToken("<|end|>", 300, special=False),)),
            [
                "the ids of 1 special token: `<|end|>` has 259, and 300",
                "the flags of 1 special token: `<|end|>` was sp",
            ],
        ),
        (replace(SLOTS, tokens=(*SLOTS.tokens, (999, b"the"))), SLOTS, ["1 token of bytes that another has, too"]),
    ],
)
def test_what_is_called_a_loss(before: Parts, after: Parts, said: list[str]) -> None:
    lost = losses.between(before, after)
    for one, begins in zip(lost, said, strict=False):
        assert one.startswith(begins)
    assert (len(lost) >= len(said)) if said else lost == ()


# The pair


def test_only_a_first_line_is_a_header() -> None:
    vocab = as_json({"#": 0, "##": 1, "###": 2, "a": 3})
    for merges in (b"#version: 0.2\n# #\n## #\n", b"# #\n## #", b"#version\r\n# #\r\n\r\n## #\r\n"):
        assert bp.Tokenizer.from_parts(gpt2.parse(vocab, merges)).encode("###a") == [2, 3]
    with pytest.raises(FormatError, match=r'line 2 of merges.txt merges "#version:" and "0.2"'):
        gpt2.parse(vocab, b"# #\n#version: 0.2\n")


@pytest.mark.parametrize("name", ["merges.txt", "x-merges.txt", "vocab.bpe"])
def test_merges_without_their_vocabulary_are_not_taken_for_codes(name: str, tmp_path: Path) -> None:
    tok = bp.train(texts=["low low lowest"], num_merges=3, pattern="gpt2")
    tok.save(tmp_path / name)
    assert bp.load(tmp_path / name) == tok
    for other in tmp_path.iterdir():
        if other.name != name:
            other.unlink()
    with pytest.raises(FormatError, match=r"one of two files.*\nhint: put the `vocab.json`.*format=\"subword-nmt\""):
        bp.load(tmp_path / name)
    assert bp.load(tmp_path / name, format="subword-nmt").alphabet == "characters"


def test_special_tokens_of_a_pair(tmp_path: Path) -> None:
    vocab = as_json({"a": 0, "b": 1, "ab": 2, "<s>": 3, "<|x|>": 9})
    merges = b"#version: 0.2\na b\n"
    assert [special.content for special in gpt2.parse(vocab, merges).specials] == ["<s>", "<|x|>"]
    assert gpt2.parse(vocab, merges, special_tokens=["<s>", "<new>"]).specials == (
        SpecialToken("<s>", 3),
        SpecialToken("<new>", 10),
    )
    assert gpt2.parse(vocab, merges, special_tokens=["<s>"]).tokens[-1] == (9, b"<|x|>")
    with pytest.raises(FormatError, match='the special token "<s>" has the id 4, and 3 in'):
        gpt2.parse(vocab, merges, special_tokens={"<s>": 4})
    (tmp_path / "gpt2-vocab.json").write_bytes(vocab)
    with pytest.raises(FormatError, match=r"no `merges.txt` beside it\nhint: put"):
        bp.load(tmp_path / "gpt2-vocab.json")
    (tmp_path / "gpt2-merges.txt").write_bytes(merges)
    for name in ("gpt2-vocab.json", "gpt2-merges.txt"):
        tok = bp.load(tmp_path / name, pattern="cl100k", special_tokens=["<s>"])
        assert (tok.pattern, tok.encode("ab<s>", allowed_special="all")) == (bp.PATTERNS["cl100k"], [2, 3])


@pytest.mark.parametrize(
    ("vocab", "merges", "said"),
    [
        ({"a": 0, "b": 1}, "a b\n", r'line 1 of merges.txt merges "a" and "b", and "ab" is not in `vocab.json`'),
        ({"a": 0, "aa": 1}, "a a\na a\n", r"line 2 of merges.txt .*, as line 1 does"),
        ({"a": 0, "aa": 1}, "a  a\n", r'line 1 of merges.txt: "a  a" is not two tokens'),
        ({"a": 0, "b": 0}, "a b\n", r"gives the id 0"),
        ({"日": 0}, "", r"spells no byte"),
        ({"a": 0, "b</w>": 1, "ab</w>": 2}, "a b</w>\n", r"end-of-word mark"),
        ({"a": -1}, "", r'vocab.json\["a"\]` is -1'),
    ],
)
def test_a_wrong_pair_is_named(vocab: dict[str, int], merges: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        gpt2.parse(as_json(vocab), merges.encode())


# Tekken


def test_tekken_ids_follow_the_slots(tmp_path: Path) -> None:
    vocab = [
        {"rank": rank, "token_bytes": token, "token_str": None} for rank, token in enumerate(("YQ==", "Yg==", "YWI="))
    ]
    config = {"pattern": r"\w+|\W", "default_vocab_size": 5, "default_num_special_tokens": 2}
    path = tmp_path / "tekken.json"
    path.write_bytes(as_json({"config": config, "vocab": [*vocab, {"rank": 3}]}))
    tok = bp.load(path)
    assert tok.encode("ab") == [4]
    assert tok.special_tokens == {"<unk>": 0, "<s>": 1}
    specials = [{"rank": 0, "token_str": "<s>", "is_control": True}]
    path.write_bytes(as_json({"config": config, "vocab": vocab, "special_tokens": specials}))
    assert bp.load(path).special_tokens == {"<s>": 0, "<SPECIAL_1>": 1}


@pytest.mark.parametrize(
    ("config", "vocab", "specials", "said"),
    [
        ({"default_vocab_size": 9}, {}, None, r"`config.default_vocab_size` is 9"),
        ({"default_num_special_tokens": "2"}, {}, None, r"`config.default_num_special_tokens` is \"2\""),
        ({"pattern": None}, {}, None, r"`config.pattern` is null"),
        ({}, {"rank": 1}, None, r"`vocab\[0\].rank` is 1, and should be 0"),
        ({}, {"token_bytes": "Y"}, None, r'`vocab\[0\].token_bytes` is "Y", and should be base64'),
        ({}, {"token_bytes": ""}, None, r"one byte or more"),
        ({}, {}, [{"rank": 0, "token_str": ""}], r"`special_tokens\[0\].token_str` is \"\""),
        ({}, {}, [{"rank": 0, "token_str": "<SPECIAL_1>"}], r"the slots 0 and 1"),
        ({}, {}, [{"rank": 0}] * 3, r"token_str` is null"),
    ],
)
def test_a_wrong_tekken_file_is_named(config: Any, vocab: Any, specials: Any, said: str) -> None:
    items = [{"rank": rank, "token_bytes": token} for rank, token in enumerate(("YQ==", "Yg=="))]
    document = {
        "config": {"pattern": "a", "default_vocab_size": 4, "default_num_special_tokens": 2} | config,
        "vocab": [items[0] | vocab, items[1]],
        "special_tokens": specials,
    }
    with pytest.raises(FormatError, match=said):
        formats.parse(as_json(document))


def test_what_tekken_cannot_say_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    with pytest.raises(FormatError, match="no pattern"):
        formats.write(replace(SLOTS, pattern=None), path)
    with pytest.raises(FormatError, match=r"the byte b'.x00' is no token"):
        formats.write(replace(SLOTS, tokens=SLOTS.tokens[1:]), path)
    with pytest.raises(FormatError, match=r"the ids of 259 tokens.*the ids of 1 special token"):
        formats.write(BY_RANKS, path)


# minbpe


def test_a_special_token_with_a_space_is_read_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    path.write_bytes(b"minbpe v1\n\n1\n<| a b |> 257\n97 98\n")
    tok = bp.load(path)
    assert (tok.special_tokens, tok.encode("ab")) == ({"<| a b |>": 257}, [256])
    with pytest.raises(ValueError, match="white space"):
        tok.save(path, format="minbpe")
    assert bp.load(path) == tok


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("minbpe v2\n\n0\n", r'line 1: "minbpe v2"'),
        ("minbpe v1\n", "ends before"),
        ("minbpe v1\n\n9\n", r'line 3: "9"'),
        ("minbpe v1\n\n1\nx\n", r'line 4: "x" is not a special token and its id'),
        ("minbpe v1\n\n0\n97 256\n", r'line 4: "97 256" is not a merge of two ids from 0 to 255'),
        ("minbpe v1\n\n0\n97 98\n97 98\n", r'line 5: the merge "97 98" stands in line 4 already'),
        ("minbpe v1\n\n0\n97 97\n" + "".join(f"{id_} {id_}\n" for id_ in range(256, 300)), "more than"),
    ],
)
def test_a_wrong_minbpe_file_is_named(content: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        minbpe.parse(content.encode())


@pytest.mark.parametrize("pattern", [" ?a", "a\nb", "a\u2028b", "a "])
def test_a_pattern_that_minbpe_would_read_otherwise_is_refused(pattern: str) -> None:
    with pytest.raises(FormatError, match="white space"):
        minbpe.render(Parts(pattern=pattern, tokens=BYTES, merges=()))


# Codes


@pytest.mark.parametrize(
    ("content", "counted", "said"),
    [
        ("", False, "no merge"),
        ("#version: 0.3\na b\n", False, r'line 1: the version is "0.3"'),
        ("#version: 0.2\na b c\n", False, r'line 2: "a b c" is not two tokens'),
        ("#version: 0.2\na b\nbc d\n", False, r'line 3: "bc" is no character'),
        ("a</w> b\n", False, r"line 1: .* merges something after the end"),
        ("a <\na< /\na</ w\na</w >\n", False, r"line 4: .* spelled like the end-of-word mark"),
        ("a b\n", True, r'line 1: "a b" is not two tokens and a number'),
        ('"bpe_simple_vocab_16e6.txt#version: 0.2\ni n\n', False, "CLIP"),
    ],
)
def test_wrong_codes_are_named(content: str, counted: bool, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        codes.parse(content.encode(), counted=counted)


def test_what_codes_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "x.codes"
    for parts, said in (
        (BY_MERGES, "characters with an end-of-word mark"),
        (replace(JOINED, end_of_word="</x>"), 'the alphabet: characters with "</x>" joined'),
        (replace(JOINED, tokens=(*JOINED.tokens, (6, b"q"))), r"1 token: `q` \(id 6\)"),
        (replace(JOINED, tokens=(*JOINED.tokens, (6, b"l\n"))), "line break"),
        (replace(JOINED, specials=(SpecialToken("<s>", 9),)), "1 special token"),
        (
            replace(ALONE, tokens=tuple((id_ + 1, content) for id_, content in ALONE.tokens), merges=((2, 3), (4, 1))),
            "the ids of 5 tokens",
        ),
    ):
        with pytest.raises(FormatError, match=said):
            formats.write(parts, path)
    with pytest.raises(FormatError, match="write it as codes of subword-nmt"):
        formats.write(ALONE, path, "fastbpe")
    read = codes.parse(b"a b\na b\nab </w>\n", counted=False, special_tokens=["<s>"])
    assert (read.merges, read.specials) == (((1, 2), (3, 0)), (SpecialToken("<s>", 5),))


def test_counts_of_the_training_are_written_for_fastbpe() -> None:
    tok = bp.train(texts=["lol lol"], num_merges=2, alphabet="characters", end_of_word="</w>", end_of_word_joined=True)
    assert codes.render(tok.parts, counted=True) == b"l o 2\nlo l</w> 2\n"
    assert MARK in tok.vocabulary[5] or tok.vocabulary[5] == b"lol</w>"


def test_codes_of_a_continued_training(tmp_path: Path) -> None:
    base = bp.train(
        texts=["low low low"], num_merges=1, alphabet="characters", end_of_word="</w>", end_of_word_joined=True
    )
    tok = bp.train(texts=["low low lowest"], base=base, num_merges=2)
    formats.write(tok.parts, tmp_path / "x.codes", allow_loss=True)
    formats.write(tok.parts, tmp_path / "x.fast", "fastbpe", allow_loss=True)
    lines = (tmp_path / "x.codes").read_text().splitlines()[1:]
    assert tok.training is not None
    assert len(lines) == 3
    assert len(tok.training.counts) == 2
    counts = (0, *tok.training.counts)
    assert (tmp_path / "x.fast").read_text() == "".join(
        f"{line} {count}\n" for line, count in zip(lines, counts, strict=True)
    )
    assert bp.load(tmp_path / "x.fast").encode("low low") == bp.load(tmp_path / "x.codes").encode("low low")


# Recognition


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"#version: 0.2\nl o</w>\n", "subword-nmt"),
        (b"l o\n", "subword-nmt"),
        (b"l o 7\n", "fastbpe"),
        (b"IQ== 0\n", "tiktoken"),
        (b"minbpe v1\n\n0\n", "minbpe"),
        (b'{"a": 0}', "gpt2"),
        (b'{"config": {}, "vocab": []}', "tekken"),
        (b"{}", "huggingface"),
        (render(JOINED), "huggingface"),
    ],
)
def test_a_format_is_recognised_by_its_content(content: bytes, format: str) -> None:
    assert kinds.recognise(content)[0].name == format


@pytest.mark.parametrize("name", ["x", "x.bpe", "x.txt", "vocab.txt"])
def test_a_name_that_tells_no_format_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r'(no format|which would tell the format)\nhint: .*format="tekken", "gpt2",'):
        formats.write(BY_MERGES, tmp_path / name)
    with pytest.raises(FormatError, match="has no extension"):
        formats.write(BY_MERGES, "")
