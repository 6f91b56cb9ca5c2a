"""The published vocabularies, and the libraries that say what their ids are. A new one is a row here.

A row says how we read the files and how each library reads them; texts, counting and the page come from elsewhere.
Where a file is not listed in `tests/vocabularies.toml`, or a library is not installed, the row is left out, and that is
said.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from subword_nmt import apply_bpe, learn_bpe

import bytepair as bp
import oracles
import texts
import vocabularies
from bytepair.errors import FormatWarning
from bytepair.formats.published import ENCODINGS

Find = oracles.FindFile
Encode = Callable[[Sequence[str]], list[list[Any]]]
"""Texts -> the ids of each; or their tokens, where a library has no ids."""


@dataclass(frozen=True)
class Peer:
    """A library that reads the same files."""

    library: str
    """The distribution, whose version is told."""
    how: str
    """What of it is called."""
    build: Callable[[Find], Encode]

    @property
    def module(self) -> str:
        """The name that is imported."""
        return self.library.replace("-", "_")

    @property
    def is_installed(self) -> bool:
        """Whether it can be asked here."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """The version that is installed."""
        return metadata.version(self.library)


@dataclass(frozen=True)
class Row:
    """A vocabulary, ours and theirs."""

    name: str
    files: tuple[str, ...]
    """What it needs, by the names in `tests/vocabularies.toml`."""
    ours: Callable[[Find], Encode]
    peers: tuple[Peer, ...]
    prepared: Callable[[str], str] = str
    """What is done to texts before either of the two sees them."""

    @property
    def is_known(self) -> bool:
        """Whether the tests can fetch its files."""
        return set(self.files) <= vocabularies.sources().keys()


# How we read


def ours(tok: bp.Tokenizer, *, specials: bool = False) -> Encode:
    """Our ids; with special tokens where the library finds them in any text."""
    allowed = "all" if specials else ()
    return lambda batch: tok.encode_batch(batch, allowed_special=allowed)


def of_file(name: str, *, specials: bool = True, **options: Any) -> Callable[[Find], Encode]:
    """A file that says everything itself."""
    return lambda find: ours(bp.load(find(name), **options), specials=specials)


def of_bare_ranks(name: str, pattern: str) -> Callable[[Find], Encode]:
    """A rank file of others."""

    def read(find: Find) -> Encode:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*has no bytes", FormatWarning)  # in whisper's
            return ours(bp.load(find(name), pattern=pattern))

    return read


def of_ranks(name: str) -> Callable[[Find], Encode]:
    """A rank file, whose pattern is published beside it."""
    known = ENCODINGS[name]
    return lambda find: ours(bp.load(find(name), pattern=known.pattern, special_tokens=known.specials))


@contextlib.contextmanager
def pair_of_files(find: Find) -> Iterator[Path]:
    """GPT-2's two files in a folder, under the names that libraries look for."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(find("gpt2_vocab_json"), Path(folder, "vocab.json"))
        shutil.copy(find("gpt2_merges_txt"), Path(folder, "merges.txt"))
        yield Path(folder)


def gpt2(find: Find) -> Encode:
    with pair_of_files(find) as folder:
        return ours(bp.load(folder / "vocab.json"))


# How they read


def of_tiktoken(name: str) -> Peer:
    def build(find: Find) -> Encode:
        return functools.partial(oracles.openai_encoding(name, find).encode_ordinary_batch, num_threads=2)

    return Peer("tiktoken", "Encoding.encode_ordinary", build)


def of_ranks_there(name: str, pattern: str) -> Peer:
    """A rank file through tiktoken, with the pattern that its own library gives it."""

    def build(find: Find) -> Encode:
        encoding = oracles.rank_encoding(name, pattern, find)
        return functools.partial(encoding.encode_ordinary_batch, num_threads=2)

    return Peer("tiktoken", "Encoding.encode_ordinary", build)


def of_tokenizers(name: str) -> Peer:
    def build(find: Find) -> Encode:
        from tokenizers import Tokenizer  # noqa: PLC0415 - a peer is imported where it is asked

        peer = Tokenizer.from_file(str(find(name)))
        return lambda batch: [one.ids for one in peer.encode_batch_fast(list(batch), add_special_tokens=False)]

    return Peer("tokenizers", "Tokenizer.from_file", build)


def of_transformers(name: str) -> Peer:
    def build(find: Find) -> Encode:
        from transformers import AutoTokenizer  # noqa: PLC0415

        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(find(name), Path(folder, "tokenizer.json"))
            config = {"tokenizer_class": "PreTrainedTokenizerFast"}
            Path(folder, "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
            peer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        return lambda batch: [peer.encode(text, add_special_tokens=False) for text in batch]

    return Peer("transformers", "AutoTokenizer.from_pretrained", build)


def gpt2_of_tokenizers(find: Find) -> Encode:
    from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: PLC0415

    with pair_of_files(find) as folder:
        peer = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    peer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda batch: [one.ids for one in peer.encode_batch_fast(list(batch))]


def gpt2_of_transformers(find: Find) -> Encode:
    from transformers import GPT2Tokenizer  # noqa: PLC0415

    with pair_of_files(find) as folder:
        peer = GPT2Tokenizer.from_pretrained(str(folder), local_files_only=True)
    return lambda batch: [peer.encode(text, add_special_tokens=False) for text in batch]


def clip_of_transformers(find: Find) -> Encode:
    """As its own program needs torch; the library is given what stands in the file, in the order of that program."""
    from transformers import CLIPTokenizer  # noqa: PLC0415

    lines = find("clip").read_text("utf-8").splitlines()[1 : 49_152 - 256 - 2 + 1]
    letters = [*bytes_to_unicode().values()]
    pairs = [(left, right) for left, right in (line.split() for line in lines)]
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), *(left + right for left, right in pairs)]
    vocab = {token: id for id, token in enumerate([*tokens, "<|startoftext|>", "<|endoftext|>"])}
    peer = CLIPTokenizer(vocab=vocab, merges=pairs)
    return lambda batch: [peer.encode(text, add_special_tokens=False) for text in batch]


def bytes_to_unicode() -> dict[int, str]:
    """The alphabet of bytes as GPT-2's program makes it, in its order."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte) for byte in shown} | {byte: chr(256 + at) for at, byte in enumerate(hidden)}


def of_mistral_common(name: str, reader: str, attribute: str) -> Peer:
    """Mistral's library: `Tekkenizer` or `SentencePieceTokenizer`."""

    def build(find: Find) -> Encode:
        module = importlib.import_module(f"mistral_common.tokens.tokenizers.{reader}")
        made = getattr(module, attribute)
        peer = made.from_file(str(find(name))) if hasattr(made, "from_file") else made(str(find(name)))
        return lambda batch: [peer.encode(text, bos=False, eos=False) for text in batch]

    return Peer("mistral-common", attribute, build)


def of_sentencepiece(name: str) -> Peer:
    def build(find: Find) -> Encode:
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415

        peer = SentencePieceProcessor(model_file=str(find(name)))
        return lambda batch: [peer.encode(text) for text in batch]

    return Peer("sentencepiece", "SentencePieceProcessor.encode", build)


# subword-nmt has no published file that could be fetched: it learns its codes here, and has tokens in place of ids.

CODES = 500


@functools.cache
def codes() -> str:
    """The codes that it learns."""
    out = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):  # a bar
        learn_bpe.learn_bpe(io.StringIO(learned_from()), out, CODES)
    return out.getvalue()


def learned_from() -> str:
    return texts.sample("en", 60_000) + texts.sample("ru", 60_000)


@functools.cache
def of_codes() -> bp.Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x.codes").write_text(codes(), encoding="utf-8")
        return bp.load(Path(folder, "x.codes"))


def known_words(text: str) -> str:
    """The words of a text that are made of known characters, with a space between two: all that codes can say."""
    known = {token.decode() for token in of_codes().vocabulary.values()}
    words = (word for word in text.split() if known.issuperset(word[:-1]) and f"{word[-1]}</w>" in known)
    return " ".join(words)


def codes_ours(_: Find) -> Encode:
    tok = of_codes()
    return lambda batch: [[tok.bytes_of(id).decode() for id in ids] for ids in tok.encode_batch(batch)]


def codes_theirs(_: Find) -> Encode:
    peer = apply_bpe.BPE(io.StringIO(codes()))
    return lambda batch: [[marked(token) for token in peer.segment(text).split(" ") if token] for text in batch]


def marked(token: str) -> str:
    """A token as it is written here: the end of a word has a mark, where subword-nmt marks what is no end."""
    return token.removesuffix("@@") if token.endswith("@@") else token + "</w>"


# The rows

ROWS = (
    Row(
        "gpt2",
        ("gpt2_vocab_json", "gpt2_merges_txt"),
        gpt2,
        (
            of_tiktoken("gpt2"),
            Peer("tokenizers", "models.BPE.from_file", gpt2_of_tokenizers),
            Peer("transformers", "GPT2Tokenizer", gpt2_of_transformers),
        ),
    ),
    *(
        Row(name, (name,), of_ranks(name), (of_tiktoken(name),))
        for name in ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")
    ),
    *(
        Row(name, (name,), of_bare_ranks(name, ours_), (of_ranks_there(name, pattern),))
        for name, ours_, pattern in (
            ("qwen", "qwen2", oracles.QWEN_PATTERN),
            ("qwen3_6", oracles.QWEN35_PATTERN, oracles.QWEN35_PATTERN),
            ("whisper", "gpt2", oracles.GPT2_PATTERN),
        )
    ),
    Row("llama3", ("llama3",), of_file("llama3"), (of_tokenizers("llama3"), of_transformers("llama3"))),
    *(
        Row(name, (name,), of_file(name), (of_tokenizers(name),))
        for name in ("gpt4o", "qwen3", "deepseek_v3", "deepseek_v4", "claude2", "gemma3", "mistral_v1")
    ),
    Row("clip", ("clip",), of_file("clip"), (Peer("transformers", "CLIPTokenizer", clip_of_transformers),)),
    *(
        Row(
            name,
            (name,),
            of_file(name, specials=False),
            (of_sentencepiece(name), of_mistral_common(name, "sentencepiece", "SentencePieceTokenizer")),
        )
        for name in ("mistral_v1_spm", "mistral_v3_spm")
    ),
    Row(
        "tekken_240911",
        ("tekken_240911",),
        of_file("tekken_240911", specials=False),
        (of_mistral_common("tekken_240911", "tekken", "Tekkenizer"),),
    ),
    Row(
        "subword-nmt",
        (),
        codes_ours,
        (Peer("subword-nmt", "apply_bpe.BPE.segment", codes_theirs),),
        known_words,
    ),
)
"""Every vocabulary, with each library."""
