"""CLIP: bytes with an end-of-word mark joined to the last, small letters, words alone.

The measures are a plain telling of CLIP's own program, `tokenizers` on the file that we write, and `transformers`.
"""

from __future__ import annotations

import gzip
import itertools
import json
import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import regex
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import formats
from bytepair.errors import FormatError, VocabularyError
from bytepair.formats import byte_alphabet, clip, huggingface
from bytepair.normalizing import Normalizer
from bytepair.parts import MARK, Parts
from format_files import BYTES, CLIP, as_json

WORDS = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")
LETTERS = ("a", "b", "c", "'s", " ", "  ", "1", "2", "!", "é", "日", "\xff", "-")


def plainly(parts: Parts, words: list[bytes]) -> list[int]:
    """The ids of words: each word's lowest merge first, all its places at once."""
    ids = {content: id_ for id_, content in parts.tokens}
    ranks = {pair: rank for rank, pair in enumerate(parts.merges or ())}
    contents = dict(parts.tokens)
    found: list[int] = []
    for data in words:
        symbols = [ids[bytes([byte])] for byte in data[:-1]] + [ids[data[-1:] + MARK]]
        while len(symbols) > 1:
            pair = min(itertools.pairwise(symbols), key=lambda pair: ranks.get(pair, 10**9))
            if pair not in ranks:
                break
            merged: list[int] = []
            for symbol in symbols:
                if merged and (merged[-1], symbol) == pair:
                    merged[-1] = ids[contents[pair[0]] + contents[pair[1]]]
                else:
                    merged.append(symbol)
            symbols = merged
        found += symbols
    return found


@st.composite
def vocabularies(draw: st.DrawFn) -> Parts:
    """Some merges of what is there, in any order in which they can come."""
    parts = clip.parse(b"bpe_simple_vocab")
    contents = [content for _, content in parts.tokens]
    lines = [b"bpe_simple_vocab"]
    known = [b"a", b"b", b"c", b"\xc3", b"\xa9" + MARK, b"a" + MARK, b"b" + MARK, b"!", b"!" + MARK, b"\xff", b"'"]
    for _ in range(draw(st.integers(0, 12))):
        left = draw(st.sampled_from([content for content in known if not content.endswith(MARK) or len(content) == 1]))
        right = draw(st.sampled_from(known))
        made = left + right
        if made in contents or (len(made) > 1 and right == b"\xff"):
            continue
        contents.append(made)
        known.append(made)
        spelled = [spell(content) for content in (left, right)]
        lines.append(" ".join(spelled).encode())
    return replace(clip.parse(b"\n".join(lines)), normalizer=Normalizer())


def spell(content: bytes) -> str:
    if len(content) > 1 and content.endswith(MARK):
        return byte_alphabet.spell(content[:-1]) + "</w>"
    return byte_alphabet.spell(content)


@given(vocabularies(), st.lists(st.sampled_from(LETTERS), max_size=14).map("".join))
def test_ids_are_those_of_the_plain_way(parts: Parts, text: str) -> None:
    tok = bp.Tokenizer.from_parts(parts)
    ids = tok.encode(text)
    assert ids == plainly(parts, [word.encode() for word in WORDS.findall(text)])
    assert tok.count(text) == len(ids)
    trace = tok.trace(text)
    assert [token.id for token in trace] == ids
    assert b"".join(token.bytes for token in trace).replace(b"</w>", b"") == "".join(WORDS.findall(text)).encode()
    assert [id_ for part in tok.encode_stream(iter([text[:5], text[5:]])) for id_ in part] == ids
    assert tok.decode(ids) == " ".join(WORDS.findall(text))
    assert huggingface.parse(huggingface.render(parts)) == parts
    theirs = tokenizers.Tokenizer.from_str(huggingface.render(parts).decode())
    assert theirs.encode(text).ids == ids
    assert theirs.decode(ids) == tok.decode(ids), "marks are spaces there too"


@given(vocabularies(), st.binary(max_size=12))
def test_bytes_that_are_no_text_stand_in_words_too(parts: Parts, data: bytes) -> None:
    tok = bp.Tokenizer.from_parts(parts)
    words = [pretoken.text for pretoken in tok.trace(data).pretokens]
    assert b"".join(words) == data.translate(None, b" \t\n\r\x0b\x0c") or not data.isascii()
    assert tok.encode(data) == plainly(parts, words)
    assert tok.decode_bytes(tok.encode(data)) == b" ".join(words)


@pytest.fixture(scope="module")
def published(vocabulary_file: Callable[[str], Path]) -> bp.Tokenizer:
    return bp.load(vocabulary_file("clip"))


def test_the_published_vocabulary(published: bp.Tokenizer, tmp_path: Path) -> None:
    assert published.n_vocab == len(published) == 49_408
    assert published.special_tokens == {"<|startoftext|>": 49_406, "<|endoftext|>": 49_407}
    assert (
        published.encode("A photo  of a CAT!")
        == published.encode("a photo of a cat !")
        == [320, 1125, 539, 320, 2368, 256]
    )
    assert published.decode(published.encode("A photo  of a CAT!")) == "a photo of a cat !"
    assert published.lossy
    for name in ("tokenizer.json", "bpe_simple_vocab_16e6.txt", "folder/"):
        published.save(f"{tmp_path}/{name}")
        assert bp.load(tmp_path / name) == published
    packed = tmp_path / "x.gz"
    packed.write_bytes(gzip.compress((tmp_path / "bpe_simple_vocab_16e6.txt").read_bytes()))
    assert bp.load(packed) == published


def test_published_ids_are_those_of_transformers(published: bp.Tokenizer) -> None:
    from transformers import CLIPTokenizer  # noqa: PLC0415 - takes seconds

    document = json.loads(huggingface.render(published.parts))
    theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
    model = document["model"]
    peer = CLIPTokenizer(vocab=model["vocab"], merges=[tuple(pair) for pair in model["merges"]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FormatWarning)
        again = bp.Tokenizer.from_parts(huggingface.parse(peer.backend_tokenizer.to_str().encode()))
    numbers = random.Random(1)
    signs = [*"abcXYZ'sSt  \n\t123²é!?.,日本ΣİſK\u0301\xff\u00a0😀<|>", "don't", "<|endoftext|>", "the ", "ﬁ", "Ⅳ"]
    for _ in range(4000):
        text = "".join(numbers.choices(signs, k=numbers.randint(1, 20)))
        ids = published.encode(text, allowed_special="all")
        assert theirs.encode(text).ids == ids == again.encode(text, allowed_special="all"), text
        assert peer(text, add_special_tokens=False)["input_ids"] == ids, text


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "the first line does not name `bpe_simple_vocab`"),
        ("bpe_simple_vocab\nt h x", "line 2:"),
        ("bpe_simple_vocab\nth e", 'line 2: "th" is no byte'),
        ("bpe_simple_vocab\nt h\nt h", "line 3:"),
        ("bpe_simple_vocab\nt</w> h", "merges something after the end of a word"),
        ("bpe_simple_vocab\n< /w>", "makes a token that is spelled like another"),
        ("bpe_simple_vocab\nt ÿ", "makes a token that is spelled like another"),
        ("bpe_simple_vocab\nt 日", "two tokens with one space"),
    ],
)
def test_what_is_wrong_is_named(lines: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        formats.parse(lines.encode(), format="clip")
    assert said in str(caught.value)


def test_gzip_is_unpacked_only_so_far() -> None:
    bomb = gzip.compress(b"bpe_simple_vocab\n" + b" " * (65 << 20))
    with pytest.raises(FormatError, match="more than 64 MiB"):
        formats.parse(bomb)
    with pytest.raises(FormatError, match="cannot be unpacked"):
        formats.parse(gzip.compress(b"bpe_simple_vocab\nt h\n" * 99)[:-9], format="clip")
    with pytest.raises(FormatError, match="compressed with gzip"):
        formats.parse(gzip.compress(b"t h\n"))


def test_what_is_not_clips_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="a symbol of its own, with an alphabet of bytes"):
        Parts(end_of_word="</w>", tokens=BYTES, merges=())
    with pytest.raises(FormatError, match="the normalizer"):
        formats.write(replace(CLIP, normalizer=Normalizer()), tmp_path / "bpe_simple_vocab.txt")
    with pytest.raises(FormatError, match="CLIP cannot hold it: in what would be written, line ") as caught:
        formats.write(replace(CLIP, merges=(CLIP.merges or ())[1:]), tmp_path / "bpe_simple_vocab.txt")
    assert caught.value.hint == "save it as tokenizer.json"
    document = json.loads(huggingface.render(CLIP))
    document["pre_tokenizer"]["pretokenizers"][1]["use_regex"] = True
    assert huggingface.parse(as_json(document)) == CLIP
    document["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "[a-z]+"
    with pytest.raises(FormatError, match="splits twice"):
        huggingface.parse(as_json(document))
    document["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Isolated"
    with pytest.raises(FormatError, match='"Isolated", and only "Removed"'):
        huggingface.parse(as_json(document))
