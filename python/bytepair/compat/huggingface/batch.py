"""What a call gives: rows of ids, framed, cut and padded, as lists, arrays or tensors.

A row is a text, or a window of one; then one or two texts with a template's special tokens between. Where texts are
cut into windows, a row of two texts stands for each pair of their windows, in the order of `tokenizers`: the first
window of both; those of the first text that follow, each with all of the second; those of the second that follow, with
the first window of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from bytepair.compat.huggingface.template import Pieces, Text

__all__ = ["BatchEncoding", "Options", "Padding", "Row", "Side", "columns", "cut", "framed", "padded"]

Span = tuple[int, int]
Side = Literal["left", "right"]
Cut = Literal["longest_first", "only_first", "only_second"]
Padding = bool | Literal["longest", "max_length", "do_not_pad"]
_HINT = "pass padding=True, and truncation=True with max_length, for rows of one length"


class BatchEncoding(dict[str, Any]):
    """The columns of a batch by their names, which are attributes too.

    >>> batch = BatchEncoding(input_ids=[[1, 2]])
    >>> batch.input_ids == batch["input_ids"]
    True
    """

    _texts: Sequence[Sequence[int | None]] | None = None

    def sequence_ids(self, batch_index: int = 0) -> list[int | None]:
        """Of each id of a row, the text that it is of: 0, 1, or None for a special token.

        Raises:
            ValueError: the batch was not made by a call.
        """
        if self._texts is None:
            raise ValueError("the batch does not say which ids are of which text\nhint: take it as a call returns it")
        return list(self._texts[batch_index])

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no column `{name}`\nhint: there are {', '.join(self)}") from None

    def only(self) -> Self:
        """The columns of the only row; `length` stays a list, as it does in `transformers`."""
        made = type(self)({name: column[0] if name != "length" else column for name, column in self.items()})
        made.take_texts(self._texts)
        return made

    def take_texts(self, texts: Sequence[Sequence[int | None]] | None) -> None:
        """Takes what `sequence_ids` says of each row."""
        self._texts = texts

    def to(self, device: Any, **options: Any) -> Self:
        """Moves torch tensors to a device, and is the batch itself."""
        for name, column in self.items():
            if hasattr(column, "to"):
                self[name] = column.to(device, **options)
        return self

    def convert_to_tensors(self, tensor_type: str | None) -> Self:
        """Makes arrays of the columns: "np" or "pt"; None leaves them as they are.

        Raises:
            ValueError: rows of different lengths; another type.
            ImportError: torch is not installed.
        """
        if tensor_type is None:
            return self
        make = _maker(tensor_type)
        for name, column in self.items():
            try:
                self[name] = make(column)
            except (ValueError, TypeError) as error:
                raise ValueError(f"no array can be made of `{name}` ({error})\nhint: {_HINT}") from None
        return self


def _maker(tensor_type: str) -> Any:
    if tensor_type == "np":
        import numpy as np

        return lambda column: np.asarray(column, dtype=np.int64)
    if tensor_type == "pt":
        try:
            import torch
        except ImportError as error:
            message = f'return_tensors="pt" needs torch, which cannot be imported ({error})\nhint: pip install torch'
            raise ImportError(message, name="torch") from None
        return lambda column: torch.as_tensor(column, dtype=torch.int64)
    raise ValueError(f'return_tensors is {tensor_type!r}\nhint: it is "np" or "pt"')


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a text, or a window of it."""

    ids: list[int]
    spans: list[Span] | None
    """The characters of each id; None where nobody asked."""
    special: list[int] = field(default_factory=list)
    """1 for an id that stands for no text."""
    attention: list[int] = field(default_factory=list)
    """0 for padding."""
    sample: int = 0
    """The index of the text."""
    contents: list[bytes] | None = None
    """The bytes of each id; None where nobody asked."""
    types: list[int] = field(default_factory=list)
    """What the template says of each id, `token_type_ids`."""
    texts: list[int | None] = field(default_factory=list)
    """The text of each id: 0, 1, or None for a special token."""

    def window(self, start: int, end: int) -> Row:
        """Some of its ids."""
        return replace(
            self,
            ids=self.ids[start:end],
            spans=None if self.spans is None else self.spans[start:end],
            contents=None if self.contents is None else self.contents[start:end],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How rows are cut and padded, from the words of a call."""

    pad: Literal["longest", "max_length", "do_not_pad"]
    cut: Cut | None
    """Which text is cut; None if none is."""
    length: int | None
    stride: int
    multiple: int | None
    side: Side
    cut_side: Side
    pad_id: int | None

    @classmethod
    def of(
        cls,
        *,
        padding: Padding | str,
        truncation: bool | str | None,
        max_length: int | None,
        stride: int,
        multiple: int | None,
        side: Side,
        cut_side: Side,
        pad_id: int | None,
        longest: int | None,
    ) -> Options:
        """Reads them.

        Raises:
            ValueError: a word that is none; padding without a token for it; lengths that contradict each other.
        """
        if max_length is not None and padding is False and truncation is None:
            truncation = True
        pad = _pad(padding)
        strategy = _cut(truncation)
        if side not in ("left", "right") or cut_side not in ("left", "right"):
            raise ValueError(f'a side is {side!r} or {cut_side!r}\nhint: sides are "left" and "right"')
        length = longest if max_length is None and (strategy or pad == "max_length") else max_length
        if length is None:  # as there: without a length, neither can be done
            strategy, pad = None, "do_not_pad" if pad == "max_length" else pad
        if pad != "do_not_pad" and pad_id is None:
            raise ValueError("there is no token to pad with\nhint: name one: tokenizer.pad_token = tokenizer.eos_token")
        if length is not None and (length < 0 or stride < 0):
            raise ValueError(f"max_length is {length} and stride {stride}\nhint: neither is below 0")
        if multiple is not None and multiple < 1:
            raise ValueError(f"pad_to_multiple_of is {multiple}\nhint: it is 1 or more")
        if strategy and pad != "do_not_pad" and multiple and length is not None and length % multiple:
            raise ValueError(
                f"max_length is {length}, no multiple of pad_to_multiple_of, {multiple}\nhint: change either"
            )
        return cls(
            pad=pad,
            cut=strategy,
            length=length,
            stride=stride,
            multiple=multiple,
            side=side,
            cut_side=cut_side,
            pad_id=pad_id,
        )


def _pad(padding: object) -> Literal["longest", "max_length", "do_not_pad"]:
    if padding is True or padding == "longest":
        return "longest"
    if padding is False or padding == "do_not_pad":
        return "do_not_pad"
    if padding == "max_length":
        return "max_length"
    raise ValueError(f'padding is {padding!r}\nhint: it is True, "longest", "max_length", or False')


def _cut(truncation: object) -> Cut | None:
    if truncation is True or truncation == "longest_first":
        return "longest_first"
    if truncation in (False, None, "do_not_truncate"):
        return None
    if truncation == "only_first":
        return "only_first"
    if truncation == "only_second":
        return "only_second"
    raise ValueError(
        f'truncation is {truncation!r}\nhint: it is True, "longest_first", "only_first", "only_second", or False'
    )


def cut(rows: Sequence[Row], options: Options, room: int) -> list[Iterator[Row]]:
    """The windows of a text, or of each of two, which leave room for so many special tokens; the one to keep is first.

    Raises:
        ValueError: no room is left for the text, or the text to be cut is too short for it.
    """
    if options.cut is None or options.length is None:
        return [iter((row,)) for row in rows]
    most, stride = options.length - room, options.stride
    if most < 0:
        raise ValueError(f"max_length is {options.length}, but {room} special tokens come on top\nhint: raise it")
    if most and stride >= most:
        raise ValueError(f"stride is {stride}, and {most} ids are left for the text\nhint: lower the stride")
    sizes = _sizes([len(row.ids) for row in rows], most, options.cut)
    for row, size in zip(rows, sizes, strict=True):
        if len(row.ids) > size > 0 and stride >= size:
            raise ValueError(f"stride is {stride}, and {size} ids are left for one text\nhint: lower the stride")
    return [_windows(row, size, options) for row, size in zip(rows, sizes, strict=True)]


def _sizes(counts: Sequence[int], most: int, strategy: Cut) -> list[int]:
    """How many ids each text keeps, so that together they have so many at most."""
    excess = sum(counts) - most
    if excess <= 0:
        return list(counts)
    if most == 0:
        return [0] * len(counts)
    if strategy != "longest_first":
        which = 0 if strategy == "only_first" else 1
        if which >= len(counts):
            raise ValueError('truncation is "only_second", and there is one text\nhint: "only_first" cuts it')
        if counts[which] <= excess:
            raise ValueError(
                f'truncation is "{strategy}", and that text has {counts[which]} ids where {excess} are too many\n'
                'hint: raise max_length, or use "longest_first"'
            )
        return [count - excess if at == which else count for at, count in enumerate(counts)]
    if len(counts) == 1:
        return [most]
    short = min(counts)
    long = max(short, most - short)
    if short + long > most:
        short, long = most // 2, most - most // 2
    return [short, long] if counts[0] <= counts[1] else [long, short]


def _windows(row: Row, size: int, options: Options) -> Iterator[Row]:
    """The windows of a text that are so long; the one to keep comes first."""
    count = len(row.ids)
    if count <= size:
        yield row
        return
    if size == 0:
        yield row.window(0, 0)
        yield row
        return
    edge = 0
    while True:
        end = min(edge + size, count)
        yield row.window(edge, end) if options.cut_side == "right" else row.window(count - end, count - edge)
        if end == count:
            return
        edge += size - options.stride


def framed(pieces: Pieces, windows: Sequence[Sequence[Row]], *, adds: bool) -> list[Row]:
    """The rows of a template: the one to keep, and those of the windows that follow; `adds`: with special tokens."""
    order = [piece.index for piece in pieces if isinstance(piece, Text)]
    made: list[dict[int, Row]] = [{}]
    for index in order:
        first, *more = windows[index]
        kept, *others = made
        made = [{**kept, index: first}]
        for other in others:
            made += [{**other, index: window} for window in (first, *more)]
        made += [{**kept, index: window} for window in more]
    return [_joined(pieces, texts, adds=adds) for texts in made]


def _joined(pieces: Pieces, texts: Mapping[int, Row], *, adds: bool) -> Row:
    """One row: its texts with the template's special tokens."""
    first = next(iter(texts.values()))
    ids: list[int] = []
    spans: list[Span] | None = None if first.spans is None else []
    special: list[int] = []
    types: list[int] = []
    owners: list[int | None] = []
    for piece in pieces:
        if isinstance(piece, Text):
            row = texts[piece.index]
            count = len(row.ids)
            ids += row.ids
            if spans is not None:
                spans += row.spans or ()
            special += [0] * count
            owners += [piece.index] * count
        elif adds:
            count = len(piece.ids)
            ids += piece.ids
            if spans is not None:
                spans += [(0, 0)] * count
            special += [1] * count
            owners += [None] * count
        else:
            continue
        types += [piece.type] * count
    return Row(ids, spans, special, [1] * len(ids), first.sample, types=types, texts=owners)


def padded(rows: Sequence[Row], options: Options) -> list[Row]:
    """The rows, padded to one length."""
    if options.pad == "do_not_pad" or options.pad_id is None:
        return list(rows)
    length = max((len(row.ids) for row in rows), default=0) if options.pad == "longest" else options.length or 0
    if options.multiple:
        length = -(-length // options.multiple) * options.multiple
    return [_padded(row, length - len(row.ids), options.pad_id, options.side) for row in rows]


def _padded(row: Row, missing: int, pad_id: int, side: Side) -> Row:
    if missing <= 0:
        return row

    def put(items: list[Any], filling: Any) -> list[Any]:
        return items + [filling] * missing if side == "right" else [filling] * missing + items

    return replace(
        row,
        ids=put(row.ids, pad_id),
        spans=None if row.spans is None else put(row.spans, (0, 0)),
        special=put(row.special, 1),
        attention=put(row.attention, 0),
        types=put(row.types, 0),
        texts=put(row.texts, None),
    )


def columns(rows: Sequence[Row], wanted: Mapping[str, bool]) -> BatchEncoding:
    """The columns that are wanted, a list for each row."""
    batch = BatchEncoding(input_ids=[row.ids for row in rows])
    made: dict[str, Any] = {
        "token_type_ids": [row.types for row in rows],
        "attention_mask": [row.attention for row in rows],
        "special_tokens_mask": [row.special for row in rows],
        "offset_mapping": [row.spans for row in rows],
        "length": [len(row.ids) for row in rows],
        "overflow_to_sample_mapping": [row.sample for row in rows],
    }
    batch.update({name: column for name, column in made.items() if wanted.get(name)})
    batch.take_texts([row.texts for row in rows])
    return batch
