"""The tokenizers of the benchmark, each as a rank file and as a `tokenizer.json`, so that every peer finds its format.

The published ones come from where the tests have them (`tests/vocabularies.py`). `tokenizer.json` spells the pattern
as its publishers do, since several peers know patterns by their spelling. Some are there for what nobody can have
prepared for: cl100k with digits in twos, or in threes from the right; and `own`, trained here on the English text.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bytepair as bp
import vocabularies
from benches.contest import Vocabulary
from benches.paths import CACHE
from benches.patterns import CL100K, DIGITS2, GPT2, O200K, OWN, RIGHT_TO_LEFT
from bytepair import formats

OWN_SIZE = 32_768

PUBLISHED: dict[str, tuple[str, str, str, dict[str, int]]] = {
    "cl100k": (
        "cl100k_base",
        CL100K,
        "cl100k",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k": ("o200k_base", O200K, "o200k", {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}),
    "gpt2": ("r50k_base", GPT2, "gpt2", {"<|endoftext|>": 50256}),
}
UNSEEN = {"digits2": DIGITS2, "right to left": RIGHT_TO_LEFT}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
PLAIN_MODEL = {
    "type": "BPE",
    "dropout": None,
    "unk_token": None,
    "continuing_subword_prefix": "",
    "end_of_word_suffix": "",
    "fuse_unk": False,
    "byte_fallback": False,
}


def prepare(name: str, training_text: Path | None = None) -> Vocabulary:
    """A vocabulary by name, its files made if they are not in the cache; only `own` needs a text."""
    folder = CACHE / "vocabularies"
    folder.mkdir(parents=True, exist_ok=True)
    if name == "own":
        assert training_text is not None
        return _own(folder, training_text)
    if name == "llama3":
        return _llama3(folder)
    published, pattern, preset, specials = PUBLISHED["cl100k" if name in UNSEEN else name]
    ranks = vocabularies.path(published)
    if name in UNSEEN:
        pattern = preset = UNSEEN[name]
        specials = {}  # some peers want ids without holes in tokenizer.json
    target = folder / f"{name}.json"
    if not target.is_file():
        tok = bp.load(ranks, pattern=preset, special_tokens=specials)
        _write(target, lambda path: _standard(tok, pattern, path))
    known = None if name in UNSEEN else published
    return Vocabulary(name, known, str(ranks), str(target), pattern, preset, specials)


def _standard(tok: bp.Tokenizer, pattern: str, path: Path) -> None:
    """`tokenizer.json` in the spelling that the publishers of models use."""
    tok.save(path, format="huggingface")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    content["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, BYTE_LEVEL]}
    if pattern == GPT2:
        content["pre_tokenizer"] = BYTE_LEVEL | {"use_regex": True}
    content["decoder"] = BYTE_LEVEL
    model = content["model"]
    content["model"] = PLAIN_MODEL | {key: model[key] for key in ("ignore_merges", "vocab", "merges")}
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _llama3(folder: Path) -> Vocabulary:
    """Llama 3's published `tokenizer.json`, and the rank file that is in it: a rank there is an id."""
    source = vocabularies.path("llama3")
    tok = bp.load(source)
    parts = tok.parts
    specials = {token.content: token.id for token in parts.specials}
    ranks = folder / "llama3.tiktoken"
    if not ranks.is_file():
        ids = set(specials.values())
        lines = [base64.b64encode(content) + b" %d\n" % id for id, content in sorted(parts.tokens) if id not in ids]
        _write(ranks, lambda path: path.write_bytes(b"".join(lines)))
    return Vocabulary("llama3", "llama3", str(ranks), str(source), CL100K, "llama3", specials)


def _own(folder: Path, training_text: Path) -> Vocabulary:
    target, ranks = (folder / f"own-{training_text.stem}.{kind}" for kind in ("json", "tiktoken"))
    if not (target.is_file() and ranks.is_file()):
        tok = bp.train(files=training_text, vocab_size=OWN_SIZE, pattern=OWN)
        _write(target, lambda path: _standard(tok, OWN, path))
        _write(ranks, lambda path: formats.write(tok.parts, path, "tiktoken", allow_loss=True))
    return Vocabulary("own", None, str(ranks), str(target), OWN, OWN, {})


def _write(target: Path, write: Callable[[Path], object]) -> None:
    """A file appears whole or not at all."""
    partial = target.with_name(f"{target.name}.partial")
    write(partial)
    partial.replace(target)
