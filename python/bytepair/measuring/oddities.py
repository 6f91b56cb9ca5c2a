"""`oddities`: what a tokenizer does to numbers, indentation, spelling and repeated text, and its twins.

Every table is made by encoding texts that are made for it, so nothing but the tokenizer is needed. What a model has
trouble with is often here: digits in groups that shift with the length of a number, a letter that no token shows,
` the` and `the` that have nothing in common but what is learned.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bytepair.measuring.shown import Row, Shown, number, share, table
from bytepair.measuring.tokenizers import checked
from bytepair.render.spans import Block, heading, line
from bytepair.render.visible import visible

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["Cut", "Forms", "Indentation", "Numbers", "Oddities", "Repeated", "Spelling", "Twins", "oddities"]

DIGITS = range(1, 10)
NUMBERS = 500
"""Numbers of each length that are tried; all of them where there are no more."""
WIDTHS = range(1, 41)
WORDS = ("strawberry", "banana", "letter", "Mississippi")
FORMS = ("the", "dog", "hello", "internationalization")
POWERS = range(11)
TEXTS = ("1234", "12345", "1000000", "1,000,000", "3.14159", "2024", "    x = 1", "        x = 1", "\tx = 1")
"""Texts whose tokens are shown: numbers as people write them, and lines of code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """How numbers of one length are cut."""

    digits: int
    """The length."""
    tried: int
    """How many numbers were tried."""
    ways: int
    """In how many ways they were cut; 1 is best."""
    commonest: tuple[int, ...]
    """The lengths of the tokens in the most common way."""
    commonest_share: float
    """The share of numbers that are cut so."""
    from_right: float
    """The share that is cut at multiples of three digits from the right and nowhere else, as people write them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indentation:
    """Tokens of the white space before a line of code."""

    character: str
    """A space or a tab."""
    tokens: tuple[int, ...]
    """Tokens that 1, 2, ... of them cost before `x`, compared with the line without them."""

    @property
    def longest_free(self) -> int:
        """The longest run up to which each costs at most one token; 0 if one already costs two."""
        return next((width for width, cost in enumerate(self.tokens) if cost > 1), len(self.tokens))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """Which letters of a word a model can see."""

    word: str
    """The word."""
    tokens: tuple[bytes, ...]
    """Its tokens."""
    reversed: tuple[bytes, ...]
    """The tokens of the word read backwards."""
    letter: str
    """Its most frequent letter."""
    count: int
    """How often it stands in the word."""
    seen: int
    """How many of these are tokens of their own; the others a model has to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Tokens that are one word to a person and have nothing in common to a model."""

    spaced: int
    """Tokens that exist with and without a space before them."""
    only_spaced: int
    """Tokens of letters that exist with the space alone."""
    only_bare: int
    """Tokens of letters that exist without it alone."""
    cased: int
    """Groups of tokens that differ in upper and lower case alone."""
    in_cased: int
    """Tokens in those groups."""
    examples: tuple[tuple[bytes, ...], ...]
    """The largest groups that differ in case or by the space before them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """One word in five forms, which have nothing in common to a model."""

    word: str
    """The word in lower case."""
    forms: tuple[str, ...]
    """As it is; with a space before it; with a capital letter, without and with the space; in capital letters."""
    ids: tuple[tuple[int, ...], ...]
    """The ids of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A text and its tokens."""

    text: str
    """The text."""
    tokens: tuple[bytes, ...]
    """Its tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """Tokens of a text that is repeated."""

    unit: str
    """What is repeated."""
    times: tuple[int, ...]
    """How often."""
    tokens: tuple[int, ...]
    """Tokens of that."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Oddities(Shown):
    """The tables; `oddities` makes them."""

    numbers: tuple[Numbers, ...]
    """For each length."""
    texts: tuple[Cut, ...]
    """Numbers and lines of code."""
    indentation: tuple[Indentation, ...]
    """Of spaces, and of tabs."""
    spelling: tuple[Spelling, ...]
    """Of some words."""
    forms: tuple[Forms, ...]
    """Of some words."""
    twins: Twins
    """Of the vocabulary."""
    repeated: tuple[Repeated, ...]
    """Of some texts."""

    def __repr__(self) -> str:
        return "<Oddities: numbers, indentation, spelling, twins, repeated text>"

    def rows(self) -> list[Row]:
        """The numbers, one row for each length."""
        return [asdict(one) | {"commonest": list(one.commonest)} for one in self.numbers]

    def to_dict(self) -> dict[str, Any]:
        """All tables; tokens as text, with escapes where they are none."""
        return {
            "numbers": self.rows(),
            "texts": [{"text": one.text, "tokens": [*map(visible, one.tokens)]} for one in self.texts],
            "indentation": [
                {"character": one.character, "tokens": list(one.tokens), "longest_free": one.longest_free}
                for one in self.indentation
            ],
            "spelling": [
                asdict(one) | {"tokens": [*map(visible, one.tokens)], "reversed": [*map(visible, one.reversed)]}
                for one in self.spelling
            ],
            "forms": [{"word": one.word, "forms": list(one.forms), "ids": [*map(list, one.ids)]} for one in self.forms],
            "twins": asdict(self.twins) | {"examples": [[*map(visible, group)] for group in self.twins.examples]},
            "repeated": [
                {"unit": one.unit, "times": list(one.times), "tokens": list(one.tokens)} for one in self.repeated
            ],
        }

    def flat(self) -> list[Row]:
        """All tables, a figure a row: of which table, of which line of it, which figure, and its value."""
        rows: list[Row] = []
        for name, found in self.to_dict().items():
            for line_, item in enumerate(found if isinstance(found, list) else [found]):
                rows += [
                    {"table": name, "line": line_, "figure": figure, "value": value} for figure, value in item.items()
                ]
        return rows

    def flat_names(self) -> tuple[str, ...]:
        """What a row has."""
        return ("table", "line", "figure", "value")

    def blocks(self) -> list[Block]:
        """A table for each."""
        numbers = [
            [
                number(one.digits),
                number(one.ways),
                "+".join(map(str, one.commonest)),
                share(one.commonest_share),
                share(one.from_right),
            ]
            for one in self.numbers
        ]
        drawn: list[Block] = [heading("Numbers")]
        drawn.append(table(["digits", "ways", "commonest", "share", "threes from the right"], numbers, 0))
        drawn.append(line("Best is one way for each length, the same groups as people write: threes from the right."))
        texts = [[number(len(one.tokens)), _cut([one.text.encode()]), _cut(one.tokens)] for one in self.texts]
        drawn += [line(""), table(["tokens", "text", "cut"], texts, 0, fold=True)]
        drawn += [line(""), heading("Indentation"), self._indentation()]
        drawn.append(line("What 1, 2, ... characters before a line of code cost; best is one token, however many."))
        spelling = [
            [one.word, _cut(one.tokens), _cut(one.reversed), f"{one.letter}: {one.seen} of {one.count}"]
            for one in self.spelling
        ]
        drawn += [line(""), heading("Spelling"), table(["word", "tokens", "backwards", "letter seen"], spelling, 4)]
        drawn.append(line("A letter is seen if it is a token of its own; the others a model has to know by heart."))
        forms = [[one.word, *(_shown(ids) for ids in one.ids)] for one in self.forms]
        drawn += [line(""), heading("One word, five forms"), table(["id of", *_FORMS], forms)]
        drawn += [line(""), heading("Twins"), *map(line, self._twins())]
        repeated = [[visible(one.unit.encode()), *map(number, one.tokens)] for one in self.repeated]
        headings = ["times", *map(number, self.repeated[0].times)] if self.repeated else ["times"]
        return [*drawn, line(""), heading("Repeated text: tokens"), table(headings, repeated)]

    def _indentation(self) -> Block:
        widths = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 40)
        names = {" ": "spaces", "\t": "tabs"}
        rows = [
            [names[one.character], *(number(one.tokens[width - 1]) for width in widths)] for one in self.indentation
        ]
        return table(["", *map(str, widths)], rows)

    def _twins(self) -> list[str]:
        one = self.twins
        return [
            (
                f"{one.spaced:,} tokens exist with and without a space before them, {one.only_spaced:,} only with it, "
                f"{one.only_bare:,} only without. {one.in_cased:,} tokens differ from another in case alone, in "
                f"{one.cased:,} groups."
            ),
            f"Largest groups: {'; '.join(_cut(group) for group in one.examples)}",
        ]


_FORMS = ("word", "␣word", "Word", "␣Word", "WORD")


def _shown(ids: Sequence[int]) -> str:
    return str(ids[0]) if len(ids) == 1 else f"{len(ids)} tokens"


def _cut(tokens: Sequence[bytes]) -> str:
    return "|".join(visible(token).replace(" ", "␣") for token in tokens)


def oddities(tok: Tokenizer, *, words: Sequence[str] = WORDS) -> Oddities:
    """What a tokenizer does to numbers, indentation, spelling and repeated text, and its twins.

    Args:
        tok: the tokenizer, of bytes.
        words: the words that are spelled.

    Raises:
        UnsuitableError: a tokenizer of characters, unless it is as SentencePiece's.
        ValueError: an empty word.

    >>> import bytepair as bp
    >>> bp.oddities(bp.train(texts=[], vocab_size=256)).numbers[2].commonest
    (1, 1, 1)
    """
    checked(tok, without_words="the texts are made for bytes")
    if isinstance(words, str) or not all(words):
        raise ValueError(f"words is {words!r}\nhint: give a list of words")
    return Oddities(
        numbers=tuple(_numbers(tok, digits) for digits in DIGITS),
        texts=tuple(Cut(text=text, tokens=_tokens(tok, text)) for text in TEXTS),
        indentation=tuple(_indentation(tok, character) for character in " \t"),
        spelling=tuple(_spelling(tok, word) for word in words),
        forms=tuple(_forms(tok, word) for word in FORMS),
        twins=_twins(tok),
        repeated=tuple(_repeated(tok, unit) for unit in ("a", " the", "=", "0", "\n")),
    )


def _tokens(tok: Tokenizer, text: str) -> tuple[bytes, ...]:
    """What each token holds of the text: of a tokenizer that marks spaces, the spaces, and no mark that it adds."""
    if tok.alphabet == "bytes":
        return tuple(map(tok.bytes_of, tok.encode(text)))
    raw = text.encode()
    spans = (token.byte_offsets for token in tok.trace(text))
    return tuple(raw[start:end] for start, end in spans if start < end)


def _numbers(tok: Tokenizer, digits: int) -> Numbers:
    first, last = 10 ** (digits - 1) if digits > 1 else 0, 10**digits
    chosen: Sequence[int] = range(first, last)
    if len(chosen) > NUMBERS:
        chosen = random.Random(digits).sample(chosen, NUMBERS)  # noqa: S311 - the same numbers every time
    ways = Counter(tuple(map(len, _tokens(tok, str(one)))) for one in chosen)
    threes = (*([digits % 3] if digits % 3 else []), *[3] * (digits // 3))
    [(commonest, count)] = ways.most_common(1)
    return Numbers(
        digits=digits,
        tried=len(chosen),
        ways=len(ways),
        commonest=commonest,
        commonest_share=count / len(chosen),
        from_right=ways[threes] / len(chosen),
    )


def _indentation(tok: Tokenizer, character: str) -> Indentation:
    bare = tok.count("x = 1")
    return Indentation(
        character=character, tokens=tuple(tok.count(character * width + "x = 1") - bare for width in WIDTHS)
    )


def _spelling(tok: Tokenizer, word: str) -> Spelling:
    letter, count = Counter(word).most_common(1)[0]
    tokens = _tokens(tok, word)
    seen = tokens.count(letter.encode())
    return Spelling(word=word, tokens=tokens, reversed=_tokens(tok, word[::-1]), letter=letter, count=count, seen=seen)


def _forms(tok: Tokenizer, word: str) -> Forms:
    forms = (word, f" {word}", word.capitalize(), f" {word.capitalize()}", word.upper())
    return Forms(word=word, forms=forms, ids=tuple(tuple(tok.encode(form)) for form in forms))


def _repeated(tok: Tokenizer, unit: str) -> Repeated:
    times = tuple(1 << power for power in POWERS)
    return Repeated(unit=unit, times=times, tokens=tuple(tok.count(unit * often) for often in times))


def _twins(tok: Tokenizer) -> Twins:
    special = set(tok.special_tokens.values())
    mark = tok.parts.decoder.space or " "
    words: dict[str, bytes] = {}
    for id, content in tok.vocabulary.items():
        text = content.decode("utf-8", "replace").replace(mark, " ")
        if id not in special and text.removeprefix(" ").isalpha():
            words[text] = text.encode()
    bare = {text for text in words if not text.startswith(" ")}
    spaced = {text[1:] for text in words if text.startswith(" ")}
    groups: dict[str, list[bytes]] = {}
    for text, content in words.items():
        groups.setdefault(text.casefold(), []).append(content)
    cased = [group for group in groups.values() if len(group) > 1]
    every: dict[str, list[bytes]] = {}
    for text, content in words.items():
        every.setdefault(text.casefold().removeprefix(" "), []).append(content)
    largest = sorted(every.values(), key=lambda group: (-len(group), group[0]))[:3]
    return Twins(
        spaced=len(bare & spaced),
        only_spaced=len(spaced - bare),
        only_bare=len(bare - spaced),
        cased=len(cased),
        in_cased=sum(map(len, cased)),
        examples=tuple(tuple(group) for group in largest if len(group) > 1),
    )
