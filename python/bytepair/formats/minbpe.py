r"""Files of minbpe (`.model`): `minbpe v1`, the pattern, the special tokens, the merges.

```
minbpe v1
<the pattern, or an empty line for none>
<how many special tokens>
<special token> <id>
<left id> <right id>
```

The bytes have the ids 0 to 255, the merge of rank k the id 256 + k. So the format cannot hold other ids, a vocabulary
without one of the bytes, tokens that no merge makes, a lookup of whole pretokens, flags of special tokens, nor one
token that two merges make: in minbpe they have two ids, with the same bytes. minbpe reads a line without the white
space around it: a pattern that begins or ends with some, or spans lines, and a special token with white space in it
(which minbpe writes, and cannot read) are refused.

Cost: linear in the file.
"""

from __future__ import annotations

from typing import Final

from bytepair.errors import FormatError
from bytepair.formats.ranks import made_by, merges_of_ranks
from bytepair.formats.strict_json import shown
from bytepair.formats.text_lines import lines_of, number, refused
from bytepair.parts import MAX_ID, Parts, SpecialToken

__all__ = ["looks_like", "parse", "render"]

_VERSION: Final = "minbpe v1"
_DAMAGED: Final = "the file is cut off or damaged"
_BYTES: Final = 256
_MOST: Final = 1 << 28
"""The most bytes that all tokens may have: a line can double the longest."""


def looks_like(data: bytes) -> bool:
    r"""Whether the first line is minbpe's.

    >>> looks_like(b"minbpe v1\n\n0\n"), looks_like(b"minibpe\n")
    (True, False)
    """
    return data.startswith(b"minbpe v")


def parse(data: bytes) -> Parts:
    r"""Reads the content of a `.model`.

    >>> parse(b"minbpe v1\n\n1\n<|a b|> 257\n97 98\n").specials[0].plain[:2]
    ('<|a b|>', 257)

    Raises:
        FormatError: another version; a line (its number is named) that is not what it should be.
    """
    lines = lines_of(data)
    if not lines or lines[0].strip() != _VERSION:
        raise FormatError(
            f"line 1: {shown(lines[0] if lines else '')} is not {shown(_VERSION)}", "only this version is known"
        )
    if len(lines) < 3:  # noqa: PLR2004 - the version, the pattern and the number of special tokens
        raise FormatError("it ends before the number of special tokens", _DAMAGED)
    pattern = lines[1].strip() or None
    count = number(lines[2].strip(), len(lines))
    if count is None or 3 + count > len(lines):
        raise refused(3, lines[2], f"a number of special tokens that the {len(lines)} lines have room for", _DAMAGED)
    specials = tuple(_special(at, line) for at, line in enumerate(lines[3 : 3 + count], 4))
    contents, merges = _read_merges(4 + count, lines[3 + count :])
    return Parts(pattern=pattern, tokens=tuple(enumerate(contents)), merges=tuple(merges), specials=specials)


def render(parts: Parts) -> bytes:
    r"""Writes the content of a `.model`.

    >>> contents = [bytes([byte]) for byte in range(256)] + [b"ab"]
    >>> render(Parts(tokens=tuple(enumerate(contents)), merges=((97, 98),)))
    b'minbpe v1\n\n0\n97 98\n'

    Raises:
        FormatError: characters in place of bytes; a pattern or a special token that minbpe would read otherwise.
    """
    if parts.alphabet != "bytes":
        raise FormatError("minbpe has bytes, and these tokens are made of characters", "save it as tokenizer.json")
    pattern = parts.pattern or ""
    if pattern != pattern.strip() or len(pattern.splitlines()) > 1 or parts.pattern == "":
        raise FormatError(
            f"the pattern {shown(pattern)} begins or ends with white space, spans lines or is empty, and minbpe reads "
            "a line without the white space around it",
            "write it otherwise (a space as [ ], say), or save it as tokenizer.json",
        )
    for special in parts.specials:
        if special.content.split() != [special.content]:
            raise FormatError(
                f"the special token {shown(special.content)} has white space in it: minbpe could not read it",
                "save it as tokenizer.json",
            )
    lines = [_VERSION, pattern, str(len(parts.specials))]
    lines += [f"{special.content} {special.id}" for special in parts.specials]
    contents = dict(parts.tokens)
    numbers = {id_: content[0] for id_, content in reversed(parts.tokens) if len(content) == 1}
    merges = merges_of_ranks(parts.tokens) if parts.merges is None else parts.merges
    for rank, ((left, right), made) in enumerate(zip(merges, made_by(parts.tokens, merges), strict=True)):
        for half in (left, right):
            if half not in numbers:
                raise FormatError(
                    f"merges[{rank}] takes the token {contents[half]!r}, which no merge before it makes",
                    "minbpe cannot say what it is; save it as tokenizer.json",
                )
        lines.append(f"{numbers[left]} {numbers[right]}")
        numbers.setdefault(made, _BYTES + rank)
    return "".join(line + "\n" for line in lines).encode()


def _special(at: int, line: str) -> SpecialToken:
    content, space, id_ = line.rpartition(" ")
    value = number(id_.strip(), MAX_ID)
    if not space or not content or value is None:
        raise refused(at, line, "a special token and its id", "minbpe writes both, with a space between them")
    return SpecialToken(content, value)


def _read_merges(first: int, lines: list[str]) -> tuple[list[bytes], list[tuple[int, int]]]:
    """The tokens and the merges of these lines, the first of which has the number `first`."""
    contents = [bytes([byte]) for byte in range(_BYTES)]
    merges: dict[tuple[int, int], int] = {}
    room = _MOST
    for at, line in enumerate(lines, first):
        left, right = _merge(at, line, len(contents))
        room -= len(contents[left]) + len(contents[right])
        if room < 0:
            raise FormatError(f"line {at}: the tokens up to here have more than {_MOST} bytes", _DAMAGED)
        if merges.setdefault((left, right), at) != at:
            raise FormatError(
                f"line {at}: the merge {shown(line)} stands in line {merges[left, right]} already",
                "remove one of the two",
            )
        contents.append(contents[left] + contents[right])
    return contents, list(merges)


def _merge(at: int, line: str, known: int) -> tuple[int, int]:
    halves = [number(half, known - 1) for half in line.split()]
    if len(halves) != 2 or halves[0] is None or halves[1] is None:  # noqa: PLR2004
        raise refused(at, line, f"a merge of two ids from 0 to {known - 1}", _DAMAGED)
    return halves[0], halves[1]
