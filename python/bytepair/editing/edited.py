"""What an edit gives: the new tokenizer, and where each old id went.

The invariant: the map has a number for each old id below `n_vocab`, the new id of the same token, or -1 for what is
gone (and for gaps); no two old ids have the same new one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bytepair.formats.atomic import naming, replacing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

__all__ = ["GONE", "Edited", "edited"]

GONE = -1
"""In place of a new id: the token is there no more."""
MOST_IDS = 1 << 27
"""The most ids that a map is made for."""


@dataclass(frozen=True, eq=False)
class Edited:
    """A tokenizer that was made of another one; the methods of `Tokenizer` that edit make it.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest low"], num_merges=3)
    >>> edited = tok.without([b"low"])
    >>> edited
    <Edited: 259 tokens became 258; 1 gone, 0 new>
    >>> edited.tokenizer.decode(edited.tokenizer.encode("lowest"))
    'lowest'
    """

    tokenizer: Tokenizer
    """The new tokenizer."""
    old_to_new: NDArray[np.int64] = field(repr=False)
    """The new id of each old id, -1 for a token that is gone and for an id that no token had; of shape (n_vocab,) of
    the old tokenizer. It cannot be written to."""
    old: Tokenizer
    """The tokenizer that was edited."""
    whole_only: tuple[int, ...] = ()
    """New ids of tokens that merges made before and do not any more, since each way to them led through a token that is
    gone: they are looked up, and come out only where they are a whole pretoken."""

    def __repr__(self) -> str:
        gone, new = len(self.removed), len(self.added)
        return f"<Edited: {len(self.old)} tokens became {len(self.tokenizer)}; {gone} gone, {new} new>"

    @property
    def removed(self) -> tuple[int, ...]:
        """The old ids of tokens that are gone, ascending."""
        return tuple(id for id in self.old.vocabulary if self.old_to_new[id] == GONE)

    @property
    def added(self) -> tuple[int, ...]:
        """The new ids of tokens that were not there, ascending."""
        kept = set(self.old_to_new.tolist())
        return tuple(id for id in self.tokenizer.vocabulary if id not in kept)

    def move_rows(self, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        """The rows of an embedding table (or of an output layer, or its bias) for the new tokenizer.

        A token that stays keeps its row. A new one gets the mean of the rows of the tokens that its text had in the old
        tokenizer, a new special token as if its text were plain. An id that no token has keeps its row if ids are
        kept, else it gets zeros.

        Args:
            rows: of shape (at least `old.n_vocab`, ...); what is beyond, the padding of many models, is left out.

        Returns:
            A new array of shape (`tokenizer.n_vocab`, ...) and the same type.

        Raises:
            ValueError: fewer rows than old ids.
            TypeError: not an array of floating-point numbers.

        >>> import numpy as np, bytepair as bp
        >>> tok = bp.train(texts=["low lower lowest low"], num_merges=3)
        >>> rows = np.arange(259 * 2, dtype=np.float32).reshape(259, 2)
        >>> edited = tok.with_special_tokens(["<low>"])
        >>> edited.move_rows(rows).shape
        (260, 2)
        >>> edited.move_rows(rows)[259] == rows[tok.encode("<low>")].mean(axis=0)
        array([ True,  True])
        """
        if not isinstance(rows, np.ndarray) or not np.issubdtype(rows.dtype, np.floating):
            kind = f"an array of {rows.dtype}" if isinstance(rows, np.ndarray) else f"of type `{type(rows).__name__}`"
            raise TypeError(f"rows is {kind}\nhint: pass a NumPy array of floating-point numbers: `weight.numpy()`")
        old, size = self.old, self.old.n_vocab
        if rows.ndim == 0 or len(rows) < size:
            raise ValueError(f"rows has shape {rows.shape}, and the old tokenizer has {size} ids\nhint: one row an id")
        moved = np.zeros((self.tokenizer.n_vocab, *rows.shape[1:]), dtype=rows.dtype)
        kept = self.old_to_new != GONE
        if np.array_equal(self.old_to_new[kept], np.flatnonzero(kept)) and len(moved) >= size:
            moved[:size] = rows[:size]
        moved[self.old_to_new[kept]] = rows[:size][kept]
        for id in self.added:
            parts = old.encode(self.tokenizer.bytes_of(id), unknown="skip")
            if parts:
                moved[id] = rows[parts].mean(axis=0)
        return moved

    def save_map(self, path: str | os.PathLike[str]) -> None:
        """Writes the map, whole or not at all: as NumPy's array to a `.npy`, as a list of numbers to a `.json`.

        Raises:
            ValueError: a name that ends otherwise.
            OSError: the file cannot be written.
        """
        with self.saving_map(path):
            pass

    @contextmanager
    def saving_map(self, path: str | os.PathLike[str]) -> Iterator[None]:
        """Writes the map beside its place, and puts it there when what is done meanwhile has succeeded.

        So that a map and a tokenizer are written together; errors as `save_map`.
        """
        kind = map_format(path)
        with replacing(path) as file:
            with naming(Path(path)):
                if kind == ".npy":
                    np.save(file, self.old_to_new, allow_pickle=False)
                else:
                    file.write(json.dumps(self.old_to_new.tolist(), separators=(",", ":")).encode() + b"\n")
                file.flush()
            yield


def map_format(path: str | os.PathLike[str]) -> str:
    """How a map is written to a file of this name, `.npy` or `.json`."""
    kind = Path(path).suffix.lower()
    if kind not in {".npy", ".json"}:
        raise ValueError(
            f"the map's name `{os.fspath(path)}` ends in neither `.npy` nor `.json`\nhint: name one of these"
        )
    return kind


def edited(
    old: Tokenizer, new: Tokenizer, moved: Mapping[int, int] | None = None, whole_only: Iterable[int] = ()
) -> Edited:
    """The result of an edit; `moved` has the new id of each old one that stays, and is left out where all stay."""
    if old.n_vocab > MOST_IDS:
        raise ValueError(
            f"the largest id is {old.n_vocab - 1}: there is no room for a map of {old.n_vocab} ids\n"
            f"hint: give the tokens ids below {MOST_IDS}"
        )
    old_to_new = np.full(old.n_vocab, GONE, dtype=np.int64)
    if moved is None:
        ids = np.fromiter(old.vocabulary, dtype=np.int64)
        old_to_new[ids] = ids
    else:
        old_to_new[np.fromiter(moved.keys(), dtype=np.int64)] = np.fromiter(moved.values(), dtype=np.int64)
    old_to_new.flags.writeable = False
    return Edited(new, old_to_new, old, tuple(whole_only))
