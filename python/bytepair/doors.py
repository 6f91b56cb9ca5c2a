"""Ways to other programs: the part of `Tokenizer` that speaks as they do."""

from __future__ import annotations

from bytepair import _core
from bytepair.arguments import Text
from bytepair.integers import processors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from bytepair.compat.huggingface.tokenizer import HuggingFaceTokenizer, Settings
    from bytepair.compat.tiktoken.encoding import Encoding
    from bytepair.data.arrow import ArrowArray, ArrowStream
    from bytepair.encoding import Specials, UnknownSymbol
    from bytepair.prefixes import Trie

__all__ = ["Doors"]


class Doors:
    """What `Tokenizer` is to others."""

    __slots__ = ()

    _engine: _core.Tokenizer

    def as_tiktoken(self, name: str | None = None) -> Encoding:
        """The same tokenizer with the interface and the defaults of tiktoken's `Encoding`.

        Args:
            name: what it is called there; None: a beginning of the fingerprint.

        Raises:
            VocabularyError: an alphabet of characters, an end-of-word mark or a normalizer, which that interface has no
                place for.

        >>> import bytepair as bp
        >>> enc = bp.train(texts=["low lower lowest"], num_merges=2, special_tokens=["<|endoftext|>"]).as_tiktoken()
        >>> enc.encode("low"), enc.eot_token, enc.decode_with_offsets([257, 101])
        ([257], 258, ('lowe', [0, 3]))
        >>> enc.encode("<|endoftext|>")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        bytepair.errors.SpecialTokenError: Encountered text corresponding to disallowed special token '<|endoftext|>'...
        """
        from bytepair.compat.tiktoken.encoding import Encoding
        from bytepair.tokenizer import Tokenizer

        assert isinstance(self, Tokenizer)  # noqa: S101 - it is a part of that
        return Encoding.of(self, name)

    def as_huggingface(self, **settings: Unpack[Settings]) -> HuggingFaceTokenizer:
        """The same tokenizer with the interface and the defaults of `transformers`' tokenizers.

        Args:
            settings: those of `bytepair.compat.huggingface.HuggingFaceTokenizer`: `pad_token`, `bos_token`,
                `chat_template` and so on.

        >>> import bytepair as bp
        >>> hf = bp.train(texts=[], vocab_size=257, special_tokens=["<pad>"]).as_huggingface(pad_token="<pad>")
        >>> hf(["a", "bc"], padding=True)["input_ids"]
        [[97, 256], [98, 99]]
        """
        from bytepair.compat.huggingface.tokenizer import HuggingFaceTokenizer
        from bytepair.tokenizer import Tokenizer

        assert isinstance(self, Tokenizer)  # noqa: S101 - it is a part of that
        return HuggingFaceTokenizer(self, **settings)

    def encode_arrow(
        self,
        array: ArrowArray | ArrowStream,
        *,
        threads: int | None = None,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        unknown: UnknownSymbol = "raise",
    ) -> Any:  # noqa: ANN401 - pyarrow has no types
        """The ids of each row of a column of strings or bytes of Arrow's, on many threads.

        The text is read where it lies. A dictionary is encoded once; views and values of a fixed size are copied.

        Args:
            array: what pyarrow makes, or what has Arrow's PyCapsule interface, such as a column of polars or pandas.
            threads: as for `encode_batch`.
            allowed_special: as for `encode`.
            disallowed_special: as for `encode`.
            unknown: as for `encode`.

        Returns:
            A `pyarrow.ListArray` of uint32 with as many rows, and null where the text is; a `LargeListArray` for large
            strings, large bytes, views and values of a fixed size; a `ChunkedArray` of them for several chunks.

        Raises:
            TypeError: no column of Arrow's, or not of texts; and all that `encode` raises, naming the row.
            ValueError: more ids than offsets of 32 bits count.
            ImportError: pyarrow is not installed.

        >>> import bytepair as bp
        >>> import pyarrow as pa
        >>> bp.train(texts=[], vocab_size=256).encode_arrow(pa.array(["a", None, "bc"])).to_pylist()
        [[97], None, [98, 99]]
        """
        from bytepair.data.encoded import encode

        return encode(array, self._engine, processors(threads), allowed_special, disallowed_special, unknown)

    def tokens_with_prefix(self, prefix: Text) -> list[int]:
        """The ids of the tokens whose bytes begin so, in the order of their bytes; control tokens are not among them.

        For token healing: the last token of a prompt is taken away, and the model's next one must begin with its bytes.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["low low lowest lowest"], num_merges=3)
        >>> [tok.bytes_of(id) for id in tok.tokens_with_prefix("lo")]
        [b'lo', b'low']
        """
        return _core.tokens_with_prefix(self._engine, prefix)

    def trie(self) -> Trie:
        """The vocabulary as a trie in arrays; made anew at each call, so keep it.

        >>> import bytepair as bp
        >>> trie = bp.train(texts=["low low"], num_merges=2).trie()
        >>> len(trie), trie.tokens(trie.node("lo")).tolist()
        (259, [256, 257])
        """
        from bytepair.prefixes import trie_of

        return trie_of(self._engine)
