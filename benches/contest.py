"""What a contestant is, and what it hands over once it is loaded.

An adapter states how its peer is used at its fastest; nothing in it is timed but the calls into the peer. What a peer
does not offer is None, and the peer then has no figure in that column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# NumPy is imported where it is needed: who imports it, and when, is part of what is timed.
Ids: TypeAlias = "NDArray[np.uint32]"
Merge: TypeAlias = tuple[bytes, bytes]
PIECE = 1_000_000
"""Characters of a piece of a file, for those that read texts and no files."""


class UnsupportedError(Exception):
    """This contestant does not do what is asked; the text says what, and becomes part of the record."""


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer in the two forms that peers read.

    Attributes:
        name: what the tables call it.
        published: tiktoken's name for it, if it has one.
        ranks: the path of a `.tiktoken` file.
        json: the path of a `tokenizer.json`.
        pattern: the regular expression, as its publishers write it.
        preset: bytepair's name for the pattern, or the pattern.
        specials: special tokens and their ids.
    """

    name: str
    published: str | None
    ranks: str
    json: str
    pattern: str
    preset: str
    specials: dict[str, int]


@dataclass(frozen=True)
class Training:
    """What a contestant is to learn, and from what.

    Attributes:
        path: a file; who reads no files reads it into one text first, which is timed.
        texts: the same in pieces that Python already holds; then these are read, and not the file.
        size: how many tokens, special tokens included.
        pattern: the regular expression.
        preset: bytepair's name for it, or the pattern.
        specials: the special tokens.
        threads: how many threads.
    """

    path: str
    texts: list[str] | None
    size: int
    pattern: str
    preset: str
    specials: tuple[str, ...]
    threads: int

    def pieces(self) -> Iterator[str]:
        """The texts; or the file, read and cut into pieces of a megabyte."""
        if self.texts is not None:
            yield from self.texts
            return
        text = Path(self.path).read_bytes().decode()
        for start in range(0, len(text), PIECE):
            yield text[start : start + PIECE]


def spelled(pair: Sequence[str]) -> Merge:
    """A merge as bytes, from the spelling of `tokenizer.json`."""
    from bytepair.formats.byte_alphabet import read

    left, right = (read(part) or b"" for part in pair)
    return left, right


def flat_lists(lists: Any) -> Ids:
    """The ids of a list of lists, one after the other."""
    import numpy as np

    return np.concatenate([np.asarray(ids, dtype=np.uint32) for ids in lists] or [np.empty(0, np.uint32)])


def flat_first(result: Any) -> Ids:
    """The ids of a pair (ids, offsets), whether arrays or buffers."""
    import numpy as np

    ids = result[0]
    return np.frombuffer(ids, dtype=np.uint32) if isinstance(ids, (bytes, bytearray)) else np.asarray(ids, np.uint32)


@dataclass(frozen=True)
class Encoder:
    """A loaded contestant.

    Attributes:
        one: a text to a list of ids.
        array: a text to an array of ids, or the fastest that the peer has without an int object per token.
        batch: texts to arrays, in the peer's own form; `flat` turns that into one array, outside of the timed part.
        lists: texts to lists of ids.
        count: a text to the number of its tokens.
        decode_list: a list of ids to a text (or its bytes, where the peer gives bytes).
        decode_array: an array of ids to a text (or bytes).
        decode_batch: lists of ids to texts.
        file: the path of a file, and what parts its documents, to arrays; the peer reads the file itself.
    """

    one: Callable[[str], list[int]]
    batch: Callable[[list[str]], Any]
    lists: Callable[[list[str]], Any]
    array: Callable[[str], Any] | None = None
    flat: Callable[[Any], Ids] = flat_lists
    count: Callable[[str], int] | None = None
    decode_list: Callable[[list[int]], str | bytes] | None = None
    decode_array: Callable[[Ids], str | bytes] | None = None
    decode_batch: Callable[[list[list[int]]], Any] | None = None
    file: Callable[[str, str], Any] | None = None


class Contestant:
    """An adapter; what a peer cannot do is left as it is here.

    Attributes:
        package: the name of its distribution, for the version.
        module: what is imported; its import is timed.
        settings: how it is used, in words, for the record.
        documents: what it takes for a document in training: the whole file, each of its lines, pieces of it, or
            what cannot be told since it has a way of its own to cut texts.
    """

    package: str
    module: str
    settings: str
    documents: Literal["file", "line", "piece", "its own"] = "file"

    def environment(self, threads: int) -> dict[str, str]:
        """The environment variables that make it use so many threads."""
        return {}

    def load(self, vocabulary: Vocabulary, threads: int) -> Encoder:
        """Loads a vocabulary; raises `UnsupportedError` where that cannot be."""
        raise UnsupportedError("does not encode published vocabularies")

    def script(self, vocabulary: Vocabulary) -> list[str]:
        """The shortest script that prints the number of tokens of the file whose name follows; after `python`."""
        raise UnsupportedError("has no script")

    def train(self, asked: Training) -> Callable[[], list[Merge]]:
        """Trains; what it returns gives the merges, and is not timed."""
        raise UnsupportedError("does not train")

    def distinct(self, asked: Training) -> int:
        """How many different pretokens there are."""
        raise UnsupportedError("does not tell")
