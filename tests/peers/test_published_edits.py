"""Published vocabularies are edited: text is kept, and the files mean the same to their own libraries."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import tiktoken.load
from tokenizers import Tokenizer as HuggingFaceTokenizer

import bytepair as bp
import oracles
import texts
from bytepair.editing.ways import base_symbols, ways


@pytest.fixture(scope="module")
def cl100k(vocabulary_file: oracles.FindFile) -> bp.Tokenizer:
    return bp.load(vocabulary_file("cl100k_base"), pattern="cl100k", special_tokens={"<|endoftext|>": 100257})


def test_learned_tokens_lose_no_text(cl100k: bp.Tokenizer) -> None:
    edited = cl100k.extended([texts.sample(language, 50_000) for language in texts.NINE_LANGUAGES], 100)
    assert edited.added == tuple(range(100258, 100358))
    for text in oracles.random_texts(1000):
        assert edited.tokenizer.decode(edited.tokenizer.encode(text)) == text


def test_an_id_that_is_taken_is_refused(cl100k: bp.Tokenizer) -> None:
    with pytest.raises(bp.SpecialTokenError, match=r"`<x>` has id 15339, which is the id of the token `hello`"):
        cl100k.with_special_tokens({"<x>": 15339})


def test_a_rank_file_without_some_tokens_is_one_to_tiktoken(cl100k: bp.Tokenizer, tmp_path: Path) -> None:
    longer = [id for id, content in cl100k.parts.tokens if len(content) > 1]
    edited = cl100k.without(random.Random(0).sample(longer, 2_000))
    with pytest.warns(bp.FormatWarning, match="without the pattern"):
        edited.tokenizer.save(tmp_path / "x.tiktoken", allow_loss=True)
    ranks = tiktoken.load.load_tiktoken_bpe(str(tmp_path / "x.tiktoken"))
    assert cl100k.pattern is not None
    peer = tiktoken.Encoding("x", pat_str=cl100k.pattern, mergeable_ranks=ranks, special_tokens={})
    for text in [*oracles.random_texts(2_000, seed=4), *(texts.sample(name, 50_000) for name in ("en", "code", "ja"))]:
        ids = edited.tokenizer.encode(text)
        assert ids == peer.encode_ordinary(text)
        assert edited.tokenizer.decode(ids) == text


def test_a_merge_list_without_some_tokens_is_one_to_tokenizers(
    vocabulary_file: oracles.FindFile, tmp_path: Path
) -> None:
    tok = bp.load(vocabulary_file("llama3"))
    corpus = [texts.sample(name, 200_000) for name in ("en", "code", "ja")]
    longer = [id for id, content in tok.parts.tokens if len(content) > 1]
    removed = tok.without(random.Random(0).sample(longer, 2_000))
    pruned = tok.pruned(corpus)
    for text in corpus:
        assert pruned.tokenizer.encode(text) == pruned.old_to_new[tok.encode(text)].tolist()
    for edited in (removed, pruned):
        edited.tokenizer.save(tmp_path / "tokenizer.json")
        peer = HuggingFaceTokenizer.from_file(str(tmp_path / "tokenizer.json"))
        for text in [*oracles.random_texts(1_000, seed=5), *corpus]:
            ids = edited.tokenizer.encode(text)
            assert ids == peer.encode(text, add_special_tokens=False).ids
            assert edited.tokenizer.decode(ids) == text


@pytest.mark.filterwarnings("ignore:`post_processor`")
@pytest.mark.parametrize("name", ["mistral_v1", "clip"])
def test_characters_that_fall_back_to_bytes_and_words_with_a_mark(
    name: str, vocabulary_file: oracles.FindFile, tmp_path: Path
) -> None:
    tok = bp.load(vocabulary_file(name))
    symbols = base_symbols(tok.parts)
    assert len(symbols) >= 512
    longer = sorted({id for id, _ in tok.parts.tokens} - symbols - set(tok.special_tokens.values()))
    if name == "clip":  # tokenizers cannot look words with a mark up, so nothing goes that others are made of
        parts = {part for _, pair in ways(tok).values() for part in pair}
        longer = [id for id in longer if id not in parts]
    edited = tok.without(random.Random(0).sample(longer, 1_000))
    assert bool(edited.whole_only) == (name != "clip")
    if tok.parts.unknown is not None:
        assert edited.tokenizer.parts.unknown == edited.old_to_new[tok.parts.unknown]
    edited.tokenizer.save(tmp_path / "tokenizer.json")
    peer = HuggingFaceTokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in [*oracles.random_texts(1_000, seed=6), *(texts.sample(language, 50_000) for language in ("en", "ja"))]:
        ids = edited.tokenizer.encode(text)
        assert ids == peer.encode(text, add_special_tokens=False).ids
        assert edited.tokenizer.decode(ids) == tok.decode(tok.encode(text))
    small = tok.truncated(vocab_size=len(tok) // 2)
    assert len(small.tokenizer) == len(tok) // 2
    text = texts.sample("en", 20_000)
    assert small.tokenizer.decode(small.tokenizer.encode(text)) == tok.decode(tok.encode(text))
    more = tok.with_special_tokens(["<|new|>"])
    assert more.tokenizer.encode(text) == tok.encode(text)


@pytest.mark.filterwarnings("ignore:`post_processor`")
@pytest.mark.parametrize("name", ["qwen3", "mistral_v1"])
def test_tokenizers_that_normalise_are_pruned(name: str, vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    tok = bp.load(vocabulary_file(name))
    corpus = [*(texts.sample(language, 50_000) for language in ("en", "code", "ja")), "e\u0301e\u0301 \ufb01"]
    edited = tok.pruned(corpus)
    assert len(edited.removed) > len(tok) // 2
    edited.tokenizer.save(tmp_path / "tokenizer.json")
    peer = HuggingFaceTokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in corpus:
        ids = edited.tokenizer.encode(text)
        assert ids == edited.old_to_new[tok.encode(text)].tolist()
        assert ids == peer.encode(text, add_special_tokens=False).ids
    for text in oracles.random_texts(500, seed=7):
        ids = edited.tokenizer.encode(text)
        assert ids == peer.encode(text, add_special_tokens=False).ids
        assert edited.tokenizer.decode(ids) == tok.decode(tok.encode(text))


def test_a_tokenizer_that_normalises_learns_more(vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    tok = bp.load(vocabulary_file("qwen3"))
    corpus = [texts.sample(language, 50_000) for language in ("hi", "ko")] + ["re\u0301sume\u0301s"] * 99
    edited = tok.extended(corpus, 60)
    assert edited.added == tuple(range(tok.n_vocab, tok.n_vocab + 60))
    assert edited.tokenizer.id_of("résumés") in edited.added
    assert edited.tokenizer.count(corpus[0]) < tok.count(corpus[0])
    edited.tokenizer.save(tmp_path / "tokenizer.json")
    peer = HuggingFaceTokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in [*corpus[:3], *oracles.random_texts(300, seed=8)]:
        assert edited.tokenizer.encode(text) == peer.encode(text, add_special_tokens=False).ids
