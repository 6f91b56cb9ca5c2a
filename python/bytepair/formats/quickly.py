"""Files that are as they should be, read straight into the engine, without an object for every token.

Where anything is unusual the answer is None, and the format's own module reads the file: the same, or an error that
says what is wrong. Little is imported here, since a process that only encodes does nothing else that takes as long.
"""

from __future__ import annotations

from bytepair import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

    from bytepair.parts import TrainingRecord

__all__ = ["huggingface", "tiktoken"]

_MAX_ID: Final = 2**32 - 2
_FLAGS: Final = (True, False, False, False, False)
"""special; not normalized, nor any other."""


def tiktoken(
    data: bytes, pattern: str | None, special_tokens: Mapping[str, int] | Sequence[str] | None
) -> _core.Tokenizer | None:
    r"""The tokenizer of a rank file's content; arguments as for `formats.read`.

    >>> len(tiktoken(b"YQ== 0\nYg== 1\n", None, ["<end>"])), tiktoken(b"YQ== 0\nYg==\n", None, None)
    (3, None)

    Raises:
        PatternError: a pattern that cannot be used.
        SpecialTokenError: special tokens that contradict each other or the ranks.
    """
    after = isinstance(special_tokens, list | tuple)
    if special_tokens is None:
        pairs = []
    elif isinstance(special_tokens, dict):
        pairs = list(special_tokens.items())
    elif isinstance(special_tokens, list | tuple):
        pairs = [(content, place) for place, content in enumerate(special_tokens)]
    else:
        return None
    if not all(type(content) is str and content and type(id) is int and 0 <= id <= _MAX_ID for content, id in pairs):
        return None
    return _core.load_ranks(data, pattern, [(content, id, *_FLAGS) for content, id in pairs], after)


def huggingface(data: bytes) -> tuple[_core.Tokenizer, TrainingRecord | None] | None:
    """The tokenizer of a `tokenizer.json`, and how it was trained.

    Warns:
        FormatWarning: as `formats.read`.
    """
    read = _core.read_model(data)
    if read is None:
        return None
    from bytepair.errors import BytepairError  # noqa: PLC0415 - rank files need none of these
    from bytepair.formats import huggingface_read, strict_json  # noqa: PLC0415

    model, rest = read
    try:
        return huggingface_read.load(strict_json.load(rest.encode()), model)
    except BytepairError:
        return None
