"""Files of other programs give their ids (or, where a file has none, their tokens) on mixed text and random strings."""

from __future__ import annotations

import base64
import functools
import io
import itertools
import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import regex
import tiktoken
import tokenizers
from subword_nmt import apply_bpe, learn_bpe

import bytepair as bp
import oracles
import texts
from bytepair import formats
from bytepair.formats import codes
from bytepair.formats.pattern_stages import TOTAL

ENGLISH = functools.partial(texts.sample, "en", 200_000)
MIXED = [texts.sample(language, 20_000) for language in ("en", "code", "ru", "ja", "hi", "ar")]
RANDOM = oracles.random_texts(20_000)


def same(ours: bp.Tokenizer, theirs: Callable[[str], Sequence[int]], some: Sequence[str]) -> None:
    """The ids are equal on every text."""
    for text in some:
        assert list(ours.encode(text)) == list(theirs(text)), text[:200]


@pytest.fixture(scope="module")
def trained() -> bp.Tokenizer:
    return bp.train(texts=[ENGLISH()], vocab_size=1500, special_tokens=["<|end|>"], pattern="gpt2")


# The pair


@pytest.fixture(scope="module")
def gpt2(vocabulary_file: oracles.FindFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gpt2")
    (folder / "encoder.json").write_bytes(vocabulary_file("gpt2_vocab_json").read_bytes())
    (folder / "vocab.bpe").write_bytes(vocabulary_file("gpt2_merges_txt").read_bytes())
    return folder


def test_gpt2_from_its_two_files(gpt2: Path, vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    tok = bp.load(gpt2 / "encoder.json")
    assert bp.load(gpt2 / "vocab.bpe") == tok
    assert tok.special_tokens == {"<|endoftext|>": 50256}
    encoding = oracles.openai_encoding("gpt2", vocabulary_file)
    same(tok, encoding.encode_ordinary, [*MIXED, *RANDOM])
    tok.save(tmp_path / "vocab.json")
    assert bp.load(tmp_path / "merges.txt") == tok
    assert (tmp_path / "merges.txt").read_bytes() == (gpt2 / "vocab.bpe").read_bytes()
    assert json.loads((tmp_path / "vocab.json").read_bytes()) == json.loads((gpt2 / "encoder.json").read_bytes())
    ranks = bp.load(vocabulary_file("r50k_base"), pattern="gpt2", special_tokens=tok.special_tokens)
    ranks.save(tmp_path / "x-vocab.json")
    assert bp.load(tmp_path / "x-vocab.json") == tok


def test_a_pair_written_here_gives_the_same_ids_there(trained: bp.Tokenizer, tmp_path: Path) -> None:
    trained.save(tmp_path / "vocab.json")
    model = tokenizers.models.BPE.from_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    same(trained, lambda text: theirs.encode(text).ids, [*MIXED, *RANDOM[:5000]])


# Tekken


def test_tekken_as_its_library_reads_it(vocabulary_file: oracles.FindFile, tmp_path: Path) -> None:
    """Mistral's library gives the ranks that fit to tiktoken, and adds the slots to its ids."""
    path = vocabulary_file("tekken_240911")
    document = json.loads(path.read_bytes())
    slots, size = (document["config"][key] for key in ("default_num_special_tokens", "default_vocab_size"))
    ranks = {base64.b64decode(item["token_bytes"]): item["rank"] for item in document["vocab"][: size - slots]}
    encoding = tiktoken.Encoding(
        "tekken", pat_str=document["config"]["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    tok = bp.load(path)
    assert (tok.n_vocab, len(tok), len(tok.special_tokens)) == (size, size, slots)
    assert (tok.special_tokens["[INST]"], tok.special_tokens["<SPECIAL_999>"]) == (3, 999)
    same(tok, lambda text: [id_ + slots for id_ in encoding.encode_ordinary(text)], [*MIXED, *RANDOM[:5000]])
    tok.save(tmp_path / "tekken.json")
    assert bp.load(tmp_path / "tekken.json") == tok


# minbpe


def minbpe_encode(model: Path, text: str) -> list[int]:
    """What minbpe does with a file of its own, after its published source."""
    _, pattern, count, *lines = model.read_text("utf-8").split("\n")[:-1]
    merges = {tuple(map(int, line.split())): 256 + rank for rank, line in enumerate(lines[int(count) :])}
    ids: list[int] = []
    for chunk in regex.findall(pattern.strip(), text) if pattern.strip() else [text]:
        ids += minbpe_chunk(list(chunk.encode()), merges)
    return ids


def minbpe_chunk(ids: list[int], merges: dict[tuple[int, ...], int]) -> list[int]:
    while len(ids) > 1:
        pair = min(itertools.pairwise(ids), key=lambda one: merges.get(one, float("inf")))
        if pair not in merges:
            break
        made, at = [], 0
        while at < len(ids):
            found = tuple(ids[at : at + 2]) == pair
            made.append(merges[pair] if found else ids[at])
            at += 1 + found
        ids = made
    return ids


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", None])
def test_a_model_of_minbpe(pattern: str | None, tmp_path: Path) -> None:
    sample = ENGLISH()[:50_000]
    tok = bp.train(texts=[sample], vocab_size=600, special_tokens=["<|end|>"], pattern=pattern)
    path = tmp_path / "x.model"
    tok.save(path, format="minbpe")
    assert bp.load(path) == tok
    some = [*RANDOM[:2000], *sample[:5000].splitlines(), *(text[:500] for text in MIXED)]
    same(tok, functools.partial(minbpe_encode, path), some)


# Codes


def learned(version: tuple[int, int]) -> bytes:
    """Codes that subword-nmt learns; its 0.1 differs in the header and in where the mark stands."""
    out = io.StringIO()
    learn_bpe.learn_bpe(io.StringIO(ENGLISH()[:100_000]), out, 400)
    if version == (0, 2):
        return out.getvalue().encode()
    tok = bp.train(texts=[ENGLISH()[:100_000]], num_merges=400, alphabet="characters", end_of_word="</w>")
    return codes.render(tok.parts, counted=False)


@pytest.mark.parametrize("version", [(0, 1), (0, 2)])
def test_codes_of_subword_nmt(version: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "codes"
    path.write_bytes(learned(version))
    tok = bp.load(path)
    peer = apply_bpe.BPE(io.StringIO(path.read_text("utf-8")))
    assert peer.version == version
    known = {text for text in map(bytes.decode, tok.vocabulary.values()) if len(text) == 1}
    words = [word for word in re.findall(r"\S+", ENGLISH()) if known.issuperset(word)]
    assert len(words) > 10_000
    for word in [*dict.fromkeys(words), *oracle_words(known)]:
        theirs = [part.removesuffix("@@") for part in peer.segment_tokens([word])]
        ours = [tok.bytes_of(id_).decode().removesuffix("</w>") for id_ in tok.encode(word)]
        assert [part for part in ours if part] == theirs, word
    formats.write(tok.parts, tmp_path / "again", "subword-nmt")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    if version == (0, 2):
        formats.write(tok.parts, tmp_path / "fast", "fastbpe")
        assert bp.load(tmp_path / "fast") == tok


def oracle_words(known: set[str]) -> list[str]:
    """Words of the known characters, in no language."""
    letters, rng = sorted(known - {"@"}), random.Random(0)
    return ["".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(3000)]


# Rank files


def test_a_rank_file_written_here_gives_the_same_ids_there(trained: bp.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "x.tiktoken"
    formats.write(trained.parts, path, allow_loss=True)
    ranks = tiktoken.load.load_tiktoken_bpe(str(path))
    encoding = tiktoken.Encoding(
        "x", pat_str=trained.pattern or "", mergeable_ranks=ranks, special_tokens=trained.special_tokens
    )
    same(trained, encoding.encode_ordinary, [*MIXED, *RANDOM[:5000]])
    again = bp.load(path, pattern="gpt2", special_tokens=trained.special_tokens)
    assert again.vocabulary == trained.vocabulary
    same(again, trained.encode, MIXED)


@pytest.mark.parametrize("name", TOTAL)
def test_what_lies_between_matches_of_a_preset_is_nothing(name: str) -> None:
    """So that a Split that keeps the matches alone (`Removed`, inverted) is read as one that isolates them."""
    regex = bp.PATTERNS[name]
    text = "".join(f"a{chr(point)}1 {chr(point)}\n" for point in range(0, 0x110000, 41) if not 0xD800 <= point < 0xE000)
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(regex), "removed", invert=True)
    assert "".join(piece for piece, _ in split.pre_tokenize_str(text)) == text
    tok = tokenizers.Tokenizer(tokenizers.models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    read = []
    for behavior, invert in (("removed", True), ("isolated", False)):
        split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(regex), behavior, invert=invert)
        tok.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, level])
        read.append(formats.parse(tok.to_str().encode()))
    assert read[0] == read[1]
