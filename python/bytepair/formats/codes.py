r"""Codes of subword-nmt (0.1 and 0.2) and fastBPE: merges of characters, with an end-of-word mark.

```
#version: 0.2          #version: 0.1 (or no such line)        fastBPE: a third column, how often
l o                    l o                                    l o 7
lo w</w>               lo w                                   lo w</w> 5
                       low </w>
```

In 0.1 the mark is a symbol of its own, in 0.2 and in fastBPE it is joined to a word's last character.

The files hold merges and nothing else: no ids, no character that no merge takes, no special tokens. As in training
here, ids go to the mark, the characters by code point (each without and with a joined mark), the merges, and then the
special tokens that the caller names. Of a pair that stands twice the first counts, as in those programs.

Cost: linear in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats import given_specials
from bytepair.formats.strict_json import shown
from bytepair.formats.text_lines import lines_of, number, refused
from bytepair.integers import MOST_COUNT
from bytepair.parts import MARK, Parts

__all__ = ["looks_like", "parse", "render"]

END_OF_WORD: Final = "</w>"
"""How the mark is written in these files."""

_HEADER: Final = "#version:"
_CLIP: Final = "bpe_simple_vocab"
_LOOKED_AT: Final = 65536


def parse(data: bytes, *, counted: bool, special_tokens: Mapping[str, int] | Sequence[str] | None = None) -> Parts:
    r"""Reads the content of a file of codes.

    Args:
        data: the content.
        counted: whether each line has a third column, as fastBPE's have.
        special_tokens: text -> id, or texts, which take the ids after the last merge.

    Raises:
        FormatError: another version; a line (its number is named) that is not what it should be.

    >>> parse(b"#version: 0.2\nl o\nlo w</w>\n", counted=False).merges
    ((0, 2), (6, 5))
    """
    lines = lines_of(data)
    joined, first = (True, 0) if counted else _header(lines)
    pairs = _pairs(lines, first, counted=counted)
    characters = sorted({sign for pair in pairs for half in pair for sign in half.removesuffix(MARK).decode()})
    ends = (b"", MARK) if joined else (b"",)
    base = [] if joined else [MARK]
    base += [character.encode() + end for character in characters for end in ends]
    contents = dict.fromkeys([*base, *(left + right for left, right in pairs)])
    ids = {content: id_ for id_, content in enumerate(contents)}
    for (left, right), at in pairs.items():
        for half in (left, right):
            if half not in ids:
                raise FormatError(
                    f"line {at}: {shown(_spell(half))} is no character, and no line makes it",
                    "the file is cut off at its beginning, or damaged",
                )
    return Parts(
        alphabet="characters",
        end_of_word=END_OF_WORD,
        end_of_word_joined=joined,
        tokens=tuple(enumerate(contents)),
        merges=tuple((ids[left], ids[right]) for left, right in pairs),
        specials=given_specials.named(special_tokens, len(contents)),
    )


def render(parts: Parts, *, counted: bool) -> bytes:
    r"""Writes the content of a file of codes; with `counted`, how often each pair was seen (0: unknown).

    >>> render(parse(b"l o\nlo </w>\n", counted=False), counted=False)
    b'#version: 0.1\nl o\nlo </w>\n'

    Raises:
        FormatError: no characters; no mark, or for fastBPE one that is a symbol of its own; a token that a line cannot
            hold.
    """
    if parts.alphabet != "characters" or parts.end_of_word is None or parts.merges is None:
        raise FormatError(
            "codes are merges of characters with an end-of-word mark, and this tokenizer has bytes or no mark",
            "save it as tokenizer.json",
        )
    if counted and not parts.end_of_word_joined:
        raise FormatError(
            "in fastBPE's codes the end-of-word mark is joined to the last character, and here it is a symbol",
            "write it as codes of subword-nmt",
        )
    spelled = {id_: _spell(content) for id_, content in parts.tokens}
    for id_, text in spelled.items():
        if "\n" in text or "\r" in text or " " in text:
            raise FormatError(
                f"the token {shown(text)} (id {id_}) has a space or a line break in it, and a line could not hold it",
                "save it as tokenizer.json",
            )
    lines = [f"{spelled[left]} {spelled[right]}" for left, right in parts.merges]
    if counted:
        lines = [f"{line} {seen}" for line, seen in zip(lines, _counts(parts, len(lines)), strict=True)]
    else:
        lines.insert(0, f"{_HEADER} 0.{2 if parts.end_of_word_joined else 1}")
    return "".join(line + "\n" for line in lines).encode()


def _counts(parts: Parts, merges: int) -> tuple[int, ...]:
    """How often the pair of each merge was seen; 0 where that is unknown: before a training that went on, say."""
    seen = parts.training.counts if parts.training is not None else ()
    return (0,) * (merges - len(seen)) + tuple(seen)


def looks_like(data: bytes, *, counted: bool) -> bool:
    r"""Whether the first line behind the header is one of such a file: a merge of two characters.

    >>> looks_like(b"#version: 0.2\nl o\n", counted=False), looks_like(b"l o 7\n", counted=True)
    (True, True)
    """
    try:
        lines = data[:_LOOKED_AT].decode("utf-8", "ignore").split("\n", 2)
        line = lines[1] if lines[0].startswith(_HEADER) and not counted and len(lines) > 1 else lines[0]
        halves = _read_line(line.strip("\r\n "), 1, counted=counted)
    except FormatError:
        return False
    return all(len(half.removesuffix(MARK).decode()) <= 1 for half in halves)


def _header(lines: list[str]) -> tuple[bool, int]:
    """Whether the mark is joined, and how many lines say so."""
    if lines and _CLIP in lines[0]:
        raise FormatError(
            f"line 1: {shown(lines[0])}: these are the merges of CLIP, which spells bytes and makes letters small",
            'codes are merges of characters as they are; leave the format out, or give format="clip"',
        )
    if not lines or not lines[0].startswith(_HEADER):
        return False, 0
    version = lines[0].removeprefix(_HEADER).strip()
    if version not in ("0.1", "0.2"):
        raise FormatError(f"line 1: the version is {shown(version)}", "0.1 and 0.2 are known")
    return version == "0.2", 1


def _pairs(lines: list[str], first: int, *, counted: bool) -> dict[tuple[bytes, bytes], int]:
    """The merges in order, with the numbers of their lines."""
    found: dict[tuple[bytes, bytes], int] = {}
    for at, line in enumerate(lines[first:], first + 1):
        if stripped := line.strip("\r\n "):
            found.setdefault(_read_line(stripped, at, counted=counted), at)
    if not found:
        raise FormatError("there is no merge in it", "each line is one, such as `l o`")
    return found


def _read_line(line: str, at: int, *, counted: bool) -> tuple[bytes, bytes]:
    columns = line.split(" ")
    if counted and len(columns) == 3 and number(columns[2], MOST_COUNT) is not None:  # noqa: PLR2004
        columns.pop()
    elif counted:
        raise refused(at, line, "two tokens and a number, with single spaces", "fastBPE's codes have such lines")
    if len(columns) != 2 or "" in columns:  # noqa: PLR2004
        raise refused(at, line, "two tokens with one space between them", "codes have one merge a line")
    left, right = (_content(column) for column in columns)
    if left.endswith(MARK):
        raise FormatError(f"line {at}: {shown(line)} merges something after the end of a word", "the line is damaged")
    if (left + right).endswith(END_OF_WORD.encode()):
        raise FormatError(
            f"line {at}: {shown(line)} makes letters that are spelled like the end-of-word mark",
            "such a token cannot be told from the mark; leave it out",
        )
    return left, right


def _content(text: str) -> bytes:
    return text.removesuffix(END_OF_WORD).encode() + (MARK if text.endswith(END_OF_WORD) else b"")


def _spell(content: bytes) -> str:
    return content.removesuffix(MARK).decode("utf-8", "replace") + (END_OF_WORD if content.endswith(MARK) else "")
