"""`Tokenizer`: text -> ids, ids -> text, and why.

It holds the engine's tokenizer and how it was trained, and never changes: every option belongs to a call. So it can be
shared between threads and across a fork.

Loading a file and encoding a text need little of the package, and of the standard library: what else a method needs is
imported when it is first called.
"""

from __future__ import annotations

import os

from bytepair import _core
from bytepair.arguments import LEFT_OUT, LeftOut, Text
from bytepair.decoding import Decoding
from bytepair.doors import Doors
from bytepair.editing.methods import Editing
from bytepair.encoding import Encoding
from bytepair.errors import BytepairError, PatternError, UnknownTokenError, VocabularyError
from bytepair.explaining import Explaining
from bytepair.integers import bounded
from bytepair.patterns import PATTERNS, preset_of, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, NoReturn, Self

    from bytepair._core import _Packed
    from bytepair.formats.kinds import Format
    from bytepair.parts import Parts, TrainingRecord
    from bytepair.vocabulary import Info

__all__ = ["Tokenizer", "load"]

SHOWN = 30
"""The longest pattern that `repr` shows whole."""


class Tokenizer(Encoding, Decoding, Explaining, Editing, Doors):
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

    def __new__(cls) -> Self:
        """Refuses: there is more than one way to make a tokenizer, and none of them is this."""
        raise TypeError("a Tokenizer is not made by calling the class\nhint: use train, load or Tokenizer.from_parts")

    @classmethod
    def _from_core(cls, core: _core.Tokenizer, training: TrainingRecord | None = None) -> Self:
        """Wraps the engine's tokenizer; for this package's own use."""
        self = super().__new__(cls, core)
        object.__setattr__(self, "_engine", core)
        object.__setattr__(self, "_training", training)
        return self

    @classmethod
    def from_parts(cls, parts: Parts) -> Self:
        """Puts a tokenizer together; the opposite of `parts`.

        >>> from bytepair import Parts
        >>> parts = Parts(tokens=tuple((b, bytes([b])) for b in range(256)) + ((256, b"ab"),), merges=((97, 98),))
        >>> Tokenizer.from_parts(parts).encode("abba")
        [256, 98, 97]

        Raises:
            VocabularyError: tokens and merges that contradict each other; it names the token or the merge.
            SpecialTokenError: special tokens that contradict each other or the vocabulary.
            PatternError: a pattern that cannot be used; a preset's name, since parts have patterns spelled out.
        """
        from bytepair.parts import around

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
                [special.plain for special in parts.specials],
                around(parts),
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
        from bytepair.parts import Parts, SpecialToken, unpacked

        alphabet, end_of_word, joined, pattern, tokens, merges, whole_first, specials, own = self._engine.plain()
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
            **unpacked(own),
        )

    def save(
        self,
        path: str | os.PathLike[str],
        format: Format | None = None,
        *,
        allow_loss: bool = False,
        like: str | os.PathLike[str] | None = None,
    ) -> None:
        """Writes a file, which either is complete or does not appear.

        Args:
            path: where; the name tells the format: `.json` means Hugging Face's `tokenizer.json`, which holds
                everything, `.tiktoken` a rank file, `vocab.json` that and `merges.txt`, `tekken.json` Mistral's
                file, `.codes` subword-nmt's, a folder what `transformers` reads.
            format: the format, where the name does not tell; the names are those of `load`.
            allow_loss: write the file even if its format cannot hold everything, and warn of what it does not hold.
            like: for a folder: another one, whose roles of tokens, chat templates and settings are taken over.

        Raises:
            FormatError: a name that tells no format; something that the format cannot hold, which is named.
            OSError: the file cannot be written.

        Warns:
            FormatWarning: what was lost, if `allow_loss` allowed it; what of `like` is not taken over.
        """
        from bytepair.formats import write

        lost = write(self.parts, path, format, allow_loss=allow_loss, like=like)
        if lost:
            from bytepair.errors import FormatWarning
            from bytepair.told import tell

            what = f"{os.fspath(path)} was written without {'; '.join(lost)}"
            tell(FormatWarning, what, "a tokenizer.json holds everything")

    @property
    def vocabulary(self) -> Mapping[int, bytes]:
        """The bytes of every token by its id, special tokens included."""
        from bytepair.vocabulary import Vocabulary

        return Vocabulary(self._engine)

    @property
    def merges(self) -> Sequence[tuple[int, int]]:
        """(left id, right id) in the order of their ranks.

        For a rank file: of each token, the last pair that is merged when its own bytes are.
        """
        from bytepair.vocabulary import Merges

        return Merges(self._engine)

    @property
    def pattern(self) -> str | None:
        """The regular expression that cuts text into pretokens; None for none, and with characters."""
        return self._engine.pattern

    @property
    def alphabet(self) -> Literal["bytes", "characters", "unicode"]:
        """What tokens are made of."""
        return self._engine.alphabet[0]

    @property
    def end_of_word(self) -> str | None:
        """How the end-of-word mark is written; None for none."""
        return self._engine.alphabet[1]

    @property
    def special_tokens(self) -> dict[str, int]:
        """Special and added tokens and their ids, in the order of the ids; a copy."""
        return {content: id for content, id, *_ in self._engine.specials()}

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
        """Whether decoding may give another text than was encoded.

        With words, white space is not kept; nor is what a pattern takes away (`(?removed)`, `(?kept)`), or white space
        that a special token takes (`lstrip`, `rstrip`). A normalizer changes texts. And a character that is no token
        is lost where it does not fall back to bytes.
        """
        from bytepair.formats.pattern_stages import drops

        if (
            self.alphabet == "characters"
            or self.end_of_word is not None
            or (self.alphabet == "unicode" and not self._engine.falls_back)
            or drops(self.pattern)
        ):
            return True
        return self._engine.normalises or any(lstrip or rstrip for *_, lstrip, rstrip, _ in self._engine.specials())

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
        return self._from_core(self._engine.with_cache_bytes(bounded("bytes", bytes)), self._training)

    def info(self) -> Info:
        """The tokenizer in figures and words."""
        from bytepair.vocabulary import Info, around_of, gaps, oddities

        alphabet, end_of_word, joined = self._engine.alphabet
        splitter, reason = self._engine.splitter
        path, path_reason = self._engine.path
        unmade, ordered, around = oddities(self._engine)
        normalizer, decoder, unknown = around_of(around)
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
            normalizer=normalizer,
            decoder=decoder,
            unknown=unknown,
            splitter=splitter,
            splitter_reason=reason,
            path=path,
            path_reason=path_reason,
            whole_first=self._engine.whole_first,
            rank_file=self._engine.is_ranks,
            lossy=self.lossy,
            gaps=gaps(self._engine),
            unmade=unmade,
            twins=self._engine.twins,
            ordered=ordered,
            unicode_version=_core.UNICODE_VERSION,
            normalizer_unicode=tuple(map(" ".join, _core.unicode_versions(self._engine))),
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
        from bytepair.vocabulary import bytes_of

        return bytes_of(self._engine, id)

    def __len__(self) -> int:
        return len(self._engine)

    def _repr_html_(self) -> str:
        from bytepair.render.notebook import notebook
        from bytepair.render.views import tokenizer_view

        return notebook(tokenizer_view(self))

    def __repr__(self) -> str:
        alphabet, mark, _ = self._engine.alphabet
        name = preset_of(self.pattern) or self.pattern
        if alphabet == "characters":
            how = f'characters, "{mark}"' if mark is not None else "characters"
        elif alphabet == "unicode" and name is None:
            how = "characters and bytes" if self._engine.falls_back else "characters"
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
    format: Format | None = None,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: Mapping[str, int] | Sequence[str] | None = None,
) -> Tokenizer:
    """Reads a tokenizer from a file, or from a folder of one.

    Args:
        path: the file; a folder such as `transformers` writes.
        format: the format, where the content does not tell: "huggingface" (`tokenizer.json`), "tiktoken" (a rank file),
            "gpt2" (`vocab.json` and `merges.txt`, of which one is named), "tekken", "minbpe", "subword-nmt", "fastbpe",
            "gguf", "clip", "transformers" (a folder).
        pattern: a preset's name, a regular expression, or None for text that is not cut; a rank file needs it said,
            since it does not hold its own; `vocab.json` and `merges.txt` may have another than GPT-2's.
        special_tokens: special tokens of a file that does not name its own, with their ids, or in the order of their
            ids after the last.

    Raises:
        FormatError: a file that is damaged or of an unknown kind, or lacks what is needed; it says where.
        BytepairError: what `Tokenizer.from_parts` raises, for what the file holds; the file is named.
        TypeError: special tokens in a set, which has no order.
        OSError: a file that cannot be read.

    Warns:
        FormatWarning: a file whose `post_processor` adds special tokens to the ids of each text, or whose `dropout`
            leaves merges out; `encode` never does by itself.
    """
    from bytepair.formats import load as load_file

    given: object = special_tokens
    if not isinstance(given, dict | list | tuple | None):
        from collections.abc import Set as AbstractSet

        if isinstance(given, AbstractSet):
            kind = type(given).__name__
            raise TypeError(
                f"special_tokens is a `{kind}`, which has no order\nhint: pass a mapping of texts to ids, or a list"
            )
    known = LEFT_OUT if isinstance(pattern, LeftOut) else resolve(pattern)
    read = load_file(path, format=format, pattern=known, special_tokens=special_tokens)
    if isinstance(read, tuple):
        return Tokenizer._from_core(*read)  # noqa: SLF001 - the same module
    try:
        return Tokenizer.from_parts(read)
    except BytepairError as error:
        raise type(error)(f"{os.fspath(path)}: {error.message}", error.hint) from error
