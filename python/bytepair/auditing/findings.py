"""What an audit can find: the kinds of findings, how bad each is, what it means and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from bytepair.measuring.shown import Row, Shown
from bytepair.render.spans import Block, Line, Span, Table, heading, line
from bytepair.render.visible import quoted, visible

__all__ = ["COLUMNS", "KINDS", "SEVERITIES", "Finding", "Item", "Kind", "Severity", "finding"]

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the worst on."""
COLUMNS = ("kind", "severity", "id", "token", "bytes", "detail", "context")
"""The names of the columns of rows."""
LONGEST = 28
"""Columns for a token in the tables."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of findings."""

    severity: Severity
    """`error`: a defect; `warning`: it can do harm; `note`: good to know."""
    meaning: str
    """What the tokens are, in one sentence."""
    advice: str
    """What to do."""


KINDS: dict[str, Kind] = {
    "unreachable": Kind(
        "error",
        "No text was found that is encoded to them: their rows of the embedding are never trained.",
        "Check that the pattern is the one that the vocabulary was trained with; leave them out of a new vocabulary.",
    ),
    "control_in_text": Kind(
        "error",
        "Plain text, in which no special token is allowed, is encoded to the id of a control token.",
        "Do not encode untrusted text with it: give the control token an id and bytes that no other token has.",
    ),
    "invalid_utf8": Kind(
        "warning",
        "Their bytes are in no text that is valid UTF-8.",
        "They were learned from damaged text: clean the corpus before training.",
    ),
    "same_bytes": Kind(
        "warning",
        "Two ids have the same bytes, and text is encoded to only one of them.",
        "Keep one of the ids; a model that was trained with the other one never sees it again.",
    ),
    "special_looking": Kind(
        "warning",
        "Ordinary tokens that look like control tokens: text can produce them.",
        "Register them as special tokens, or take care that no template counts on them.",
    ),
    "bidirectional": Kind(
        "warning",
        "They hold characters that change the direction of what is written after them.",
        "Escape them wherever tokens are shown; remove them from texts that people review, such as code.",
    ),
    "glitch": Kind(
        "warning",
        "Frequent in the tokenizer's texts and rare in the model's: what a model does with them is left to chance.",
        "Look at them with the model; take such texts out of the tokenizer's corpus.",
    ),
    "never_seen": Kind(
        "note",
        "They do not occur in the texts that were given: what a model learns of them is little or nothing.",
        "With a large corpus, candidates for glitches; a smaller vocabulary would do for these texts.",
    ),
    "intermediate": Kind(
        "note",
        "Merges made them, and later merges consumed nearly all of them: under one in twenty is left in these texts.",
        "Candidates for glitches; training that removes such tokens frees their places.",
    ),
    "needs_context": Kind(
        "note",
        "Alone they are encoded to other ids; in the context that is shown they are produced, so they are reachable.",
        "Nothing, but do not take decode and encode of single ids for a test of reachability.",
    ),
    "crosses_boundary": Kind(
        "note",
        "The pattern cuts them in two where they stand alone; only what stands beside them keeps them together.",
        "Harmless if they are produced (see needs_context); else the pattern is not the one of the training.",
    ),
    "unbounded_pretoken": Kind(
        "note",
        "A run of this character is one pretoken however long it is.",
        "Implementations that look at every symbol for each merge take time that grows with its square: bound the "
        "length of untrusted text, or the repetitions in the pattern.",
    ),
    "nfc_duplicates": Kind(
        "note",
        "Other tokens are the same text once it is normalised (Unicode NFC): they look alike and have other ids.",
        "If texts mix the two forms, normalise them to NFC before they are encoded, in training too.",
    ),
    "zero_width": Kind(
        "note",
        "They hold characters that are not seen: text that looks the same has other ids.",
        "Needed for emoji and for some scripts; filter them where texts are compared or reviewed.",
    ),
    "partial_utf8": Kind(
        "note",
        "They begin or end inside a character: alone they decode to U+FFFD.",
        "Decode whole sequences, or stream with a decoder that waits for the rest.",
    ),
    "single_bytes": Kind(
        "note",
        "Single bytes from 0x80 on: no character alone, and needed so that every text can be encoded.",
        "Nothing: a byte-level vocabulary has 128 of them.",
    ),
    "special": Kind(
        "note",
        "Special tokens: no text is encoded to them unless they are allowed.",
        "Nothing.",
    ),
}
"""All kinds, the worst first."""


@dataclass(frozen=True, slots=True)
class Item:
    """One token that was found, or one character that was tried."""

    id: int | None
    """The token's id; None for what is no token."""
    token: bytes
    """Its bytes."""
    detail: str = ""
    """What there is to say about it."""
    context: bytes | None = None
    """A text in which it is produced, where one was looked for and found."""


@dataclass(frozen=True, eq=False, repr=False)
class Finding(Shown):
    """All that was found of one kind."""

    kind: str
    """A key of `KINDS`."""
    severity: Severity
    """How bad it is."""
    meaning: str
    """What they are."""
    advice: str
    """What to do."""
    items: tuple[Item, ...]
    """All of them: by id, or the strongest first."""

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.items)

    def __repr__(self) -> str:
        return f"<Finding {self.kind}: {self.count}>"

    def rows(self) -> list[Row]:
        """One row for each token."""
        return [
            {
                "kind": self.kind,
                "severity": self.severity,
                "id": item.id,
                "token": visible(item.token),
                "bytes": item.token.hex(),
                "detail": item.detail,
                "context": None if item.context is None else visible(item.context),
            }
            for item in self.items
        ]

    def column_names(self) -> tuple[str, ...]:
        """Of the rows, also of none."""
        return COLUMNS

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        said = {name: getattr(self, name) for name in ("kind", "severity", "count", "meaning", "advice")}
        left_out = ("kind", "severity")
        return said | {"items": [{name: row[name] for name in row if name not in left_out} for row in self.rows()]}

    def blocks(self) -> list[Block]:
        """What it is, what to do, and all of the tokens."""
        return self.shortened(self.count)

    def shortened(self, examples: int) -> list[Block]:
        """As `blocks`, with the first of the tokens."""
        shown = tuple(map(_row, self.items[:examples]))
        drawn: list[Block] = [
            heading(f"{self.kind}: {self.count:,}"),
            line(self.meaning),
            line(Span(self.advice, "note")),
        ]
        if shown:
            drawn.append(Table(("id", "token", ""), shown, frozenset({0}), fold=True))
        if self.count > len(shown):
            drawn.append(line(Span(f"and {self.count - len(shown):,} more", "note")))
        return drawn


def _row(item: Item) -> tuple[Line, ...]:
    """A row of a table; a long token is cut, as it is whole in the data."""
    said = [item.detail] if item.detail else []
    if item.context is not None:
        said.append(f"in {quoted(item.context)}")
    token = quoted(item.token)
    return (
        line(Span("-" if item.id is None else str(item.id), "id")),
        line(Span(token if len(token) <= LONGEST else token[: LONGEST - 3] + "...", "content")),
        line(Span("; ".join(said), "note")),
    )


def finding(kind: str, items: Iterable[Item]) -> Finding:
    """The finding of a kind.

    >>> finding("special", [Item(256, b"<|end|>")])
    <Finding special: 1>
    """
    known = KINDS[kind]
    return Finding(kind, known.severity, known.meaning, known.advice, tuple(items))
