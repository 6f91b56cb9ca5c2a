r"""`bpe_simple_vocab_16e6.txt`, the merges of CLIP, which are packed with gzip or not.

```
"bpe_simple_vocab_16e6.txt#version: 0.2
i n
t h
t h</w>
```

Bytes are spelled in the byte alphabet, and the last of a word has the end-of-word mark joined to it. Ids go to the 256
bytes in the order of that alphabet, to the same with the mark, to the merges, and to `<|startoftext|>` and
`<|endoftext|>`. CLIP uses the first 48,894 merges, so that there are 49,408 ids; the rest of its file is not read.

Everything else is CLIP's: composed characters (NFC), small letters, and words that are letters, one digit, or other
characters, with what is between them dropped. CLIP's own program mends broken texts (ftfy) and HTML entities before
that; here this is up to the caller, as in Hugging Face's library.

What the format cannot hold: other words, another normalizer, other ids, flags of special tokens.

Cost: linear in the file, of which at most 64 MiB are unpacked.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Mapping, Sequence
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats import byte_alphabet, given_specials
from bytepair.formats.huggingface_symbols import CLIP_PATTERN, marked
from bytepair.formats.strict_json import shown
from bytepair.formats.text_lines import lines_of, refused
from bytepair.normalizing import Normalizer, Step
from bytepair.parts import MARK, Parts

__all__ = ["looks_like", "parse", "render"]

MERGES: Final = 48_894
"""How many merges CLIP uses."""

_HEADER: Final = '"bpe_simple_vocab_16e6.txt#version: 0.2'
_NAME: Final = b"bpe_simple_vocab"
_MARK: Final = "</w>"
_SPECIALS: Final = ("<|startoftext|>", "<|endoftext|>")
_NORMALIZER: Final = Normalizer((Step("nfc"), Step("replace_pattern", (r"\s+", " ")), Step("lowercase")))
_GZIP: Final = b"\x1f\x8b"
_MOST: Final = 64 << 20
_HEAD: Final = 100


def looks_like(data: bytes) -> bool:
    r"""Whether the first line names the file, packed or not.

    >>> looks_like(render(parse(b"bpe_simple_vocab#version: 0.2\nt h\n")))
    True
    """
    try:
        return _NAME in _unpacked(data, _HEAD).split(b"\n", 1)[0]
    except FormatError:
        return False


def parse(data: bytes, *, special_tokens: Mapping[str, int] | Sequence[str] | None = None) -> Parts:
    r"""Reads the content of such a file.

    Args:
        data: the content.
        special_tokens: text -> id, or texts, which take the ids after the last merge; None: CLIP's two.

    Raises:
        FormatError: a line (its number is named) that is not what it should be; damaged gzip.

    >>> parts = parse(b"bpe_simple_vocab#version: 0.2\nt h\nth e</w>\n")
    >>> len(parts.tokens), parts.merges, parts.specials[1].id
    (514, ((83, 71), (512, 324)), 515)
    """
    lines = lines_of(_unpacked(data, _MOST))
    if not lines or _NAME.decode() not in lines[0]:
        raise FormatError("the first line does not name `bpe_simple_vocab`", "it is another kind of file")
    base = [bytes([byte]) for byte in byte_alphabet.ORDER]
    ids = {content: id_ for id_, content in enumerate([*base, *(byte + MARK for byte in base)])}
    pairs: list[tuple[int, int]] = []
    for at, line in enumerate(lines[1 : MERGES + 1], 2):
        left, right = _halves(line, at)
        if left not in ids or right not in ids:
            missing = left if left not in ids else right
            raise FormatError(
                f"line {at}: {shown(_spell(missing))} is no byte, and no line before makes it", "the file is damaged"
            )
        if ids.setdefault(left + right, len(ids)) != 2 * len(base) + len(pairs):
            raise FormatError(f"line {at}: {shown(line)} makes a token that is there already", "the file is damaged")
        pairs.append((ids[left], ids[right]))
    return Parts(
        end_of_word=_MARK,
        end_of_word_joined=True,
        pattern=CLIP_PATTERN,
        tokens=tuple((id_, content) for content, id_ in ids.items()),
        merges=tuple(pairs),
        specials=given_specials.named(_SPECIALS if special_tokens is None else special_tokens, len(ids)),
        normalizer=_NORMALIZER,
    )


def render(parts: Parts) -> bytes:
    """Writes the content of such a file, not packed.

    Raises:
        FormatError: other tokens than bytes with a joined mark; more merges than CLIP uses.
    """
    if parts.alphabet != "bytes" or parts.end_of_word is None or parts.merges is None:
        raise FormatError(
            "CLIP's merges are of bytes with an end-of-word mark, and these tokens are not", "save it as tokenizer.json"
        )
    if len(parts.merges) > MERGES:
        raise FormatError(f"there are {len(parts.merges)} merges, and CLIP uses {MERGES}", "save it as tokenizer.json")
    spelled = {id_: _spell(content) for id_, content in parts.tokens}
    lines = [_HEADER, *(f"{spelled[left]} {spelled[right]}" for left, right in parts.merges)]
    return "".join(line + "\n" for line in lines).encode()


def _halves(line: str, at: int) -> tuple[bytes, bytes]:
    halves = line.split(" ")
    contents = [marked(half, _MARK) for half in halves]
    if len(contents) != 2 or contents[0] is None or contents[1] is None:  # noqa: PLR2004
        raise refused(at, line, "two tokens with one space between them", "each line is one merge")
    if halves[0].endswith(_MARK):
        raise FormatError(f"line {at}: {shown(line)} merges something after the end of a word", "the line is damaged")
    if marked("".join(halves), _MARK) != contents[0] + contents[1]:
        raise FormatError(f"line {at}: {shown(line)} makes a token that is spelled like another", "the line is damaged")
    return contents[0], contents[1]


def _spell(content: bytes) -> str:
    if len(content) > 1 and content.endswith(MARK):
        return byte_alphabet.spell(content[:-1]) + _MARK
    return byte_alphabet.spell(content)


def _unpacked(data: bytes, most: int) -> bytes:
    """At most so much of a content, without gzip."""
    if not data.startswith(_GZIP):
        return data[:most] if most == _HEAD else data
    try:
        with gzip.open(io.BytesIO(data)) as file:
            content = file.read(most + (most != _HEAD))
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"it cannot be unpacked: {error}", "the file is damaged") from None
    if len(content) > most:
        raise FormatError(f"it has more than {most >> 20} MiB when it is unpacked", "CLIP's has 3; it is damaged")
    return content
