"""The peers that we compare with, built from the real files, and the inputs on which we compare.

tiktoken's encodings come out of its own constructors, so its patterns and special tokens are the published ones; only
the reading of the files is answered from our cache (by SHA-256, which the constructors state).
"""

from __future__ import annotations

import hashlib
import random
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

import tiktoken
import tiktoken.load
from tiktoken_ext import openai_public

import vocabularies

QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN35_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
"""That of Qwen 3.5 and 3.6, whose letters take their marks along."""
GPT2_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
"""As it stands in whisper's program, too."""
QWEN_SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{i}|>" for i in range(205)))

FindFile = Callable[[str], Path]


def openai_encoding(name: str, find: FindFile) -> tiktoken.Encoding:
    """One of tiktoken's own encodings: gpt2, r50k_base, p50k_base, cl100k_base, o200k_base."""
    files = {source.sha256: key for key, source in vocabularies.sources().items()}

    def read(_place: str, expected_hash: str | None = None) -> bytes:
        assert expected_hash is not None
        content = find(files[expected_hash]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == expected_hash
        return content

    with mock.patch.object(tiktoken.load, "read_file_cached", read):
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())


def rank_encoding(name: str, pattern: str, find: FindFile) -> tiktoken.Encoding:
    """A rank file through tiktoken, as the library that it belongs to does it."""
    ranks = tiktoken.load.load_tiktoken_bpe(str(find(name)))
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def qwen_encoding(find: FindFile) -> tiktoken.Encoding:
    """Qwen's tokenizer as its authors build it: their rank file, pattern and special tokens, through tiktoken."""
    ranks = tiktoken.load.load_tiktoken_bpe(str(find("qwen")))
    specials = {token: len(ranks) + i for i, token in enumerate(QWEN_SPECIALS)}
    return tiktoken.Encoding("qwen", pat_str=QWEN_PATTERN, mergeable_ranks=ranks, special_tokens=specials)


def code_points() -> list[str]:
    """Every Unicode scalar value."""
    return [chr(point) for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF]


def assigned_code_points() -> list[str]:
    """The scalar values to which this Python's Unicode version gives a meaning (not unassigned, not private use)."""
    return [character for character in code_points() if unicodedata.category(character) not in {"Cn", "Co"}]


# In each the code point stands at `{}`. Those of EVERYWHERE are tried with all scalar values, those of CLOSELY with the
# assigned ones: before and after letters, digits, punctuation, white space of three kinds, and an apostrophe's endings.
EVERYWHERE = ("a{} ", "{}1\n")
CLOSELY = ("{}{} {}", " {}a", "1{}2", "'{}s", "'s{}'LL", "\n{} \n", "\t {}", "!{}!", "A{}b", "  {}  ")


def code_point_texts(
    everywhere: Sequence[str] = EVERYWHERE, closely: Sequence[str] = CLOSELY, size: int = 4_000
) -> Iterator[list[str]]:
    """Every code point in context, as lists of about `size` snippets; join a list to get a text."""
    for characters, contexts in ((code_points(), everywhere), (assigned_code_points(), closely)):
        for context in contexts:
            snippets = [context.replace("{}", character) for character in characters]
            yield from (snippets[start : start + size] for start in range(0, len(snippets), size))


def few_code_point_texts() -> Iterator[list[str]]:
    """Every assigned code point in two contexts: for what takes long and is shown the others by `make soak`."""
    return code_point_texts(everywhere=(), closely=("a{} ", "'{}s"))


SCRIPTS = (
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "éèüßñçøåłžśſıİŒœǅǈ",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя", "АБВГДЕЖЗИЙ", "αβγδεζηθικλμνξοπρσςτυφχψω",
    "אבגדהוזחטיכלמנסעפצקרשת", "ابتثجحخدذرزسشصضطظعغفقكلمنهوي", "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652",
    "कखगघङचछजझञटठडढणतथदधन", "\u093e\u093f\u0940\u0941\u0942\u0947\u0948\u094b\u094c\u094d\u0902",
    "กขคฆงจฉชซฌญ", "\u0e30\u0e31\u0e32\u0e33\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39",
    "的一是不了人我在有他这为之大来以个中上们", "あいうえおかきくけこさしすせそ", "アイウエオカキクケコ",
    "가나다라마바사아자차카타파하한글", "0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५", "½²³①Ⅷ",
    ".,;:!?'\"()[]{}<>/\\|@#$%^&*-_=+`~", "…—–«»„“”‘’¿¡。、！？「」",
    "🌱🙂👨👩👧👦\U0001f3fd🇹🇷\u200d\ufe0f", "\u0301\u0308\u20dd", "\x00\x01\x1c\x1f\x7f\x85",
    "𝒜𝔅𐍈𐤀𞤀", "\u2028\u2029\ufeff\u200b",
)  # fmt: skip
WHITE_SPACE = (
    " ",
    " ",
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " \n ",
    "\n    ",
    "\u00a0",
    "\u3000",
    "\u2003",
    "\x0b",
)
ENDINGS = ("'s", "'LL", "'t", "'Re", "'d ", "’s", "''", "1", "12", "123", "1234", "\n", " ")


def random_texts(count: int, seed: int = 0) -> list[str]:
    """Short strings of mixed scripts and white space, always the same ones."""
    rng = random.Random(seed)
    return ["".join(_random_parts(rng)) for _ in range(count)]


def _random_parts(rng: random.Random) -> Iterator[str]:
    for _ in range(rng.randrange(1, 8)):
        kind = rng.random()
        if kind < 0.6:
            yield "".join(rng.choices(rng.choice(SCRIPTS), k=rng.randrange(1, 6)))
        elif kind < 0.9:
            yield rng.choice(WHITE_SPACE)
        else:
            yield rng.choice(ENDINGS)
