"""Writing a `tokenizer.json` that gives the same ids in Hugging Face's library, or saying why there is none.

The invariant: a file without `bytepair` at the top gives, in `tokenizers` with all added tokens parsed, the ids that
these parts give. Whatever might break it raises `_Impossible` on the way, and the native kind is written instead.
"""

from __future__ import annotations

from typing import Final

from bytepair.errors import FormatError, FormatWarning
from bytepair.formats import (
    added_tokens,
    byte_alphabet,
    json_lines,
    native,
    oniguruma,
    pattern_stages,
    post_processor,
    record,
    user_defined,
)
from bytepair.formats.huggingface_read import GPT2_PATTERN
from bytepair.formats.huggingface_symbols import words_of_bytes
from bytepair.formats.ranks import merges_of_ranks
from bytepair.formats.strict_json import shown
from bytepair.normalizing import Decoder, Step
from bytepair.parts import MARK, Parts
from bytepair.told import tell

__all__ = ["model_size", "write", "write_theirs"]

_HINT: Final = "bytepair reads it exactly; for `tokenizers`, change that and save it again"


class _Impossible(Exception):  # noqa: N818
    """Hugging Face's library cannot do this; the text says what."""


def write(parts: Parts) -> bytes:
    """The content of the file.

    Raises:
        FormatError: a merge of ids that no token has.

    Warns:
        FormatWarning: the file is of the native kind.
    """
    _check_merges(parts)
    try:
        document = _document(parts)
    except _Impossible as error:
        tell(FormatWarning, f"`tokenizers` will refuse this file: {error}", _HINT)
        document = native.write(parts, str(error))
    return json_lines.dump(document)


def write_theirs(parts: Parts) -> bytes:
    """The content of a file that `tokenizers` can read.

    Raises:
        FormatError: there is none, and why; a merge of ids that no token has.
    """
    _check_merges(parts)
    try:
        return json_lines.dump(_document(parts))
    except _Impossible as error:
        raise FormatError(f"`tokenizers` cannot do this: {error}", "a tokenizer.json alone can hold it") from error


def model_size(parts: Parts) -> int:
    """How many tokens the model has in a file of these parts, without those that are only added.

    >>> model_size(Parts(tokens=((0, b"a"), (1, b"b")), merges=(), specials=(added_tokens.SpecialToken("<s>", 2),)))
    2
    """
    try:
        vocab = {_spell(content, parts): id_ for id_, content in parts.tokens}
        with_specials = _with_specials(parts, vocab)
        _unknown(parts, with_specials)
    except _Impossible:
        return len(parts.tokens)
    return len(with_specials)


def _check_merges(parts: Parts) -> None:
    contents = dict(parts.tokens)
    made = set(contents.values())
    for rank, (left, right) in enumerate(parts.merges or ()):
        if left not in contents or right not in contents or contents[left] + contents[right] not in made:
            raise FormatError(
                f"`merges[{rank}]` is ({left}, {right}): both, and what they make, must be tokens",
                "mend the vocabulary before it is saved",
            )


def _document(parts: Parts) -> dict[str, object]:
    defined = user_defined.ids_of(parts)
    if defined:
        try:
            parts = user_defined.as_tokens(parts)
        except ValueError as error:
            raise _Impossible(str(error)) from None
    spelled = {id_: _spell(content, parts) for id_, content in sorted(parts.tokens)}
    vocab = {spelling: id_ for id_, spelling in spelled.items()}
    if len(vocab) != len(parts.tokens):
        raise _Impossible(_spelled_alike(parts))
    if parts.end_of_word is not None or parts.alphabet == "characters":
        _check_characters(parts)
    merges = merges_of_ranks(parts.tokens) if parts.merges is None else parts.merges
    normalizer, pre_tokenizer, regex = _before(parts)
    extra = record.Extra(
        pattern=None if regex == parts.pattern or defined else parts.pattern,
        ranks=parts.merges is None,
        user_defined=tuple(defined),
        training=parts.training,
    )
    with_specials = _with_specials(parts, vocab)
    model: dict[str, object] = {
        "type": "BPE",
        "dropout": None,
        "unk_token": _unknown(parts, with_specials),
        "continuing_subword_prefix": None,
        "end_of_word_suffix": parts.end_of_word,
        "fuse_unk": parts.fuse_unknown,
        "byte_fallback": _falls_back(parts),
        "ignore_merges": parts.whole_first,
        "vocab": with_specials,
        "merges": [[spelled[left], spelled[right]] for left, right in merges],
    }
    if own := record.render(extra):
        model["bytepair"] = own
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added_tokens.render(parts.specials),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": post_processor.render(
            parts.post_processor, {special.content: special.id for special in parts.specials}
        ),
        "decoder": _decoder(parts),
        "model": model,
    }


def _spelled_alike(parts: Parts) -> str:
    if parts.alphabet == "unicode":
        return "a token that means a byte is spelled like another token"
    if len({content for _, content in parts.tokens}) < len(parts.tokens):
        return "two tokens have the same bytes"
    return f"two tokens are spelled alike with the end-of-word mark {shown(parts.end_of_word)}"


def _falls_back(parts: Parts) -> bool:
    """Whether there are tokens that mean a byte; then all of them."""
    if parts.alphabet != "unicode":
        return False
    count = sum(content.startswith(MARK) for _, content in parts.tokens)
    if count not in {0, 256}:
        raise _Impossible(f"{count} of the 256 bytes are tokens; there it must be all or none")
    return count > 0


def _unknown(parts: Parts, vocab: dict[str, int]) -> str | None:
    """The unknown token, which must be in the vocabulary."""
    if parts.unknown is None:
        return None
    found = next((key for key, id_ in vocab.items() if id_ == parts.unknown), None)
    if found is None:
        special = next((special.content for special in parts.specials if special.id == parts.unknown), None)
        if special is None or special in vocab:
            raise _Impossible(f"the unknown token's id {parts.unknown} is no token's")
        vocab[special] = parts.unknown
        found = special
    return found


def _spell(content: bytes, parts: Parts) -> str:
    if parts.alphabet == "bytes":
        if parts.end_of_word is None or len(content) == 1 or not content.endswith(MARK):
            return byte_alphabet.spell(content)
        return byte_alphabet.spell(content[:-1]) + parts.end_of_word
    if parts.alphabet == "unicode":
        return f"<0x{content[1]:02X}>" if content.startswith(MARK) else content.decode()
    text, mark, rest = content.partition(MARK)
    if rest:
        raise _Impossible(f"the token {content!r} has the end-of-word mark inside")
    return text.decode() + ((parts.end_of_word or "") if mark else "")


def _check_characters(parts: Parts) -> None:
    mark = parts.end_of_word
    if mark is not None and not parts.end_of_word_joined:
        raise _Impossible("the end-of-word mark is a symbol of its own; there it is joined to the last character")
    if mark is not None and parts.whole_first:
        raise _Impossible("whole words are looked up first; there this passes over the end-of-word mark")
    if mark is not None:
        for _, content in parts.tokens:
            if not content.endswith(MARK) and content.endswith(mark.encode()):
                raise _Impossible(f"the token {content!r} ends like the end-of-word mark {shown(mark)} and has none")


def _before(parts: Parts) -> tuple[dict[str, object] | None, dict[str, object] | None, str | None]:
    """The normalizer and the pre-tokenizer, and the regular expression in that."""
    from bytepair.formats import huggingface_characters, huggingface_normalizer  # noqa: PLC0415 - few files need them

    steps = parts.normalizer
    try:
        normalizer = huggingface_normalizer.render(steps.before)
        if parts.alphabet == "unicode":
            return normalizer, *huggingface_characters.render_pre_tokenizer(steps.after, parts.pattern)
    except oniguruma.UntranslatableError as error:
        raise _Impossible(f"a pattern: {error}") from None
    except ValueError as error:
        raise _Impossible(str(error)) from None
    prefix = steps.after == (Step("prepend_always", (" ",)),) and parts.alphabet == "bytes"
    if steps.after and not prefix:
        raise _Impossible(f"the step {shown(steps.after[0].kind)} behind normalized special tokens")
    return normalizer, *_pre_tokenizer(parts, prefix=prefix)


def _pre_tokenizer(parts: Parts, *, prefix: bool) -> tuple[dict[str, object], str | None]:
    """The pre-tokenizer, and the regular expression in it; `prefix`: it puts a space before texts."""
    if parts.alphabet == "characters":
        return {"type": "WhitespaceSplit"}, None
    if parts.end_of_word is not None and (prefix or parts.pattern is None):
        raise _Impossible("an end-of-word mark with bytes needs a pattern there, and no space before texts")
    if prefix:
        return _prefixed(parts.pattern)
    level = _byte_level()
    if parts.pattern is None:
        return level, None
    try:
        regex = pattern_stages.translate(parts.pattern)
    except oniguruma.UntranslatableError as error:
        raise _Impossible(f"the pattern {shown(parts.pattern)}: {error}") from None
    try:
        splits, behind = pattern_stages.render(regex)
    except ValueError as error:
        raise _Impossible(str(error)) from None
    if parts.end_of_word is not None:
        if len(splits) + len(behind) > 1:
            raise _Impossible("an end-of-word mark, and a pattern in stages")
        splits[0] |= {"behavior": "Removed", "invert": True}
    return {"type": "Sequence", "pretokenizers": [*splits, level, *behind]}, regex


def _prefixed(pattern: str | None) -> tuple[dict[str, object], str | None]:
    """A pre-tokenizer that puts a space before texts: only `ByteLevel` comes first, and its own pattern."""
    first, then, rest = (pattern or "").partition(pattern_stages.THEN)
    behind = [pattern or ""] if first.startswith(pattern_stages.SPELLED) else [rest] if then else []
    own = "" if first.startswith(pattern_stages.SPELLED) else first
    if own not in {"", GPT2_PATTERN} or not all(stage.startswith(pattern_stages.SPELLED) for stage in behind):
        raise _Impossible("a space before each text, and a pattern; there each pretoken would get one")
    level = _byte_level(prefix=True, use_regex=bool(own))
    if not behind:
        return level, pattern
    try:
        regex = pattern_stages.translate(behind[0])
        _, splits = pattern_stages.render(regex)
    except (oniguruma.UntranslatableError, ValueError) as error:
        raise _Impossible(f"the pattern {shown(pattern)}: {error}") from None
    return {"type": "Sequence", "pretokenizers": [level, *splits]}, (
        f"{own}{pattern_stages.THEN}{regex}" if own else regex
    )


def _byte_level(*, prefix: bool = False, use_regex: bool = False) -> dict[str, object]:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": use_regex}


def _decoder(parts: Parts) -> dict[str, object]:
    if parts.alphabet == "unicode":
        from bytepair.formats import huggingface_characters  # noqa: PLC0415 - few files need it

        return huggingface_characters.render_decoder(parts.decoder, falls_back=_falls_back(parts))
    if parts.decoder != Decoder():
        raise _Impossible("a decoder that undoes a normalisation, with an alphabet of " + parts.alphabet)
    if parts.alphabet == "bytes":
        return _byte_level() if parts.end_of_word is None else words_of_bytes(parts.end_of_word)
    if parts.end_of_word is None:
        return {"type": "Fuse"}
    return {"type": "BPEDecoder", "suffix": parts.end_of_word}


def _with_specials(parts: Parts, vocab: dict[str, int]) -> dict[str, int]:
    """The vocabulary with those special tokens in it that would get another id outside."""
    ordered = sorted(parts.specials, key=lambda special: special.id)
    if all(
        special.id == id_
        for special, id_ in zip(ordered, added_tokens.numbered(ordered, vocab, len(vocab)), strict=True)
    ):
        return vocab
    taken = set(vocab.values())
    added = dict(vocab)
    for special in ordered:
        if added.get(special.content) == special.id:
            continue
        if special.content in added or special.id in taken:
            raise _Impossible(f"the special token {shown(special.content)} is spelled like a token, or has its id")
        _check_passive(special.content, parts)
        added[special.content] = special.id
        taken.add(special.id)
    return dict(sorted(added.items(), key=lambda entry: entry[1]))


def _check_passive(content: str, parts: Parts) -> None:
    """A special token in the vocabulary must not become a symbol, or a whole pretoken, of ordinary text."""
    symbol = len(content) == 1 or (parts.end_of_word is not None and content.endswith(parts.end_of_word))
    spelled = parts.alphabet == "bytes" and not content.isascii() and byte_alphabet.read(content) is not None
    if symbol or spelled:
        raise _Impossible(f"the special token {shown(content)} would be a token of ordinary text there")
