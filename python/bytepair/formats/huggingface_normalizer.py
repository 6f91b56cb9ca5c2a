"""`normalizer` of a `tokenizer.json`, as steps, and steps as that.

Every kind that Hugging Face's library has is read, but `BertNormalizer` and `ByteLevel`, of other algorithms.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats import oniguruma
from bytepair.formats.strict_json import Field, shown
from bytepair.normalizing import Kind, Step

__all__ = ["pattern_of", "read", "render", "step"]

_FORMS: Final[dict[str, Kind]] = {
    "NFC": "nfc",
    "NFD": "nfd",
    "NFKC": "nfkc",
    "NFKD": "nfkd",
    "Lowercase": "lowercase",
    "StripAccents": "strip_accents",
    "Nmt": "nmt",
}
_NAMES: Final = {kind: name for name, kind in _FORMS.items()}
_MORE: Final = ("Strip", "Replace", "Prepend", "Precompiled", "Sequence")
_OTHERS: Final = ("BertNormalizer", "ByteLevel")
_HINT: Final = "files with this are not read; take one of the same model without it"
_MOST: Final = 1000


def read(field: Field) -> tuple[Step, ...]:
    """The steps, in order.

    Raises:
        FormatError: an unknown kind; a damaged one.
    """
    made = tuple(_steps(field))
    if len(made) > _MOST:
        raise FormatError(f"`{field.path}` has {len(made)} steps", f"at most {_MOST} are read")
    return made


def _steps(field: Field) -> Iterator[Step]:
    waiting = [] if field.value is None else [field]
    while waiting:
        one = waiting.pop()
        if one.get("type").value in _OTHERS:
            raise FormatError(
                f"`{one.path}` is {shown(one.get('type').value)}, which belongs to other algorithms", _HINT
            )
        kind = one.get("type").one_of(*_FORMS, *_MORE)
        if kind == "Sequence":
            waiting += reversed(one.get("normalizers").items())
        elif (made := _read_one(one, kind)) is not None:
            yield made


def _read_one(one: Field, kind: str) -> Step | None:
    """A step; None for one that does nothing."""
    if kind in _FORMS:
        return Step(_FORMS[kind])
    if kind == "Strip":
        flags = one.get("strip_left").boolean(default=True), one.get("strip_right").boolean(default=True)
        return Step("strip", flags=flags) if any(flags) else None
    if kind == "Prepend":
        mark = one.get("prepend").string()
        return Step("prepend", (mark,)) if mark else None
    if kind == "Precompiled":
        return _read_charsmap(one.get("precompiled_charsmap"))
    old, is_text = pattern_of(one.get("pattern"))
    new = one.get("content").string()
    if not old:
        raise one.get("pattern").wrong("a pattern that is not empty")
    return Step("replace" if is_text else "replace_pattern", (old, new))


def _read_charsmap(field: Field) -> Step | None:
    if field.value is None:
        return None
    try:
        table = base64.b64decode(field.string(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"`{field.path}` is no base64 ({error})", "the file is damaged") from None
    return Step("precompiled", charsmap=table) if table else None


def pattern_of(field: Field) -> tuple[str, bool]:
    """A pattern, and whether it is a text that stands for itself."""
    keys = set(field.object())
    if keys == {"String"}:
        return field.get("String").string(), True
    if keys != {"Regex"}:
        raise field.wrong('an object with the one key "String" or "Regex"')
    regex = field.get("Regex").string()
    try:
        return oniguruma.read(regex), False
    except oniguruma.UntranslatableError as error:
        raise FormatError(
            f"the regular expression {shown(regex)} of `{field.path}`: {error}",
            "write it in other words, if you can; files with this are not read",
        ) from None


def render(steps: tuple[Step, ...]) -> dict[str, object] | None:
    """The steps as a normalizer.

    Raises:
        UntranslatableError: a pattern that Oniguruma cannot have.
        ValueError: a step that there is none for; its text says which.
    """
    made = [step(one) for one in steps]
    if len(made) == 1:
        return made[0]
    return {"type": "Sequence", "normalizers": made} if made else None


def step(one: Step) -> dict[str, object]:
    """One step; errors as `render`."""
    if one.kind in _NAMES:
        return {"type": _NAMES[one.kind]}
    if one.kind == "strip":
        return {"type": "Strip", "strip_left": one.flags[0], "strip_right": one.flags[1]}
    if one.kind == "prepend":
        return {"type": "Prepend", "prepend": one.texts[0]}
    if one.kind == "precompiled":
        return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(one.charsmap).decode()}
    if one.kind == "replace":
        return {"type": "Replace", "pattern": {"String": one.texts[0]}, "content": one.texts[1]}
    if one.kind == "replace_pattern":
        regex = oniguruma.translate(one.texts[0])
        return {"type": "Replace", "pattern": {"Regex": regex}, "content": one.texts[1]}
    raise ValueError(f"the normalizer's step {shown(one.kind)}")
