"""`tekken.json`, the file of Mistral's tokenizers: a pattern, ranks, and slots for special tokens before them.

The first `default_num_special_tokens` ids are slots of special tokens; the token of rank r has the id r + slots. Of
`vocab`, which may hold more, the ranks that `default_vocab_size` leaves room for are used. Slots that `special_tokens`
does not name are called `<SPECIAL_17>`; files without the list (versions up to v7) have the names of that time.

What the format cannot hold: special tokens elsewhere, a vocabulary that is none of ranks, one that does not begin with
the 256 bytes in order, a text that is not cut. What is about images and audio is passed over, and not kept.

Cost: linear in the file; for writing, the engine merges each token's bytes (`ranks.py`).
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats import ranks
from bytepair.formats.strict_json import Field, load, shown
from bytepair.parts import MAX_ID, Parts, SpecialToken

__all__ = ["parse", "read", "render"]

_MOST_SLOTS: Final = 1 << 16
_BYTES: Final = 256
_OLD: Final = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]"),
    *("[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
"""The special tokens of files that do not name them, in the order of their slots."""


def parse(data: bytes) -> Parts:
    """Reads the content of a `tekken.json`; errors as `read`."""
    return read(load(data))


def read(root: Field) -> Parts:
    r"""Reads the document of a `tekken.json`.

    Raises:
        FormatError: with the path and the value of what is damaged.

    >>> vocab = [{"rank": rank, "token_bytes": token} for rank, token in enumerate(["YQ==", "Yg==", "YWI="])]
    >>> config = {"pattern": r"\w+", "default_vocab_size": 5, "default_num_special_tokens": 2}
    >>> parts = read(Field({"config": config, "vocab": vocab}))
    >>> parts.tokens, [special.content for special in parts.specials]
    (((2, b'a'), (3, b'b'), (4, b'ab')), ['<unk>', '<s>'])
    """
    config, vocab = root.get("config"), root.get("vocab")
    slots = config.get("default_num_special_tokens").integer(_MOST_SLOTS)
    size, items = config.get("default_vocab_size"), vocab.items()
    wanted = size.integer(MAX_ID) - slots
    if not 0 < wanted <= len(items):
        raise size.wrong(f"a number from {slots + 1} to {slots + len(items)}: {slots} slots and the items of `vocab`")
    tokens = [_token(rank, item) for rank, item in enumerate(items[:wanted])]
    return Parts(
        pattern=config.get("pattern").string(),
        tokens=tuple(enumerate(tokens, slots)),
        merges=None,
        whole_first=True,
        specials=_specials(root.get("special_tokens"), slots),
    )


def render(parts: Parts) -> bytes:
    """Writes the content of a `tekken.json`: the special tokens in their slots, then the bytes, then the others by id.

    Raises:
        FormatError: no pattern; a vocabulary that is none of ranks, or lacks a byte.
    """
    if parts.pattern is None:
        raise FormatError("there is no pattern, and a tekken.json needs one", "save it as tokenizer.json")
    ranks.check(parts)
    ordered = [content for _, content in sorted(parts.tokens)]
    known, contents = set(ordered), [bytes([byte]) for byte in range(_BYTES)]
    if missing := [content for content in contents if content not in known]:
        raise FormatError(f"the byte {missing[0]!r} is no token", "Mistral's library needs all 256 of them")
    contents += [content for content in ordered if len(content) > 1]
    specials = sorted(parts.specials, key=lambda special: special.id)
    document = {
        "config": {
            "pattern": parts.pattern,
            "num_vocab_tokens": len(contents),
            "default_vocab_size": len(contents) + len(specials),
            "default_num_special_tokens": len(specials),
            "version": "v3",
        },
        "vocab": [_item(rank, content) for rank, content in enumerate(contents)],
        "special_tokens": [
            {"rank": slot, "token_str": special.content, "is_control": special.special}
            for slot, special in enumerate(specials)
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def _item(rank: int, content: bytes) -> dict[str, object]:
    try:
        text: str | None = content.decode()
    except UnicodeDecodeError:
        text = None
    return {"rank": rank, "token_bytes": base64.b64encode(content).decode(), "token_str": text}


def _token(rank: int, item: Field) -> bytes:
    if (given := item.get("rank")).value != rank or type(given.value) is not int:
        raise given.wrong(f"{rank}, its place in the list")
    encoded = item.get("token_bytes")
    try:
        token = base64.b64decode(encoded.string(), validate=True)
    except (binascii.Error, ValueError):
        raise encoded.wrong("base64") from None
    if not token:
        raise encoded.wrong("a token of one byte or more")
    return token


def _specials(field: Field, slots: int) -> tuple[SpecialToken, ...]:
    if field.value is None:
        named = [SpecialToken(text, slot) for slot, text in enumerate(_OLD[:slots])]
    else:
        named = [_special(slot, item) for slot, item in enumerate(field.items())]
        if len(named) > slots:
            raise FormatError(
                f"`special_tokens` has {len(named)} items, and `config.default_num_special_tokens` is {slots}",
                "each special token has a slot; the file is damaged",
            )
    named += [SpecialToken(f"<SPECIAL_{slot}>", slot) for slot in range(len(named), slots)]
    _check_once(named)
    return tuple(named)


def _special(slot: int, item: Field) -> SpecialToken:
    if (given := item.get("rank")).value != slot or type(given.value) is not int:
        raise given.wrong(f"{slot}, its place in the list")
    if not (content := item.get("token_str").string()):
        raise item.get("token_str").wrong("a text that is not empty")
    return SpecialToken(content, slot, special=item.get("is_control").boolean(default=True))


def _check_once(named: Sequence[SpecialToken]) -> None:
    seen: dict[str, int] = {}
    for special in named:
        if (first := seen.setdefault(special.content, special.id)) != special.id:
            raise FormatError(
                f"the special token {shown(special.content)} has the slots {first} and {special.id}",
                "each is named once",
            )
