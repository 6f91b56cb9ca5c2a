"""The contestants by name: bytepair first, then its peers."""

from importlib import import_module

from benches.contest import Contestant

ENCODERS = (
    "bytepair",
    "gigatoken",
    "fastokens",
    "toktok",
    "tiktoken",
    "tokenizers",
    "bpe_openai",
    "rs_bpe",
    "tokie",
    "tuetoken",
    "splintr",
    "quicktok",
)

CHOOSE_THREADS = ("bytepair", "gigatoken", "toktok", "tiktoken", "tuetoken", "quicktok")
"""Those that are told the number of threads by a call, so that one process can compare one thread with two."""

READERS = ("bytepair", "gigatoken", "fastokens", "toktok", "splintr", "quicktok", "tuetoken", "tokie")
"""Those fast enough for a large file, whether they read files themselves or not."""

TRAINERS = ("bytepair", "gigabpe", "gigatoken", "rustbpe", "sentencepiece", "bpeasy", "tokenizers")

ANY_PATTERN_TRAINERS = ("bytepair", "rustbpe", "bpeasy", "tokenizers")
"""Those that cut by any regular expression, and take texts that Python holds."""


def contestant(name: str) -> Contestant:
    """The adapter of a contestant; only its module is imported, and that does not import the peer itself."""
    module = import_module(f"benches.contestants.{name}" if "." not in name else name)
    made: Contestant = module.CONTESTANT
    return made
