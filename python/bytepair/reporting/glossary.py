"""The words of a report, each in a sentence or two."""

from __future__ import annotations

__all__ = ["WORDS"]

WORDS = {
    "token": (
        "What a model reads and writes at one step: a word, a part of one, a sign, or some bytes. It has a "
        "number, its id."
    ),
    "vocabulary": "All tokens that a tokenizer has. Each costs a row of numbers in the model (its embedding).",
    "byte": "The unit in which text is stored. In UTF-8 an English letter is one byte, other letters are two to four.",
    "merge": (
        "A rule that makes one token of two that stand side by side. Training finds them, the most frequent pair first."
    ),
    "rank": "The place of a merge in the list; of several that are possible the lowest is made first.",
    "pattern": (
        "A regular expression that cuts text into pieces (pretokens) before merging. No token crosses their borders."
    ),
    "special token": (
        "A token with a meaning of its own, such as the end of a text. Ordinary text does not become one."
    ),
    "bytes a token": (
        "All bytes of the text over all its tokens: how much text one step of a model covers. More is better."
    ),
    "characters a token": "The same in characters, which say more in some scripts than in others.",
    "one-token words": "The share of words, with the space before them, that are a single token. More is better.",
    "tokens a word": "How many tokens a word takes on average (fertility). 1 is best.",
    "ceiling": "The mean bytes of the pieces that the pattern cuts: no vocabulary has more bytes a token.",
    "attention": (
        "The part of a model whose work grows with the square of the number of tokens: twice the tokens, four "
        "times the work."
    ),
    "embedding": "The table of a model with one row of numbers for each token: vocabulary times width numbers.",
    "language tax": "Tokens of a language over those of English for the same text.",
    "context window": (
        "How many tokens a model can take in at once. In a language with a tax of 3 it holds a third of the text."
    ),
    "Gini's coefficient": (
        "How unequal the languages are: 0 if all cost the same, near 1 if one bears nearly all. Always look at "
        "the mean too: all may be equally dear."
    ),
    "Zipf's law": (
        "In natural language the token of rank r occurs about as often as 1 / r. On axes of logarithms that is a "
        "line with slope -1."
    ),
    "entropy": "How many bits it takes to name a token, if it is guessed by its frequency alone.",
    "bits a byte": "Entropy over bytes a token, so that tokenizers can be compared. Less is better.",
    "Renyi efficiency": (
        "How evenly the tokens that occur are used, 1 if all equally often (Renyi's entropy of order 2.5 over its "
        "maximum). It went with the quality of translation in one study; it is no goal by itself."
    ),
    "glitch token": "A token that a model never or hardly met in training; what it does with one is left to chance.",
    "partial token": "A token that begins or ends inside a character: alone it is no text.",
    "interval": "Where the figure would lie, 19 times out of 20, on other documents like these (paired bootstrap).",
}
"""Word -> what it means."""
