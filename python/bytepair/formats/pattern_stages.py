r"""Pre-tokenizers that split one after the other, and patterns in stages, which are the same in one text.

Hugging Face's library splits the pieces of one pre-tokenizer by the next. Here such a pattern is `a(?then)b`, and a
stage may begin with what becomes of its matches, such as `(?removed)`; docs/design/splitting.md has all of them. What
stands behind `ByteLevel` there splits bytes as they are spelled: `(?spelled)` before that.

Two sequences are one pattern, which is faster: digits alone and GPT-2's pattern behind (`DIGITS`); and a pattern that
leaves no character unmatched and of which only the matches are kept, as all of a text is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats.strict_json import Field, shown

__all__ = [
    "DIGITS",
    "GPT2_PATTERN",
    "PUNCTUATION",
    "SPELLED",
    "THEN",
    "TOTAL",
    "Splits",
    "drops",
    "marked",
    "read",
    "render",
    "stages_of",
    "translate",
    "understand",
]

GPT2_PATTERN: Final = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
"""The pattern inside a `ByteLevel` pre-tokenizer with `use_regex`."""
DIGITS: Final = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"
"""Digits alone, first of all; and what is left as GPT-2's: white space before a digit is at a text's end."""
PUNCTUATION: Final = r"[\p{P}!-/:-@\[-`{-~]"
"""Punctuation as `tokenizers` has it: Unicode's, and ASCII's signs."""

THEN: Final = "(?then)"
SPELLED: Final = "(?spelled)"
_MARKS: Final = {
    "Isolated": ("", ""),
    "Contiguous": ("(?joined)", "(?joined)"),
    "Removed": ("(?removed)", "(?kept)"),
    "MergedWithPrevious": ("(?with-previous)", None),
    "MergedWithNext": ("(?with-next)", None),
}
"""Behavior -> what a stage begins with, and with `invert`."""
TOTAL: Final = ("o200k", "cl100k", "llama3", "qwen2", "gpt2")
"""Presets that leave no character unmatched."""
_SYNTAX: Final = re.compile(r"\\.|\[\^?\]?|\]|\(\?then\)", re.DOTALL)
"""What decides where stages end: at the beginning of brackets one that closes is a character."""
_DROPS: Final = ("(?removed)", "(?kept)", SPELLED + "(?removed)", SPELLED + "(?kept)")
_HINT: Final = "files with this are not read; take one of the same model without it"


@dataclass(frozen=True, slots=True)
class Splits:
    """What pre-tokenizers that split say together."""

    pattern: str | None = None
    """In the engine's syntax, where there is no `regex`."""
    regex: str | None = None
    """In Oniguruma's, in stages, where all of it stands so in the file."""


@dataclass(frozen=True, slots=True)
class _Stage:
    mark: str
    source: str
    is_regex: bool = True
    """Whether the source is in Oniguruma's syntax; otherwise in the engine's."""


def read(fields: list[Field], *, last: str | None = None, behind: list[Field] | None = None) -> Splits:
    """What these pre-tokenizers say, in their order.

    Args:
        fields: the pre-tokenizers.
        last: a regular expression that splits after them, that of `ByteLevel`.
        behind: those behind `ByteLevel`.

    Raises:
        FormatError: one that does not split, or not as it could be done here, with its place.
    """
    stages = [stage for one in fields for stage in _read(one)]
    if last is not None:
        stages.append(_Stage("", last))
    stages += [replace(stage, mark=SPELLED + stage.mark) for one in behind or () for stage in _read(one)]
    if [(stage.mark, stage.source) for stage in stages] == [("", r"\p{N}"), ("", GPT2_PATTERN)]:
        return Splits(regex=DIGITS)
    if not stages:
        return Splits()
    if all(stage.is_regex for stage in stages):
        return Splits(regex=THEN.join(stage.mark + stage.source for stage in stages))
    return Splits(pattern=THEN.join(stage.mark + _ours(stage) for stage in stages))


def _ours(stage: _Stage) -> str:
    from bytepair.formats import oniguruma  # noqa: PLC0415 - loaded when first needed

    if not stage.is_regex:
        return stage.source
    try:
        return oniguruma.read(stage.source)
    except oniguruma.UntranslatableError as error:
        raise FormatError(
            f"the regular expression {shown(stage.source)} of the pre_tokenizer: {error}", _HINT
        ) from None


def _read(one: Field) -> list[_Stage]:
    """The stages of a pre-tokenizer that splits: one, or two."""
    kind = one.get("type").string()
    if kind == "Split":
        return [_read_split(one)]
    if kind == "Digits":
        alone = one.get("individual_digits").boolean(default=False)
        return [_Stage("" if alone else "(?joined)", r"\p{N}")]
    if kind == "Punctuation":
        behavior = one.get("behavior")
        mark = _mark(Field(behavior.value or "Isolated", behavior.path), inverts=False)
        return [_Stage(mark, PUNCTUATION, is_regex=False)]
    if kind == "Whitespace":
        return [_Stage("(?kept)", r"\w+|[^\w\s]+", is_regex=False)]
    if kind in ("WhitespaceSplit", "BertPreTokenizer"):
        spaces = _Stage("(?removed)", r"\s", is_regex=False)
        return [spaces] if kind == "WhitespaceSplit" else [spaces, _Stage("", PUNCTUATION, is_regex=False)]
    if kind == "CharDelimiterSplit":
        delimiter = one.get("delimiter").string()
        if len(delimiter) != 1:
            raise one.get("delimiter").wrong("one character", _HINT)
        return [_Stage("(?removed)", re.escape(delimiter), is_regex=False)]
    reason = {
        "ByteLevel": "bytes are spelled once",
        "Metaspace": "it marks spaces, and bytes are spelled",
        "UnicodeScripts": "it splits by scripts as an old version of Unicode has them",
        "FixedLength": "it splits by length alone",
    }.get(kind, "it is not known here as one that splits")
    raise FormatError(f"`{one.path}` is {shown(kind)}: {reason}", _HINT)


def _read_split(one: Field) -> _Stage:
    mark = _mark(one.get("behavior"), inverts=one.get("invert").boolean(default=False))
    pattern = one.get("pattern")
    keys = set(pattern.object())
    if keys not in ({"Regex"}, {"String"}):
        raise pattern.wrong('an object with the one key "String" or "Regex"', _HINT)
    [key] = keys
    source = pattern.get(key).string()
    if not source or (key == "Regex" and len(stages_of(source)) > 1):
        raise FormatError(f"`{pattern.path}.{key}` is {shown(source)}", _HINT)
    if key == "String":
        return _Stage(mark, re.escape(source), is_regex=False)
    if mark == "(?kept)" and _is_total(source):
        mark = ""
    return _Stage(mark, source)


def _is_total(source: str) -> bool:
    from bytepair.patterns import PATTERNS  # noqa: PLC0415 - reading into parts needs no compiled module

    return source == GPT2_PATTERN or any(source == PATTERNS[name] for name in TOTAL)


def _mark(behavior: Field, *, inverts: bool) -> str:
    mark = _MARKS[behavior.one_of(*_MARKS)][inverts]
    if mark is None:
        raise FormatError(f"`{behavior.path}` is {shown(behavior.value)}, and `invert` is true", _HINT)
    return mark


def marked(behavior: Field, source: str) -> str:
    """A pattern of one stage, whose matches are delimiters of this behavior.

    Raises:
        FormatError: there is no such behavior.
    """
    return _mark(behavior, inverts=False) + source


def stages_of(pattern: str) -> list[str]:
    r"""What each stage of a pattern says: in brackets and behind a backslash nothing separates stages.

    >>> stages_of(r"[(?then)]\(?then\)(?then)(?kept)a")
    ['[(?then)]\\(?then\\)', '(?kept)a']
    """
    stages, start, open_ = [], 0, 0
    for found in _SYNTAX.finditer(pattern):
        sign = found[0]
        if sign == THEN and not open_:
            stages.append(pattern[start : found.start()])
            start = found.end()
        open_ += sign.startswith("[") - (sign == "]" and open_ > 0)
    return [*stages, pattern[start:]]


def translate(pattern: str) -> str:
    r"""`oniguruma.translate`, stage by stage.

    >>> translate(r"(?kept)\p{N}{1,3}+(?then)a$")
    '(?kept)(?>\\p{N}{1,3})(?then)a\\z'
    """
    from bytepair.formats import oniguruma  # noqa: PLC0415

    return _each(pattern, oniguruma.translate)


def understand(regex: str) -> str:
    r"""`oniguruma.read`, stage by stage.

    >>> understand(r"a(?then)(?removed)\p{N}{1,3}+")
    'a(?then)(?removed)(?:\\p{N}{1,3})+'
    """
    from bytepair.formats import oniguruma  # noqa: PLC0415

    return _each(regex, oniguruma.read)


def _each(pattern: str, change: Callable[[str], str]) -> str:
    return THEN.join(mark + change(source) for mark, source in map(_parted, stages_of(pattern)))


def _parted(stage: str) -> tuple[str, str]:
    """What a stage begins with, and its regular expression."""
    spelled = SPELLED if stage.startswith(SPELLED) else ""
    rest = stage.removeprefix(SPELLED)
    for marks in _MARKS.values():
        for mark in marks:
            if mark and rest.startswith(mark):
                return spelled + mark, rest.removeprefix(mark)
    return spelled, rest


def drops(pattern: str | None) -> bool:
    """Whether a pattern takes some of a text away.

    >>> drops(r"[0-9](?then)(?kept)[a-z]+"), drops("[0-9](?then)[a-z]"), drops(None)
    (True, False, False)
    """
    return pattern is not None and any(stage.startswith(_DROPS) for stage in stages_of(pattern))


def render(regex: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    r"""The pre-tokenizers of a regular expression in stages: before bytes are spelled, and after.

    >>> before, after = render(r"\p{N}(?then)(?kept)a(?then)(?spelled)b")
    >>> [(split["pattern"]["Regex"], split["behavior"], split["invert"]) for split in (*before, *after)]
    [('\\p{N}', 'Isolated', False), ('a', 'Removed', True), ('b', 'Isolated', False)]

    Raises:
        ValueError: a stage that sees characters stands behind one that sees the spelling of bytes.
    """
    before: list[dict[str, object]] = []
    after: list[dict[str, object]] = []
    for mark, source in map(_parted, stages_of(regex)):
        spelled = mark.startswith(SPELLED)
        if after and not spelled:
            raise ValueError("a stage of the pattern that sees characters behind one that sees the spelling of bytes")
        fate = mark.removeprefix(SPELLED)
        behavior, marks = next((name, marks) for name, marks in _MARKS.items() if fate in marks)
        inverts = marks[0] != fate
        split = {"type": "Split", "pattern": {"Regex": source}, "behavior": behavior, "invert": inverts}
        (after if spelled else before).append(split)
    return before, after
