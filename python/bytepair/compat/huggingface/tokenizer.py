"""A tokenizer with the interface and the defaults of `transformers`' own.

Added tokens are found in the text, the special tokens of the file's template come around it, unknown ids decode to
nothing. Every option belongs to a call; only the roles of tokens (`pad_token` and so on) may be set.

Texts that are split into words already are not taken; `Tokenizer.save` gives a folder that `transformers` reads, which
does all the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, Literal, TypedDict, cast, overload

from bytepair.compat.huggingface import chat
from bytepair.compat.huggingface.batch import (
    BatchEncoding,
    Options,
    Padding,
    Row,
    Side,
    columns,
    cut,
    framed,
    padded,
)
from bytepair.compat.huggingface.template import Special, Template, of
from bytepair.compat.huggingface.vocabulary import Roles, Spelling
from bytepair.tokenizer import Tokenizer

__all__ = ["HuggingFaceTokenizer", "Settings"]


class Settings(TypedDict, total=False):
    """What a tokenizer is made with; see `HuggingFaceTokenizer`."""

    template: Template | None
    chat_template: str | Mapping[str, str] | None
    model_max_length: int | None
    padding_side: Side
    truncation_side: Side
    model_input_names: Sequence[str]
    extra_special_tokens: Sequence[str] | Mapping[str, str]
    bos_token: str | None
    eos_token: str | None
    unk_token: str | None
    sep_token: str | None
    pad_token: str | None
    cls_token: str | None
    mask_token: str | None


Ids = Sequence[int] | Sequence[Sequence[int]] | Any
_NO_LENGTH: Final = int(1e30)
"""The `model_max_length` of `transformers` where there is none, so that it can be compared."""


class HuggingFaceTokenizer(Roles, Spelling):
    """A tokenizer as `transformers` has them.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest"], num_merges=2, special_tokens=["<s>", "<pad>"])
    >>> hf = tok.as_huggingface(pad_token="<pad>", template=Template(before=(tok.special_tokens["<s>"],)))
    >>> hf(["low<s>", "lowest"], padding=True, return_offsets_mapping=True)["input_ids"]
    [[258, 257, 258, 259, 259], [258, 257, 101, 115, 116]]
    >>> hf("lowest", max_length=3, truncation=True, return_tensors="np")["input_ids"]
    array([[258, 257, 101]])
    >>> hf.decode([258, 257], skip_special_tokens=True)
    'low'

    Args:
        tokenizer: the tokenizer.
        template: special tokens around each text, and how offsets are given; None for the special tokens that the
            tokenizer's own `tokenizer.json` puts there.
        chat_template: a Jinja template, or several by their names, for `apply_chat_template`.
        model_max_length: the length where a call truncates or pads and does not say how long; None for none, and the
            attribute is then as large as `transformers` has it.
        padding_side: the side that is padded unless a call says otherwise.
        truncation_side: the side that is cut off.
        model_input_names: the columns that a call gives unless it says otherwise.
        extra_special_tokens: special tokens without a role; or roles that are none of the usual ones, and their tokens,
            which chat templates see, too.
        roles: texts of tokens: `bos_token`, `eos_token`, `unk_token`, `sep_token`, `pad_token`, `cls_token`,
            `mask_token`.

    Raises:
        SpecialTokenError: a role for what is no token.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        template: Template | None = None,
        chat_template: str | Mapping[str, str] | None = None,
        model_max_length: int | None = None,
        padding_side: Side = "right",
        truncation_side: Side = "right",
        model_input_names: Sequence[str] = ("input_ids", "attention_mask"),
        extra_special_tokens: Sequence[str] | Mapping[str, str] = (),
        **roles: str | None,
    ) -> None:
        self._tok = tokenizer
        self.template = of(tokenizer) if template is None else template
        self.chat_template = chat_template
        self.model_max_length = _NO_LENGTH if model_max_length is None else model_max_length
        self.padding_side: Side = padding_side
        self.truncation_side: Side = truncation_side
        self.model_input_names = list(model_input_names)
        self._set_roles(roles)
        self._set_extra(extra_special_tokens)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer itself."""
        return self._tok

    def __repr__(self) -> str:
        return f"<HuggingFaceTokenizer of {self._tok!r}>"

    def __call__(
        self,
        text: str | Sequence[str] | Sequence[tuple[str, str]],
        text_pair: str | Sequence[str] | None = None,
        *,
        add_special_tokens: bool = True,
        padding: Padding = False,
        truncation: bool | str | None = None,
        max_length: int | None = None,
        stride: int = 0,
        pad_to_multiple_of: int | None = None,
        padding_side: Side | None = None,
        return_tensors: Literal["np", "pt"] | None = None,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        split_special_tokens: bool = False,
    ) -> BatchEncoding:
        """The ids of a text, or of each of several, and what goes with them.

        Args:
            text: one text, or a list or tuple of them, or of pairs of them.
            text_pair: a second text for each, which stands in one row with it.
            add_special_tokens: put the template's special tokens around each text.
            padding: True or "longest": to the longest row; "max_length"; False.
            truncation: True or "longest_first": to `max_length`, the special tokens included, by shortening the longer
                of two texts first; "only_first", "only_second": one of the two; False. None: only if `max_length` is
                given and nothing is padded.
            max_length: how many ids a row has at most, or exactly; None for `model_max_length`.
            stride: how many ids a window shares with the one before it.
            pad_to_multiple_of: pad to the next multiple of this.
            padding_side: "left" or "right"; None for the tokenizer's.
            return_tensors: None for lists, "np" for NumPy arrays, "pt" for torch tensors, both of int64.
            return_token_type_ids: whether there is `token_type_ids`: what the template says of each id, such as 1 for
                the second text; None: if `model_input_names` has it.
            return_attention_mask: whether there is `attention_mask`: 0 for padding; None: as before.
            return_overflowing_tokens: keep what truncation cuts off, as rows that follow; `overflow_to_sample_mapping`
                says which text each is of.
            return_special_tokens_mask: whether there is `special_tokens_mask`: 1 for the template's tokens and padding.
            return_offsets_mapping: whether there is `offset_mapping`: of each id, (start, end) in characters.
            return_length: whether there is `length`: of each row.
            split_special_tokens: whether added tokens in the text are text.

        Returns:
            Columns with a row for each text; of one text and without tensors, its only row. `sequence_ids` of the batch
            says which text each id is of.

        Raises:
            TypeError: what is no text.
            ValueError: padding without a `pad_token`; lengths that contradict each other; rows of different lengths
                that cannot be an array; as many second texts as there are first ones are not there.
        """
        options = self._options(
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            stride=stride,
            multiple=pad_to_multiple_of,
            side=padding_side,
        )
        is_one = isinstance(text, str)
        firsts, seconds = _paired([text] if is_one else text, _second(text_pair, is_one=is_one))
        texts = self._texts(firsts, seconds, return_offsets_mapping, split_special_tokens)
        rows = self._framed(texts, options, adds=add_special_tokens, keeps_all=return_overflowing_tokens)
        wanted = {
            "token_type_ids": self._wants("token_type_ids", return_token_type_ids),
            "attention_mask": self._wants("attention_mask", return_attention_mask),
            "special_tokens_mask": return_special_tokens_mask,
            "offset_mapping": return_offsets_mapping,
            "length": return_length,
            "overflow_to_sample_mapping": return_overflowing_tokens,
        }
        batch = columns(padded([*rows], options), wanted).convert_to_tensors(return_tensors)
        if not is_one or return_tensors is not None or return_overflowing_tokens:
            return batch
        return batch.only()

    def _wants(self, column: str, asked: bool | None) -> bool:
        return column in self.model_input_names if asked is None else asked

    def _options(
        self,
        *,
        padding: Padding,
        truncation: bool | str | None,
        max_length: int | None,
        stride: int = 0,
        multiple: int | None,
        side: Side | None,
    ) -> Options:
        return Options.of(
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            stride=stride,
            multiple=multiple,
            side=self.padding_side if side is None else side,
            cut_side=self.truncation_side,
            pad_id=self.pad_token_id,
            longest=None if self.model_max_length >= _NO_LENGTH else self.model_max_length,
        )

    def _rows(self, texts: Sequence[str], with_spans: bool, split: bool) -> Iterable[Row]:
        """The ids of each text, and where they come from."""
        allowed: Literal["all"] | tuple[()] = () if split else "all"
        if not with_spans:
            batch = self._tok.encode_batch(texts, allowed_special=allowed, unknown="skip")
            yield from (Row(ids, None, sample=sample) for sample, ids in enumerate(batch))
            return
        for sample, text in enumerate(texts):
            ids, contents, _, spans, *_ = self._tok._engine.trace(text, allowed, (), "skip")  # noqa: SLF001
            yield Row(ids, spans, sample=sample, contents=contents)

    def _texts(
        self, firsts: Sequence[str], seconds: Sequence[str | None], with_spans: bool, split: bool
    ) -> Iterator[list[Row]]:
        """The ids of each text, or of each of two."""
        others = iter(self._rows([text for text in seconds if text is not None], with_spans, split))
        for row, second in zip(self._rows(firsts, with_spans, split), seconds, strict=True):
            yield [row] if second is None else [row, next(others)]

    def _framed(self, texts: Iterable[list[Row]], options: Options, *, adds: bool, keeps_all: bool) -> Iterator[Row]:
        """The rows of texts, or pairs of them; `keeps_all`: and those of the windows behind the first."""
        for one in texts:
            pieces = self.template.pieces(is_pair=len(one) > 1)
            room = sum(len(piece.ids) for piece in pieces if isinstance(piece, Special)) if adds else 0
            windows = [
                [self._trimmed(window) for window in (made if keeps_all else islice(made, 1))]
                for made in cut(one, options, room)
            ]
            yield from framed(pieces, windows, adds=adds)

    def _trimmed(self, row: Row) -> Row:
        """The row with its offsets as the template wants them: it looks at what the row begins with."""
        if row.spans is None or row.contents is None:
            return row
        return replace(row, spans=self.template.trimmed(row.spans, row.contents))

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """How many special tokens the template puts around a text, or around two."""
        return sum(len(piece.ids) for piece in self.template.pieces(is_pair=pair) if isinstance(piece, Special))

    def encode(self, text: str, text_pair: str | None = None, **options: Any) -> list[int]:
        """The ids of one text, or of two; options as for a call."""
        return cast(list[int], self(text, text_pair, **options)["input_ids"])

    def tokenize(self, text: str, pair: str | None = None, add_special_tokens: bool = False) -> list[str]:
        """The tokens of one text, or of two, as `tokenizer.json` spells them."""
        return [self._names[id] for id in self.encode(text, pair, add_special_tokens=add_special_tokens)]

    def pad(
        self,
        encoded_inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        padding: Padding = True,
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
        padding_side: Side | None = None,
        return_attention_mask: bool | None = None,
        return_tensors: Literal["np", "pt"] | None = None,
    ) -> BatchEncoding:
        """Pads rows that were made before, as collators do: columns of rows, or a list of rows with their columns.

        `input_ids`, `token_type_ids`, `attention_mask` and `special_tokens_mask` are padded; other columns stay as they
        are.

        Raises:
            ValueError: as a call.
        """
        if not isinstance(encoded_inputs, Mapping):
            encoded_inputs = {name: [row[name] for row in encoded_inputs] for name in encoded_inputs[0]}
        options = self._options(
            padding=padding, truncation=False, max_length=max_length, multiple=pad_to_multiple_of, side=padding_side
        )
        given = {name: _listed(column) for name, column in encoded_inputs.items()}
        ids = given["input_ids"]
        is_one = bool(ids) and not isinstance(ids[0], list)
        if is_one:
            given = {name: [column] for name, column in given.items()}
        masks = given.get("attention_mask") or [[1] * len(row) for row in given["input_ids"]]
        special = given.get("special_tokens_mask") or [[0] * len(row) for row in given["input_ids"]]
        types = given.get("token_type_ids") or [[0] * len(row) for row in given["input_ids"]]
        rows = [
            Row(ids, None, special=mask, attention=attention, types=kinds)
            for ids, mask, attention, kinds in zip(given["input_ids"], special, masks, types, strict=True)
        ]
        masked = ("attention_mask",) if self._wants("attention_mask", return_attention_mask) else ()
        made = columns(padded(rows, options), dict.fromkeys((*masked, *given), True))
        batch = BatchEncoding({**given, **{name: made[name] for name in made if name in _PADDED}})
        if is_one:
            batch = BatchEncoding({name: column[0] for name, column in batch.items()})
        return batch.convert_to_tensors(return_tensors)

    def decode(
        self,
        token_ids: Ids,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,  # noqa: ARG002 - BPE is never cleaned up, there neither
    ) -> Any:
        """The text of ids, or the texts of rows of them; an id that no token has is left out.

        Args:
            token_ids: an id, a list, array or tensor of ids, or rows of them.
            skip_special_tokens: leave control tokens out.
            clean_up_tokenization_spaces: without effect, as it is there for byte-pair tokenizers.
        """
        ids = _listed(token_ids)
        if isinstance(ids, list) and ids and isinstance(ids[0], (list, tuple)):
            return self._tok.decode_batch(ids, skip_special=skip_special_tokens, unknown="skip")
        return self._tok.decode(
            [ids] if isinstance(ids, int) else ids, skip_special=skip_special_tokens, unknown="skip"
        )

    def batch_decode(
        self,
        sequences: Ids,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,  # noqa: ARG002 - as `decode`
    ) -> list[str]:
        """The texts of rows of ids; as `decode`."""
        return self._tok.decode_batch(_listed(sequences), skip_special=skip_special_tokens, unknown="skip")

    @overload
    def apply_chat_template(self, conversation: Any, *, tokenize: Literal[False], **options: Any) -> Any: ...
    @overload
    def apply_chat_template(self, conversation: Any, **options: Any) -> Any: ...
    def apply_chat_template(
        self,
        conversation: Any,
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        tokenize: bool = True,
        return_dict: bool = True,
        tokenizer_kwargs: Mapping[str, Any] | None = None,
        padding: Padding = False,
        truncation: bool = False,
        max_length: int | None = None,
        return_tensors: Literal["np", "pt"] | None = None,
        **variables: Any,
    ) -> Any:
        """The text of a conversation as a model was trained on it, or its ids.

        The template is a program of whoever made the file: it runs in Jinja's sandbox, on plain data.

        Args:
            conversation: messages, each with "role" and "content"; or a list of conversations.
            tools: JSON schemas of functions.
            documents: documents, each with "title" and "text".
            chat_template: another template than the stored one, or the name of one.
            add_generation_prompt: end with what begins an answer.
            continue_final_message: leave the last message open, for the model to go on with.
            tokenize: ids; else text.
            return_dict: a batch of ids and masks; else ids.
            tokenizer_kwargs: further options of the call that makes the ids.
            padding: as for a call.
            truncation: as for a call.
            max_length: as for a call.
            return_tensors: as for a call.
            variables: what else the template asks for.

        Raises:
            ValueError: no template; no messages; what the template refuses.
            TypeError: what is no plain data.
            ImportError: jinja2 is not installed, or too old.

        >>> import bytepair as bp
        >>> tok = bp.train(texts=[], vocab_size=257, special_tokens=["<|end|>"])
        >>> template = "{% for m in messages %}{{ m.role[0] }}:{{ m.content }}<|end|>{% endfor %}"
        >>> hf = tok.as_huggingface(chat_template=template)
        >>> hf.apply_chat_template([{"role": "user", "content": "Hi"}], tokenize=False)
        'u:Hi<|end|>'
        """
        is_batch = chat.is_batch(conversation)
        template = chat.chosen(self.chat_template, chat_template, has_tools=tools is not None)
        texts = [
            chat.render(
                template,
                one,
                {**self.special_tokens_map, **variables},
                tools=tools,
                documents=documents,
                add_generation_prompt=add_generation_prompt,
                continue_final_message=continue_final_message,
            )
            for one in (conversation if is_batch else [conversation])
        ]
        rendered = texts if is_batch else texts[0]
        if not tokenize:
            return rendered
        batch = self(
            rendered,
            **{
                "add_special_tokens": False,
                "padding": padding,
                "truncation": truncation,
                "max_length": max_length,
                "return_tensors": return_tensors,
                **(tokenizer_kwargs or {}),
            },
        )
        return batch if return_dict else batch["input_ids"]


_PADDED: Final = ("input_ids", "token_type_ids", "attention_mask", "special_tokens_mask")


def _second(text_pair: object, *, is_one: bool) -> list[object] | None:
    """The second texts, one for each of the first; None where there are none."""
    if text_pair is None or (is_one and text_pair == ""):  # as there
        return None
    if is_one != isinstance(text_pair, str) or not isinstance(text_pair, (str, list, tuple)):
        kind = type(text_pair).__name__
        raise TypeError(f"text_pair is of type `{kind}`\nhint: a str beside a text, a list or tuple beside several")
    return [text_pair] if is_one else list(text_pair)


def _paired(texts: object, second: Sequence[object] | None) -> tuple[list[str], list[str | None]]:
    """The first and the second text of each row.

    Raises:
        TypeError: what is no text.
        ValueError: not as many second texts as first ones.
    """
    if not isinstance(texts, (list, tuple)):
        kind = type(texts).__name__
        raise TypeError(f"the text is of type `{kind}`\nhint: pass a str, or a list or tuple of them")
    if second is not None and len(second) != len(texts):
        raise ValueError(f"there are {len(texts)} texts and {len(second)} in text_pair\nhint: give one for each")
    firsts: list[str] = []
    seconds: list[str | None] = []
    for index, item in enumerate(texts):
        given = [item] if second is None else [item, second[index]]
        if second is None and isinstance(item, (list, tuple)) and len(item) == 2:  # noqa: PLR2004 - a pair
            given = list(item)
        for text in given:
            if not isinstance(text, str):
                kind = type(text).__name__
                raise TypeError(f"item {index} of the texts is of type `{kind}`\nhint: every item is a str, or two")
        firsts.append(given[0])
        seconds.append(given[1] if len(given) > 1 else None)
    return firsts, seconds


def _listed(ids: Any) -> Any:
    """Arrays and tensors as lists."""
    if hasattr(ids, "tolist"):
        return ids.tolist()
    return [_listed(row) for row in ids] if isinstance(ids, (list, tuple)) else ids
