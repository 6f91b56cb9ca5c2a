# The compiled module: what the engine does, for the use of the modules beside it.

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, Self, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

_Text: TypeAlias = str | bytes | bytearray | memoryview
# Read-only ones are read where they lie, others are copied.
_Buffer: TypeAlias = bytes | bytearray | memoryview | NDArray[np.integer]
_Ids: TypeAlias = Sequence[int] | NDArray[np.integer]
_Batch: TypeAlias = Iterable[_Ids] | _Ids
_Choice: TypeAlias = Iterable[str] | None
_Specials: TypeAlias = Collection[str] | Literal["all"]
_UnknownSymbol: TypeAlias = Literal["raise", "unk", "skip"]
_UnknownId: TypeAlias = Literal["raise", "skip", "replace"]
_Errors: TypeAlias = Literal["replace", "strict", "ignore"]
_Span: TypeAlias = tuple[int, int]
_Alphabet: TypeAlias = Literal["bytes", "characters", "unicode"]
_Splitter: TypeAlias = Literal["automaton", "backtracking", "white space", "whole"]
_Path: TypeAlias = Literal["AVX-512", "AVX2", "scalar"]
_Stopped: TypeAlias = Literal["goal", "no pairs", "min count"]
# content, id, special, normalized, lstrip, rstrip, single word
_Special: TypeAlias = tuple[str, int, bool, bool, bool, bool, bool]

# kind, texts, flags, charsmap
_Normalising: TypeAlias = tuple[str, list[str], list[bool], bytes]
# unknown token, whether fused; steps before, after, whether plain; what stands for a space, how many are stripped; kept
_Around: TypeAlias = tuple[
    int | None,
    bool,
    tuple[list[_Normalising], list[_Normalising], bool],
    tuple[str | None, int],
    str | None,
]

# alphabet, end of word, joined, pattern, tokens, merges, whole first, special tokens, what is around
_Plain: TypeAlias = tuple[
    _Alphabet,
    str | None,
    bool,
    str | None,
    list[tuple[int, bytes]],
    list[tuple[int, int]] | None,
    bool,
    list[_Special],
    _Around,
]
# The same; tokens as (ids, lengths, contents), merges as bytes.
_Packed: TypeAlias = tuple[
    _Alphabet, str | None, bool, str | None, tuple[bytes, bytes, bytes], bytes | None, bool, list[_Special], _Around
]
# ids, bytes, byte spans, character spans, partial, special, index of the pretoken; pretokens (start, end, alternative)
_Traced: TypeAlias = tuple[
    list[int],
    list[bytes],
    list[_Span],
    list[_Span],
    list[bool],
    list[bool],
    list[int | None],
    list[tuple[int, int, int | None]],
]
# nodes (bytes, id, rank, children), children before parents; the root of each id
_Trees: TypeAlias = tuple[list[tuple[bytes, int, int | None, _Span | None]], list[int]]
# index of the pretoken, index of the left symbol, pair of ids, rank, id
_Step: TypeAlias = tuple[int, int, tuple[int, int], int, int]
# merges; words, one symbol, characters; base (ids, counts); changes (merges, ids, deltas); wholes (merges, counts)
_Replayed: TypeAlias = tuple[
    int,
    tuple[int, int, int],
    tuple[memoryview, memoryview],
    tuple[memoryview, memoryview, memoryview],
    tuple[memoryview, memoryview],
]

__all__ = [
    "UNICODE_VERSION",
    "Coder",
    "Counter",
    "Counts",
    "Model",
    "Neighbours",
    "StreamDecoder",
    "StreamEncoder",
    "Tokenizer",
    "encode_column",
    "fewest",
    "first_invalid",
    "load_ranks",
    "normalised",
    "places",
    "presets",
    "raw",
    "read_model",
    "replay",
    "tokens_with_prefix",
    "train",
    "trie",
    "unicode_ranges",
    "unicode_versions",
]

UNICODE_VERSION: str

def presets() -> dict[str, str]: ...
def raw(text: _Text) -> bytes: ...
def encode_column(
    tokenizer: Tokenizer,
    offsets: _Buffer,
    data: _Buffer | None,
    validity: _Buffer | None,
    first: int,
    length: int,
    wide: bool,
    threads: int,
    place: Callable[[int], str],
    allowed_special: _Choice = None,
    disallowed_special: _Choice = None,
    unknown: str = "raise",
) -> tuple[memoryview, memoryview]: ...
def tokens_with_prefix(tokenizer: Tokenizer, prefix: _Text) -> list[int]: ...
def trie(tokenizer: Tokenizer) -> tuple[memoryview, bytes, list[memoryview]]: ...
def fewest(tokenizer: Tokenizer, counts: Counts, most: int) -> tuple[int, int, list[tuple[int, int, int, int]]]: ...
def normalised(tokenizer: Tokenizer, texts: Sequence[_Text]) -> list[bytes]: ...
def places(tokenizer: Tokenizer, texts: Sequence[_Text]) -> tuple[memoryview, memoryview, memoryview, memoryview]: ...
def unicode_versions(tokenizer: Tokenizer) -> list[tuple[str, str]]: ...
def unicode_ranges(name: str) -> list[tuple[int, int]] | None: ...
def replay(tokenizer: Tokenizer, counts: Counts) -> _Replayed: ...
def first_invalid(document: _Text) -> int | None: ...
def train(
    counts: Counts,
    *,
    tokens: int | None,
    merges: int | None,
    ties: str,
    min_count: int,
    max_token_bytes: int | None,
    whole_characters: bool = False,
    base: Tokenizer | None = None,
    seeds: list[bytes] = ...,
    special_tokens: list[str] | None = None,
    balance: tuple[list[tuple[Counts, Counts | None]], int, tuple[int, int] | None] | None = None,
    learned: list[tuple[int, int, int, int, int]] = ...,
    lacking: int = 0,
    is_last: bool = False,
    laying: Callable[[int, int], object] | None = None,
    progress: Callable[[int, int, int, int, int, int], None] | None,
) -> tuple[Tokenizer, _Stopped, list[int], list[int], list[int | None], int | None]: ...

@final
class Counter:
    def __new__(
        cls,
        tokenizer: Tokenizer,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> Counter: ...
    def append(self, text: _Text) -> None: ...
    @property
    def count(self) -> int: ...
    def reset(self) -> None: ...
    def copy(self) -> Counter: ...

@final
class Counts:
    def __new__(
        cls,
        pattern: str | None,
        alphabet: str,
        end_of_word: str | None,
        end_of_word_joined: bool,
        special_tokens: list[str],
    ) -> Counts: ...
    def copy(self) -> Counts: ...
    def empty(self) -> Counts: ...
    @property
    def documents(self) -> int: ...
    @property
    def distinct(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def total_bytes(self) -> int: ...
    @property
    def memory(self) -> int: ...
    @property
    def training_memory(self) -> int: ...
    def add_documents(self, documents: list[_Text], threads: int, name: Callable[[int], str]) -> None: ...
    # `add_array` and `add_many` read a read-only buffer where it lies, without the GIL: nobody may write to its memory
    # during the call, by another view either. What may be written to is copied.
    def add_array(
        self,
        offsets: _Buffer,
        data: _Buffer | None,
        validity: _Buffer | None,
        first: int,
        length: int,
        threads: int,
        name: Callable[[int], str],
    ) -> None: ...
    def add_part(self, part: _Text, threads: int, name: str) -> None: ...
    @property
    def opened(self) -> tuple[bytes, int, int] | None: ...
    def reopen(self, tail: bytes, gone: int, looked: int) -> None: ...
    def end_document(self, threads: int, name: str) -> None: ...
    def add(self, pretoken: _Text, count: int) -> None: ...
    def add_many(self, data: _Buffer, offsets: _Buffer, counts: _Buffer) -> None: ...
    def export(self, start: int, length: int) -> tuple[bytes, memoryview, memoryview]: ...
    def finish(self) -> None: ...
    def merge(self, other: Counts) -> None: ...
    def places(self, other: Counts) -> memoryview: ...
    def scale(self, factor: int) -> None: ...
    def pruned(self, below: int) -> tuple[Counts, int, int, int]: ...
    def longest(self, n: int) -> list[tuple[bytes, int, int]]: ...
    def symbols(self, seeds: list[bytes]) -> list[bytes]: ...

@disjoint_base
class Coder:
    def __new__(cls, tokenizer: Tokenizer) -> Self: ...
    def encode(
        self,
        text: _Text,
        *,
        allowed_special: _Specials = (),
        disallowed_special: _Specials = (),
        unknown: _UnknownSymbol = "raise",
        dropout: float | None = None,
        seed: int = 0,
    ) -> list[int]: ...
    def count(
        self,
        text: _Text,
        *,
        allowed_special: _Specials = (),
        disallowed_special: _Specials = (),
        unknown: _UnknownSymbol = "raise",
    ) -> int: ...
    def decode(
        self,
        ids: _Ids,
        *,
        errors: _Errors = "replace",
        skip_special: bool = False,
        unknown: _UnknownId = "raise",
    ) -> str: ...

@disjoint_base
class StreamDecoder:
    def __new__(cls, tokenizer: Tokenizer, *, skip_special: bool = False, unknown: str = "raise") -> Self: ...
    def feed(self, ids: int | _Ids) -> str: ...
    def flush(self) -> str: ...

def read_model(data: bytes) -> tuple[Model, str] | None: ...

@final
class Neighbours:
    def __new__(cls, words: str, space: int, known: list[bytes], most: int) -> Neighbours: ...
    def add(self, text: _Text, is_last: bool) -> None: ...
    @property
    def counts(self) -> tuple[int, int]: ...
    def examples(self) -> list[tuple[bytes, bytes, bytes, int]]: ...

@final
class Model:
    @property
    def merges(self) -> int: ...
    def __len__(self) -> int: ...
    def find(self, keys: list[str]) -> dict[str, int]: ...
    def tokenizer(
        self,
        pattern: str | None,
        whole_first: bool,
        ranks: bool,
        complete: bool,
        specials: list[_Special],
        around: _Around,
    ) -> Tokenizer | None: ...

def load_ranks(data: bytes, pattern: str | None, specials: list[_Special], after: bool) -> Tokenizer | None: ...

@final
class StreamEncoder:
    def __new__(
        cls,
        tokenizer: Tokenizer,
        threads: int,
        narrow: bool,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> StreamEncoder: ...
    def expect(self, bytes: int) -> None: ...
    def feed(self, text: _Text) -> int: ...
    def finish(self) -> int: ...
    def take(self) -> memoryview: ...

@final
class Tokenizer:
    @staticmethod
    def from_plain(
        alphabet: str,
        end_of_word: str | None,
        end_of_word_joined: bool,
        pattern: str | None,
        tokens: list[tuple[int, bytes]],
        merges: list[tuple[int, int]] | None,
        whole_first: bool,
        specials: list[_Special],
        around: _Around | None = None,
    ) -> Tokenizer: ...
    def plain(self) -> _Plain: ...
    @staticmethod
    def from_packed(
        alphabet: str,
        end_of_word: str | None,
        end_of_word_joined: bool,
        pattern: str | None,
        tokens: tuple[bytes, bytes, bytes],
        merges: bytes | None,
        whole_first: bool,
        specials: list[_Special],
        around: _Around,
    ) -> Tokenizer: ...
    def packed(self) -> _Packed: ...
    def encode_array(
        self,
        text: _Text,
        narrow: bool,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> memoryview: ...
    def encode_single(self, text: _Text) -> list[int]: ...
    def encode_batch(
        self,
        texts: Iterable[_Text],
        threads: int,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> list[list[int]]: ...
    def encode_batch_array(
        self,
        texts: Iterable[_Text],
        threads: int,
        narrow: bool,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> tuple[memoryview, memoryview]: ...
    def count_up_to(
        self,
        text: _Text,
        limit: int,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> int | None: ...
    def truncate(
        self,
        text: _Text,
        max_tokens: int,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> str | bytes: ...
    def split(self, text: _Text) -> list[str] | list[bytes]: ...
    def decode_bytes(self, ids: _Ids, skip_special: bool = False, unknown: str = "raise") -> bytes: ...
    @overload
    def decode_batch(
        self,
        batch: _Batch,
        threads: int,
        offsets: _Ids | None,
        pad_id: int | None,
        errors: None,
        skip_special: bool,
        unknown: str,
    ) -> list[bytes]: ...
    @overload
    def decode_batch(
        self,
        batch: _Batch,
        threads: int,
        offsets: _Ids | None,
        pad_id: int | None,
        errors: str,
        skip_special: bool,
        unknown: str,
    ) -> list[str]: ...
    def trace(
        self,
        text: _Text,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> _Traced: ...
    def explain(
        self,
        text: _Text,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> _Trees: ...
    def explain_id(self, id: int) -> _Trees | None: ...
    def steps(
        self,
        text: _Text,
        allowed_special: _Choice = None,
        disallowed_special: _Choice = None,
        unknown: str = "raise",
    ) -> tuple[list[list[int]], list[_Step]]: ...
    def bytes_of(self, id: int) -> bytes | None: ...
    def id_of(self, token: _Text) -> int | None: ...
    def ids_list(self) -> list[int]: ...
    def merges(self) -> list[tuple[int, int]]: ...
    def pairs(self) -> list[tuple[int, int]]: ...
    def check_ranks(self) -> None: ...
    def specials(self) -> list[_Special]: ...
    def special_id(self, content: str) -> int | None: ...
    @property
    def pattern(self) -> str | None: ...
    @property
    def alternatives(self) -> list[str]: ...
    @property
    def splitter(self) -> tuple[_Splitter, str | None]: ...
    @property
    def path(self) -> tuple[_Path, str | None]: ...
    def with_cache_bytes(self, bytes: int) -> Tokenizer: ...
    @property
    def cache_bytes(self) -> int: ...
    @property
    def alphabet(self) -> tuple[_Alphabet, str | None, bool]: ...
    @property
    def falls_back(self) -> bool: ...
    @property
    def normalises(self) -> bool: ...
    @property
    def post_processor(self) -> str | None: ...
    @property
    def whole_first(self) -> bool: ...
    @property
    def is_ranks(self) -> bool: ...
    @property
    def twins(self) -> int: ...
    @property
    def n_vocab(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...
    def __len__(self) -> int: ...
