"""`Tokenizer`: text -> ids, ids -> text, and why.

It holds the engine's tokenizer and how it was trained, and never changes: every option belongs to a call. So it can be
shared between threads and across a fork.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, overload

from bytepair import _core
from bytepair.errors import BytepairError, PatternError, SpecialTokenError, UnknownTokenError, VocabularyError
from bytepair.integers import LARGEST, checked_integer
from bytepair.parts import LEFT_OUT, LeftOut, Parts, SpecialToken, TrainingRecord
from bytepair.patterns import PATTERNS, preset_of, resolve
from bytepair.sources import Text
from bytepair.streaming import StreamDecoder
from bytepair.trace import MergeTree, Steps, Trace, trace_of, trees_of
from bytepair.vocabulary import Info, Merges, Vocabulary, bytes_of, gaps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bytepair._core import _Packed
    from bytepair.counter import Counter
    from bytepair.sources import Files

__all__ = ["Special", "Tokenizer", "load", "processors"]

Specials = Collection[str] | Literal["all"]
UnknownSymbol = Literal["raise", "unk", "skip"]
UnknownId = Literal["raise", "skip", "replace"]
Errors = Literal["replace", "strict", "ignore"]
Dtype = Literal["uint32", "uint16", "smallest"]

MOST_THREADS = 4096
"""More than this is a mistake."""

SHOWN = 30
"""The longest pattern that `repr` shows whole."""
SHOWN_SPECIALS = 5
"""How many special tokens an error lists."""


@dataclass(frozen=True, slots=True)
class Special:
    """A special token in `Tokenizer.encode_parts`."""

    content: str
    """Its text."""


class Tokenizer:
    """Pattern + vocabulary + special tokens; `train`, `load` and `from_parts` make one.

    `str` and bytes (`bytes`, `bytearray`, `memoryview`) are accepted wherever there is text; bytes need not be UTF-8.
    Lone surrogates in a `str` become U+FFFD. Two tokenizers are equal if their fingerprints are.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest low"], num_merges=3, special_tokens=["<|end|>"])
    >>> tok
    <Tokenizer 260 tokens, pattern "o200k", 1 special>
    >>> ids = tok.encode("lowest<|end|>")
    >>> ids[:4], tok.decode(ids)
    ([257, 101, 115, 116], 'lowest<|end|>')
    """

    __slots__ = ("__weakref__", "_engine", "_training")

    _engine: _core.Tokenizer
    _training: TrainingRecord | None

    def __init__(self) -> None:
        raise TypeError("a Tokenizer is not made by calling the class\nhint: use train, load or Tokenizer.from_parts")

    @classmethod
    def _from_core(cls, core: _core.Tokenizer, training: TrainingRecord | None = None) -> Self:
        """Wraps the engine's tokenizer; for this package's own use."""
        self = object.__new__(cls)
        object.__setattr__(self, "_engine", core)
        object.__setattr__(self, "_training", training)
        return self

    @classmethod
    def from_parts(cls, parts: Parts) -> Self:
        """Puts a tokenizer together; the opposite of `parts`.

        >>> parts = Parts(tokens=tuple((b, bytes([b])) for b in range(256)) + ((256, b"ab"),), merges=((97, 98),))
        >>> Tokenizer.from_parts(parts).encode("abba")
        [256, 98, 97]

        Raises:
            VocabularyError: tokens and merges that contradict each other; it names the token or the merge.
            SpecialTokenError: special tokens that contradict each other or the vocabulary.
            PatternError: a pattern that cannot be used; a preset's name, since parts have patterns spelled out.
        """
        if parts.pattern in PATTERNS:
            raise PatternError(
                f"the parts' pattern is {parts.pattern!r}, a preset's name",
                f"spell it out: PATTERNS[{parts.pattern!r}]",
            )
        try:
            core = _core.Tokenizer.from_plain(
                parts.alphabet,
                parts.end_of_word,
                parts.end_of_word_joined,
                parts.pattern,
                list(parts.tokens),
                None if parts.merges is None else list(parts.merges),
                parts.whole_first,
                [(token.content, token.id, token.special, token.normalized) for token in parts.specials],
            )
        except (TypeError, OverflowError) as problem:
            raise VocabularyError(
                f"the parts hold a value of a wrong type or size: {problem}",
                "ids are integers from 0 to 4294967294, contents are bytes",
            ) from None
        return cls._from_core(core, parts.training)

    @property
    def parts(self) -> Parts:
        """What this tokenizer is, as plain data."""
        alphabet, end_of_word, joined, pattern, tokens, merges, whole_first, specials = self._engine.plain()
        return Parts(
            alphabet=alphabet,
            end_of_word=end_of_word,
            end_of_word_joined=joined,
            pattern=pattern,
            tokens=tuple(tokens),
            merges=None if merges is None else tuple(merges),
            whole_first=whole_first,
            specials=tuple(SpecialToken(*special) for special in specials),
            training=self._training,
        )

    def save(self, path: str | os.PathLike[str], format: Literal["huggingface", "tiktoken"] | None = None) -> None:
        """Writes a file, which either is complete or does not appear.

        Args:
            path: where; `.json` means Hugging Face's `tokenizer.json`, `.tiktoken` a rank file.
            format: "huggingface" or "tiktoken", where the name does not tell.

        Raises:
            FormatError: a name that tells no format, or a tokenizer that the format cannot hold.
            OSError: the file cannot be written.
        """
        from bytepair.formats import write  # noqa: PLC0415 - loaded when first needed

        write(self.parts, path, format=format)

    # Text -> ids

    def encode(
        self,
        text: Text,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> list[int]:
        """The ids of a text. Special tokens in it are text, unless they are allowed.

        Args:
            text: the text.
            allowed_special: special tokens that become their ids where they stand in the text, or "all".
            disallowed_special: special tokens that must not stand in the text (those allowed excepted), or "all".
            unknown: what to do with a byte or character that the vocabulary has no symbol for: "raise", "unk" (the
                id of the special token `<unk>`) or "skip".

        Returns:
            The ids, as many as the text has tokens.

        Raises:
            SpecialTokenError: a forbidden special token, with its position; or a name that no special token has.
            UnknownSymbolError: a byte or character without a symbol, with its position.
            PatternError: a pattern that is served by backtracking gave up on the text.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=257, special_tokens=["<|end|>"])
        >>> len(tok.encode("a<|end|>")), tok.encode("a<|end|>", allowed_special={"<|end|>"})
        (8, [97, 256])
        """
        return self._engine.encode(text, allowed_special, disallowed_special, unknown)

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
        import numpy as np  # noqa: PLC0415 - loaded when first needed

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
        import numpy as np  # noqa: PLC0415 - loaded when first needed

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
        from bytepair.files import encoded  # noqa: PLC0415 - loaded when first needed

        if isinstance(parts, Text):
            raise TypeError("the parts are one text\nhint: pass an iterable of parts, or use encode")
        encoder = _core.StreamEncoder(
            self._engine, processors(threads), False, allowed_special, disallowed_special, unknown
        )
        return (memoryview(ids).cast("I").tolist() for ids in encoded(parts, encoder) if ids)

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

        It is read in blocks of 4 MiB a thread; its ids are those of its contents as one text, wherever a block ends.
        Only with no pattern, or one that is served by backtracking or holds `^`, is all of a file kept until its end.

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
            ValueError: `out` is something else than a regular file.
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
        from bytepair.files import encode_files  # noqa: PLC0415 - loaded when first needed

        narrow, count = self._is_narrow(dtype), processors(threads)
        encoder = _core.StreamEncoder(self._engine, count, narrow, allowed_special, disallowed_special, unknown)
        return encode_files(files, out, encoder, narrow=narrow, threads=count)

    def _is_narrow(self, dtype: Dtype) -> bool:
        """Whether the ids go into an array of uint16."""
        fits = self.n_vocab <= 1 << 16
        if dtype == "uint16" and not fits:
            raise ValueError(f'n_vocab is {self.n_vocab}, more than uint16 can count\nhint: use dtype="smallest"')
        if dtype not in {"uint32", "uint16", "smallest"}:
            raise ValueError(f'dtype is {dtype!r}\nhint: it is "uint32", "uint16" or "smallest"')
        return fits and dtype != "uint32"

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
        if isinstance(parts, Text):
            raise TypeError("the parts are one text\nhint: pass a list of parts, or use encode")
        if not isinstance(parts, Iterable):
            raise TypeError(f"the parts are of type `{type(parts).__name__}`\nhint: pass a list of parts")
        ids: list[int] = []
        for part in parts:
            if not isinstance(part, Special):
                ids += self._engine.encode(part, None, None, unknown)
                continue
            id = self._engine.special_id(part.content)
            if id is None:
                known = list(self.special_tokens)
                shown = ", ".join(map(repr, known[:SHOWN_SPECIALS])) + (", ..." if len(known) > SHOWN_SPECIALS else "")
                raise SpecialTokenError(f"{part!r} is no special token of this tokenizer", f"it has {shown or 'none'}")
            ids.append(id)
        return ids

    def count(
        self,
        text: Text,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> int:
        """How many ids `encode` gives, without making a list of them."""
        return self._engine.count(text, allowed_special, disallowed_special, unknown)

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
        limit = _bounded("limit", limit)
        return self._engine.count_up_to(text, limit, allowed_special, disallowed_special, unknown)

    def counter(
        self,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> Counter:
        """A counter of a text that is appended to, such as a conversation; options as `encode`."""
        from bytepair.counter import Counter  # noqa: PLC0415 - loaded when first needed

        return Counter(_core.Counter(self._engine, allowed_special, disallowed_special, unknown))

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
        max_tokens = _bounded("max_tokens", max_tokens)
        return self._engine.truncate(text, max_tokens, allowed_special, disallowed_special, unknown)

    # Ids -> text

    def decode(
        self,
        ids: Sequence[int] | NDArray[np.integer],
        *,
        errors: Errors = "replace",
        skip_special: bool = False,
        unknown: UnknownId = "raise",
    ) -> str:
        """The text of ids.

        Args:
            ids: a list, tuple or other sequence of integers, or an array of integers of shape (tokens,).
            errors: what to do with bytes that are not UTF-8: "replace" (U+FFFD), "strict" or "ignore".
            skip_special: leave control tokens out.
            unknown: what to do with an integer that is no token's id: "raise", "skip" or "replace" (U+FFFD).

        Raises:
            UnknownTokenError: an id that no token has, with its place.
            UnicodeDecodeError: bytes that are not UTF-8, with errors="strict".
            TypeError: ids that are no integers.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=256)
        >>> tok.decode([240, 159, 140]), tok.decode([97, 999, 98], unknown="skip")
        ('�', 'ab')
        """
        return self._engine.decode(ids, errors, skip_special, unknown)

    def decode_bytes(
        self,
        ids: Sequence[int] | NDArray[np.integer],
        *,
        skip_special: bool = False,
        unknown: UnknownId = "raise",
    ) -> bytes:
        r"""The bytes of ids: exactly those that were encoded, valid UTF-8 or not. Arguments and errors as `decode`.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=256)
        >>> tok.decode_bytes(tok.encode(b"\xff\x00"))
        b'\xff\x00'
        """
        return self._engine.decode_bytes(ids, skip_special, unknown)

    def decode_batch(
        self,
        batch: Iterable[Sequence[int] | NDArray[np.integer]],
        *,
        errors: Errors = "replace",
        skip_special: bool = False,
        unknown: UnknownId = "raise",
    ) -> list[str]:
        """The text of each list of ids. Arguments and errors as `decode`.

        >>> import bytepair as bp
        >>> bp.train(texts=[], vocab_size=256).decode_batch([[97], [], [98, 99]])
        ['a', '', 'bc']
        """
        if not isinstance(batch, Iterable):
            raise TypeError(f"the batch is of type `{type(batch).__name__}`\nhint: pass a list of lists of ids")
        return [self._engine.decode(ids, errors, skip_special, unknown) for ids in batch]

    def stream_decoder(self, *, skip_special: bool = False, unknown: UnknownId = "raise") -> StreamDecoder:
        """A decoder for ids that arrive one by one; options as `decode`."""
        return StreamDecoder(self._engine, skip_special=skip_special, unknown=unknown)

    # Why

    @overload
    def split(self, text: str) -> list[str]: ...
    @overload
    def split(self, text: bytes | bytearray | memoryview) -> list[bytes]: ...
    def split(self, text: Text) -> list[str] | list[bytes]:
        """The pretokens of a text, as str or bytes as the text is. A special token in it is text.

        >>> import bytepair as bp
        >>> bp.train(texts=[], vocab_size=256).split("It's 12:30.")
        ["It's", ' ', '12', ':', '30', '.']
        """
        return self._engine.split(text)

    def trace(
        self,
        text: Text,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> Trace:
        """The ids of a text with where each came from: offsets, pretokens, alternatives of the pattern.

        Arguments and errors as `encode`.
        """
        raw = _core.raw(text)
        # A str as it is, so that errors count its characters; a buffer as it was when it was read.
        read = text if isinstance(text, str) else raw
        traced = self._engine.trace(read, allowed_special, disallowed_special, unknown)
        return trace_of(traced, raw, self._engine.alternatives)

    def explain(
        self,
        text: Text | int,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> tuple[MergeTree, ...]:
        """The merge tree of each token of a text, or of the token that has this id. Errors as `encode`.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["low low low"], num_merges=2)
        >>> tok.explain("low") == tok.explain(257)
        True
        """
        counts = self._training.counts if self._training is not None else ()
        if not isinstance(text, Text):
            bytes_of(self._engine, text)
            found = self._engine.explain_id(text)
            return () if found is None else trees_of(found, counts)
        trees = self._engine.explain(text, allowed_special, disallowed_special, unknown)
        return trees_of(trees, counts)

    def steps(
        self,
        text: Text,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> Steps:
        """The encoding of a text one merge at a time. Arguments and errors as `encode`."""
        start, steps = self._engine.steps(text, allowed_special, disallowed_special, unknown)
        return Steps(self._engine, start, steps)

    # What it is

    @property
    def vocabulary(self) -> Mapping[int, bytes]:
        """The bytes of every token by its id, special tokens included."""
        return Vocabulary(self._engine)

    @property
    def merges(self) -> Sequence[tuple[int, int]]:
        """(left id, right id) in the order of their ranks.

        For a rank file: of each token, the last pair that is merged when its own bytes are.
        """
        return Merges(self._engine)

    @property
    def pattern(self) -> str | None:
        """The regular expression that cuts text into pretokens; None for none, and with characters."""
        return self._engine.pattern

    @property
    def alphabet(self) -> Literal["bytes", "characters"]:
        """What tokens are made of."""
        return self._engine.alphabet[0]

    @property
    def end_of_word(self) -> str | None:
        """How the end-of-word mark is written; None for none, and with bytes."""
        return self._engine.alphabet[1]

    @property
    def special_tokens(self) -> dict[str, int]:
        """Special and added tokens and their ids, in the order of the ids; a copy."""
        return {content: id for content, id, _, _ in self._engine.specials()}

    @property
    def training(self) -> TrainingRecord | None:
        """How it was trained, if it was trained here."""
        return self._training

    @property
    def n_vocab(self) -> int:
        """The highest id + 1: the rows of an embedding table. `len()` tells how many tokens there are."""
        return self._engine.n_vocab

    @property
    def lossy(self) -> bool:
        """Whether decoding may give another text than was encoded: with characters, white space is not kept."""
        return self.alphabet == "characters"

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all that the ids depend on, as 64 hexadecimal digits."""
        return self._engine.fingerprint

    @property
    def cache_bytes(self) -> int:
        """The most bytes of memory that each thread keeps encoded pretokens in; see `with_cache_bytes`."""
        return self._engine.cache_bytes

    def with_cache_bytes(self, bytes: int) -> Self:
        """This tokenizer with another bound on memory: at most so many bytes for each thread that encodes at a time.

        In them it keeps pretokens that it had to merge, with their ids, so that the next time they are looked up. They
        fill up as new words come, to 32 MiB unless this says otherwise; 0 keeps none. No id depends on it.

        Raises:
            ValueError: a number below 0.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=256)
        >>> small = tok.with_cache_bytes(1 << 20)
        >>> tok.cache_bytes, small.cache_bytes, small == tok
        (33554432, 1048576, True)
        """
        return self._from_core(self._engine.with_cache_bytes(_bounded("bytes", bytes)), self._training)

    def info(self) -> Info:
        """The tokenizer in figures and words."""
        alphabet, end_of_word, joined = self._engine.alphabet
        splitter, reason = self._engine.splitter
        path, path_reason = self._engine.path
        return Info(
            n_vocab=self.n_vocab,
            tokens=len(self),
            merges=len(self.merges),
            specials=len(self.special_tokens),
            alphabet=alphabet,
            end_of_word=end_of_word,
            end_of_word_joined=joined,
            pattern=self.pattern,
            preset=preset_of(self.pattern),
            splitter=splitter,
            splitter_reason=reason,
            path=path,
            path_reason=path_reason,
            whole_first=self._engine.whole_first,
            rank_file=self._engine.is_ranks,
            lossy=self.lossy,
            gaps=gaps(self._engine),
            unicode_version=_core.UNICODE_VERSION,
            fingerprint=self.fingerprint,
        )

    def id_of(self, token: Text) -> int:
        """The id of the token with exactly these bytes, an end-of-word mark spelled out; else of a special token.

        Raises:
            UnknownTokenError: there is none.

        >>> import bytepair as bp
        >>> bp.train(texts=["low low"], num_merges=2).id_of(b"low")
        257
        """
        found = self._engine.id_of(token)
        if found is None:
            text = token if isinstance(token, str) else bytes(token)
            raise UnknownTokenError(f"{text!r} is no token", "encode() gives the tokens that it is made of")
        return found

    def bytes_of(self, id: int) -> bytes:
        """The bytes of the token with this id; an end-of-word mark in it is spelled out.

        Raises:
            UnknownTokenError: there is none.
        """
        return bytes_of(self._engine, id)

    def __len__(self) -> int:
        return len(self._engine)

    def __repr__(self) -> str:
        alphabet, mark, _ = self._engine.alphabet
        name = preset_of(self.pattern) or self.pattern
        if alphabet == "characters":
            how = f'characters, "{mark}"' if mark is not None else "characters"
        elif name is None:
            how = "no pattern"
        else:
            how = f'pattern "{name}"' if len(name) <= SHOWN else f'pattern "{name[: SHOWN - 3]}..."'
        specials = len(self.special_tokens)
        return f"<Tokenizer {len(self)} tokens, {how}, {specials} special{'' if specials == 1 else 's'}>"

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Tokenizer cannot be changed (`{name}`)\nhint: options belong to the call")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Tokenizer cannot be changed (`{name}`)\nhint: options belong to the call")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle, (type(self), self._engine.packed(), self._training, self.cache_bytes)


def _unpickle(cls: type[Tokenizer], packed: _Packed, training: TrainingRecord | None, cache_bytes: int) -> Tokenizer:
    tok = cls._from_core(_core.Tokenizer.from_packed(*packed), training)
    return tok if tok.cache_bytes == cache_bytes else tok.with_cache_bytes(cache_bytes)


def load(
    path: str | os.PathLike[str],
    *,
    format: Literal["huggingface", "tiktoken"] | None = None,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: Mapping[str, int] | Sequence[str] | None = None,
) -> Tokenizer:
    """Reads a tokenizer from a file.

    Args:
        path: the file.
        format: "huggingface" (`tokenizer.json`) or "tiktoken" (a rank file), where the name does not tell.
        pattern: a preset's name, a regular expression, or None for text that is not cut; a rank file needs it said,
            since it does not hold its own.
        special_tokens: special tokens of a rank file, with their ids, or in the order of their ids after the last.

    Raises:
        FormatError: a file that is damaged or of an unknown kind, or lacks what is needed; it says where.
        BytepairError: what `Tokenizer.from_parts` raises, for what the file holds; the file is named.
        TypeError: special tokens in a set, which has no order.
        OSError: a file that cannot be read.

    Warns:
        FormatWarning: a file whose `post_processor` adds special tokens to the ids of each text; `encode` never does.
    """
    from bytepair.formats import read  # noqa: PLC0415 - loaded when first needed

    given: object = special_tokens
    if isinstance(given, AbstractSet):
        kind = type(given).__name__
        raise TypeError(
            f"special_tokens is a `{kind}`, which has no order\nhint: pass a mapping of texts to ids, or a list"
        )
    known = LEFT_OUT if isinstance(pattern, LeftOut) else resolve(pattern)
    parts = read(path, format=format, pattern=known, special_tokens=special_tokens)
    try:
        return Tokenizer.from_parts(parts)
    except BytepairError as error:
        raise type(error)(f"{os.fspath(path)}: {error.message}", error.hint) from error


def processors(threads: int | None) -> int:
    """A number of threads: the one that is given, or as many as this process has processors.

    >>> processors(3), processors(None) >= 1
    (3, True)
    """
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return checked_integer("threads", threads, 1, MOST_THREADS)


def _bounded(name: str, value: int) -> int:
    """A limit from 0; one that no text can reach is as good as the largest."""
    if isinstance(value, int) and value > LARGEST:
        return LARGEST
    return checked_integer(name, value, 0)
