"""`bytepair.compat.tiktoken` behaves as tiktoken does.

The first half says what tiktoken's own public tests say, and runs on both; the second compares the two on many inputs.
"""

# ruff: noqa: SLF001, S301 - tiktoken's manual uses names with an underscore; the pickles are our own

from __future__ import annotations

import copy
import pickle
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken
import tiktoken.model
from hypothesis import example, given
from hypothesis import strategies as st

import bytepair as bp
import oracles
import texts
from bytepair.compat import tiktoken as ours
from bytepair.compat.tiktoken import models
from bytepair.formats.published import ENCODINGS

NAMES = ("r50k_base", "cl100k_base", "o200k_base")
SOME = [texts.sample(language, 3000) for language in ("en", "code", "ru", "ja")]


@pytest.fixture(scope="module")
def made(vocabulary_file: oracles.FindFile) -> dict[tuple[str, str], Any]:
    """(library, name) -> encoding."""
    found: dict[tuple[str, str], Any] = {}
    for name in NAMES:
        found["tiktoken", name] = oracles.openai_encoding(name, vocabulary_file)
        specials = ENCODINGS[name].specials
        tok = bp.load(vocabulary_file(name), pattern=ENCODINGS[name].pattern, special_tokens=specials)
        found["bytepair", name] = tok.as_tiktoken(name)
    return found


@pytest.fixture(params=["tiktoken", "bytepair"])
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def gpt2(made: dict[tuple[str, str], Any], library: str) -> Any:
    return made[library, "r50k_base"]


@pytest.fixture
def cl100k(made: dict[tuple[str, str], Any], library: str) -> Any:
    return made[library, "cl100k_base"]


@pytest.fixture(params=NAMES)
def enc(made: dict[tuple[str, str], Any], library: str, request: pytest.FixtureRequest) -> Any:
    return made[library, request.param]


@pytest.fixture(params=NAMES)
def both(made: dict[tuple[str, str], Any], request: pytest.FixtureRequest) -> tuple[Any, Any]:
    return made["tiktoken", request.param], made["bytepair", request.param]


def test_simple(gpt2: Any, cl100k: Any) -> None:
    assert gpt2.encode("hello world") == [31373, 995]
    assert gpt2.decode([31373, 995]) == "hello world"
    assert gpt2.encode("hello <|endoftext|>", allowed_special="all") == [31373, 220, 50256]
    assert cl100k.encode("hello world") == [15339, 1917]
    assert cl100k.decode([15339, 1917]) == "hello world"
    assert cl100k.encode("hello <|endoftext|>", allowed_special="all") == [15339, 220, 100257]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("0", [15]),
        ("00", [405]),
        ("0" * 8, [8269]),
        ("0" * 17, [8269, 10535, 830]),
        ("rer", [11751]),
        ("'rer", [821, 81]),
        ("today\n ", [40838, 198, 220]),
        ("today\n \n", [40838, 198, 220, 198]),
        ("", []),
        ("👍", [41840, 235]),
        ("\ud83d\udc4d", [41840, 235]),
    ],
)
def test_ids_of_gpt2(gpt2: Any, text: str, ids: list[int]) -> None:
    assert gpt2.encode(text) == ids
    assert gpt2.decode(gpt2.encode(text)) == text.encode("utf-16", "surrogatepass").decode("utf-16")


def test_ids_of_cl100k(cl100k: Any) -> None:
    assert cl100k.encode("rer") == [38149]
    assert cl100k.encode("'rer") == [2351, 81]
    assert cl100k.encode("today\n ") == [31213, 198, 220]
    assert cl100k.encode("today\n \n") == [31213, 27907]
    assert cl100k.encode("today\n  \n") == [31213, 14211]
    assert cl100k.encode(" \x850") == [220, 126, 227, 15]
    assert cl100k.encode("👍") == [9468, 239, 235]
    assert cl100k.encode("\ud83d") == cl100k.encode("�")


def test_bytes(cl100k: Any) -> None:
    assert cl100k._encode_bytes(b" \xec\x8b\xa4\xed") == [62085]
    for i in range(10):
        content = b"\x80" * i
        assert cl100k.decode_bytes(cl100k._encode_bytes(content)) == content


@pytest.mark.parametrize("character", ["^", "0", "a", "'s", " ", "\n"])
def test_long_runs(cl100k: Any, character: str) -> None:
    for text in (character * 10_000, " " + character * 10_000, character * 10_000 + "\n"):
        assert cl100k.decode(cl100k.encode(text)) == text


def test_round_trips(enc: Any) -> None:
    for text in ("hello", "hello ", "hello  ", " hello", " hello ", " hello  ", "hello world", "请考试我的软件！12345"):
        assert enc.decode(enc.encode(text)) == text
        assert enc.decode(enc.encode_ordinary(text)) == text


def test_single_tokens(gpt2: Any, enc: Any) -> None:
    for id in range(10_000):
        content = enc.decode_single_token_bytes(id)
        assert enc.encode_single_token(content) == id
    assert gpt2.encode_single_token("hello") == gpt2.encode_single_token(b"hello") == 31373
    assert enc.encode_single_token("<|endoftext|>") == enc.eot_token
    for token in ("this is no token", b"\xff\xff\xff"):
        with pytest.raises(KeyError):
            enc.encode_single_token(token)
    for id in (enc.n_vocab, 10**6):
        with pytest.raises(KeyError):
            enc.decode_single_token_bytes(id)
        with pytest.raises(KeyError):
            enc.decode([id])


def test_special_tokens(cl100k: Any) -> None:
    eot, fip, fim = (
        cl100k.encode_single_token(token) for token in ("<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>")
    )
    text = "<|endoftext|> hello <|fim_prefix|>"
    assert eot not in cl100k.encode(text, disallowed_special=())
    for disallowed in ("all", {"<|endoftext|>"}, {"<|fim_prefix|>"}):
        with pytest.raises(ValueError, match="disallowed special token"):
            cl100k.encode(text, disallowed_special=disallowed)
    text = "<|endoftext|> hello <|fim_prefix|> there <|fim_middle|>"
    ids = cl100k.encode(text, disallowed_special=())
    assert not {eot, fip, fim}.intersection(ids)
    for options in ({"allowed_special": "all", "disallowed_special": ()}, {"allowed_special": "all"}):
        ids = cl100k.encode(text, **options)
        assert {eot, fip, fim}.issubset(ids)
    for allowed, found in (("<|fim_prefix|>", fip), ("<|endoftext|>", eot), ("<|fim_middle|>", fim)):
        ids = cl100k.encode(text, allowed_special={allowed}, disallowed_special=())
        assert {eot, fip, fim}.intersection(ids) == {found}
    with pytest.raises(ValueError, match="disallowed special token"):
        cl100k.encode(text, allowed_special={"<|fim_prefix|>"})


def test_what_is_disallowed_need_be_no_special_token(cl100k: Any) -> None:
    with pytest.raises(ValueError, match="disallowed special token 'foo'"):
        cl100k.encode("a foo", disallowed_special={"foo"})
    with pytest.raises(ValueError, match=r"disallowed special token '<\|endoftext\|>'"):
        cl100k.encode("a<|endoftext|>", allowed_special="all", disallowed_special={"<|endoftext|>"})
    with pytest.raises(TypeError):
        cl100k.encode("a foo", allowed_special="foo")
    assert cl100k.encode("a foo", allowed_special={"foo"}) == cl100k.encode_ordinary("a foo")


def test_batches(enc: Any) -> None:
    one, two = "hello world", "goodbye world"
    assert enc.encode_batch([one]) == [enc.encode(one)]
    assert enc.encode_batch([one, two], num_threads=2) == [enc.encode(one), enc.encode(two)]
    assert enc.encode_ordinary_batch(iter([one, two])) == [enc.encode_ordinary(one), enc.encode_ordinary(two)]
    assert enc.decode_batch(enc.encode_batch([one, two])) == [one, two]
    assert enc.decode_bytes_batch(enc.encode_batch([one, two])) == [one.encode(), two.encode()]
    assert enc.encode_batch([]) == enc.decode_batch([]) == []
    with pytest.raises(ValueError, match=r"disallowed special token '<\|endoftext\|>'"):
        enc.encode_batch([one, "<|endoftext|>"])
    assert enc.encode_batch(["<|endoftext|>"], allowed_special="all") == [[enc.eot_token]]


def test_pickles_and_copies(gpt2: Any, library: str) -> None:
    custom = (tiktoken.Encoding if library == "tiktoken" else ours.Encoding)(
        name="custom_enc",
        pat_str=gpt2._pat_str,
        mergeable_ranks=gpt2._mergeable_ranks,
        special_tokens={"<|pickle|>": 300_000},
    )
    assert custom.encode("<|pickle|>", allowed_special="all") == [300_000]
    for encoding in (gpt2, custom):
        for again in (pickle.loads(pickle.dumps(encoding)), copy.copy(encoding), copy.deepcopy(encoding)):
            assert (again.name, again.n_vocab) == (encoding.name, encoding.n_vocab)
            assert again.encode("hello world") == encoding.encode("hello world")
            text = "a<|pickle|>"
            assert again.encode(text, allowed_special="all") == encoding.encode(text, allowed_special="all")


def test_offsets(cl100k: Any) -> None:
    def check(text: str, starts: list[int], **options: Any) -> None:
        ids = cl100k.encode(text, **options)
        assert cl100k.decode_with_offsets(ids) == (text, starts)

    check("hello world", [0, 5])
    check("hello world<|endoftext|> green cow", [0, 5, 11, 24, 30], allowed_special="all")
    check("我非常渴望与人工智能一起工作", [0, 1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13])
    check("நடிகர் சூர்யா", [0, 0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 9, 10, 11, 12, 12])
    check(" Ġ除", [0, 1])
    with pytest.raises(UnicodeDecodeError):
        cl100k.decode_with_offsets(cl100k._encode_bytes(b"\xff"))


def test_decoding(cl100k: Any) -> None:
    half = cl100k._encode_bytes("🌱".encode()[:2])
    assert cl100k.decode(half) == cl100k.decode(tuple(half)) == "�"
    assert cl100k.decode(half, errors="ignore") == cl100k.decode(half, "ignore") == ""
    assert cl100k.decode(half, errors="backslashreplace") == r"\xf0\x9f"
    with pytest.raises(UnicodeDecodeError):
        cl100k.decode(half, errors="strict")
    assert cl100k.decode_tokens_bytes([15339, 1917]) == [b"hello", b" world"]
    assert cl100k.decode_batch([half], errors="ignore") == [""]
    for wrong in (["a"], [1.5], None):
        with pytest.raises(TypeError):
            cl100k.decode(wrong)


def test_types(enc: Any) -> None:
    for method in (enc.encode, enc.encode_ordinary, enc.encode_with_unstable, enc.encode_to_numpy):
        for wrong in (b"bytes", None, 3):
            with pytest.raises(TypeError):
                method(wrong)


def test_names(library: str) -> None:
    module: Any = tiktoken if library == "tiktoken" else ours
    assert "cl100k_base" in module.list_encoding_names()
    assert module.encoding_name_for_model("gpt-4o-2024-05-13") == "o200k_base"
    for name in ("no-such-encoding", 3, None):
        with pytest.raises(ValueError, match=r"Unknown encoding|Expected a string"):
            module.get_encoding(name)
    for function in (module.encoding_name_for_model, module.encoding_for_model):
        with pytest.raises(KeyError, match="Could not automatically map"):
            function("no-such-model")


def test_constructors_check_the_number_of_tokens(library: str) -> None:
    make: Any = tiktoken.Encoding if library == "tiktoken" else ours.Encoding
    ranks = {bytes([byte]): byte for byte in range(256)}
    given_: dict[str, Any] = {"pat_str": r"\w+|\W+", "mergeable_ranks": ranks, "special_tokens": {"<|x|>": 256}}
    assert make("tiny", **given_, explicit_n_vocab=257).n_vocab == 257
    with pytest.raises((AssertionError, ValueError)):
        make("tiny", **given_, explicit_n_vocab=258)


def test_models_have_the_same_encodings() -> None:
    assert dict(models.MODEL_TO_ENCODING) == tiktoken.model.MODEL_TO_ENCODING
    assert dict(models.MODEL_PREFIX_TO_ENCODING) == tiktoken.model.MODEL_PREFIX_TO_ENCODING
    for model in (*models.MODEL_TO_ENCODING, *(f"{prefix}x" for prefix in models.MODEL_PREFIX_TO_ENCODING)):
        assert ours.encoding_name_for_model(model) == tiktoken.encoding_name_for_model(model)
    assert ours.list_encoding_names() == sorted(tiktoken.list_encoding_names(), key=ours.list_encoding_names().index)


def test_encodings_by_name(vocabulary_file: oracles.FindFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cl100k_base.tiktoken").symlink_to(vocabulary_file("cl100k_base"))
    monkeypatch.setenv("BYTEPAIR_HOME", str(tmp_path))
    enc = ours.get_encoding("cl100k_base")
    assert enc is ours.get_encoding("cl100k_base") is ours.encoding_for_model("gpt-4")
    assert (enc.name, repr(enc), enc.encode("hello world")) == (
        "cl100k_base",
        "<Encoding 'cl100k_base'>",
        [15339, 1917],
    )
    assert enc.tokenizer == bp.get("cl100k_base")


def test_what_an_encoding_says_of_itself(both: tuple[Any, Any]) -> None:
    theirs, mine = both
    for name in ("name", "n_vocab", "max_token_value", "eot_token", "special_tokens_set", "_special_tokens"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert mine._mergeable_ranks == theirs._mergeable_ranks
    assert mine.token_byte_values() == theirs.token_byte_values()
    for id in (0, theirs.eot_token, theirs.max_token_value, theirs.n_vocab):
        assert mine.is_special_token(id) == theirs.is_special_token(id)
    public = {name for name in dir(theirs) if not name.startswith("__")} - {"_core_bpe"}
    assert public <= set(dir(mine))


def test_many_texts(both: tuple[Any, Any]) -> None:
    theirs, mine = both
    cut = " <|endoftext|>".join(SOME)
    for text in (*SOME, *oracles.random_texts(300), cut):
        ids = theirs.encode(text, allowed_special="all")
        assert mine.encode(text, allowed_special="all") == ids
        assert mine.encode_to_numpy(text, allowed_special="all").tolist() == ids
        assert mine.encode_ordinary(text) == theirs.encode_ordinary(text)
        assert mine._encode_single_piece(text[:50]) == theirs._encode_single_piece(text[:50])
        assert mine.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)
    assert mine.encode_to_numpy("a").dtype == np.uint32
    assert mine.encode_batch(SOME) == theirs.encode_batch(SOME)
    assert mine._encode_only_native_bpe(SOME[0]) == theirs._encode_only_native_bpe(SOME[0])


def test_bytes_that_are_cut_anywhere(both: tuple[Any, Any]) -> None:
    theirs, mine = both
    rng = random.Random(3)
    content = "naïve 日本語  \n \t 🌱🌿 it's".encode()
    for _ in range(400):
        piece = bytearray(content[rng.randrange(len(content)) :][: rng.randrange(12)])
        if piece and rng.random() < 0.5:
            piece[rng.randrange(len(piece))] = rng.randrange(256)
        assert mine._encode_bytes(bytes(piece)) == theirs._encode_bytes(bytes(piece)), bytes(piece)


UNSTABLE = (
    "hello fanta",
    "hello ",
    "hello  \n",
    "x\n \n",
    "a<|endoftext|>",
    "",
    "日本",
    "\u2003",
    " \x1c",
    "naï",
    "1\r\n",
)


@pytest.mark.parametrize("text", UNSTABLE)
def test_unstable(both: tuple[Any, Any], text: str) -> None:
    theirs, mine = both
    stable, completions = theirs.encode_with_unstable(text, allowed_special="all")
    found = mine.encode_with_unstable(text, allowed_special="all")
    assert (found[0], sorted(found[1])) == (stable, sorted(completions))
    assert all(mine.decode_bytes([*stable, *one]).startswith(text.encode()) for one in found[1])
    with pytest.raises(ValueError, match="disallowed special token"):
        mine.encode_with_unstable(text + "<|endoftext|>")


@given(st.text("ab \n<|x>", max_size=20), st.sets(st.sampled_from(["<|x|>", "<|x", "x|>", "ab"])), st.booleans())
@example("<|x|>", {"<|x"}, False)
def test_any_choice_of_special_tokens(text: str, chosen: set[str], allow: bool) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    # No token begins where another does: there, tiktoken takes any of them.
    given_: dict[str, Any] = {
        "pat_str": r"\w+|\W+",
        "mergeable_ranks": ranks,
        "special_tokens": {"<|x|>": 257, "ab": 258},
    }
    options: dict[str, Any] = {"allowed_special" if allow else "disallowed_special": chosen}
    theirs, mine = (
        outcome(tiktoken.Encoding("t", **given_), text, options),
        outcome(ours.Encoding("t", **given_), text, options),
    )
    assert mine == theirs


def outcome(encoding: Any, text: str, options: dict[str, Any]) -> list[int] | None:
    try:
        ids: list[int] = encoding.encode(text, **options)
    except ValueError:
        return None
    return ids


def test_there_and_back(made: dict[tuple[str, str], Any]) -> None:
    for name in NAMES:
        tok = made["bytepair", name].tokenizer
        for encoding in (made["tiktoken", name], made["bytepair", name]):
            assert bp.from_tiktoken(encoding).special_tokens == tok.special_tokens
            assert bp.from_tiktoken(encoding).encode(SOME[0]) == tok.encode(SOME[0])


def test_two_special_tokens_with_one_id(vocabulary_file: oracles.FindFile) -> None:
    theirs = oracles.openai_encoding("o200k_harmony", vocabulary_file)
    with pytest.warns(bp.FormatWarning, match="both have the id 200018"):
        tok = bp.from_tiktoken(theirs)
    assert tok.special_tokens == {
        content: id for content, id in theirs._special_tokens.items() if content != "<|reserved_200018|>"
    }


RANKS = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
TWICE = {"<|reserved_7|>": 258, "<|end|>": 258, "<|begin|>": 257, "<|start|>": 257}


def test_two_names_of_one_id() -> None:
    said: dict[str, Any] = {"pat_str": r"\w+|\W+", "mergeable_ranks": RANKS, "special_tokens": TWICE}
    theirs, mine = tiktoken.Encoding("tiny", **said), ours.Encoding("tiny", **said)
    mine = pickle.loads(pickle.dumps(mine))
    text = "ab<|end|><|reserved_7|>a<|start|><|begin|>b"
    for allowed in ("all", {"<|reserved_7|>"}, {"<|end|>", "<|start|>"}, set()):
        options: dict[str, Any] = {"allowed_special": allowed, "disallowed_special": ()}
        expected = theirs.encode(text, **options)
        assert mine.encode(text, **options) == expected
        assert mine.encode_batch([text, "a", text], **options) == theirs.encode_batch([text, "a", text], **options)
        assert mine.encode_to_numpy(text, **options).tolist() == expected
        assert mine.encode_with_unstable(text, **options)[0] == theirs.encode_with_unstable(text, **options)[0]
    for name, id in TWICE.items():
        assert mine.encode_single_token(name) == theirs.encode_single_token(name) == id
        assert mine.is_special_token(id)
        for one in (theirs, mine):
            with pytest.raises(ValueError, match=re.escape(name)):
                one.encode(f"a{name}")
    assert (mine.n_vocab, mine.max_token_value) == (theirs.n_vocab, theirs.max_token_value)
    assert mine.special_tokens_set == theirs.special_tokens_set
    assert mine._special_tokens == theirs._special_tokens
    assert mine.token_byte_values() == theirs.token_byte_values()
    assert mine.decode([97, 258, 257]) == "a<|end|><|begin|>"
    assert mine.tokenizer.special_tokens == {"<|begin|>": 257, "<|end|>": 258}
    with pytest.raises(KeyError):
        mine.decode([259])
    with pytest.warns(bp.FormatWarning, match="both have the id 25[78]"):
        assert bp.from_tiktoken(mine) == mine.tokenizer


def test_whisper(vocabulary_file: oracles.FindFile) -> None:
    """Its files have a token of no bytes, whose id is no other token's."""
    file = vocabulary_file("whisper")
    with pytest.warns(bp.FormatWarning, match="line 50257: the token of rank 50256 has no bytes") as told:
        tok = bp.load(file, pattern=oracles.GPT2_PATTERN, special_tokens=["<|endoftext|>", "<|startoftranscript|>"])
    assert told[0].filename == __file__
    assert tok.special_tokens == {"<|endoftext|>": 50257, "<|startoftranscript|>": 50258}
    assert 50256 not in tok.vocabulary
    ranks = tiktoken.load.load_tiktoken_bpe(str(file))
    said: dict[str, Any] = {
        "pat_str": oracles.GPT2_PATTERN,
        "mergeable_ranks": ranks,
        "special_tokens": tok.special_tokens,
        "explicit_n_vocab": 50259,
    }
    theirs = tiktoken.Encoding("whisper", **said)
    with pytest.warns(bp.FormatWarning, match="the token of rank 50256 has no bytes"):
        assert ours.Encoding("whisper", **said).tokenizer == tok
    with pytest.warns(bp.FormatWarning, match="the token of rank 50256 has no bytes"):
        assert bp.from_tiktoken(theirs) == tok
    for text in SOME:
        assert tok.encode(text) == theirs.encode_ordinary(text)


def test_o200k_harmony_has_both_names(
    vocabulary_file: oracles.FindFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = oracles.openai_encoding("o200k_harmony", vocabulary_file)
    (tmp_path / "o200k_base.tiktoken").symlink_to(vocabulary_file("o200k_base"))
    monkeypatch.setenv("BYTEPAIR_HOME", str(tmp_path))
    mine = ours.get_encoding("o200k_harmony")
    assert mine._special_tokens == theirs._special_tokens
    text = "a<|endofprompt|><|reserved_200018|>b"
    assert mine.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")


def test_a_merge_list_that_ranks_cannot_say() -> None:
    tok = bp.train(texts=["aaab aaab"], num_merges=2)
    parts = bp.Parts(tokens=(*tok.parts.tokens, (999, b"ba")), merges=tok.parts.merges, pattern=tok.pattern)
    enc = bp.Tokenizer.from_parts(parts).as_tiktoken("odd")
    assert enc.encode("aaab") == tok.encode("aaab")
    with pytest.raises(bp.VocabularyError):
        ours.Encoding("copy", pat_str="a", mergeable_ranks=enc._mergeable_ranks, special_tokens={})
    with pytest.raises(bp.VocabularyError, match="an alphabet of characters"):
        bp.train(texts=["low"], num_merges=1, alphabet="characters").as_tiktoken()
    with pytest.raises(TypeError, match="the encoding is of type `str`"):
        bp.from_tiktoken("cl100k_base")  # type: ignore[arg-type]
