"""What a call gives: rows of ids, cut and padded, as lists, arrays or tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

__all__ = ["BatchEncoding", "Options", "Padding", "Row", "Side", "columns", "cut", "padded"]

Span = tuple[int, int]
Side = Literal["left", "right"]
Padding = bool | Literal["longest", "max_length", "do_not_pad"]
_HINT = "pass padding=True, and truncation=True with max_length, for rows of one length"


class BatchEncoding(dict[str, Any]):
    """The columns of a batch by their names, which are attributes too.

    >>> batch = BatchEncoding(input_ids=[[1, 2]])
    >>> batch.input_ids == batch["input_ids"]
    True
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no column `{name}`\nhint: there are {', '.join(self)}") from None

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
    cut: bool
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
        if truncation not in (True, False, None, "longest_first", "only_first", "do_not_truncate"):
            raise ValueError(f'truncation is {truncation!r}\nhint: it is True, "longest_first", "only_first", or False')
        if side not in ("left", "right") or cut_side not in ("left", "right"):
            raise ValueError(f'a side is {side!r} or {cut_side!r}\nhint: sides are "left" and "right"')
        cuts = truncation not in (False, None, "do_not_truncate")
        length = longest if max_length is None and (cuts or pad == "max_length") else max_length
        if length is None:  # as there: without a length, neither can be done
            cuts, pad = False, "do_not_pad" if pad == "max_length" else pad
        if pad != "do_not_pad" and pad_id is None:
            raise ValueError("there is no token to pad with\nhint: name one: tokenizer.pad_token = tokenizer.eos_token")
        if length is not None and (length < 0 or stride < 0):
            raise ValueError(f"max_length is {length} and stride {stride}\nhint: neither is below 0")
        if multiple is not None and multiple < 1:
            raise ValueError(f"pad_to_multiple_of is {multiple}\nhint: it is 1 or more")
        if cuts and pad != "do_not_pad" and multiple and length is not None and length % multiple:
            raise ValueError(
                f"max_length is {length}, no multiple of pad_to_multiple_of, {multiple}\nhint: change either"
            )
        return cls(
            pad=pad,
            cut=cuts,
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


def cut(row: Row, options: Options, room: int) -> Iterator[Row]:
    """The windows of a row, each of which leaves room for so many ids around it; the one to keep comes first.

    Raises:
        ValueError: no room is left for the text.
    """
    if not options.cut or options.length is None:
        yield row
        return
    size, count = options.length - room, len(row.ids)
    if size < 0:
        raise ValueError(f"max_length is {options.length}, but {room} special tokens come on top\nhint: raise it")
    if size and options.stride >= size:
        raise ValueError(f"stride is {options.stride}, and {size} ids are left for the text\nhint: lower the stride")
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
    )


def columns(rows: Sequence[Row], wanted: Mapping[str, bool]) -> BatchEncoding:
    """The columns that are wanted, a list for each row."""
    batch = BatchEncoding(input_ids=[row.ids for row in rows])
    made: dict[str, Any] = {
        "attention_mask": [row.attention for row in rows],
        "special_tokens_mask": [row.special for row in rows],
        "offset_mapping": [row.spans for row in rows],
        "length": [len(row.ids) for row in rows],
        "overflow_to_sample_mapping": [row.sample for row in rows],
    }
    batch.update({name: column for name, column in made.items() if wanted.get(name)})
    return batch
