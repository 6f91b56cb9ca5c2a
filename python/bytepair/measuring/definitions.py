"""What each figure of `measure` counts, in a sentence, and which way is better; printed below every table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bytepair.measuring.shown import number, share

__all__ = ["DEFINITIONS", "SHOWN"]

DEFINITIONS = {
    "tokenizer": "the tokenizer's name.",
    "language": "the language, or null for all text.",
    "documents": "whole files, items or rows.",
    "bytes": "of the text, as UTF-8.",
    "characters": "of the text: code points.",
    "words": "runs of letters and marks.",
    "vocab_size": "tokens in the vocabulary, special ones excluded, save the unknown.",
    "tokens": "of the text, special ones excluded; less is cheaper.",
    "bytes_per_token": "all bytes over all tokens; more is better.",
    "characters_per_token": "all characters over all tokens; more is better. Between languages, characters say more.",
    "tokens_per_word": "tokens that overlap a word or the space before it, over words (fertility); 1 is best.",
    "single_token_words": "share of words, with the space before them, that are one token (STRR); more is better.",
    "entropy": "bits a token, if each is guessed by how frequent it is.",
    "bits_per_byte": "entropy (bits a token, each guessed by how frequent it is) over bytes/token; less is better.",
    "renyi_efficiency": "how evenly tokens are used: Renyi's entropy (order 2.5) over its maximum; 1 is even. No goal.",
    "tokens_in_use": "tokens of the vocabulary that occur in this text; more is better.",
    "never_seen": "tokens of the vocabulary that do not; on a large text of the right kind they are wasted.",
    "rare": "tokens that occur fewer than 10 times: a model learns little of them; fewer is better.",
    "zipf_slope": "slope of log count against log rank, ranks 10 to 1,000; words have about -1. No goal.",
    "coverage_1": "share of the text's tokens that are the most frequent one. No goal.",
    "coverage_10": "share that are one of the 10 most frequent.",
    "coverage_100": "share that are one of the 100 most frequent.",
    "coverage_1000": "share that are one of the 1,000 most frequent.",
}
"""By the name of the figure."""

SHOWN: dict[str, tuple[str, Callable[[Any], str]]] = {
    "vocab_size": ("vocabulary", number),
    "tokens": ("tokens", number),
    "bytes_per_token": ("bytes/token", number),
    "characters_per_token": ("characters/token", number),
    "tokens_per_word": ("tokens/word", number),
    "single_token_words": ("one-token words", share),
    "bits_per_byte": ("bits/byte", number),
    "renyi_efficiency": ("Renyi efficiency", number),
    "tokens_in_use": ("in use", number),
    "never_seen": ("never seen", number),
    "rare": ("rare", number),
    "zipf_slope": ("Zipf slope", number),
    "coverage_1": ("top 1", share),
    "coverage_10": ("top 10", share),
    "coverage_100": ("top 100", share),
    "coverage_1000": ("top 1,000", share),
}
"""The figures of the table: what each is called there, and how it is written."""
