"""The reference and the engine behind one interface, so that one test can ask both.

`implementation("engine").train(...)` and `implementation("reference").train(...)` give subjects that answer alike.
The engine is imported when it is first asked for: without the compiled module its tests fail, the others run.
"""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from bytepair import reference
from bytepair.reference import characters

DATA = Path(__file__).resolve().parent.parent / "testdata"
NAMES = ("reference", "engine")

Learned = tuple[bytes, bytes, int, int, int]
"""One learned merge: the content of its two tokens, its id, its count when chosen, its replacements."""


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of `testdata/NAME.json`; `testdata/README.md` says what their fields mean."""
    loaded: list[dict[str, Any]] = json.loads((DATA / f"{name}.json").read_text("utf-8"))["cases"]
    return loaded


def octets(value: str | Mapping[str, str]) -> bytes:
    """A string of the data as bytes: `"é"` is its UTF-8, `{"hex": "ff"}` the byte 0xFF."""
    return value.encode() if isinstance(value, str) else bytes.fromhex(value["hex"])


PATTERNS: dict[str, str] = json.loads((DATA / "split.json").read_text("utf-8"))["patterns"]
"""The presets, as the data has them."""


class Subject(Protocol):
    """A tokenizer under test."""

    def encode(self, text: str | bytes, allowed: Collection[str] = (), unknown: str = "raise") -> list[int]:
        """The ids of a text."""

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of ids."""

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids, U+FFFD for what is no UTF-8."""

    def stream(self, ids: Iterable[int]) -> list[str]:
        """What a streaming decoder gives out after each id, and at the end."""

    def split(self, text: bytes) -> list[bytes]:
        """The pretokens."""

    def learned(self) -> list[Learned]:
        """The learned merges."""

    def stopped(self) -> str:
        """Why the training ended."""

    def contents(self) -> dict[int, bytes]:
        """Id -> content, without special tokens."""

    def specials(self) -> dict[str, int]:
        """Special tokens and their ids."""


class Implementation(Protocol):
    """Makes tokenizers."""

    def train(self, texts: Sequence[str | bytes] | None = None, **settings: Any) -> Subject:
        """Trains one; the settings of `bytepair.train`, but that `counts` has bytes for keys."""

    def build(
        self,
        *,
        tokens: Mapping[int, bytes],
        merges: Sequence[tuple[int, int]] | None,
        pattern: str | None = None,
        specials: Mapping[str, int] | None = None,
        whole_first: bool = False,
        alphabet: Literal["bytes", "characters"] = "bytes",
        end_of_word: str | None = None,
        end_of_word_joined: bool = False,
    ) -> Subject:
        """Puts one together; `merges=None` for a rank file."""


@dataclass(frozen=True)
class ReferenceSubject:
    """A tokenizer of the reference."""

    tokenizer: reference.Tokenizer

    def encode(self, text: str | bytes, allowed: Collection[str] = (), unknown: str = "raise") -> list[int]:
        """As `Subject` says."""
        return self.tokenizer.encode(text, allowed, unknown)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As `Subject` says."""
        return self.tokenizer.decode_bytes(ids)

    def decode(self, ids: Iterable[int]) -> str:
        """As `Subject` says."""
        return self.tokenizer.decode(ids)

    def stream(self, ids: Iterable[int]) -> list[str]:
        """As `Subject` says."""
        return list(reference.stream(self.tokenizer, ids))

    def split(self, text: bytes) -> list[bytes]:
        """As `Subject` says."""
        if self.tokenizer.alphabet == "characters":
            return characters.words(text)
        return reference.split(self.tokenizer.pattern, text)

    def learned(self) -> list[Learned]:
        """As `Subject` says."""
        training = self.tokenizer.training
        assert training is not None
        counted = [(merge.id, merge.count, merge.fired) for merge in training.merges]
        return [(*pair, *numbers) for pair, numbers in zip(training.pairs(), counted, strict=True)]

    def stopped(self) -> str:
        """As `Subject` says."""
        assert self.tokenizer.training is not None
        return self.tokenizer.training.stopped

    def contents(self) -> dict[int, bytes]:
        """As `Subject` says."""
        return dict(self.tokenizer.vocabulary.tokens)

    def specials(self) -> dict[str, int]:
        """As `Subject` says."""
        return dict(self.tokenizer.specials)


class Reference:
    """The reference; `corpus` chooses which of its two trainers."""

    def __init__(self, corpus: Any = reference.Linked) -> None:
        """Keeps the trainer."""
        self.corpus = corpus

    def train(self, texts: Sequence[str | bytes] | None = None, **settings: Any) -> ReferenceSubject:
        """As `Implementation` says."""
        return ReferenceSubject(reference.train(texts or (), corpus=self.corpus, **settings))

    def build(
        self,
        *,
        tokens: Mapping[int, bytes],
        merges: Sequence[tuple[int, int]] | None,
        pattern: str | None = None,
        specials: Mapping[str, int] | None = None,
        whole_first: bool = False,
        alphabet: Literal["bytes", "characters"] = "bytes",
        end_of_word: str | None = None,
        end_of_word_joined: bool = False,
    ) -> ReferenceSubject:
        """As `Implementation` says."""
        if merges is None:
            vocabulary = reference.from_ranks(tokens)
        else:
            vocabulary = reference.from_merges(tokens, merges, whole_first=whole_first)
        return ReferenceSubject(
            reference.Tokenizer(vocabulary, pattern, specials or {}, alphabet, end_of_word, end_of_word_joined)
        )


class EngineSubject:
    """A tokenizer of the engine."""

    def __init__(self, tokenizer: Any) -> None:
        """Keeps the `bytepair.Tokenizer`."""
        self.tokenizer = tokenizer

    def encode(self, text: str | bytes, allowed: Collection[str] = (), unknown: str = "raise") -> list[int]:
        """As `Subject` says."""
        return list(self.tokenizer.encode(text, allowed_special=allowed, unknown=unknown))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As `Subject` says."""
        return bytes(self.tokenizer.decode_bytes(list(ids)))

    def decode(self, ids: Iterable[int]) -> str:
        """As `Subject` says."""
        return str(self.tokenizer.decode(list(ids)))

    def stream(self, ids: Iterable[int]) -> list[str]:
        """As `Subject` says."""
        decoder = self.tokenizer.stream_decoder()
        return [*(decoder.feed(one) for one in ids), decoder.flush()]

    def split(self, text: bytes) -> list[bytes]:
        """As `Subject` says."""
        return list(self.tokenizer.split(text))

    def learned(self) -> list[Learned]:
        """As `Subject` says."""
        contents, record = self.contents(), self.tokenizer.training
        ids = {content: number for number, content in contents.items()}
        pairs = [(contents[left], contents[right]) for left, right in self.tokenizer.merges]
        return [
            (left, right, ids[left + right], count, fired)
            for (left, right), count, fired in zip(pairs, record.counts, record.fired, strict=True)
        ]

    def stopped(self) -> str:
        """As `Subject` says."""
        return str(self.tokenizer.training.stopped)

    def contents(self) -> dict[int, bytes]:
        """As `Subject` says."""
        return dict(self.tokenizer.parts.tokens)

    def specials(self) -> dict[str, int]:
        """As `Subject` says."""
        return dict(self.tokenizer.special_tokens)


class Engine:
    """The package itself, through its public interface."""

    def __init__(self) -> None:
        """Imports it."""
        self.bytepair: Any = importlib.import_module("bytepair")
        self.parts: Any = importlib.import_module("bytepair.parts")

    def train(self, texts: Sequence[str | bytes] | None = None, **settings: Any) -> EngineSubject:
        """As `Implementation` says; an early stop is no surprise here."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            settings = {"pattern": None} | settings
            if settings.get("alphabet") == "characters":
                del settings["pattern"]
            if texts is not None:
                settings = {"errors": "bytes"} | settings
            return EngineSubject(self.bytepair.train(texts=texts, **settings))

    def build(
        self,
        *,
        tokens: Mapping[int, bytes],
        merges: Sequence[tuple[int, int]] | None,
        pattern: str | None = None,
        specials: Mapping[str, int] | None = None,
        whole_first: bool = False,
        alphabet: Literal["bytes", "characters"] = "bytes",
        end_of_word: str | None = None,
        end_of_word_joined: bool = False,
    ) -> EngineSubject:
        """As `Implementation` says."""
        special = tuple(self.parts.SpecialToken(name, number) for name, number in (specials or {}).items())
        parts = self.parts.Parts(
            alphabet=alphabet,
            end_of_word=end_of_word,
            end_of_word_joined=end_of_word_joined,
            pattern=pattern,
            tokens=tuple(tokens.items()),
            merges=None if merges is None else tuple(merges),
            whole_first=whole_first or merges is None,
            specials=special,
            training=None,
        )
        return EngineSubject(self.bytepair.Tokenizer.from_parts(parts))


def implementation(name: str) -> Implementation:
    """The implementation of this name."""
    return Reference() if name == "reference" else Engine()
