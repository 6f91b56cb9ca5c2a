"""A tokenizer with the interface and the defaults of `transformers`' own.

Added tokens are found in the text, the special tokens of the file's template come around it, unknown ids decode to
nothing. Every option belongs to a call; only the roles of tokens (`pad_token` and so on) may be set.

Pairs of texts and texts that are split into words already are not taken; `Tokenizer.save` gives a folder that
`transformers` reads, which does all the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypedDict, cast, overload

from bytepair.compat.huggingface import chat
from bytepair.compat.huggingface.batch import BatchEncoding, Options, Padding, Row, Side, columns, cut, padded
from bytepair.compat.huggingface.template import Template, of
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
_DEFAULTS: Final = {"input_ids": True, "attention_mask": True}


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
        roles: texts of tokens: `bos_token`, `eos_token`, `unk_token`, `sep_token`, `pad_token`, `cls_token`,
            `mask_token`.

    Raises:
        SpecialTokenError: a role for what is no token.
    """

    model_input_names: tuple[str, ...] = ("input_ids", "attention_mask")

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        template: Template | None = None,
        chat_template: str | Mapping[str, str] | None = None,
        model_max_length: int | None = None,
        padding_side: Side = "right",
        truncation_side: Side = "right",
        **roles: str | None,
    ) -> None:
        self._tok = tokenizer
        self.template = of(tokenizer) if template is None else template
        self.chat_template = chat_template
        self.model_max_length = _NO_LENGTH if model_max_length is None else model_max_length
        self.padding_side: Side = padding_side
        self.truncation_side: Side = truncation_side
        self._set_roles(roles)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer itself."""
        return self._tok

    def __repr__(self) -> str:
        return f"<HuggingFaceTokenizer of {self._tok!r}>"

    def __call__(
        self,
        text: str | Sequence[str],
        *,
        add_special_tokens: bool = True,
        padding: Padding = False,
        truncation: bool | str | None = None,
        max_length: int | None = None,
        stride: int = 0,
        pad_to_multiple_of: int | None = None,
        padding_side: Side | None = None,
        return_tensors: Literal["np", "pt"] | None = None,
        return_attention_mask: bool = True,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        split_special_tokens: bool = False,
    ) -> BatchEncoding:
        """The ids of a text, or of each of several, and what goes with them.

        Args:
            text: one text, or a list or tuple of them.
            add_special_tokens: put the template's special tokens around each text.
            padding: True or "longest": to the longest row; "max_length"; False.
            truncation: True: to `max_length`, the special tokens included; False. None: only if `max_length` is given
                and nothing is padded.
            max_length: how many ids a row has at most, or exactly; None for `model_max_length`.
            stride: how many ids a window shares with the one before it.
            pad_to_multiple_of: pad to the next multiple of this.
            padding_side: "left" or "right"; None for the tokenizer's.
            return_tensors: None for lists, "np" for NumPy arrays, "pt" for torch tensors, both of int64.
            return_attention_mask: whether there is `attention_mask`: 0 for padding.
            return_overflowing_tokens: keep what truncation cuts off, as rows that follow; `overflow_to_sample_mapping`
                says which text each is of.
            return_special_tokens_mask: whether there is `special_tokens_mask`: 1 for the template's tokens and padding.
            return_offsets_mapping: whether there is `offset_mapping`: of each id, (start, end) in characters.
            return_length: whether there is `length`: of each row.
            split_special_tokens: whether added tokens in the text are text.

        Returns:
            Columns with a row for each text; of one text and without tensors, its only row.

        Raises:
            TypeError: what is no text.
            ValueError: padding without a `pad_token`; lengths that contradict each other; rows of different lengths
                that cannot be an array.
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
        texts = _texts([text] if is_one else text)
        template = self.template if add_special_tokens else Template(trims=self.template.trims)
        rows: list[Row] = []
        for row in self._rows(texts, return_offsets_mapping, split_special_tokens):
            windows = cut(row, options, len(template))
            kept = list(windows) if return_overflowing_tokens else [next(windows)]
            rows += [_framed(self._trimmed(window), template) for window in kept]
        wanted = {
            "attention_mask": return_attention_mask,
            "special_tokens_mask": return_special_tokens_mask,
            "offset_mapping": return_offsets_mapping,
            "length": return_length,
            "overflow_to_sample_mapping": return_overflowing_tokens,
        }
        batch = columns(padded(rows, options), wanted).convert_to_tensors(return_tensors)
        if not is_one or return_tensors is not None or return_overflowing_tokens:
            return batch
        return BatchEncoding({name: column[0] if name != "length" else column for name, column in batch.items()})

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

    def _trimmed(self, row: Row) -> Row:
        """The row with its offsets as the template wants them: it looks at what the row begins with."""
        if row.spans is None or row.contents is None:
            return row
        return replace(row, spans=self.template.trimmed(row.spans, row.contents))

    def encode(self, text: str, **options: Any) -> list[int]:
        """The ids of one text; options as for a call."""
        return cast(list[int], self(text, **options)["input_ids"])

    def tokenize(self, text: str, *, add_special_tokens: bool = False) -> list[str]:
        """The tokens of one text, as `tokenizer.json` spells them."""
        return [self._names[id] for id in self.encode(text, add_special_tokens=add_special_tokens)]

    def pad(
        self,
        encoded_inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        padding: Padding = True,
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
        padding_side: Side | None = None,
        return_tensors: Literal["np", "pt"] | None = None,
    ) -> BatchEncoding:
        """Pads rows that were made before, as collators do: columns of rows, or a list of rows with their columns.

        `input_ids`, `attention_mask` and `special_tokens_mask` are padded; other columns stay as they are.

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
        rows = [Row(*row) for row in zip(given["input_ids"], [None] * len(masks), special, masks, strict=True)]
        made = columns(padded(rows, options), dict.fromkeys(("attention_mask", *given), True))
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


_PADDED: Final = ("input_ids", "attention_mask", "special_tokens_mask")


def _texts(texts: object) -> Sequence[str]:
    if not isinstance(texts, (list, tuple)):
        kind = type(texts).__name__
        raise TypeError(f"the text is of type `{kind}`\nhint: pass a str, or a list or tuple of them")
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"item {index} of the texts is of type `{type(text).__name__}`\nhint: every item is a str")
    return texts


def _framed(row: Row, template: Template) -> Row:
    """A row with its template's special tokens."""
    before, after = len(template.before), len(template.after)
    ids = template.around(row.ids)
    spans = None if row.spans is None else [(0, 0)] * before + row.spans + [(0, 0)] * after
    special = [1] * before + [0] * len(row.ids) + [1] * after
    return Row(ids, spans, special, [1] * len(ids), row.sample)


def _listed(ids: Any) -> Any:
    """Arrays and tensors as lists."""
    if hasattr(ids, "tolist"):
        return ids.tolist()
    return [_listed(row) for row in ids] if isinstance(ids, (list, tuple)) else ids
