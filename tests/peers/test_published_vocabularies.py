"""Published vocabularies, loaded from their real files, give the ids of the programs that published them.

Each is compared on every Unicode code point in context, on random strings of mixed scripts and white space, and on a
megabyte of each of eight kinds of text; every text must also decode to its own bytes. tiktoken is the measure for rank
files, Hugging Face's tokenizers for Llama 3 (whose file says that whole pretokens are looked up first).
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import tiktoken
from tokenizers import Tokenizer as HuggingFaceTokenizer

import bytepair as bp
import oracles
import texts

NAMES = ("cl100k_base", "o200k_base", "r50k_base", "gpt2", "qwen", "llama3")
PRESETS = {"cl100k_base": "cl100k", "o200k_base": "o200k", "r50k_base": "gpt2", "qwen": "qwen2"}
TEXTS = ("en", "code", "ru", "ja", "zh", "ko", "ar", "hi")
MEGABYTE = 1_000_000

EncodeBatch = Callable[[list[str]], list[list[int]]]


@dataclass(frozen=True)
class Published:
    """One vocabulary twice: ours, and the peer that is right by definition."""

    ours: bp.Tokenizer
    theirs: EncodeBatch


@pytest.fixture(scope="module")
def published(vocabulary_file: oracles.FindFile) -> Callable[[str], Published]:
    return functools.cache(lambda name: build(name, vocabulary_file))


def build(name: str, find: oracles.FindFile) -> Published:
    if name == "llama3":
        peer = HuggingFaceTokenizer.from_file(str(find("llama3")))
        return Published(
            bp.load(find("llama3")),
            lambda batch: [encoding.ids for encoding in peer.encode_batch_fast(batch, add_special_tokens=False)],
        )
    encoding = oracles.qwen_encoding(find) if name == "qwen" else oracles.openai_encoding(name, find)
    specials = {token: encoding.encode_single_token(token) for token in encoding.special_tokens_set}
    if name == "gpt2":
        ours = bp.load(gpt2_file(find))
    else:
        ours = bp.load(find(name), pattern=PRESETS[name], special_tokens=specials)
    return Published(ours, functools.partial(tiktoken.Encoding.encode_ordinary_batch, encoding, num_threads=2))


def gpt2_file(find: oracles.FindFile) -> Path:
    """GPT-2's vocab.json and merges in one tokenizer.json: its merge list, where r50k_base is its rank file."""
    vocabulary = json.loads(find("gpt2_vocab_json").read_text(encoding="utf-8"))
    end_of_text = "<|endoftext|>"
    merges = find("gpt2_merges_txt").read_text(encoding="utf-8").splitlines()[1:]
    special = {"id": vocabulary.pop(end_of_text), "content": end_of_text, "special": True, "normalized": False}
    flags = {"single_word": False, "lstrip": False, "rstrip": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    content = {
        "version": "1.0",
        "added_tokens": [special | flags],
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocabulary, "merges": merges},
    }
    file = find("gpt2_vocab_json").with_name("tokenizer.json")
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def assert_same(pair: Published, batches: Sequence[Sequence[str]]) -> None:
    """Each batch, joined into one text, has the peer's ids and decodes to itself; a failure names the snippet."""
    joined = ["".join(batch) for batch in batches]
    ours, theirs = pair.ours.encode_batch(joined), pair.theirs(joined)
    for batch, text, our_ids, their_ids in zip(batches, joined, ours, theirs, strict=True):
        if list(our_ids) != their_ids:
            pytest.fail(difference(pair, batch))
        assert pair.ours.decode_bytes(our_ids) == text.encode()


def difference(pair: Published, snippets: Sequence[str]) -> str:
    """The shortest run of snippets, from the first that differs, for which the ids are not the same."""
    for length in (1, 2, 8, len(snippets)):
        for start in range(0, len(snippets), length):
            text = "".join(snippets[start : start + length])
            ours, theirs = pair.ours.encode(text), pair.theirs([text])[0]
            if list(ours) != theirs:
                return f"{text[:200]!a}: ours {ours[:40]}, theirs {theirs[:40]}"
    return f"differs only as a whole: {''.join(snippets)[:200]!a}"


def in_lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@pytest.mark.parametrize("name", NAMES)
def test_ids_on_every_assigned_code_point(name: str, published: Callable[[str], Published]) -> None:
    assert_same(published(name), list(oracles.few_code_point_texts()))


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_ids_on_every_code_point_in_all_contexts(name: str, published: Callable[[str], Published]) -> None:
    assert_same(published(name), list(oracles.code_point_texts()))


@pytest.mark.parametrize("name", NAMES)
def test_ids_on_random_strings_of_mixed_scripts(name: str, published: Callable[[str], Published]) -> None:
    assert_same(published(name), [[text] for text in oracles.random_texts(40_000)])


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("name", NAMES)
def test_ids_on_a_megabyte_of_text(name: str, language: str, published: Callable[[str], Published]) -> None:
    assert_same(published(name), [in_lines(texts.sample(language, MEGABYTE))])


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("gpt2", [" SolidGoldMagikarp"]), ("cl100k_base", [" Solid", "Gold", "Mag", "ik", "arp"])],
)
def test_a_word_that_only_gpt2_has_as_one_token(
    name: str, tokens: list[str], published: Callable[[str], Published]
) -> None:
    tok = published(name).ours
    ids = tok.encode("".join(tokens))
    assert [tok.decode([id]) for id in ids] == tokens
    assert name != "gpt2" or ids == [43453]
    assert len(tok.encode("".join(tokens).swapcase())) > len(tokens)


@pytest.mark.parametrize("name", ["cl100k_base", "llama3"])
def test_ids_of_every_token_of_the_vocabulary(name: str, published: Callable[[str], Published]) -> None:
    """Whole tokens are the likeliest pretokens that no merge leads to."""
    pair = published(name)
    specials = pair.ours.special_tokens
    whole = [token.decode(errors="ignore") for token in pair.ours.vocabulary.values()]
    whole = [token for token in whole if token not in specials]
    random.Random(0).shuffle(whole)
    assert_same(pair, [[token] for token in whole])
