"""Reading a `tokenizer.json`: what is understood becomes parts, everything else that would change ids is refused.

The rule: a field that is not looked at could change ids behind our back, so every field of the format is either read,
or known not to matter, or refused by name and value. See `huggingface.py` for what the format means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, repeat
from operator import add
from typing import TYPE_CHECKING, Final, cast

from bytepair.errors import FormatError, FormatWarning
from bytepair.formats import added_tokens, huggingface_symbols, pattern_stages, post_processor, record
from bytepair.formats.huggingface_symbols import GPT2_PATTERN, Symbols, byte_token
from bytepair.formats.ranks import merges_of_ranks
from bytepair.formats.strict_json import Field, shown
from bytepair.parts import MARK, MAX_ID, Parts
from bytepair.told import tell

if TYPE_CHECKING:
    from bytepair import _core
    from bytepair.parts import TrainingRecord

__all__ = ["GPT2_PATTERN", "load", "read", "read_merges", "read_vocab"]

ALIKE: Final = ("o200k", "llama3", "qwen2", "story", "digits3r")
"""The presets whose regular expression means the same in Hugging Face's library; as does `GPT2_PATTERN`."""

_LATER: Final = "files with this are not read yet; a byte-level BPE without it is"
_OTHER: Final = 'that is another algorithm than byte-pair encoding; take a tokenizer whose `model.type` is "BPE"'
_TOP: Final = frozenset(
    {
        "added_tokens",
        "decoder",
        "model",
        "normalizer",
        "padding",
        "post_processor",
        "pre_tokenizer",
        "truncation",
        "version",
    }
)


@dataclass(frozen=True, slots=True)
class Merges:
    """The merges of a file, in order."""

    pairs: tuple[tuple[int, int], ...]
    """(left id, right id) of each."""
    made: list[int]
    """The id of what each makes."""

    def use(self, ids: set[int]) -> set[int]:
        """Those of the ids that a merge takes or makes."""
        return ids.intersection(chain(self.made, chain.from_iterable(self.pairs)))


def read(root: Field) -> Parts:
    """The parts that a document describes.

    Raises:
        FormatError: with the path and the value of what is damaged or not read.
        BytepairError: the parts contradict each other.

    Warns:
        FormatWarning: the file adds special tokens to the ids of each text, or has a dropout.
    """
    _check_keys(root)
    model = root.get("model")
    _check_algorithm(model)
    vocab = read_vocab(model.get("vocab"))
    merges = read_merges(model.get("merges"), vocab)
    _check_around(root)
    symbols = huggingface_symbols.read(root, model)
    _check_model(model, symbols)
    specials = added_tokens.read(root.get("added_tokens"), vocab, len(vocab))
    used = merges.use({special.id for special in specials})
    only_added = {special.content for special in specials if special.id not in used}
    tokens: list[tuple[int, bytes]] = []
    for key, id_ in vocab.items():
        content = symbols.content(key)
        if key in only_added and (len(key) > 1 or content is None):
            continue
        if content is None:
            raise _unspelled(key)
        tokens.append((id_, content))
    if symbols.alphabet == "unicode":
        _check_fallback(vocab, merges, symbols)
    else:
        _check_unknown(model, symbols, tokens)
    parts = _assemble(model, symbols, tuple(sorted(tokens)), merges, specials)
    post = root.get("post_processor")
    unknown = _unknown(model, vocab) if symbols.alphabet == "unicode" else None
    parts = replace(parts, unknown=unknown, post_processor=post_processor.kept(post))
    if symbols.alphabet == "unicode":
        parts = _with_symbols(model, parts)
    post_processor.warn_if_it_adds(post)
    _warn_of_dropout(model)
    return parts


def load(root: Field, engine: _core.Model) -> tuple[_core.Tokenizer, TrainingRecord | None] | None:
    """As `read`, for a document whose tokens and merges the engine has read and `root` has not.

    None: it is not byte-level, or tokens and merges are not as they should be, and `read` says what is wrong.

    Raises:
        FormatError, BytepairError: as `read`, though not always the same error first.

    Warns:
        FormatWarning: as `read`.
    """
    _check_keys(root)
    model = root.get("model")
    _check_algorithm(model)
    _check_around(root)
    symbols = huggingface_symbols.read(root, model)
    if symbols.alphabet != "bytes" or symbols.plain or symbols.suffix is not None:
        return None
    _check_model(model, symbols)
    added = root.get("added_tokens")
    specials = added_tokens.read(added, engine.find(added_tokens.contents(added)), len(engine))
    extra = record.read(model.get("bytepair"), engine.merges)
    post = root.get("post_processor")
    core = engine.tokenizer(
        symbols.pattern if symbols.regex is None else _known_pattern(symbols.regex, extra.pattern),
        model.get("ignore_merges").boolean(default=False),
        extra.ranks,
        model.get("unk_token").value is not None,
        [special.plain for special in specials],
        (None, False, symbols.normalizer.packed(), (None, 0), post_processor.kept(post)),
    )
    if core is None:
        return None
    post_processor.warn_if_it_adds(post)
    _warn_of_dropout(model)
    return core, extra.training


def _unspelled(key: str) -> FormatError:
    return FormatError(
        f"`model.vocab` has {shown(key)} with a character that spells no byte",
        "the file is not byte-level, though its pre_tokenizer is; added tokens belong into `added_tokens`",
    )


def read_vocab(field: Field) -> dict[str, int]:
    """`model.vocab`: spelling -> id, each id once."""
    vocab: dict[str, int] = {}
    keys: dict[int, str] = {}
    for key, id_ in field.object().items():
        if type(id_) is not int or not 0 <= id_ <= MAX_ID:
            raise Field(id_, f"{field.path}[{shown(key)}]").wrong(f"an integer from 0 to {MAX_ID}")
        if id_ in keys:
            raise FormatError(
                f"`{field.path}` gives the id {id_} to {shown(keys[id_])} and to {shown(key)}", "each id is one token's"
            )
        vocab[key] = id_
        keys[id_] = key
    try:
        "".join(vocab).encode()
    except UnicodeEncodeError:
        raise FormatError(
            f"`{field.path}` has a key with half of a surrogate pair", "keys are text; the file is damaged"
        ) from None
    if "" in vocab:
        raise FormatError(f"`{field.path}` has the empty key, with the id {vocab['']}", "a token has one byte or more")
    return vocab


def read_merges(field: Field, vocab: dict[str, int]) -> Merges:
    """`model.merges`, in either spelling; each pair once."""
    if not isinstance(field.value, list):
        raise field.wrong("a list")
    try:
        lefts, rights = _halves(field.value)
        ids_of = vocab.__getitem__
        pairs = tuple(zip(map(ids_of, lefts), map(ids_of, rights), strict=True))
        made = list(map(ids_of, map(add, lefts, rights)))
    except (KeyError, TypeError, ValueError):
        return _read_merges_slowly(field, vocab)
    if len(set(pairs)) != len(pairs):
        return _read_merges_slowly(field, vocab)
    return Merges(pairs, made)


def _halves(merges: list[object]) -> tuple[list[str], list[str]]:
    """The left and the right halves of merges that are all spelled in one way, quickly.

    Raises:
        TypeError, ValueError: they are not, or something is wrong with one.
    """
    if set(map(type, merges)) == {str}:
        strings = cast(list[str], merges)
        if set(map(str.count, strings, repeat(" "))) != {1}:
            raise ValueError
        halves = " ".join(strings).split(" ")
    elif set(map(type, merges)) <= {list}:
        pairs = cast(list[list[str]], merges)
        if set(map(len, pairs)) - {2}:
            raise ValueError
        halves = list(chain.from_iterable(pairs))
    else:
        raise TypeError
    return halves[::2], halves[1::2]


def _read_merges_slowly(field: Field, vocab: dict[str, int]) -> Merges:
    """The same, merge by merge, to name the one that is wrong."""
    seen: dict[tuple[int, int], int] = {}
    made: list[int] = []
    for i, item in enumerate(field.items()):
        left, right = _read_pair(item)
        ids = (vocab.get(left), vocab.get(right), vocab.get(left + right))
        if ids[0] is None or ids[1] is None or ids[2] is None:
            missing = next(key for key, id_ in zip((left, right, left + right), ids, strict=True) if id_ is None)
            raise FormatError(
                f"`{field.path}[{i}]` merges {shown(left)} and {shown(right)}, and {shown(missing)} is not in "
                "`model.vocab`",
                "both halves of a merge, and what it makes, are tokens; the file is damaged",
            )
        pair = (ids[0], ids[1])
        if pair in seen:
            raise FormatError(
                f"`{field.path}[{i}]` merges {shown(left)} and {shown(right)}, as `{field.path}[{seen[pair]}]` does",
                "remove one of the two",
            )
        seen[pair] = i
        made.append(ids[2])
    return Merges(tuple(seen), made)


def _read_pair(item: Field) -> tuple[str, str]:
    value = item.value
    halves: list[str] = []
    if isinstance(value, str):
        halves = value.split(" ")
    elif isinstance(value, list):
        halves = [half for half in value if isinstance(half, str)] if len(value) == 2 else []  # noqa: PLR2004
    if len(halves) != 2 or "" in halves:  # noqa: PLR2004
        raise item.wrong('two tokens, as ["a", "b"] or as "a b" with one space')
    return halves[0], halves[1]


def _check_keys(root: Field) -> None:
    for key in root.object():
        if key not in _TOP:
            raise FormatError(
                f"{shown(key)} is no key of a tokenizer.json", "is it another kind of file, a configuration perhaps?"
            )
    if not isinstance(root.get("model").value, dict):
        raise root.get("model").wrong("an object", "a tokenizer.json has its tokens and merges in `model`")


def _check_around(root: Field) -> None:
    for key in ("truncation", "padding"):
        if (field := root.get(key)).value is not None:
            raise FormatError(
                f"`{key}` is {shown(field.value)}: it changes what every call returns",
                "set it to null; here a length is an option of a call (`truncate`)",
            )


def _check_fallback(vocab: dict[str, int], merges: Merges, symbols: Symbols) -> None:
    """Tokens that mean a byte are made by no merge, and all there or none."""
    if not symbols.falls_back:
        return
    keys = {key: id_ for key, id_ in vocab.items() if byte_token(key) is not None}
    used = set(chain(merges.made, chain.from_iterable(merges.pairs)))
    for key, id_ in keys.items():
        if id_ in used:
            raise FormatError(f"`model.merges` has {shown(key)}, a token that means a byte", _LATER)
    if keys and len(keys) != 256:  # noqa: PLR2004
        raise FormatError(
            f"`model.byte_fallback` is true, and {len(keys)} of the 256 bytes are tokens", "all must be, or none"
        )


def _check_algorithm(model: Field) -> None:
    """BPE by its name; or, in old files, by its merges, which no other model has."""
    kind = model.get("type")
    if kind.value is None and model.get("merges").value is None:
        raise FormatError("`model` has no `type` and no `merges`", _OTHER)
    if kind.value is not None and kind.string() != "BPE":
        raise FormatError(f"`model.type` is {shown(kind.value)}, and only BPE is read", _OTHER)


def _warn_of_dropout(model: Field) -> None:
    """In Hugging Face's library, the field makes every call leave merges out at random."""
    if dropout := model.get("dropout").value:
        tell(
            FormatWarning,
            f"`model.dropout` is {dropout}, and `encode` here leaves no merge out unless the call says so",
            f"encode(text, dropout={dropout}, seed=...) does; a file that is saved from here has no dropout",
        )


def _check_model(model: Field, symbols: Symbols) -> None:
    dropout, value = model.get("dropout"), model.get("dropout").value
    if value is not None and not (isinstance(value, int | float) and type(value) is not bool and 0 <= value <= 1):
        raise dropout.wrong("a probability, 0 to 1")
    if (prefix := model.get("continuing_subword_prefix")).value not in (None, ""):
        raise FormatError(f"`model.continuing_subword_prefix` is {shown(prefix.value)}", _LATER)
    if model.get("byte_fallback").boolean(default=False) and symbols.alphabet != "unicode":
        raise FormatError(f"`model.byte_fallback` is true, and the symbols are {symbols.alphabet}", _LATER)
    if model.get("ignore_merges").boolean(default=False) and symbols.suffix is not None:
        raise FormatError("`model.ignore_merges` is true with an `end_of_word_suffix`", _LATER)
    model.get("fuse_unk").boolean(default=False)


def _check_unknown(model: Field, symbols: Symbols, tokens: list[tuple[int, bytes]]) -> None:
    """An unknown-token can be passed over only where nothing is unknown: when every byte is a token."""
    unknown = model.get("unk_token")
    if unknown.value is None:
        return
    single = {content for _, content in tokens if len(content) == 1}
    if symbols.suffix is not None:
        single = {content[:1] for _, content in tokens if len(content) == 2 and content.endswith(MARK)} & single  # noqa: PLR2004
    if symbols.alphabet == "characters" or len(single) < 256:  # noqa: PLR2004
        raise FormatError(f"`model.unk_token` is {shown(unknown.string())}, and not every symbol is a token", _LATER)


def _assemble(
    model: Field,
    symbols: Symbols,
    tokens: tuple[tuple[int, bytes], ...],
    merges: Merges,
    specials: tuple[added_tokens.SpecialToken, ...],
) -> Parts:
    extra = record.read(model.get("bytepair"), len(merges.pairs))
    pairs: tuple[tuple[int, int], ...] | None = merges.pairs
    whole_first = model.get("ignore_merges").boolean(default=False)
    if extra.ranks and whole_first and pairs == merges_of_ranks(tokens):
        pairs = None
    return Parts(
        alphabet=symbols.alphabet,
        end_of_word=symbols.suffix,
        end_of_word_joined=symbols.suffix is not None,
        pattern=symbols.pattern if symbols.regex is None else _pattern(symbols.regex, extra.pattern),
        tokens=tokens,
        merges=pairs,
        whole_first=whole_first,
        specials=specials,
        training=extra.training,
        fuse_unknown=symbols.alphabet == "unicode" and model.get("fuse_unk").boolean(default=False),
        normalizer=symbols.normalizer,
        decoder=symbols.decoder,
    )


def _with_symbols(model: Field, parts: Parts) -> Parts:
    """The parts that were written, where symbols that a user defined became tokens."""
    extra = record.read(model.get("bytepair"), len(parts.merges or ()))
    if not extra.user_defined:
        return parts
    from bytepair.formats import user_defined  # noqa: PLC0415 - for few files

    return user_defined.as_symbols(parts, extra.user_defined)


def _unknown(model: Field, vocab: dict[str, int]) -> int | None:
    """The id of the unknown token."""
    field = model.get("unk_token")
    if field.value is None:
        return None
    if (found := vocab.get(field.string())) is None:
        raise FormatError(f"`model.unk_token` is {shown(field.value)}, which is not in `model.vocab`", "add it there")
    return found


def _known_pattern(regex: str, original: str | None) -> str:
    """As `_pattern`; common ones are known, and translating takes longer than the rest of a small file."""
    from bytepair.patterns import PATTERNS  # noqa: PLC0415 - reading into parts needs no compiled module

    alike = regex == GPT2_PATTERN or any(regex == PATTERNS[name] for name in ALIKE)
    return regex if alike and original in {None, regex} else _pattern(regex, original)


def _pattern(regex: str, original: str | None) -> str:
    """The pattern as it was given, if the file's regular expression is its translation; else what the file's means."""
    from bytepair.formats import oniguruma  # noqa: PLC0415 - loaded when first needed

    if original is not None:
        try:
            if pattern_stages.translate(original) == regex:
                return original
        except oniguruma.UntranslatableError:
            pass
    try:
        return pattern_stages.understand(regex)
    except oniguruma.UntranslatableError as error:
        raise FormatError(f"the regular expression {shown(regex)} of the pre_tokenizer: {error}", _LATER) from None
