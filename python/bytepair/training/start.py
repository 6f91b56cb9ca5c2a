"""What a training starts from: how text is cut, which counts or a base may say; seeds; the table of pretokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from bytepair import _core
from bytepair.counts.mapping import CountsMapping, counted
from bytepair.counts.pretoken_counts import PretokenCounts
from bytepair.counts.splitting import Splitting, checked_splitting, named
from bytepair.errors import TrainingError, TrainingWarning
from bytepair.patterns import DEFAULT
from bytepair.tokenizer import Tokenizer
from bytepair.told import tell

__all__ = ["cut", "given_counts", "seeded", "table_of"]


def cut(
    counts: object,
    base: Tokenizer | None,
    *,
    pattern: str | None,
    special_tokens: Sequence[str],
    alphabet: Literal["bytes", "characters"],
    end_of_word: str | None,
    end_of_word_joined: bool,
) -> Splitting:
    """How text is cut: as the counts were, as the base does, or else as it is asked for.

    The special tokens of a base come first, then those that are asked for, or else those of the counts.

    Raises:
        TrainingError: what is asked for, the counts and the base do not agree.
        As `splitting`.
    """
    if base is not None and not isinstance(base, Tokenizer):
        raise TypeError(f"base is of type `{type(base).__name__}`\nhint: it is a Tokenizer, such as load() gives")
    asked = checked_splitting(pattern, special_tokens, alphabet, end_of_word, end_of_word_joined)
    said = {
        "pattern": pattern is not DEFAULT and (alphabet, end_of_word) == ("bytes", None),
        "alphabet": alphabet != "bytes",
        "end_of_word": end_of_word is not None,
        "end_of_word_joined": end_of_word_joined,
    }
    owners = [("the base", _of_base(base))] if base is not None else []
    if isinstance(counts, PretokenCounts):
        owners.append(("these counts", counts.splitting))
    for owner, owned in owners:
        for name in (name for name, is_said in said.items() if is_said):
            if getattr(asked, name) != getattr(owned, name):
                raise TrainingError(
                    f"{name} is {named(name, getattr(asked, name))}, but that of {owner} is "
                    f"{named(name, getattr(owned, name))}",
                    f"leave {name} out: {owner} say which" if owner.startswith("these") else f"leave {name} out",
                )
    if not owners:
        return asked
    splitting = owners[-1][1]
    if len(owners) > 1:
        _agree(owners[0][1], splitting)
    specials = dict.fromkeys(owners[0][1].special_tokens) if base is not None else {}
    specials |= dict.fromkeys(asked.special_tokens or splitting.special_tokens)
    return Splitting(**{**_fields(splitting), "special_tokens": tuple(specials)})


def _of_base(base: Tokenizer) -> Splitting:
    engine = base._engine  # noqa: SLF001 - for this package's own use
    alphabet, end_of_word, joined = engine.alphabet
    if alphabet == "unicode" or engine.normalises:
        what = "is made of characters that fall back to bytes" if alphabet == "unicode" else "normalises texts"
        raise TrainingError(f"the base {what}, and training does not", "train without a base, or from another one")
    return Splitting(
        pattern=base.pattern,
        special_tokens=tuple(base.special_tokens),
        alphabet=alphabet,
        end_of_word=end_of_word,
        end_of_word_joined=joined,
    )


def _agree(base: Splitting, counts: Splitting) -> None:
    different = base.differences(Splitting(**{**_fields(counts), "special_tokens": base.special_tokens}))
    if different:
        raise TrainingError(
            f"the base and these counts do not agree: {'; '.join(different)}", "count with the pattern of the base"
        )


def _fields(splitting: Splitting) -> dict[str, Any]:
    return {**splitting.plain(), "special_tokens": splitting.special_tokens}


def given_counts(counts: PretokenCounts | CountsMapping, splitting: Splitting) -> PretokenCounts:
    """Counts that a person gave; a mapping becomes counts of one source, in which special tokens are boundaries."""
    if isinstance(counts, PretokenCounts):
        if counts.splitting.unicode != _core.UNICODE_VERSION:
            tell(
                TrainingWarning,
                f"the counts were made with Unicode {counts.splitting.unicode}, and the tokenizer will cut text by "
                f"Unicode {_core.UNICODE_VERSION}",
                "few characters differ; count again where they matter",
            )
        return counts
    table = splitting.table()
    for pretoken, count in counted(counts):
        table.add(pretoken, count)
    return PretokenCounts(splitting=splitting, documents=0, table=table, columns={})


def table_of(counts: PretokenCounts, splitting: Splitting) -> _core.Counts:
    """The table to train on, in which the special tokens that the tokenizer will have are boundaries.

    Raises:
        TrainingError: a special token that was a boundary is none any more.

    Warns:
        TrainingWarning: special tokens that were no boundaries yet.
    """
    before, now = counts.special_tokens, splitting.special_tokens
    gone = [token for token in before if token not in now]
    if gone:
        raise TrainingError(
            f"special_tokens lacks {gone[0]!r}, which was a boundary where these counts were made",
            "name it too, or leave special_tokens out",
        )
    new = [token for token in now if token not in before]
    if not new:
        return counts.table
    tell(
        TrainingWarning,
        f"the counts were made without the special token {new[0]!r}"
        + (f" and {len(new) - 1} more" if len(new) > 1 else ""),
        "this is right if the texts do not hold it; otherwise count them again with it",
    )
    table = splitting.table()
    for pretoken, count in counts.items():
        table.add(pretoken, count)
    return table


def seeded(seed_tokens: Sequence[str | bytes], splitting: Splitting) -> list[bytes]:
    """The contents of the tokens that shall be there in any case, checked.

    Raises:
        TypeError: no list of texts.
        TrainingError: one that is empty, that the pattern cuts, or that holds a special token.
    """
    if not isinstance(seed_tokens, Sequence) or isinstance(seed_tokens, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"seed_tokens is of type `{type(seed_tokens).__name__}`\nhint: pass a list of texts")
    alphabet = [(byte, bytes([byte])) for byte in range(256)]
    splits = _core.Tokenizer.from_plain("bytes", None, False, splitting.pattern, alphabet, [], False, [])
    seeds: list[bytes] = []
    for index, seed in enumerate(seed_tokens):
        name = f"seed_tokens[{index}]"
        if not isinstance(seed, (str, bytes)):
            raise TypeError(f"{name} is of type `{type(seed).__name__}`\nhint: each is a str or bytes")
        content = _core.raw(seed)
        if not content:
            raise TrainingError(f"{name} is empty", "leave it out")
        for special in splitting.special_tokens:
            if special.encode() in content:
                raise TrainingError(
                    f"{name} is {seed!r} and holds the special token {special!r}", "leave it out: it is a token anyway"
                )
        pieces = splits.split(seed) if splitting.alphabet == "bytes" else seed.split()
        if len(pieces) != 1 or len(pieces[0]) != len(seed):
            shown = ", ".join(repr(piece) for piece in pieces[:5]) + (", ..." if len(pieces) > 5 else "")  # noqa: PLR2004
            cutter = "the pattern" if splitting.alphabet == "bytes" else "white space"
            raise TrainingError(
                f"{name} is {seed!r}, which {cutter} cuts into {len(pieces)} pieces: {shown}",
                "no token crosses a cut: leave it out, or use a pattern that keeps it whole",
            )
        seeds.append(content)
    return seeds
