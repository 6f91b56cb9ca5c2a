"""Text -> ids: the part of `Tokenizer` that encodes and counts.

`encode` and `count` are the engine's own methods, so that a short call costs no more than it must.
"""

from __future__ import annotations

from bytepair import _core
from bytepair.arguments import Text
from bytepair.errors import SpecialTokenError
from bytepair.integers import bounded, processors

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Iterator
    from typing import Literal, overload

    import numpy as np
    from numpy.typing import NDArray

    from bytepair.counter import Counter
    from bytepair.data.places import Files
    from bytepair.parts import Special

    Specials = Collection[str] | Literal["all"]
    UnknownSymbol = Literal["raise", "unk", "skip"]
    Dtype = Literal["uint32", "uint16", "smallest"]

__all__ = ["Encoding"]

SHOWN_SPECIALS = 5
"""How many special tokens an error lists."""


class Encoding(_core.Encoder):
    """What `Tokenizer` does with text."""

    __slots__ = ()

    _engine: _core.Tokenizer

    def encode_to_numpy(
        self,
        text: Text,
        *,
        dtype: Dtype = "uint32",
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> NDArray[np.uint32 | np.uint16]:
        """As `encode`: a writable array of shape (tokens,).

        Args:
            text: the text.
            dtype: "uint32", "uint16", or "smallest": uint16 if every id below `n_vocab` fits.
            allowed_special: as for `encode`.
            disallowed_special: as for `encode`.
            unknown: as for `encode`.

        Raises:
            ValueError: dtype="uint16" for a vocabulary of more than 65,536 ids; and all that `encode` raises.

        >>> import bytepair as bp
        >>> bp.train(texts=[], vocab_size=256).encode_to_numpy("abc", dtype="smallest")
        array([97, 98, 99], dtype=uint16)
        """
        import numpy as np

        narrow = self._is_narrow(dtype)
        ids = self._engine.encode_array(text, narrow, allowed_special, disallowed_special, unknown)
        return np.frombuffer(ids, dtype=np.uint16 if narrow else np.uint32)

    def encode_batch(
        self,
        texts: Iterable[Text],
        *,
        threads: int | None = None,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> list[list[int]]:
        """The ids of each text, on many threads; None for as many as there are processors.

        Raises:
            TypeError: the texts are one text, or an item is none; and all that `encode` raises, naming the item.

        >>> import bytepair as bp
        >>> bp.train(texts=[], vocab_size=256).encode_batch(["a", b"bc"])
        [[97], [98, 99]]
        """
        count = processors(threads)
        return self._engine.encode_batch(texts, count, allowed_special, disallowed_special, unknown)

    def encode_batch_to_numpy(
        self,
        texts: Iterable[Text],
        *,
        threads: int | None = None,
        dtype: Dtype = "uint32",
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> tuple[NDArray[np.uint32 | np.uint16], NDArray[np.uint64]]:
        """As `encode_batch`: all ids in one array, and where each text's begin and end. `dtype` as `encode_to_numpy`.

        Returns:
            (ids, offsets): of shape (tokens of all texts,), and uint64 of shape (texts + 1,). The ids of text i
            are `ids[offsets[i]:offsets[i + 1]]`.

        >>> import bytepair as bp
        >>> bp.train(texts=[], vocab_size=256).encode_batch_to_numpy(["a", b"bc"])
        (array([97, 98, 99], dtype=uint32), array([0, 1, 3], dtype=uint64))
        """
        import numpy as np

        narrow = self._is_narrow(dtype)
        ids, offsets = self._engine.encode_batch_array(
            texts, processors(threads), narrow, allowed_special, disallowed_special, unknown
        )
        return np.frombuffer(ids, dtype=np.uint16 if narrow else np.uint32), np.frombuffer(offsets, dtype=np.uint64)

    def encode_stream(
        self,
        parts: Iterable[Text],
        *,
        threads: int | None = None,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> Iterator[list[int]]:
        """The ids of one text that comes in parts, in lists, as they become certain.

        The lists together are what `encode` gives for the whole text: a part may end within a character or a special
        token. The text is not kept, except with patterns that `encode_files` names.

        Raises:
            TypeError: the parts are one text, or an item is none; and all that `encode` raises, with the position in
                the whole text, in bytes.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["the cat sat on the mat"] * 3, vocab_size=262)
        >>> sum(tok.encode_stream(["the c", "at"]), []) == tok.encode("the cat")
        True
        """
        from bytepair.files import fed

        if isinstance(parts, Text):
            raise TypeError("the parts are one text\nhint: pass an iterable of parts, or use encode")
        encoder = _core.StreamEncoder(
            self._engine, processors(threads), False, allowed_special, disallowed_special, unknown
        )
        return (encoder.take().cast("I").tolist() for waiting in fed(parts, encoder) if waiting)

    def encode_files(
        self,
        files: Files,
        *,
        out: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        dtype: Dtype = "uint32",
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> tuple[NDArray[np.uint32 | np.uint16], NDArray[np.uint64]]:
        """As `encode_batch_to_numpy`, of files, each of them one text. A file is never in memory as a whole.

        It is read in blocks of 1 MiB a thread; its ids are those of its contents as one text, wherever a block ends.
        Only with no pattern, one that is served by backtracking or holds `^`, or a normalizer is all of a file kept
        until its end.

        Args:
            files: a path or glob, an open file (read from where it stands), or a list of them.
            out: a file for the ids, as `numpy.fromfile` reads it; it appears when all of them are written. The ids are
                then not kept in memory.
            threads: as for `encode_batch`; a large file is shared between them.
            dtype: as for `encode_to_numpy`.
            allowed_special: as for `encode`.
            disallowed_special: as for `encode`.
            unknown: as for `encode`.

        Returns:
            (ids, offsets), as `encode_batch_to_numpy`. With `out`, the ids are that file, mapped into memory for
            reading.

        Raises:
            FileNotFoundError: a path that is not there, or a glob that matches nothing.
            IsADirectoryError: a path of a directory.
            OSError: a file that cannot be read, or written.
            ValueError: `out` is something else than a regular file, or one of those that are read.
            TypeError: what is neither a path nor an open file.
            BytepairError: all that `encode` raises, with the file and the position in it, in bytes.

        >>> import bytepair as bp
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as directory:
        ...     _ = Path(directory, "a.txt").write_text("a")
        ...     _ = Path(directory, "b.txt").write_text("bc")
        ...     bp.train(texts=[], vocab_size=256).encode_files(f"{directory}/*.txt")
        (array([97, 98, 99], dtype=uint32), array([0, 1, 3], dtype=uint64))
        """
        from bytepair.files import encode_files

        narrow, count = self._is_narrow(dtype), processors(threads)
        encoder = _core.StreamEncoder(self._engine, count, narrow, allowed_special, disallowed_special, unknown)
        return encode_files(files, out, encoder, narrow=narrow, threads=count)

    def _is_narrow(self, dtype: Dtype) -> bool:
        """Whether the ids go into an array of uint16."""
        if dtype == "uint32":
            return False
        if dtype not in {"uint16", "smallest"}:
            raise ValueError(f'dtype is {dtype!r}\nhint: it is "uint32", "uint16" or "smallest"')
        n_vocab = self._engine.n_vocab
        if dtype == "uint16" and n_vocab > 1 << 16:
            raise ValueError(f'n_vocab is {n_vocab}, more than uint16 can count\nhint: use dtype="smallest"')
        return n_vocab <= 1 << 16

    def encode_parts(self, parts: Iterable[Special | Text], *, unknown: UnknownSymbol = "raise") -> list[int]:
        """The ids of trusted special tokens and text that need not be trusted, one after the other.

        Each text stands alone, and special tokens in it are text.

        Raises:
            SpecialTokenError: a `Special` that the tokenizer does not have.
            TypeError: the parts are one text, or an item is neither text nor `Special`.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=257, special_tokens=["<|user|>"])
        >>> tok.encode_parts([bp.Special("<|user|>"), "Hi"])
        [256, 72, 105]
        """
        from collections.abc import Iterable

        from bytepair.parts import Special

        if isinstance(parts, Text):
            raise TypeError("the parts are one text\nhint: pass a list of parts, or use encode")
        if not isinstance(parts, Iterable):
            raise TypeError(f"the parts are of type `{type(parts).__name__}`\nhint: pass a list of parts")
        ids: list[int] = []
        for part in parts:
            if not isinstance(part, Special):
                ids += self.encode(part, unknown=unknown)
                continue
            id = self._engine.special_id(part.content)
            if id is None:
                known = [content for content, *_ in self._engine.specials()]
                shown = ", ".join(map(repr, known[:SHOWN_SPECIALS])) + (", ..." if len(known) > SHOWN_SPECIALS else "")
                raise SpecialTokenError(f"{part!r} is no special token of this tokenizer", f"it has {shown or 'none'}")
            ids.append(id)
        return ids

    def count_up_to(
        self,
        text: Text,
        limit: int,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> int | None:
        """How many ids `encode` gives; None, without reading on, if there are more than `limit`.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=256)
        >>> tok.count_up_to("abc", 3), tok.count_up_to("abcd" * 1000, 3)
        (3, None)
        """
        limit = bounded("limit", limit)
        return self._engine.count_up_to(text, limit, allowed_special, disallowed_special, unknown)

    def counter(
        self,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> Counter:
        """A counter of a text that is appended to, such as a conversation; options as `encode`."""
        from bytepair.counter import Counter

        return Counter(_core.Counter(self._engine, allowed_special, disallowed_special, unknown))

    if TYPE_CHECKING:

        @overload
        def truncate(
            self,
            text: str,
            max_tokens: int,
            *,
            allowed_special: Specials = (),
            disallowed_special: Specials = (),
            unknown: UnknownSymbol = "raise",
        ) -> str: ...
        @overload
        def truncate(
            self,
            text: bytes | bytearray | memoryview,
            max_tokens: int,
            *,
            allowed_special: Specials = (),
            disallowed_special: Specials = (),
            unknown: UnknownSymbol = "raise",
        ) -> bytes: ...

    def truncate(
        self,
        text: Text,
        max_tokens: int,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> str | bytes:
        """The longest beginning of a text that is made of its first tokens, at most `max_tokens` of them.

        It ends on the edge of a character and has, encoded anew, at most `max_tokens` tokens.

        >>> import bytepair as bp
        >>> bp.train(texts=[], vocab_size=256).truncate("naïve", 3)
        'na'
        """
        max_tokens = bounded("max_tokens", max_tokens)
        return self._engine.truncate(text, max_tokens, allowed_special, disallowed_special, unknown)
