"""Rank files (`.tiktoken`): one token a line, its bytes in base64, a space, its rank.

What the format cannot hold: the pattern, the special tokens, the training record and a merge list. So reading needs a
pattern, and special tokens are given by the caller; writing leaves them out, and takes only a vocabulary that encodes
every text as its rank file would: any two tokens whose concatenation is a token merge, lowest id first, and a pretoken
that is a token is looked up whole.

A token of no bytes (`= 50256`, in whisper's files) is left out with a warning: no text gives it, and its id is a gap.

Cost: linear in the file; for writing, the engine merges each token's bytes twice (`ranks.py`).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Final

from bytepair.arguments import LEFT_OUT, LeftOut
from bytepair.errors import FormatError, FormatWarning
from bytepair.formats import given_specials, ranks
from bytepair.formats.strict_json import BYTE_ORDER_MARK, refuse_mark
from bytepair.parts import MAX_ID, Parts
from bytepair.told import tell

__all__ = ["looks_like", "parse", "render"]

_LINE: Final = re.compile(rb"([A-Za-z0-9+/]+={0,2}) ([0-9]{1,10})")
_NOTHING: Final = re.compile(rb"={1,4} ([0-9]{1,10})")
_SHOWN: Final = 60


def looks_like(data: bytes) -> bool:
    r"""Whether the first line that is not empty is one of a rank file; a byte order mark is looked past.

    >>> looks_like(b"IQ== 0\nIg== 1\n"), looks_like(b"#version: 0.2\n")
    (True, False)
    """
    first = data[:65536].removeprefix(BYTE_ORDER_MARK).lstrip(b"\r\n").split(b"\n", 1)[0].rstrip(b"\r")
    return _LINE.fullmatch(first) is not None


def parse(
    data: bytes,
    *,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: Mapping[str, int] | Sequence[str] | None = None,
) -> Parts:
    r"""Reads a rank file's content.

    Args:
        data: the content. Empty lines are skipped.
        pattern: the regular expression that the ranks were made with, or None for none; the file does not say.
        special_tokens: text -> id; or texts, which take ids from the highest rank + 1 on.

    Raises:
        FormatError: no pattern; a byte order mark; a line (its number is named) that is not `base64 rank`; a token
            that stands twice with a lower rank the second time, or a rank that does; a rank above 4294967294.

    Warns:
        FormatWarning: a token of no bytes.

    >>> parse(b"YQ== 0\nYg== 1\nYWI= 2\n", pattern=r"\w+", special_tokens={"<end>": 9}).tokens
    ((0, b'a'), (1, b'b'), (2, b'ab'))
    """
    if isinstance(pattern, LeftOut):
        raise FormatError(
            "a rank file without a pattern: the file holds none, and ids depend on it",
            'give `pattern=` (a preset such as "cl100k", a regular expression, or None for no pattern)',
        )
    refuse_mark(data)
    tokens: dict[int, bytes] = {}
    lines: dict[int, int] = {}
    ranks_of: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        token, rank = _read_line(number, line)
        if rank in lines:
            raise FormatError(
                f"line {number}: the rank {rank} is that of line {lines[rank]} already", "remove one of the two"
            )
        lines[rank] = number
        if not token:
            tell(
                FormatWarning,
                f"line {number}: the token of rank {rank} has no bytes",
                "it is left out: no text gives it",
            )
            continue
        if ranks_of.get(token, -1) > rank:
            raise FormatError(
                f"line {number}: the token {token[:_SHOWN]!r} has the rank {rank}, and in line "
                f"{lines[ranks_of[token]]} the rank {ranks_of[token]}",
                "of two, tiktoken takes the later line, and here the higher rank counts: remove one",
            )
        tokens[rank] = token
        ranks_of[token] = rank
    if not tokens:
        raise FormatError("there is no token in it", "a rank file has lines such as `IQ== 0`")
    specials = given_specials.named(special_tokens, max(lines) + 1)
    return Parts(
        pattern=pattern, tokens=tuple(sorted(tokens.items())), merges=None, whole_first=True, specials=specials
    )


def render(parts: Parts) -> bytes:
    r"""Writes a rank file's content: one line a token, in the order of ids. Pattern and special tokens are left out.

    Raises:
        FormatError: a vocabulary in characters; a token on which ranks and merges disagree, which is named.

    >>> render(Parts(tokens=((0, b"a"), (1, b"b"), (2, b"ab")), merges=((0, 1),)))
    b'YQ== 0\nYg== 1\nYWI= 2\n'
    """
    ranks.check(parts)
    return b"".join(b"%s %d\n" % (base64.b64encode(token), id_) for id_, token in sorted(parts.tokens))


def _read_line(number: int, line: bytes) -> tuple[bytes, int]:
    hint = "each line is a token in base64, one space and its rank, such as `IQ== 0`"
    nothing = _NOTHING.fullmatch(line)
    if nothing is not None and int(nothing[1]) <= MAX_ID:
        return b"", int(nothing[1])
    found = _LINE.fullmatch(line)
    if found is None:
        shown = line[:_SHOWN].decode("utf-8", "backslashreplace")
        raise FormatError(f"line {number}: {shown!r} is not a token and a rank", hint)
    encoded, rank = found.groups()
    try:
        token = base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise FormatError(f"line {number}: {encoded[:_SHOWN].decode()!r} is not base64 ({error})", hint) from None
    if int(rank) > MAX_ID:
        raise FormatError(f"line {number}: the rank {int(rank)} is above {MAX_ID}", hint)
    return token, int(rank)
