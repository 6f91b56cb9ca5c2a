r"""The pair `vocab.json` (spelling -> id) and `merges.txt` (two spellings a line), of GPT-2 and RoBERTa.

Bytes are spelled in the byte alphabet (`byte_alphabet.py`). A first line that begins with `#version` is a header; every
other line is a merge, `# #` too. GPT-2's own names for the two files are `encoder.json` and `vocab.bpe`.

What the format cannot hold: the pattern, which is GPT-2's unless the caller says otherwise; flags of special tokens; a
lookup of whole pretokens. Nor does it say which tokens are special: those that no text can become, of more than one
byte and made by no merge, if the caller does not name them. Pairs with an end-of-word mark (CLIP, GPT-1) are refused.

Cost: linear in the files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final

from bytepair.arguments import LEFT_OUT, LeftOut
from bytepair.errors import FormatError
from bytepair.formats import byte_alphabet, given_specials
from bytepair.formats.huggingface_read import read_vocab
from bytepair.formats.ranks import merges_of_ranks
from bytepair.formats.strict_json import Field, load, shown
from bytepair.formats.text_lines import lines_of
from bytepair.parts import Parts, SpecialToken

__all__ = ["companions", "is_merges", "parse", "render"]

_HEADER: Final = "#version"
_NAMES: Final = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
_MARK: Final = "</w>"


def companions(name: str) -> list[str]:
    """The names that the other file of a pair may have, the likeliest first.

    >>> companions("gpt2-vocab.json"), companions("vocab.bpe")
    (['gpt2-merges.txt', 'merges.txt', 'vocab.bpe'], ['encoder.json', 'vocab.json'])
    """
    found = []
    for one, two in (*_NAMES, *(pair[::-1] for pair in _NAMES)):
        if name.lower().endswith(one):
            found.append(name[: -len(one)] + two)
    column = 1 if name.lower().endswith(".json") else 0
    return list(dict.fromkeys([*found, *(pair[column] for pair in _NAMES)]))


def is_merges(data: bytes) -> bool:
    r"""Whether the content is that of a `merges.txt`, and not of a `vocab.json`.

    >>> is_merges(b"#version: 0.2\n# #\n"), is_merges(b' {"a": 0}')
    (True, False)
    """
    return not data[:4096].lstrip().startswith(b"{")


def parse(
    vocab: bytes,
    merges: bytes,
    *,
    pattern: str | LeftOut | None = LEFT_OUT,
    special_tokens: Mapping[str, int] | Sequence[str] | None = None,
    added: Sequence[SpecialToken] = (),
) -> Parts:
    r"""Reads the contents of the two files.

    Args:
        vocab: the content of `vocab.json`.
        merges: the content of `merges.txt`.
        pattern: the regular expression; left out: GPT-2's.
        special_tokens: text -> id, or texts; those that are keys of `vocab.json` have the ids there. None: the keys of
            more than one byte that no merge makes.
        added: special tokens with their ids and flags, from files beside these.

    Raises:
        FormatError: what is wrong, with the key or the line.

    >>> parse(b'{"#": 0, "##": 1, "<s>": 2}', b"#version: 0.2\n# #\n").specials[0].plain[:2]
    ('<s>', 2)
    """
    ids = read_vocab(Field(load(vocab).value, "vocab.json"))
    pairs = _read_merges(_lines(merges), ids)
    used = {key for left, right in pairs for key in (left, right, left + right)}
    specials = _specials(ids, used, special_tokens, added)
    texts = {special.content for special in specials}
    tokens = []
    for key, id_ in ids.items():
        if key in texts and key not in used:
            continue
        content = byte_alphabet.read(key)
        if content is None:
            raise FormatError(
                f"`vocab.json` has {shown(key)} with a character that spells no byte",
                "the file is not byte-level; name it among `special_tokens` if it is one",
            )
        tokens.append((id_, content))
    return Parts(
        pattern=_gpt2() if isinstance(pattern, LeftOut) else pattern,
        tokens=tuple(sorted(tokens)),
        merges=tuple((ids[left], ids[right]) for left, right in pairs),
        specials=specials,
    )


def render(parts: Parts) -> tuple[bytes, bytes]:
    r"""Writes the contents of `vocab.json` and `merges.txt`.

    >>> parts = Parts(tokens=((0, b" "), (1, b"a"), (2, b" a")), merges=((0, 1),))
    >>> [content.decode() for content in render(parts)]
    ['{"Ġ": 0, "a": 1, "Ġa": 2}', '#version: 0.2\nĠ a\n']

    Raises:
        FormatError: characters in place of bytes; two tokens that are spelled alike.
    """
    if parts.alphabet != "bytes":
        raise FormatError("the files spell bytes, and these tokens are made of characters", "save it as tokenizer.json")
    spelled = {id_: byte_alphabet.spell(content) for id_, content in parts.tokens}
    vocab = {spelling: id_ for id_, spelling in sorted(spelled.items())}
    for special in parts.specials:
        if vocab.setdefault(special.content, special.id) != special.id:
            raise FormatError(
                f"the special token {shown(special.content)} is spelled like the token of id {vocab[special.content]}",
                "save it as tokenizer.json",
            )
    if len(vocab) < len(spelled):
        id_ = next(id_ for id_, spelling in spelled.items() if vocab[spelling] != id_)
        raise FormatError(
            f"the tokens of the ids {vocab[spelled[id_]]} and {id_} have the same bytes, and a key has one id",
            "save it as tokenizer.json",
        )
    merges = merges_of_ranks(parts.tokens) if parts.merges is None else parts.merges
    lines = ["#version: 0.2", *(f"{spelled[left]} {spelled[right]}" for left, right in merges)]
    ordered = dict(sorted(vocab.items(), key=lambda entry: entry[1]))
    return json.dumps(ordered, ensure_ascii=False).encode(), "".join(line + "\n" for line in lines).encode()


def _gpt2() -> str:
    from bytepair.patterns import PATTERNS  # noqa: PLC0415 - loaded when first needed

    return PATTERNS["gpt2"]


def _lines(merges: bytes) -> list[str]:
    try:
        return lines_of(merges)
    except FormatError as error:
        raise FormatError(f"merges.txt: {error.message}", error.hint) from None


def _read_merges(lines: list[str], ids: Mapping[str, int]) -> dict[tuple[str, str], int]:
    """The merges in order, with the numbers of their lines."""
    found: dict[tuple[str, str], int] = {}
    for at, line in enumerate(lines, 1):
        if not line or (at == 1 and line.startswith(_HEADER)):
            continue
        left, _, right = line.partition(" ")
        if not left or not right or " " in right:
            raise FormatError(
                f"line {at} of merges.txt: {shown(line)} is not two tokens with one space between them",
                "merges.txt has one merge a line",
            )
        for key in (left, right, left + right):
            if key not in ids:
                raise FormatError(
                    f"line {at} of merges.txt merges {shown(left)} and {shown(right)}, and {shown(key)} is not in "
                    "`vocab.json`",
                    "both halves of a merge, and what it makes, are tokens; do the two files belong together?",
                )
        if (left, right) in found:
            raise FormatError(
                f"line {at} of merges.txt merges {shown(left)} and {shown(right)}, as line {found[left, right]} does",
                "remove one of the two",
            )
        if right.endswith(_MARK):
            raise FormatError(
                f"line {at} of merges.txt has the end-of-word mark {shown(_MARK)}",
                "pairs with a mark (those of CLIP and GPT-1) are not read yet",
            )
        found[left, right] = at
    return found


def _specials(
    ids: Mapping[str, int],
    used: set[str],
    given: Mapping[str, int] | Sequence[str] | None,
    added: Sequence[SpecialToken],
) -> tuple[SpecialToken, ...]:
    found = {special.content: special for special in added}
    if given is None:
        named = tuple(SpecialToken(key, id_) for key, id_ in ids.items() if len(key) > 1 and key not in used)
    elif isinstance(given, Mapping):
        named = given_specials.named(given, 0)
    else:
        free = count(max([*ids.values(), *(special.id for special in added)], default=-1) + 1)
        texts = [special.content for special in given_specials.named(given, 0) if special.content not in found]
        named = given_specials.named({text: ids[text] if text in ids else next(free) for text in texts}, 0)
    found = {special.content: special for special in named} | found
    for content, special in found.items():
        if ids.get(content, special.id) != special.id:
            raise FormatError(
                f"the special token {shown(content)} has the id {special.id}, and {ids[content]} in `vocab.json`",
                "leave the id to the file: name the texts alone",
            )
    return tuple(found.values())
