"""A tokenizer that is trained here means the same to others.

Saved files are opened by Hugging Face's tokenizers and transformers, by tiktoken and by subword-nmt, and must give our
ids; what a file cannot say (a rank file's pattern) is handed over as their documentation says.
"""

from __future__ import annotations

import functools
import io
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import tiktoken
import tiktoken.load
from subword_nmt import apply_bpe
from tokenizers import Tokenizer

import bytepair as bp
import oracles
import texts

PRESETS = ("gpt2", "cl100k", "o200k", "llama3", "qwen2", "story", "digits3r")
LANGUAGES = ("en", "code", *texts.NINE_LANGUAGES)
SPECIALS = ("<|endoftext|>", "<|user|>")


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


CODE_POINTS = (
    pytest.param(oracles.few_code_point_texts, id="assigned"),
    pytest.param(lambda: oracles.code_point_texts(("a{} ",), ("'{}s", "1{}2")), marks=pytest.mark.soak, id="all"),
)


@pytest.mark.parametrize("preset", ["o200k", "digits3r"])
@pytest.mark.parametrize("batches", CODE_POINTS)
def test_tokenizers_gives_our_ids_on_every_code_point(
    preset: str, batches: Callable[[], Iterator[list[str]]], tmp_path: Path
) -> None:
    tokenizer = trained(preset)
    tokenizer.save(tmp_path / "tokenizer.json")
    peer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    inputs = ["".join(batch) for batch in batches()]
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


@pytest.mark.parametrize("preset", ["cl100k", "o200k", "story"])
def test_tiktoken_takes_a_rank_file_and_gives_our_ids(preset: str, tmp_path: Path) -> None:
    tokenizer = trained(preset)
    with pytest.warns(bp.FormatWarning, match="without the pattern"):
        tokenizer.save(tmp_path / "x.tiktoken", allow_loss=True)
    peer = tiktoken.Encoding(
        "trained-here",
        pat_str=bp.PATTERNS[preset],
        mergeable_ranks=tiktoken.load.load_tiktoken_bpe(str(tmp_path / "x.tiktoken")),
        special_tokens=tokenizer.special_tokens,
        explicit_n_vocab=tokenizer.n_vocab,
    )
    inputs = hard_texts()
    peer_ids = [peer.encode(text, allowed_special="all") for text in inputs]
    assert_same_ids(tokenizer, peer_ids, inputs)
    for text, ids in zip(inputs, peer_ids, strict=True):
        assert peer.decode(ids) == text
        assert tokenizer.encode(text) == peer.encode_ordinary(text)


@pytest.mark.parametrize("is_joined", [False, True])
def test_subword_nmt_takes_codes_and_gives_our_tokens(is_joined: bool, tmp_path: Path) -> None:
    """Version 0.2 joins the mark to the last character, 0.1 does not; the header says which."""
    text = texts.sample("en", 60_000) + texts.sample("ru", 60_000)
    tokenizer = bp.train(
        texts=[text], num_merges=800, alphabet="characters", end_of_word="</w>", end_of_word_joined=is_joined
    )
    with pytest.warns(bp.FormatWarning, match="the ids of"):  # codes have none, and no symbol that is in no merge
        tokenizer.save(tmp_path / "x.codes", allow_loss=True)
    peer = apply_bpe.BPE(io.StringIO((tmp_path / "x.codes").read_text("utf-8")))
    assert peer.version == ((0, 2) if is_joined else (0, 1))
    words = list(dict.fromkeys(text.split()))
    letters = sorted({letter for word in words for letter in word})
    known = {token.decode() for token in tokenizer.vocabulary.values()}
    rng = random.Random(0)
    words += ["".join(rng.choices(letters, k=rng.randrange(1, 12))) for _ in range(3_000)]
    words = [word for word in words if not is_joined or f"{word[-1]}</w>" in known]
    assert len(words) > 3_000
    for word in words:
        tokens = [tokenizer.bytes_of(id).decode().removesuffix("</w>") for id in tokenizer.encode(word)]
        assert [part.removesuffix("@@") for part in peer.segment_tokens([word])] == [token for token in tokens if token]


def test_a_folder_is_a_model_of_transformers_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `save` writes for `AutoTokenizer`: ids, special tokens, padding and decoding of a batch."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    transformers = pytest.importorskip("transformers")
    tokenizer, inputs = trained("o200k"), hard_texts()
    tokenizer.save(f"{tmp_path}/model/")
    auto = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    assert auto.is_fast
    assert len(auto) == tokenizer.n_vocab
    assert set(auto.all_special_tokens) <= set(tokenizer.special_tokens)
    assert_same_ids(tokenizer, auto(inputs, add_special_tokens=False)["input_ids"], inputs)
    auto.save_pretrained(tmp_path / "again")
    assert bp.load(tmp_path / "again").encode_batch(inputs) == tokenizer.encode_batch(inputs)
