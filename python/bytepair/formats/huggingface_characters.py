"""Files whose symbols are characters, as SentencePiece's are: pre-tokenizer and decoder, read and written.

`Metaspace` is two things: steps (spaces become a mark, which is put before the text) and a pattern that splits before
each mark. The steps apply after added tokens that are `normalized` were found. Other pre-tokenizers are patterns, if
they keep all of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bytepair.errors import FormatError
from bytepair.formats import huggingface_normalizer as normalizers
from bytepair.formats import pattern_stages
from bytepair.formats.pattern_stages import PUNCTUATION, THEN
from bytepair.formats.strict_json import Field, shown
from bytepair.normalizing import Decoder, Kind, Step

__all__ = ["PreTokenizer", "byte_token", "metaspace_pattern", "read_decoder", "read_pre_tokenizer", "render_decoder"]

_HINT: Final = "files with this are not read; take one of the same model without it"
_SCHEMES: Final[dict[str, Kind]] = {"always": "prepend_always", "first": "prepend_first"}
_MOST: Final = 1 << 16
_BYTE: Final = re.compile(r"<0x([0-9A-F]{2})>\Z")


@dataclass(frozen=True, slots=True)
class PreTokenizer:
    """What a pre-tokenizer says."""

    steps: tuple[Step, ...] = ()
    pattern: str | None = None
    """In the engine's syntax."""
    regex: str | None = None
    """As the file has it, where it has one."""


def byte_token(key: str) -> int | None:
    """The byte that a token means.

    >>> byte_token("<0x0A>"), byte_token("<0x0a>")
    (10, None)
    """
    found = _BYTE.match(key)
    return int(found[1], 16) if found else None


def metaspace_pattern(mark: str) -> str:
    """The pattern that splits before each mark, a single character.

    >>> metaspace_pattern("_")
    '_[^_]*|[^_]+'
    """
    one = re.escape(mark)
    return f"{one}[^{one}]*|[^{one}]+"


def read_pre_tokenizer(field: Field, steps: tuple[Step, ...]) -> PreTokenizer:
    """The pre-tokenizer of a file whose normalizer has these steps.

    Raises:
        FormatError: one that has no place here, with the reason.
    """
    waiting = [] if field.value is None else [field]
    made: list[PreTokenizer] = []
    while waiting:
        one = waiting.pop()
        if one.get("type").string() == "Sequence":
            waiting += reversed(one.get("pretokenizers").items())
        elif (read := _read_one(one, steps)) is not None:
            made.append(read)
    if not made:
        return PreTokenizer()
    if any(later.steps for later in made[1:]):
        raise FormatError(f"`{field.path}` has a Metaspace behind another: it marks what that one split", _HINT)
    patterns = [one for one in made if one.pattern is not None]
    if len(patterns) > 1:
        return PreTokenizer(made[0].steps, THEN.join(str(one.pattern) for one in patterns))
    pattern = patterns[0] if patterns else PreTokenizer()
    return PreTokenizer(made[0].steps, pattern.pattern, pattern.regex)


def _read_one(one: Field, steps: tuple[Step, ...]) -> PreTokenizer | None:
    kind = one.get("type").string()
    if kind == "Metaspace":
        return _read_metaspace(one)
    if kind == "Split":
        return _read_split(one, steps)
    if kind == "Digits":
        several = "" if one.get("individual_digits").boolean(default=False) else "+"
        return PreTokenizer(pattern=rf"\p{{N}}{several}")
    if kind == "Punctuation":
        behavior = one.get("behavior").value or "Isolated"
        return PreTokenizer(pattern=_behaving(one, str(behavior), PUNCTUATION, is_class=True))
    if kind == "ByteLevel":
        raise FormatError(
            f"`{one.path}` is {shown(kind)}: it spells bytes, and the file's tokens are not spelled so", _HINT
        )
    return _staged(one)


def _staged(one: Field) -> PreTokenizer:
    splits = pattern_stages.read([one])
    if splits.regex is not None:
        return PreTokenizer(pattern=pattern_stages.understand(splits.regex), regex=splits.regex)
    return PreTokenizer(pattern=splits.pattern)


def _read_metaspace(one: Field) -> PreTokenizer:
    mark = one.get("replacement").string()
    if len(mark) != 1:
        raise one.get("replacement").wrong("one character")
    scheme = _scheme(one)
    steps: tuple[Step, ...] = (Step("replace", (" ", mark)),) if mark != " " else ()
    if scheme in _SCHEMES:
        steps += (Step(_SCHEMES[scheme], (mark,)),)
    split = one.get("split").boolean(default=True)
    return PreTokenizer(steps, metaspace_pattern(mark) if split else None)


def _scheme(one: Field) -> str:
    """What is said of the mark before the text, in either spelling."""
    legacy = one.get("add_prefix_space")
    if (scheme := one.get("prepend_scheme")).value is None:
        return "always" if legacy.boolean(default=True) else "never"
    chosen = scheme.one_of("always", "first", "never")
    if legacy.value is not None and legacy.boolean(default=True) is (chosen == "never"):
        raise FormatError(
            f"`{one.path}` has add_prefix_space={shown(legacy.value)} and prepend_scheme={shown(chosen)}",
            "the two contradict each other; remove the wrong one",
        )
    return chosen


def _read_split(one: Field, steps: tuple[Step, ...]) -> PreTokenizer | None:
    old, is_text = normalizers.pattern_of(one.get("pattern"))
    behavior = one.get("behavior").string()
    if is_text and _never_left(old, steps):
        return None
    if not old:
        raise one.get("pattern").wrong("a pattern that is not empty")
    source = re.escape(old) if is_text else old
    if behavior == "Isolated":
        regex = None if is_text else one.get("pattern").get("Regex").string()
        return PreTokenizer(pattern=source, regex=regex)
    if one.get("invert").boolean(default=False) or behavior == "Removed":
        return _staged(one)
    is_class = is_text and len(old) == 1
    return PreTokenizer(pattern=_behaving(one, behavior, f"[{source}]" if is_class else source, is_class=is_class))


def _never_left(text: str, steps: tuple[Step, ...]) -> bool:
    """Whether the last step takes this character away wherever it stands; a longer text could be made anew."""
    last = steps[-1] if steps else None
    return len(text) == 1 and last is not None and last.kind == "replace" and last.texts[0] == text not in last.texts[1]


def _behaving(one: Field, behavior: str, source: str, *, is_class: bool) -> str:
    """The pattern for a delimiter of this behavior; a class of characters is one pattern, without stages."""
    other = f"[^{source[1:]}"
    if is_class and behavior == "MergedWithPrevious":
        return f"{other}*{source}|{other}+"
    if is_class and behavior == "MergedWithNext":
        return f"{source}{other}*|{other}+"
    if is_class and behavior == "Contiguous":
        return f"(?:{source})+"
    return pattern_stages.marked(Field(behavior, f"{one.path}.behavior"), source)


def read_decoder(field: Field, *, falls_back: bool) -> Decoder:
    """What the decoder of such a file undoes.

    Raises:
        FormatError: it puts tokens together in another way than is done here.
    """
    waiting = [] if field.value is None else [field]
    space: str | None = None
    strip, fused, bytes_shown = 0, False, field.value is None
    while waiting:
        one = waiting.pop()
        kind = one.get("type").string()
        if kind == "Sequence":
            waiting += reversed(one.get("decoders").items())
        elif kind == "Metaspace" and space is None:
            space = one.get("replacement").string()
            strip = 0 if _scheme(one) == "never" else 1
            fused = True
        elif kind == "Replace" and space is None:
            old, is_text = normalizers.pattern_of(one.get("pattern"))
            if not is_text or one.get("content").string() != " ":
                raise FormatError(f"`{one.path}` replaces {shown(old)} by {shown(one.get('content').value)}", _HINT)
            space = old
        elif kind == "Fuse":
            fused = True
        elif kind == "ByteFallback":
            bytes_shown = True
        elif kind == "Strip" and fused and one.get("content").value == " " and one.get("stop").integer(0) == 0:
            strip = one.get("start").integer(_MOST)
        else:
            raise FormatError(f"`{one.path}` is {shown(kind)} at this place, and tokens are made of characters", _HINT)
    if falls_back and not bytes_shown:
        raise FormatError("`model.byte_fallback` is true, and no decoder is ByteFallback", _HINT)
    return Decoder(space, strip)


def render_decoder(decoder: Decoder, *, falls_back: bool) -> dict[str, object]:
    """A decoder as Hugging Face's library has it."""
    steps: list[dict[str, object]] = []
    if decoder.space is not None:
        steps.append({"type": "Replace", "pattern": {"String": decoder.space}, "content": " "})
    if falls_back:
        steps.append({"type": "ByteFallback"})
    steps.append({"type": "Fuse"})
    if decoder.strip:
        steps.append({"type": "Strip", "content": " ", "start": decoder.strip, "stop": 0})
    return steps[0] if len(steps) == 1 else {"type": "Sequence", "decoders": steps}


def render_pre_tokenizer(steps: tuple[Step, ...], pattern: str | None) -> tuple[dict[str, object] | None, str | None]:
    """The pre-tokenizer, and the regular expression in it.

    Raises:
        UntranslatableError: a pattern that Oniguruma cannot have.
        ValueError: steps that no pre-tokenizer does; its text says which.
    """
    made: list[dict[str, object]] = []
    rest = steps
    if rest and rest[0].kind == "replace" and rest[0].texts[0] == " " and len(rest[0].texts[1]) == 1:
        mark, scheme = rest[0].texts[1], "never"
        rest = rest[1:]
        for name, kind in _SCHEMES.items():
            if rest and rest[0] == Step(kind, (mark,)):
                scheme, rest = name, rest[1:]
        split = pattern == metaspace_pattern(mark)
        made.append({"type": "Metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split})
        pattern = None if split else pattern
    if rest:
        raise ValueError(f"the step {shown(rest[0].kind)} behind normalized special tokens")
    regex = None
    if pattern is not None:
        regex = pattern_stages.translate(pattern)
        before, spelled = pattern_stages.render(regex)
        if spelled:
            raise ValueError("a stage of the pattern that sees the spelling of bytes, which no token has")
        made += before
    if len(made) > 1:
        return {"type": "Sequence", "pretokenizers": made}, regex
    return (made[0] if made else None), regex
