"""The HTTP interface, as a list: what each address answers, with an example that the tests send.

A request is a JSON object in the body of a POST; the answer is one too. `tokenizer` is a name from /api/tokenizers,
and may be left out: then it is the first of them. Errors have `error` and `hint`, and a status from 400 on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bytepair.playground import judging, learning, reading, sizing, vocabularies
from bytepair.playground.fields import Request
from bytepair.playground.shelf import Shelf

__all__ = ["ENDPOINTS", "Answer", "Endpoint"]

Answer = Callable[[Shelf, Request], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address under /api."""

    path: str
    answer: Answer
    fields: dict[str, str]
    """What each field means."""
    example: dict[str, Any]
    """A request that is answered."""
    stable: bool = False
    """Whether programs may rely on it; the others serve the page, and change with it."""

    @property
    def about(self) -> str:
        """The first line of what the function says of itself."""
        return (self.answer.__doc__ or "").splitlines()[0]


_TEXT = "the text"
_SPECIAL = "true: special tokens in the text are recognised"

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "encode",
        reading.encode,
        {"text": _TEXT, "special": _SPECIAL},
        {"tokenizer": "bytes", "text": "low"},
        stable=True,
    ),
    Endpoint("decode", reading.decode, {"ids": "the ids"}, {"tokenizer": "bytes", "ids": [108, 111, 119]}, stable=True),
    Endpoint(
        "count", reading.count, {"text": _TEXT, "special": _SPECIAL}, {"tokenizer": "bytes", "text": "low"}, stable=True
    ),
    Endpoint(
        "explain",
        reading.explain,
        {"text": "a short text", "special": _SPECIAL},
        {"tokenizer": "cat", "text": " the"},
        stable=True,
    ),
    Endpoint("tokenizers", vocabularies.tokenizers, {}, {}, stable=True),
    Endpoint("about", vocabularies.about, {}, {"tokenizer": "bytes"}, stable=True),
    Endpoint(
        "read",
        reading.read,
        {
            "text": _TEXT,
            "special": _SPECIAL,
            "view": "tokens, ids, bytes or pretokens",
            "from": "the first token to draw",
            "context": "the tokens of a context",
        },
        {"tokenizer": "bytes", "text": "low", "view": "ids"},
    ),
    Endpoint(
        "beside",
        reading.beside,
        {"tokenizers": "two to four names", "text": _TEXT, "special": _SPECIAL},
        {"tokenizers": ["bytes", "cat"], "text": " the"},
    ),
    Endpoint(
        "learn",
        learning.learn,
        {
            "text": "a small text",
            "merges": "how many were learned",
            "alphabet": "bytes, or characters with an end mark",
            "cut": "words, o200k, gpt2 or none",
        },
        {"text": "low lower lowest", "merges": 1},
    ),
    Endpoint("tree", reading.tree, {"text": "a short text", "id": "or an id"}, {"tokenizer": "cat", "text": " the"}),
    Endpoint("token", vocabularies.token, {"id": "the id"}, {"tokenizer": "bytes", "id": 108}),
    Endpoint(
        "vocabulary",
        vocabularies.vocabulary,
        {
            "at": "the place of the first one",
            "search": "what they hold",
            "filter": "merged, all, space, part, unseen or longest",
            "text": "for unseen: the text",
        },
        {"tokenizer": "cat", "at": 3},
    ),
    Endpoint(
        "sizes", sizing.sizes, {"text": _TEXT, "width": "of an embedding"}, {"tokenizer": "cat", "text": "the cat"}
    ),
    Endpoint(
        "size",
        sizing.size,
        {"text": _TEXT, "merges": "how many merges", "width": "of an embedding"},
        {"tokenizer": "cat", "text": "the cat", "merges": 3},
    ),
    Endpoint(
        "tax",
        judging.tax,
        {"article": "1 to 30, 0 for all", "language": "whose text is shown", "text": "a text of one's own"},
        {"tokenizer": "bytes", "article": 1, "language": "ru"},
    ),
    Endpoint(
        "zipf",
        judging.frequencies,
        {"text": _TEXT, "corpus": "or a language whose text comes with bytepair"},
        {"tokenizer": "bytes", "text": "low lower lowest"},
    ),
    Endpoint("letters", reading.letters, {"text": "a word"}, {"tokenizer": "cat", "text": "the"}),
    Endpoint("questions", judging.questions, {}, {"tokenizer": "bytes"}),
)
