r"""`kinds`: what a vocabulary is made of: kinds of tokens, scripts, lengths; and, on a text, how much of each is used.

Each token is of exactly one kind: single bytes from 0x80 on and parts of characters first; then, without one space
before it, all letters, all numbers, all signs, all white space, all control characters, or a mixture. Letters are
`\p{L}` and `\p{M}`. Its script is that of its letters, if they have one.

Cost: linear in the bytes of all tokens, in NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from bytepair import _core
from bytepair.measuring.classes import CONTROL, LETTER, NUMBER, SIGN, SPACE, classes
from bytepair.measuring.measuring import RARE, measure
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading
from bytepair.measuring.shown import Row, Shown, number, share, table
from bytepair.measuring.tokenizers import named
from bytepair.render.spans import Block, heading, line
from bytepair.render.visible import quoted, visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

    Integers = NDArray[np.int64]

__all__ = ["Group", "Kinds", "kinds"]

Way = Literal["kind", "script", "bytes", "length"]

KINDS = {  # what each is, where its name does not say it
    "space + letters": "a word with the space before it",
    "letters": "letters and marks alone",
    "numbers": "digits and other numbers alone",
    "space + numbers": "numbers with a space before them",
    "signs": "punctuation and symbols alone",
    "space + signs": "signs with a space before them",
    "sign + letters": "such as `.name`: one sign or tab, then letters",
    "white space": "spaces, tabs and line ends",
    "control": "control characters",
    "mixed": "of several of these",
    "single byte": "bytes from 0x80 on, no character alone",
    "part": "parts of characters",
    "mark": "the end-of-word mark alone",
}
SCRIPTS = (
    *("Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Syriac", "Thaana", "Ethiopic"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"),
    *("Thai", "Lao", "Tibetan", "Myanmar", "Khmer", "Mongolian", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"),
    *("Yi", "Cherokee", "Canadian_Aboriginal", "Coptic", "Gothic", "Runic", "Tifinagh", "Nko", "Javanese"),
)
"""The scripts that are told apart; letters of another one are `other`."""
BYTES = ("one, below 0x80", "one, from 0x80 on", "several, all below 0x80", "several, some above")
LENGTHS = (*((size, size) for size in range(1, 17)), (17, 32), (33, 64), (65, 2**32))
WORDS = ("space + letters", "letters")
LONGEST = 5
"""The longest words that are shown."""

_OF_CLASS = {LETTER: "letters", NUMBER: "numbers", SPACE: "white space", CONTROL: "control", SIGN: "signs"}
_WITH_SPACE = ("letters", "numbers", "signs")
_OTHER = len(SCRIPTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The tokens of one kind, script or length."""

    tokenizer: str
    """The tokenizer's name."""
    by: Way
    """What they have in common: their kind, the script of their letters, their bytes, or their length."""
    name: str
    """What it is: a kind, a script, lengths in bytes."""
    tokens: int
    """How many there are; special tokens are excluded."""
    share: float
    """The share of the vocabulary."""
    in_use: int | None
    """How many of them occur in the text; None without one, as the next two."""
    rare: int | None
    """How many occur, but fewer than 10 times."""
    text_share: float | None
    """The share of the text's tokens that are of this group."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Kinds(Shown):
    """What vocabularies are made of; `kinds` makes it.

    >>> import bytepair as bp
    >>> found = bp.kinds(bp.train(texts=["low lower low"], num_merges=4))
    >>> {group.name: group.tokens for group in found.of("kind")}["space + letters"]
    1
    """

    tokenizers: tuple[str, ...]
    """Their names."""
    groups: tuple[Group, ...]
    """By tokenizer and by what they have in common; kinds that no token is of are left out."""
    longest: Mapping[str, tuple[bytes, ...]]
    """The longest words of each tokenizer: tokens of letters, in bytes."""
    text_tokens: Mapping[str, int] | None
    """Tokens of the text by tokenizer; None without one."""

    def __post_init__(self) -> None:
        if not {group.tokenizer for group in self.groups} <= set(self.tokenizers):
            raise ValueError("the groups are not those of the tokenizers\nhint: use bytepair.kinds")

    def __repr__(self) -> str:
        return f"<Kinds of {', '.join(self.tokenizers)}>"

    def of(self, by: Way, tokenizer: str | None = None) -> tuple[Group, ...]:
        """The groups of a tokenizer (None: the first) by what they have in common."""
        name = self.tokenizers[0] if tokenizer is None else tokenizer
        return tuple(group for group in self.groups if (group.tokenizer, group.by) == (name, by))

    def rows(self) -> list[Row]:
        """One row for each group."""
        return [asdict(group) for group in self.groups]

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        return {
            "text_tokens": None if self.text_tokens is None else dict(self.text_tokens),
            "longest": {name: [visible(token) for token in tokens] for name, tokens in self.longest.items()},
            "rows": self.rows(),
        }

    def blocks(self) -> list[Block]:
        """A table for each thing that tokens have in common, and the longest tokens."""
        titles: dict[Way, str] = {
            "kind": "Kinds of tokens",
            "script": "Scripts",
            "bytes": "Bytes",
            "length": "Length in bytes",
        }
        drawn: list[Block] = []
        for by, title in titles.items():
            drawn += [heading(title), self._table(by), line("")]
        for name in self.tokenizers:
            said = "Longest words" if len(self.tokenizers) == 1 else f"Longest words of {name}"
            drawn.append(line(f"{said}: {' '.join(map(quoted, self.longest[name])) or '-'}"))
        note = "tokens: how many of the vocabulary are such; special ones are excluded."
        if self.text_tokens is not None:
            note += " in use, rare: how many occur in this text, and how many fewer than 10 times."
            note += " of the text: the share of its tokens."
        found = {group.name for group in self.groups if group.by == "kind"}
        said = "; ".join(f"{name}: {what}" for name, what in KINDS.items() if name in found)
        return [*drawn, line(note), line(f"{said}.")]

    def _table(self, by: Way) -> Block:
        first = by if by in ("kind", "script") else "bytes"
        found = {(group.tokenizer, group.name): group for group in self.groups if group.by == by}
        names = list(dict.fromkeys(name for _, name in found))
        if len(self.tokenizers) > 1:
            rows = [[name, *(number(_tokens(found.get((tok, name)))) for tok in self.tokenizers)] for name in names]
            return table([first, *self.tokenizers], rows)
        groups = self.of(by)
        headings, cells = [first, "tokens", "share"], [[g.name, number(g.tokens), share(g.share)] for g in groups]
        if self.text_tokens is not None:
            headings += ["in use", "rare", "of the text"]
            for row, group in zip(cells, groups, strict=True):
                row += [number(group.in_use), number(group.rare), share(group.text_share)]
        return table(headings, cells)


def _tokens(group: Group | None) -> int:
    return 0 if group is None else group.tokens


def kinds(
    tok: Tokenizer | Sequence[Tokenizer] | Mapping[str, Tokenizer],
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Kinds:
    """What vocabularies are made of: kinds of tokens, scripts, bytes, lengths; and how much of each a text uses.

    Args:
        tok: a tokenizer, a list of them, or a mapping from names to them.
        texts: documents on which the use is counted; none by default.
        files: paths and globs in place of `texts`.
        threads: how many encode; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: both `texts` and `files`; what is no tokenizer.
        ValueError: no tokenizer.
    """
    tokenizers = named(tok)
    counts: Mapping[str, Integers] | None = None
    if texts is not None or files is not None:
        measured = measure(tokenizers, texts, files=files, threads=threads, **reading)
        counts = {name: measured.counts[name, None] for name in tokenizers}
    groups: list[Group] = []
    longest: dict[str, tuple[bytes, ...]] = {}
    for name, one in tokenizers.items():
        special = set(one.special_tokens.values())
        tokens = {id: content for id, content in one.vocabulary.items() if id not in special}
        mark = "" if one.end_of_word is None else one.end_of_word
        space = one.parts.decoder.space if one.alphabet == "unicode" else None  # what stands for a space in tokens
        shown = [content if space is None else content.replace(space.encode(), b" ") for content in tokens.values()]
        sorted_out = _sorted_out(shown, mark.encode())
        groups += _groups(name, tokens, sorted_out, None if counts is None else counts[name])
        words = np.isin(sorted_out[0], [list(KINDS).index(kind) for kind in WORDS])
        order = [content for content, is_word in zip(shown, words.tolist(), strict=True) if is_word]
        longest[name] = tuple(sorted(order, key=lambda content: -len(content))[:LONGEST])
    totals = None if counts is None else {name: int(each.sum()) for name, each in counts.items()}
    return Kinds(tokenizers=tuple(tokenizers), groups=tuple(groups), longest=longest, text_tokens=totals)


def _groups(
    name: str, tokens: Mapping[int, bytes], sorted_out: tuple[Integers, Integers], counts: Integers | None
) -> Iterator[Group]:
    """The groups of one tokenizer."""
    of_kind, of_script = sorted_out
    seen = None if counts is None else counts[np.fromiter(tokens, dtype=np.int64, count=len(tokens))]
    sizes = np.array([len(content) for content in tokens.values()], dtype=np.int64)
    high = np.array([not content.isascii() for content in tokens.values()], dtype=bool)
    of_bytes = 2 * (sizes > 1) + high
    of_length = np.searchsorted([first for first, _ in LENGTHS], sizes, side="right") - 1
    lengths = [str(first) if first == last else f"{first} to {last}" for first, last in LENGTHS]
    lengths[-1] = f"{LENGTHS[-1][0]} and more"
    ways: tuple[tuple[Way, Sequence[str], Integers], ...] = (
        ("kind", tuple(KINDS), of_kind),
        ("script", (*SCRIPTS, "other", "several"), of_script),
        ("bytes", BYTES, of_bytes),
        ("length", lengths, of_length),
    )
    for by, names, places in ways:
        often = np.bincount(places[places >= 0], minlength=len(names))
        order = np.argsort(-often, kind="stable") if by == "script" else np.arange(len(names))
        for place in order[often[order] > 0].tolist():
            yield _group(name, by, names[place], places == place, seen)


def _group(name: str, by: Way, group: str, chosen: NDArray[np.bool_], seen: Integers | None) -> Group:
    tokens = int(np.count_nonzero(chosen))
    used = None if seen is None else seen[chosen]
    total = 0 if seen is None else int(seen.sum())
    return Group(
        tokenizer=name,
        by=by,
        name=group,
        tokens=tokens,
        share=tokens / chosen.size,
        in_use=None if used is None else int(np.count_nonzero(used)),
        rare=None if used is None else int(np.count_nonzero((used > 0) & (used < RARE))),
        text_share=None if used is None or not total else int(used.sum()) / total,
    )


def _sorted_out(contents: Sequence[bytes], mark: bytes) -> tuple[Integers, Integers]:
    """The place of each token in `KINDS`, and among the scripts (-1: it has no letters of one)."""
    place = {name: index for index, name in enumerate(KINDS)}
    kind = np.empty(len(contents), dtype=np.int64)
    script = np.full(len(contents), -1, dtype=np.int64)
    whole, texts, spaced = list[int](), list[str](), list[bool]()
    for index, content in enumerate(contents):
        try:
            text = content.removesuffix(mark).decode()
        except UnicodeDecodeError:
            kind[index] = place["single byte" if len(content) == 1 else "part"]
            continue
        if not text:
            kind[index] = place["mark"]
            continue
        has_space = len(text) > 1 and text[0] == " "
        whole.append(index)
        texts.append(text[has_space:])
        spaced.append(has_space)
    if not whole:
        return kind, script
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    starts = np.cumsum([0, *map(len, texts)])[:-1]
    of_code = classes()
    flags = np.bitwise_or.reduceat(of_code[codes], starts)
    scripts = np.bitwise_or.reduceat(_scripts()[codes], starts)
    plain, with_space = np.full((2, 32), place["mixed"], dtype=np.int64)
    for flag, name in _OF_CLASS.items():
        plain[flag] = place[name]
        with_space[flag] = place[f"space + {name}" if name in _WITH_SPACE else "mixed"]
    with_space[SPACE] = place["white space"]
    kind[whole] = np.where(spaced, with_space[flags], plain[flags])
    letters = np.add.reduceat(of_code[codes] == LETTER, starts, dtype=np.int64)
    sizes = np.diff(np.r_[starts, codes.size])
    is_named = np.isin(of_code[codes[starts]], (SIGN, SPACE)) & (letters == sizes - 1) & (sizes > 1)
    kind[np.array(whole)[is_named & ~np.array(spaced)]] = place["sign + letters"]
    one = scripts & (scripts - np.uint64(1)) == 0
    only = np.log2(np.maximum(scripts, 1).astype(np.float64)).astype(np.int64)
    script[whole] = np.where(scripts == 0, -1, np.where(one, only, _OTHER + 1))
    return kind, script


@cache
def _scripts() -> NDArray[np.uint64]:
    """Of every code point, a bit for the script that it is a letter of."""
    of_code = classes()
    table = np.zeros(of_code.size, dtype=np.uint64)
    for first, last in _core.unicode_ranges("L") or ():
        table[first : last + 1] = np.uint64(1 << _OTHER)
    for index, name in enumerate((*SCRIPTS, "Common", "Inherited")):
        bit = np.uint64(1 << index if index < _OTHER else 0)
        for first, last in _core.unicode_ranges(name) or ():
            part = slice(first, last + 1)
            table[part] = np.where(of_code[part] == LETTER, bit, np.uint64(0))
    return table
