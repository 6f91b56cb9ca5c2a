r"""`alternatives`: what each alternative of a pattern does on a text.

A pattern such as `\p{L}+|\p{N}|\s+` is a list of alternatives, of which the first that matches cuts out the next
pretoken. The table says how many pretokens and how much of the text each of them cuts out, with examples; one that cuts
nothing is of no use for this text.

Cost: some microseconds a pretoken, since each is traced: a sample of a large text will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Unpack

from bytepair import _core
from bytepair.integers import checked_integer
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Row, Shown, number, plain_value, share, table
from bytepair.measuring.tokenizers import checked
from bytepair.render.spans import Block, heading, line
from bytepair.render.visible import quoted, visible

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["Alternative", "Alternatives", "alternatives"]

MOST = 1 << 16
"""The most different pretokens of an alternative that are counted."""
LONGEST = 48
"""The bytes of an example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One alternative of the pattern, or text that none matches."""

    number: int | None
    """Its place in the pattern, from 0; None for text that no alternative matches."""
    source: str | None
    """Its regular expression."""
    pretokens: int
    """Pretokens that it cuts out."""
    size: int
    """Their bytes."""
    share: float
    """The share of the text, in bytes."""
    examples: tuple[bytes, ...]
    """The most frequent ones; of a long one, its first 48 bytes."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Alternatives(Shown):
    r"""All alternatives of a pattern on a text; `alternatives` makes it.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=[], num_merges=0, pattern=r"\p{L}+|\p{N}|\s+")
    >>> [(one.source, one.pretokens) for one in bp.alternatives(tok, ["low 12 lower"]).alternatives]
    [('\\p{L}+', 2), ('\\p{N}', 2), ('\\s+', 2)]
    """

    pattern: str | None
    """The pattern; None where text is not cut."""
    alternatives: tuple[Alternative, ...]
    """In the order of the pattern; last, text that none matches, if there is any."""

    def __post_init__(self) -> None:
        if any(one.pretokens > one.size for one in self.alternatives):
            raise ValueError("there are more pretokens than bytes\nhint: use bytepair.alternatives")

    def __repr__(self) -> str:
        return f"<Alternatives: {len(self.alternatives)}>"

    def rows(self) -> list[Row]:
        """One row for each alternative."""
        return [
            asdict(one) | {"share": plain_value(one.share), "examples": [*map(visible, one.examples)]}
            for one in self.alternatives
        ]

    def to_dict(self) -> dict[str, Any]:
        """The pattern and the rows."""
        return {"pattern": self.pattern, "rows": self.rows()}

    def blocks(self) -> list[Block]:
        """The table, and the expressions."""
        rows = [
            [
                "-" if one.number is None else str(one.number),
                number(one.pretokens),
                share(one.share),
                " ".join(map(quoted, one.examples)),
            ]
            for one in self.alternatives
        ]
        said = [line(f"{one.number}: {one.source}") for one in self.alternatives if one.number is not None]
        return [
            heading("What each alternative of the pattern cuts out"),
            table(["", "pretokens", "of the text", "most often"], rows, 0, fold=True),
            line(""),
            *said,
        ]


def alternatives(
    tok: Tokenizer,
    texts: LanguageTexts | None = None,
    *,
    files: LanguageFiles | None = None,
    examples: int = 5,
    **reading: Unpack[Reading],
) -> Alternatives:
    """What each alternative of a tokenizer's pattern does on a text.

    Args:
        tok: the tokenizer.
        texts: documents, str or bytes.
        files: paths and globs in place of `texts`.
        examples: how many examples of each are shown.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: none or both of `texts` and `files`; what is no tokenizer.
    """
    most = checked_integer("examples", examples, 0)
    sources: list[str] = list(checked(tok)._engine.alternatives)  # noqa: SLF001 - for this package's own use
    found: dict[int | None, tuple[list[int], Counter[bytes]]] = {
        number: ([0, 0], Counter()) for number in range(len(sources))
    }
    for text in _documents(texts, files, reading):
        for pretoken in tok.trace(text, unknown="skip").pretokens:
            sums, often = found.setdefault(pretoken.alternative, ([0, 0], Counter()))
            sums[0] += 1
            sums[1] += len(pretoken.text)
            shown = pretoken.text[:LONGEST]
            if len(often) < MOST or shown in often:
                often[shown] += 1
    total = sum(size for (_, size), _ in found.values())
    return Alternatives(
        pattern=tok.pattern,
        alternatives=tuple(
            Alternative(
                number=number,
                source=None if number is None or number >= len(sources) else sources[number],
                pretokens=count,
                size=size,
                share=size / total if total else float("nan"),
                examples=tuple(text for text, _ in sorted(often.items(), key=lambda item: (-item[1], item[0]))[:most]),
            )
            for number, ((count, size), often) in found.items()
        ),
    )


def _documents(texts: LanguageTexts | None, files: LanguageFiles | None, reading: Reading) -> Iterator[bytes]:
    for batch in read(texts, files, None, reading).documents():
        yield from map(_core.raw, batch.documents)
