"""The part of `Tokenizer` that makes other tokenizers of it. What a method does is imported when it is called."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Unpack

    from bytepair.arguments import Text
    from bytepair.counts.mapping import CountsMapping
    from bytepair.counts.pretoken_counts import PretokenCounts
    from bytepair.data.places import Files
    from bytepair.data.sources import Texts
    from bytepair.editing.edited import Edited
    from bytepair.measuring.reading import Reading
    from bytepair.tokenizer import Tokenizer

__all__ = ["Editing"]


class Editing:
    """How `Tokenizer` becomes another one. Each method gives the new tokenizer and where each old id went."""

    __slots__ = ()

    @property
    def _whole(self) -> Tokenizer:
        return self  # type: ignore[return-value] # no other class has this as its base

    def with_special_tokens(self, tokens: Sequence[str] | Mapping[str, int]) -> Edited:
        """This tokenizer with more special tokens. Every old id stays.

        Args:
            tokens: their texts, which take the ids after the highest one; or a mapping to ids that are free. The id
                of the ordinary token that has the same text makes that one special.

        Raises:
            SpecialTokenError: an id or a text that another token has, which is named; a text that is empty.
            TypeError: a set, which has no order, or no texts.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["low low"], num_merges=2, special_tokens=["<s>"])
        >>> tok.with_special_tokens(["<t>"]).tokenizer.special_tokens
        {'<s>': 258, '<t>': 259}
        >>> tok.with_special_tokens({"<t>": 257})
        Traceback (most recent call last):
            ...
        bytepair.errors.SpecialTokenError: the special token `<t>` has id 257, which is the id of the token `low`
        hint: use an id that is free, from 259 on
        """
        from bytepair.editing.special import with_special_tokens

        return with_special_tokens(self._whole, tokens)

    def without(self, tokens: Iterable[Text | int]) -> Edited:
        """This tokenizer without some tokens, which never come out again. Ids are dense, in the old order.

        Longer tokens that were built through one of them are built of two other parts. Where there are no two, they are
        looked up, and come out where they are a whole pretoken: `Edited.whole_only` names them. A merge list then
        looks up every pretoken before it merges it (`ignore_merges` in a `tokenizer.json`). Text in which no removed
        token was made on the way is encoded as before.

        Args:
            tokens: contents, texts of special tokens, or ids.

        Raises:
            VocabularyError: a base symbol, without which some text could not be encoded.
            UnknownTokenError: a token that there is not.
            TypeError: one text in place of several; what is neither text nor id.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["low lower lowest low"], num_merges=3)
        >>> edited = tok.without(["low"])
        >>> edited.removed, edited.old_to_new[-3:].tolist()
        ((257,), [256, -1, 257])
        """
        from bytepair.editing.removing import without

        return without(self._whole, tokens)

    def truncated(self, num_merges: int | None = None, *, vocab_size: int | None = None) -> Edited:
        """This tokenizer with its first merges alone: what `sweep` gives figures of. Ids are dense, in the old order.

        Base symbols and special tokens stay; of a tokenizer that was trained from nothing, the special tokens follow
        directly. Of a rank file the first tokens of two bytes and more stay. Tokens that no merge makes go, unless all
        merges stay.

        Args:
            num_merges: how many merges stay.
            vocab_size: how many tokens stay at most, special ones included. Exactly one of the two is given.

        Raises:
            ValueError: more merges than there are.
            VocabularyError: a size that base symbols and special tokens alone are above.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["low lower lowest low"], num_merges=3, special_tokens=["<s>"])
        >>> small = tok.truncated(1).tokenizer
        >>> small.encode("low"), small.special_tokens
        ([256, 119], {'<s>': 257})
        """
        from bytepair.editing.truncating import truncated

        return truncated(self._whole, num_merges, vocab_size)

    def pruned(
        self,
        texts: Texts | None = None,
        keep: int | None = None,
        *,
        files: Files | None = None,
        counts: PretokenCounts | CountsMapping | None = None,
        **reading: Unpack[Reading],
    ) -> Edited:
        """This tokenizer without the tokens that a corpus does not need. Ids are dense, in the old order.

        Tokens go one by one, always one of which no other that stays is made, the least used first; so none of the
        others is lost. Without `keep` those go that are not used, and the corpus is encoded as before, token for token.
        Base symbols and special tokens always stay.

        Args:
            texts: the corpus: an iterable of str or bytes, each one document.
            keep: how many tokens stay, special ones included; None for those that are used.
            files: the corpus as files, instead.
            counts: or as counts of pretokens. Exactly one of the three is given.
            reading: how the corpus is read; as in `count_pretokens`.

        Raises:
            VocabularyError: `keep` is less than base symbols and special tokens alone are.
            TrainingError: counts that were made with another pattern; counts for a tokenizer that normalises texts,
                which are of texts as they are.
            As `count_pretokens`.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["low lower lowest low"], num_merges=3)
        >>> tok.pruned(["low"])
        <Edited: 259 tokens became 258; 1 gone, 0 new>
        """
        from bytepair.editing.pruning import pruned

        return pruned(self._whole, {"texts": texts, "files": files}, counts, reading, keep)

    def extended(
        self,
        texts: Texts | Mapping[str, Texts] | None = None,
        num_merges: int | None = None,
        **settings: Any,  # noqa: ANN401 - those of `train`
    ) -> Edited:
        """This tokenizer with more tokens, learned from a corpus. Old ids and merges stay, and come first.

        A tokenizer of bytes that normalises texts learns from the normalised ones. One whose tokens are made of
        characters that fall back to bytes, as SentencePiece's are, cannot go on: SentencePiece learned its pieces from
        words that were cut by rules which its file does not hold.

        Args:
            texts: the corpus: an iterable of str or bytes, each one document; or a mapping from names of sources.
            num_merges: how many merges are learned. `vocab_size=` may be given instead.
            settings: all others of `train`: `files` or `counts` in place of `texts`, `special_tokens`, `min_count`, ...

        Raises:
            TrainingError, TypeError and others: as `train`.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=["low low"], num_merges=2, special_tokens=["<s>"])
        >>> edited = tok.extended(["newest widest"], 2)
        >>> [edited.tokenizer.bytes_of(id) for id in edited.added]
        [b'es', b'est']
        """
        from bytepair.editing.extending import extended

        return extended(self._whole, {"texts": texts, "num_merges": num_merges, **settings})
