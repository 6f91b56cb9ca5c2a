"""Everything that bytepair raises or warns of.

```
BytepairError(Exception)
├── FormatError         (ValueError)            a file that is damaged, unknown, or cannot hold what it is given
├── PatternError        (ValueError)            a pattern that cannot be used, or that gave up on a text
├── VocabularyError     (ValueError)            tokens and merges that contradict each other
├── SpecialTokenError   (ValueError)            special tokens that contradict, are unknown, or are forbidden in a text
├── TextError           (ValueError)            texts that are not what they are said to be: a damaged file, no UTF-8
├── TrainingError       (ValueError)            training that cannot be done as asked
├── EngineError         (RuntimeError)          an engine that cannot be used, or whose workers are lost again and again
├── UnavailableError    (LookupError, ValueError)  a published tokenizer that is not on this machine, or not to be had
├── UnknownTokenError   (KeyError, ValueError)  an id or a token that the vocabulary does not have
└── UnknownSymbolError  (ValueError)            a byte or character that the vocabulary has no symbol for
FormatWarning(UserWarning)                      a file that other programs refuse, or whose ids have more in them there
TextWarning(UserWarning)                        texts of which some were left out
TrainingWarning(UserWarning)                    training stopped before it reached its goal
```

Each one's text is two lines: what is wrong, with the value and the place; then `hint:` and what to do.
"""

from __future__ import annotations

__all__ = [
    "BytepairError",
    "EngineError",
    "FormatError",
    "FormatWarning",
    "PatternError",
    "SpecialTokenError",
    "TextError",
    "TextWarning",
    "TrainingError",
    "TrainingWarning",
    "UnavailableError",
    "UnknownSymbolError",
    "UnknownTokenError",
    "VocabularyError",
]


class BytepairError(Exception):
    """The root of all errors of this package.

    Args:
        message: what is wrong, with the value and the place; one line.
        hint: what to do about it; one line.

    >>> print(FormatError("`model.type` is 'Unigram'", "only byte-pair models can be read"))
    `model.type` is 'Unigram'
    hint: only byte-pair models can be read
    """

    message: str
    hint: str
    place: str | None = None
    """Of many files, the one whose fault it is, where the message names it."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}"


class FormatError(BytepairError, ValueError):
    """A file that is damaged, of an unknown kind, or that cannot hold what it is given."""


class PatternError(BytepairError, ValueError):
    """A pattern that cannot be used, or that gave up on a text."""


class VocabularyError(BytepairError, ValueError):
    """Tokens and merges that contradict each other."""


class SpecialTokenError(BytepairError, ValueError):
    """Special tokens that contradict each other, are unknown, or are forbidden in a text."""


class TextError(BytepairError, ValueError):
    """Texts that are not what they are said to be: a damaged file, bytes that are no UTF-8, a missing column."""


class TrainingError(BytepairError, ValueError):
    """Training that cannot be done as asked."""


class EngineError(BytepairError, RuntimeError):
    """An engine that cannot be used, or whose workers are lost again and again."""


class UnavailableError(BytepairError, LookupError, ValueError):
    """A published tokenizer that is not on this machine, or could not be fetched."""


class UnknownTokenError(BytepairError, KeyError, ValueError):
    """An id or a token that the vocabulary does not have."""


class UnknownSymbolError(BytepairError, ValueError):
    """A byte or character that the vocabulary has no symbol for."""


class FormatWarning(UserWarning):
    """A file was written that other programs will refuse, or one was read to whose ids they add special tokens."""


class TextWarning(UserWarning):
    """Texts of which some were left out."""


class TrainingWarning(UserWarning):
    """A training that gave less than was asked for, or text, counts or a checkpoint not as one would expect."""
