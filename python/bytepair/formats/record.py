"""What `tokenizer.json` has no place for, as JSON: the pattern as given, `ranks`, `user_defined`, the training record.

The object lies under `model.bytepair`, or at the top in a file of the native kind. It has a version of its own; a later
version under `model.bytepair` is passed over, for ids do not depend on it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, Literal, cast

from bytepair.errors import FormatError
from bytepair.formats.strict_json import Field
from bytepair.integers import MOST_COUNT
from bytepair.parts import MAX_ID, TrainingRecord

__all__ = ["VERSION", "Extra", "read", "render"]

VERSION: Final = 1
_RARE: Final[dict[str, int | None]] = {"scale": 1, "base_merges": 0, "doubtful": None}
_RARE_LIST: Final = "chosen_by"
_KEYS: Final = ("min_count", "documents", "bytes", "pretokens", "distinct")


@dataclass(frozen=True, slots=True)
class Extra:
    """What lies under `bytepair`."""

    pattern: str | None = None
    ranks: bool = False
    user_defined: tuple[int, ...] = ()
    """The ids of tokens that are symbols which a user of SentencePiece defined."""
    training: TrainingRecord | None = None


def read(field: Field, merges: int) -> Extra:
    """Reads the object; one that is missing, or of another version, is empty.

    Args:
        field: the object, or null.
        merges: how many merges there are; a training record has a count for each.
    """
    if field.value is None or field.get("version").value != VERSION:
        if field.value is not None:
            field.object()
        return Extra()
    pattern = field.get("pattern")
    training, defined = field.get("training"), field.get("user_defined")
    return Extra(
        pattern=None if pattern.value is None else pattern.string(),
        ranks=field.get("ranks").boolean(default=False),
        user_defined=() if defined.value is None else tuple(item.integer(MAX_ID) for item in defined.items()),
        training=None if training.value is None else _read_training(training, merges),
    )


def render(extra: Extra) -> dict[str, object]:
    """The object, without what is empty.

    >>> render(Extra(pattern="a+")), render(Extra())
    ({'version': 1, 'pattern': 'a+'}, {})
    """
    made: dict[str, object] = {"version": VERSION}
    if extra.pattern is not None:
        made["pattern"] = extra.pattern
    if extra.ranks:
        made["ranks"] = True
    if extra.user_defined:
        made["user_defined"] = list(extra.user_defined)
    if extra.training is not None:
        made["training"] = _render_training(extra.training)
    return made if len(made) > 1 else {}


def _render_training(record: TrainingRecord) -> dict[str, object]:
    """The record, without what most trainings do not have."""
    made = asdict(record)
    usual: dict[str, object] = {**_RARE, _RARE_LIST: ()}
    return {key: value for key, value in made.items() if key not in usual or value != usual[key]}


def _read_training(field: Field, merges: int) -> TrainingRecord:
    numbers = {key: field.get(key).integer(MOST_COUNT) for key in _KEYS}
    rare = {key: field.get(key) for key in _RARE}
    given = {key: one.integer(MOST_COUNT) for key, one in rare.items() if one.value is not None}
    base_merges = given.get("base_merges", 0)
    if base_merges > merges:
        raise rare["base_merges"].wrong(f"at most {merges}, the number of merges")
    merges -= base_merges
    if given.get("doubtful", -1) > merges:
        raise rare["doubtful"].wrong(f"at most {merges}, the number of merges that were learned")
    return TrainingRecord(
        ties=cast(
            Literal["lowest", "first", "huggingface", "greatest"],
            field.get("ties").one_of("lowest", "first", "huggingface", "greatest"),
        ),
        stopped=cast(
            Literal["goal", "no pairs", "min count"], field.get("stopped").one_of("goal", "no pairs", "min count")
        ),
        counts=_read_counts(field.get("counts"), merges),
        fired=_read_counts(field.get("fired"), merges),
        min_count=numbers["min_count"],
        documents=numbers["documents"],
        bytes=numbers["bytes"],
        pretokens=numbers["pretokens"],
        distinct=numbers["distinct"],
        scale=given.get("scale", 1),
        base_merges=base_merges,
        chosen_by=_read_choosers(field.get(_RARE_LIST), merges),
        doubtful=given.get("doubtful"),
    )


def _read_counts(field: Field, merges: int) -> tuple[int, ...]:
    counts = tuple(item.integer(MOST_COUNT) for item in field.items())
    _check_length(field, len(counts), merges, "number")
    return counts


def _read_choosers(field: Field, merges: int) -> tuple[str | None, ...]:
    if field.value is None:
        return ()
    names = tuple(None if item.value is None else item.string() for item in field.items())
    _check_length(field, len(names), merges, "name")
    return names


def _check_length(field: Field, length: int, merges: int, what: str) -> None:
    if length != merges:
        raise FormatError(
            f"`{field.path}` has {length} {what}s, and there are {merges} merges",
            f"one {what} belongs to each merge that was learned; without the training record the file can be read",
        )
