"""A tokenizer that is trained here means the same to others, and training means the same as theirs.

Saved files are opened by Hugging Face's tokenizers and transformers and must give our ids. With ties="huggingface" our
merges must be those of their trainer; with the settings of subword-nmt, those of subword-nmt.
"""

from __future__ import annotations

import functools
import io
import json
import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

import bytepair as bp
import oracles
import texts

PRESETS = ("gpt2", "cl100k", "o200k", "llama3", "qwen2", "story", "digits3r")
LANGUAGES = ("en", "code", *texts.NINE_LANGUAGES)
SPECIALS = ("<|endoftext|>", "<|user|>")
# With real corpora the comparison is made on as much as was promised; the shipped texts repeat themselves past this.
TRAINING_BYTES = 3_000_000 if os.environ.get("BYTEPAIR_CORPORA") else 1_000_000


@functools.cache
def trained(preset: str | None) -> bp.Tokenizer:
    sources = [texts.sample(language, 100_000) for language in LANGUAGES]
    return bp.train(texts=sources, vocab_size=4_000, pattern=preset, special_tokens=SPECIALS)


def hard_texts() -> list[str]:
    """Digit runs of all lengths and the long ones, white space, apostrophes, specials, and every language."""
    digits = [prefix + "1234567890" * 20 for prefix in ("", " ", "a", "\n", "-")]
    runs = ["".join(random.Random(length).choices("0123456789", k=length)) for length in range(200)]
    mixed = ["12 345 6789.0123,45678", "1" * 10_000, "٣" * 1_000 + "x", "²³" * 500, "x" + "0" * 4_001 + "y"]
    quotes = ["it's IT'S it'ſ 'll 'LL '' 're're", "Straße'S ſs 'ß"]
    spaces = [" " * n + end for n in range(12) for end in ("", "x", "\n", "\n x", "\r\n\t")]
    specials = ["<|user|>", "a<|user|> b<|endoftext|>", "<|user|><|user|>\n", "<|use", "<|endoftext|>|>"]
    languages = [texts.sample(language, 50_000) for language in LANGUAGES]
    return ["", *digits, *runs, *mixed, *quotes, *spaces, *specials, *languages, *oracles.random_texts(5_000, seed=2)]


def assert_same_ids(tokenizer: bp.Tokenizer, peer_ids: Sequence[list[int]], inputs: Sequence[str]) -> None:
    ours = tokenizer.encode_batch(inputs, allowed_special="all")
    for text, our_ids, their_ids in zip(inputs, ours, peer_ids, strict=True):
        assert list(our_ids) == list(their_ids), f"{text[:100]!a}"


@pytest.mark.parametrize("preset", [*PRESETS, None])
def test_tokenizers_opens_our_file_and_gives_our_ids(preset: str | None, tmp_path: Path) -> None:
    tokenizer, inputs = trained(preset), hard_texts()
    tokenizer.save(tmp_path / "tokenizer.json")
    peer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    encodings = peer.encode_batch(inputs, add_special_tokens=False)
    assert_same_ids(tokenizer, [encoding.ids for encoding in encodings], inputs)
    for text, encoding in zip(inputs, encodings, strict=True):
        assert peer.decode(encoding.ids, skip_special_tokens=False) == text
    assert peer.get_vocab_size() == tokenizer.n_vocab


@pytest.mark.parametrize("preset", ["o200k", "digits3r"])
def test_tokenizers_gives_our_ids_on_every_code_point(preset: str, tmp_path: Path) -> None:
    tokenizer = trained(preset)
    tokenizer.save(tmp_path / "tokenizer.json")
    peer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    batches = oracles.code_point_texts(everywhere=("a{} ",), closely=("'{}s", "1{}2"))
    inputs = ["".join(batch) for batch in batches]
    assert_same_ids(tokenizer, [encoding.ids for encoding in peer.encode_batch_fast(inputs)], inputs)


@pytest.mark.parametrize("preset", ["gpt2", "o200k", "digits3r"])
def test_transformers_opens_a_folder_and_gives_our_ids(preset: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer, inputs = trained(preset), hard_texts()
    tokenizer.save(tmp_path / "tokenizer.json")
    fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    auto = transformers.AutoTokenizer.from_pretrained(str(tmp_path), local_files_only=True)
    for peer in (fast, auto):
        peer_ids = [peer.encode(text, add_special_tokens=False) for text in inputs]
        assert_same_ids(tokenizer, peer_ids, inputs)
        for text, ids in zip(inputs, peer_ids, strict=True):
            assert peer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False) == text


@pytest.mark.parametrize("spelling", [list, " ".join])
def test_both_spellings_of_merges_load_to_the_same(spelling: object, tmp_path: Path) -> None:
    assert callable(spelling)
    trained("o200k").save(tmp_path / "tokenizer.json")
    content = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    pairs = [pair.split(" ") if isinstance(pair, str) else pair for pair in content["model"]["merges"]]
    content["model"]["merges"] = [spelling(pair) for pair in pairs]
    (tmp_path / "other.json").write_text(json.dumps(content), encoding="utf-8")
    assert bp.load(tmp_path / "other.json").fingerprint == trained("o200k").fingerprint


def huggingface_merges(documents: Sequence[str], pattern: str, num_merges: int) -> list[tuple[bytes, bytes]]:
    """What their trainer learns from whole documents cut by the same pattern, as bytes."""
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    peer = Tokenizer(models.BPE())
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    peer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level])
    peer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=256 + num_merges, initial_alphabet=alphabet, show_progress=False, min_frequency=0
    )
    peer.train_from_iterator(documents, trainer)
    merges = json.loads(peer.to_str())["model"]["merges"]
    return [(unmapped(left), unmapped(right)) for left, right in merges]


@functools.cache
def byte_of_character() -> dict[str, int]:
    """The byte-level alphabet: printable bytes stand for themselves, the others for U+0100 and on, in order."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


def unmapped(token: str) -> bytes:
    return bytes(byte_of_character()[character] for character in token)


def our_merges(tokenizer: bp.Tokenizer) -> list[tuple[bytes, bytes]]:
    return [(tokenizer.bytes_of(left), tokenizer.bytes_of(right)) for left, right in tokenizer.merges]


@pytest.mark.filterwarnings("ignore:training stopped")
@pytest.mark.parametrize("language", LANGUAGES)
def test_merges_equal_those_of_huggingfaces_trainer(language: str) -> None:
    documents = [texts.sample(language, TRAINING_BYTES)]
    ours = bp.train(texts=documents, num_merges=6_000, pattern="o200k", ties="huggingface")
    assert our_merges(ours) == huggingface_merges(documents, bp.PATTERNS["o200k"], 6_000)


@pytest.mark.parametrize("preset", ["gpt2", "llama3"])
def test_merges_equal_those_of_huggingfaces_trainer_down_to_the_last_tie(preset: str) -> None:
    """Many documents in many languages; so many merges that most are ties between pairs that occur once or twice."""
    documents = [article for articles in texts.declaration().values() for article in articles]
    ours = bp.train(texts=documents, num_merges=30_000, pattern=preset, ties="huggingface")
    assert our_merges(ours) == huggingface_merges(documents, bp.PATTERNS[preset], 30_000)


@pytest.mark.parametrize("language", ["en", "ru", "tr", "zh"])
def test_codes_and_segments_equal_those_of_subword_nmt(language: str) -> None:
    """Their version 0.2: `</w>` joined to the last character, the greatest pair of a tie, two occurrences at least."""
    text = "\n".join(texts.sample(language, 200_000).split())
    codes = io.StringIO()
    learn_bpe(io.StringIO(text), codes, num_symbols=1_000, min_frequency=2)
    expected = [tuple(line.split(" ")) for line in codes.getvalue().splitlines()[1:]]
    ours = bp.train(
        texts=[text],
        num_merges=1_000,
        alphabet="characters",
        pattern=None,
        end_of_word="</w>",
        end_of_word_joined=True,
        ties="greatest",
        min_count=2,
    )
    assert [(shown(ours, left), shown(ours, right)) for left, right in ours.merges] == expected
    peer = BPE(io.StringIO(codes.getvalue()))
    words = sorted(set(text.split()))[:3_000]
    for word in words:
        segments = peer.segment(word).replace("@@ ", "\n").split("\n")
        assert [shown(ours, token).removesuffix("</w>") for token in ours.encode(word)] == segments


def shown(tokenizer: bp.Tokenizer, token: int) -> str:
    """A token as subword-nmt writes it; in our own content byte 0xFF stands for the mark."""
    return tokenizer.bytes_of(token).replace(b"\xff", b"</w>").decode()
