"""`audit`: what is wrong with a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Unpack

from bytepair.auditing import alone, growth, holding, seen
from bytepair.auditing.contexts import Search, Watch
from bytepair.auditing.findings import COLUMNS, KINDS, SEVERITIES, Finding, Item, Severity, finding
from bytepair.auditing.growth import Run
from bytepair.data import Batch, Files, Texts, corpus
from bytepair.integers import processors
from bytepair.measuring.counting import counted
from bytepair.measuring.curves import Changes, summed
from bytepair.measuring.reading import Reading
from bytepair.measuring.shown import Row, Shown, number, table
from bytepair.measuring.sweeping import changes_of
from bytepair.measuring.tokenizers import checked
from bytepair.render.spans import Block, Span, Table, heading, line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bytepair.tokenizer import Tokenizer

__all__ = ["Audit", "audit"]

EXAMPLES = 3
"""Examples of each kind in the tables."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown):
    """What was found; `audit` makes it.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest"], num_merges=2, special_tokens=["<|end|>"])
    >>> audit = bp.audit(tok)
    >>> audit.tokens, audit.round_trip_alone, audit.counts["single_bytes"], audit.counts["unreachable"]
    (259, 130, 128, 0)
    >>> audit.worst
    'note'
    >>> [bytes(item.token) for item in audit["unbounded_pretoken"].items][:2]
    [b'a', b'A']
    """

    tokens: int
    """How many tokens there are, special tokens included."""
    round_trip_alone: int
    """How many of the ordinary ones come back when they are decoded and encoded alone."""
    contexts_tried: int
    """How many texts were encoded to find those that do not."""
    findings: tuple[Finding, ...]
    """One for each kind that was looked for, also where nothing was found, the worst kinds first."""
    runs: tuple[Run, ...]
    """What runs of `a` cost; none of a tokenizer of characters."""
    texts_tokens: int | None
    """Tokens of the texts that were given; None without them."""

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind that was looked for."""
        return {found.kind: found.count for found in self.findings}

    @property
    def not_round_tripping_alone(self) -> int:
        """Tokens of whole characters that do not come back alone, reachable or not."""
        return self.counts["needs_context"] + self.counts["unreachable"]

    @property
    def worst(self) -> Severity | None:
        """The worst severity of what was found; None if nothing was."""
        return next((each for each in SEVERITIES if any(f.count and f.severity == each for f in self.findings)), None)

    def __getitem__(self, kind: str) -> Finding:
        """The finding of a kind.

        Raises:
            KeyError: a kind that was not looked for.
        """
        for found in self.findings:
            if found.kind == kind:
                return found
        hint = "it needs texts" if kind in KINDS else f"kinds are {', '.join(self.counts)}"
        raise KeyError(f"{kind!r} was not looked for\nhint: {hint}")

    def __repr__(self) -> str:
        found = ", ".join(
            f"{sum(f.count > 0 for f in self.findings if f.severity == each)} {each}" for each in SEVERITIES
        )
        return f"<Audit of {self.tokens} tokens: kinds found {found}>"

    def rows(self) -> list[Row]:
        """One row for each token of each kind."""
        return [row for found in self.findings for row in found.rows()]

    def column_names(self) -> tuple[str, ...]:
        """Of the rows, also of none."""
        return COLUMNS

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "tokens": self.tokens,
            "round_trip_alone": self.round_trip_alone,
            "not_round_tripping_alone": self.not_round_tripping_alone,
            "contexts_tried": self.contexts_tried,
            "texts_tokens": self.texts_tokens,
            "findings": [found.to_dict() for found in self.findings],
            "runs": [asdict(run) for run in self.runs],
        }

    def blocks(self) -> list[Block]:
        """The counts, then each kind with examples and what to do, then what runs cost."""
        found = [each for each in self.findings if each.count]
        rows = [[each.severity, number(each.count), each.kind] for each in found]
        none = [each.kind for each in self.findings if not each.count]
        drawn: list[Block] = [
            heading(f"{self.tokens:,} tokens, {self.round_trip_alone:,} come back when decoded and encoded alone"),
            Table(("severity", "tokens", "kind"), table(("", "", ""), rows).rows, frozenset({1})),
        ]
        if none:
            drawn.append(line(Span(f"Looked for, and none found: {', '.join(none)}.", "note")))
        for each in found:
            drawn += [line(""), *each.shortened(EXAMPLES)]
        return [*drawn, line(""), *self._of_runs()] if self.runs else drawn

    def _of_runs(self) -> list[Block]:
        headings = ["letters", "longest pretoken", "tokens", "merges", "looks of a plain loop"]
        rows = [
            [number(value) for value in (run.length, run.longest_pretoken, run.tokens, run.merges, run.looks)]
            for run in self.runs[::2]
        ]
        return [
            heading("A run of `a`"),
            table(headings, rows, 0),
            line(
                Span(
                    "looks: symbols looked at where each merge looks at all that are left of its pretoken. Four times "
                    "the letters are sixteen times the looks, unless the pattern cuts the run."
                    if self.runs[-1].looks
                    else "looks: symbols looked at where each merge looks at all that are left of its pretoken. No "
                    "merge makes anything of these letters, so there are none; less is better.",
                    "note",
                )
            ),
        ]


def audit(
    tok: Tokenizer,
    texts: Texts | None = None,
    *,
    files: Files | None = None,
    model_texts: Texts | None = None,
    model_files: Files | None = None,
    threads: int | None = None,
    **reading: Unpack[Reading],
) -> Audit:
    """What is wrong with a vocabulary: tokens that no text gives, parts of characters, look-alikes, and more.

    Each id is decoded and encoded again. For a token that does not come back a context is looked for before it is
    called unreachable: characters of every class before and after it, then the texts. The kinds of findings are the
    keys of `bytepair.auditing.findings.KINDS`.

    Args:
        tok: the tokenizer.
        texts: documents, best those that the tokenizer was trained on. They give contexts, tokens that never occur
            and tokens that merges only pass through. They are read once and not kept.
        files: paths and globs in place of `texts`; each file is one document.
        model_texts: documents of a model's corpus. With both, tokens that are frequent in `texts` and rare in these are
            ranked by the ratio: candidates for glitch tokens.
        model_files: paths and globs in place of `model_texts`.
        threads: how many count; None for as many as there are processors.
        **reading: how texts are read, as in `count_pretokens`.

    Raises:
        TypeError: what is no tokenizer, or are no texts; a model's texts without the tokenizer's; both texts and
            files.
        FileNotFoundError, IsADirectoryError: files that are not there.
        TextError: text that is not UTF-8, unless errors="bytes".
    """
    checked(tok)
    own = None if texts is None and files is None else corpus(texts=texts, files=files, **reading)
    model = None
    if model_texts is not None or model_files is not None:
        if own is None:
            raise TypeError("a model's texts are given without the tokenizer's\nhint: pass texts= or files= too")
        model = corpus(texts=model_texts, files=model_files, **reading)
    workers = processors(threads)
    special = set(tok.special_tokens.values())
    vocabulary = dict(tok.vocabulary)
    tokens = {id: content for id, content in vocabulary.items() if id not in special}
    found = alone.alone(tok, tokens)
    never = alone.impossible(tok, found.suspects)
    search = Search(tok)
    contexts = search.find({id: text for id, text in found.suspects.items() if id not in never})
    counts: NDArray[np.int64] | None = None
    kinds: dict[str, Iterable[Item]] = {}
    if own is not None:
        watch = Watch(tok, found.suspects.keys() - contexts.keys() - never)
        changes = _counted(tok, watch.passing(own), workers)
        contexts |= watch.found
        counts = unseen = seen.occurrences(changes, tok.n_vocab)
        kinds["intermediate"] = seen.intermediates(tokens, counts, seen.peaks(changes, tok.n_vocab))
        if model is not None:
            others = seen.occurrences(_counted(tok, model, workers), tok.n_vocab)
            kinds["glitch"] = seen.glitches(tokens, counts, others)
            unseen = counts + others
        kinds["never_seen"] = seen.never_seen(tokens, unseen)
    kinds |= alone.reasons(tok, found, never, contexts, search.tried)
    kinds |= {
        "control_in_text": holding.controls_in_text(tok),
        "invalid_utf8": (item for item in found.partial if item.detail == "never valid"),
        "same_bytes": holding.same_bytes(vocabulary),
        "special_looking": holding.special_looking(tokens),
        "bidirectional": holding.hidden(tokens, "bidirectional"),
        "unbounded_pretoken": growth.unbounded(tok),
        "nfc_duplicates": holding.nfc_duplicates(tokens),
        "zero_width": holding.hidden(tokens, "zero_width"),
        "partial_utf8": (item for item in found.partial if item.detail != "never valid"),
        "single_bytes": found.single_bytes,
        "special": (Item(id, vocabulary[id]) for id in sorted(special)),
    }
    return Audit(
        tokens=len(vocabulary),
        round_trip_alone=found.whole,
        contexts_tried=sum(search.tried.values()),
        findings=tuple(finding(kind, kinds[kind]) for kind in KINDS if kind in kinds),
        runs=growth.runs(tok),
        texts_tokens=None if counts is None else int(counts.sum()),
    )


def _counted(tok: Tokenizer, batches: Iterable[Batch], threads: int) -> Changes:
    """What texts become at every vocabulary size, all languages together."""
    return summed([changes_of(tok, counts) for counts in counted(tok, batches, threads).values()])
