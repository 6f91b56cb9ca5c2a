"""All that a report shows, measured: each text is read a few times, and nothing of it is kept but samples.

What a tokenizer does not allow (one of characters knows only the characters that it was trained on) is left out, and
the reason is kept to be shown in its place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from bytepair import _core
from bytepair.auditing.auditor import Audit, audit
from bytepair.bundled import bundled_texts
from bytepair.data import Batch, Documents, Part
from bytepair.errors import BytepairError
from bytepair.measuring.alternatives import Alternatives, alternatives
from bytepair.measuring.baselines import Baselines, baselines
from bytepair.measuring.kinds import Kinds, kinds
from bytepair.measuring.measuring import Measurement, measure
from bytepair.measuring.oddities import Oddities, oddities
from bytepair.measuring.reading import LanguageFiles, LanguageTexts, Reading, read
from bytepair.measuring.shown import Shown
from bytepair.measuring.sweeping import Sweep, sweep
from bytepair.measuring.tokenizers import UnsuitableError
from bytepair.render.visible import beginning
from bytepair.tax.aligned import declaration
from bytepair.tax.languages import LanguageTax, language_tax

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

__all__ = ["Results", "results"]

LOOKED_AT = 1 << 20
"""Bytes of the text for what is not measured on all of it: words beside tokens, what the pattern does."""
SHOWN = 400
"""Bytes of the beginning of a text that are drawn."""

Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """Everything that was found. What could not be made is None, and `reasons` says why."""

    names: tuple[str, ...]
    """The tokenizers; the first is the one that the report is about."""
    tok: Tokenizer
    """The first tokenizer."""
    is_bundled: bool
    """Whether no text was given, and the bundled one was taken."""
    sample: bytes
    """The beginning of the text."""
    starts: Mapping[str | None, bytes]
    """The first words of each language of the sample."""
    measurement: Measurement | None
    """All tokenizers on the text."""
    sweep: Sweep | None
    """Every vocabulary size of the first one."""
    tax: LanguageTax | None
    """What languages cost with all of them."""
    audit: Audit | None
    """What is wrong with the first one; with the bundled text, of its vocabulary alone."""
    oddities: Oddities | None
    """Numbers, indentation, spelling."""
    kinds: Kinds | None
    """What its vocabulary is made of."""
    alternatives: Alternatives | None
    """What each alternative of the pattern does to the sample."""
    baselines: Baselines | None
    """Words, characters and bytes, on the sample."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Field -> why it is None."""

    @property
    def name(self) -> str:
        """The name of the tokenizer."""
        return self.names[0]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        parts: dict[str, Shown | None] = {
            "measurement": self.measurement,
            "sweep": self.sweep,
            "tax": self.tax,
            "audit": self.audit,
            "oddities": self.oddities,
            "kinds": self.kinds,
            "alternatives": self.alternatives,
            "baselines": self.baselines,
        }
        plain = {name: None if part is None else part.to_dict() for name, part in parts.items()}
        return {"names": list(self.names), **plain, "reasons": dict(self.reasons)}


def results(
    tokenizers: Mapping[str, Tokenizer],
    texts: LanguageTexts | None,
    files: LanguageFiles | None,
    *,
    languages: Sequence[str] | None,
    width: int | None,
    threads: int | None,
    **reading: Unpack[Reading],
) -> Results:
    """Measures. Errors of texts that were given are raised; what bundled texts cannot show is left out."""
    tok = next(iter(tokenizers.values()))
    is_bundled = texts is None and files is None
    if is_bundled:
        names = declaration().names
        files = {names[language]: path for language, path in bundled_texts().items()}
    reasons: dict[str, str] = {}

    def tried(field: str, make: Callable[[], Made], *, always: bool = False) -> Made | None:
        """What `make` makes; the reason, where the tokenizer does not allow it."""
        left_out = (BytepairError, ValueError) if always or is_bundled else UnsuitableError
        try:
            return make()
        except left_out as error:
            reasons[field] = str(error).partition("\n")[0]
            return None

    given: dict[str, Any] = {"texts": texts, "files": files, "threads": threads, **reading}
    with_languages: dict[str, Any] = given | {"languages": languages}
    found = list(_beginnings(texts, files, languages, reading))
    sample = b"\n\n".join(document for _, document in found)
    starts = {language: document for language, document in reversed(found) if document.strip()}
    return Results(
        names=tuple(tokenizers),
        tok=tok,
        is_bundled=is_bundled,
        sample=sample,
        starts={language: beginning(starts[language], SHOWN) for language in reversed(starts)},
        measurement=tried("measurement", lambda: measure(tokenizers, **with_languages)),
        sweep=tried("sweep", lambda: sweep(tok, **with_languages, width=width)),
        tax=tried("tax", lambda: language_tax(tokenizers, threads=threads), always=True),
        audit=tried("audit", lambda: _audit(tok, {"threads": threads} if is_bundled else given)),
        oddities=tried("oddities", lambda: oddities(tok), always=True),
        kinds=tried("kinds", lambda: kinds(tok), always=True),
        alternatives=tried("alternatives", lambda: alternatives(tok, [sample], errors="bytes"), always=True),
        baselines=tried("baselines", lambda: _baselines(tokenizers, found, threads), always=True),
        reasons=reasons,
    )


def _audit(tok: Tokenizer, given: Mapping[str, Any]) -> Audit:
    """With the texts, where their pretokens can be counted."""
    try:
        return audit(tok, **given)
    except UnsuitableError:
        return audit(tok)


def _baselines(
    tokenizers: Mapping[str, Tokenizer], found: Sequence[tuple[str | None, bytes]], threads: int | None
) -> Baselines:
    """Words, characters and bytes beside the tokenizers: known from one half of each language, counted on the other."""
    halves: tuple[list[bytes], list[bytes]] = [], []
    for language in dict.fromkeys(language for language, _ in found):
        text = b"\n\n".join(document for of, document in found if of == language)
        middle = text.find(b"\n", len(text) // 2) + 1
        if not middle or middle == len(text):
            sample = [document for _, document in found]
            return baselines(sample, tok=tokenizers, threads=threads, errors="bytes")
        halves[0].append(text[:middle])
        halves[1].append(text[middle:])
    return baselines(*halves, tok=tokenizers, threads=threads, errors="bytes")


def samples() -> list[tuple[str, str]]:
    """(label, text) of short texts, to be drawn."""
    raw = resources.files("bytepair.demo_data").joinpath("samples.json").read_text("utf-8")
    return [(label, text) for label, text in json.loads(raw)]


def _beginnings(
    texts: LanguageTexts | None, files: LanguageFiles | None, languages: Sequence[str] | None, reading: Reading
) -> Iterator[tuple[str | None, bytes]]:
    """(language, document) from the beginning of the text, or of each language's, until there are enough bytes."""
    given = texts if files is None else files
    if not isinstance(given, Mapping):
        yield from _until(read(texts, files, languages, reading), LOOKED_AT)
        return
    for language in given:
        one = {language: given[language]}
        batches = read(one, None, None, reading) if files is None else read(None, one, None, reading)
        yield from _until(batches, LOOKED_AT // len(given))


def _until(batches: Iterable[Batch], left: int) -> Iterator[tuple[str | None, bytes]]:
    for batch in batches:
        if isinstance(batch, Part):
            found = [batch.content]
        else:
            held = batch if isinstance(batch, Documents) else batch.documents()
            found = [_core.raw(text) for text in held.documents]
        for document in found:
            yield batch.source, beginning(document, left)
            left -= len(document)
            if left <= 0:
                return
