"""A folder of Hugging Face's `transformers`, a model's or a tokenizer's: what `AutoTokenizer` reads.

Read is the file with the vocabulary (`tokenizer.json`; `tekken.json`; `vocab.json` and `merges.txt`; one rank file, the
first of these that is there), and what the files around it say of special tokens: `added_tokens_decoder` in
`tokenizer_config.json`, `special_tokens_map.json`, `added_tokens.json`. A pair has the pattern of the class that
`tokenizer_config.json` names.

Written are `tokenizer.json` and `tokenizer_config.json`; of one that is there everything else is kept (a chat template,
the tokens' roles), and what another folder says of that is carried over if it is named (`beside.py`). A folder whose
other files name tokens that the tokenizer does not have is refused, since `AutoTokenizer` would add them. What the
format cannot hold: what `tokenizers` cannot do (`huggingface.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bytepair.arguments import LeftOut
from bytepair.errors import FormatError, FormatWarning
from bytepair.formats import added_tokens, beside, gpt2, huggingface_write, json_lines, places
from bytepair.formats.beside import CONFIG, LISTS, MAP, ROLES, document
from bytepair.formats.strict_json import Field, shown
from bytepair.parts import MAX_ID, Parts, SpecialToken
from bytepair.told import tell

__all__ = ["WRITTEN", "Folder", "look_into", "render"]

WRITTEN: Final = ("tokenizer.json", CONFIG)
"""The files that are written."""
_ADDED: Final = "added_tokens.json"
_FILES: Final = ("tokenizer.json", "tekken.json", "vocab.json", "encoder.json")
_AS_GPT2: Final = frozenset({"GPT2", "Roberta", "Bart", "Longformer", "LED", "CodeGen"})
_FRAMED: Final = frozenset({"Roberta", "Bart", "Longformer", "LED"})
"""Classes that put special tokens around each text."""


@dataclass(frozen=True, slots=True)
class Folder:
    """What a folder says, but for the file with the vocabulary."""

    file: Path
    """That file."""
    added: tuple[SpecialToken, ...]
    """Special tokens with their ids."""
    named: Mapping[str, str]
    """Special tokens that are named without an id, and where."""
    family: str | None
    """The class that reads it, without `Tokenizer` and `Fast`."""
    prefixed: bool
    """Whether a space is put before each text."""

    def is_pair(self) -> bool:
        """Whether the vocabulary is a pair of files, which say neither the pattern nor what is special."""
        return self.file.name in ("vocab.json", "encoder.json")

    def read_pair(
        self, *, pattern: str | LeftOut | None, special_tokens: Mapping[str, int] | Sequence[str] | None
    ) -> Parts:
        """The tokenizer of a pair.

        Raises:
            FormatError: as `gpt2.parse`; a class with another pattern than GPT-2's, if no pattern is given.

        Warns:
            FormatWarning: the class adds special tokens to the ids of each text.
        """
        if isinstance(pattern, LeftOut) and self.family is not None and self.family not in _AS_GPT2:
            raise FormatError(
                f"`{CONFIG}`: `tokenizer_class` is {shown(self.family + 'Tokenizer')}, whose pattern is unknown",
                "give `pattern=`, or a tokenizer.json of this model",
            )
        if self.prefixed:
            raise FormatError(
                f"`{CONFIG}`: `add_prefix_space` is true", "files with this are not read yet; without it they are"
            )
        if self.family in _FRAMED:
            tell(
                FormatWarning,
                f"{self.family}Tokenizer adds special tokens to the ids of each text, and `encode` here does not",
                "add them to the ids where a model wants them",
            )
        if special_tokens is None and (self.named or self.added):
            special_tokens = list(self.named)
        vocab, merges = places.both(self.file, self.file.read_bytes())
        return gpt2.parse(vocab, merges, pattern=pattern, special_tokens=special_tokens, added=self.added)

    def agrees(self, specials: Iterable[SpecialToken]) -> bool:
        """Whether the folder says nothing of special tokens that is not said by these."""
        known = {special.content: special for special in specials}
        return all(known.get(one.content) == one for one in self.added) and self.named.keys() <= known.keys()

    def complete(self, parts: Parts) -> Parts:
        """What the file with the vocabulary says, with the special tokens that the folder adds.

        Raises:
            FormatError: a special token with two ids; one that no file gives an id.
        """
        known = {special.content: special for special in parts.specials}
        for special in self.added:
            before = known.get(special.content, special)
            if before.id != special.id:
                raise FormatError(
                    f"{shown(special.content)} has the id {before.id} in `{self.file.name}` and {special.id} beside it",
                    "the files do not belong together",
                )
            known[special.content] = special
        for content, where in self.named.items():
            if content not in known:
                raise FormatError(f"{where} is {shown(content)}, and no file gives it an id", "a file may be missing")
        return replace(parts, specials=tuple(known.values()))


def look_into(path: str | os.PathLike[str]) -> Folder:
    """What a folder says.

    Raises:
        FormatError: no vocabulary; a file that is damaged, with its name and the place in it.
        OSError: a file that cannot be read.
    """
    here = Path(path)
    config, roles, added = (document(here / name) for name in (CONFIG, MAP, _ADDED))
    kind = config.get("tokenizer_class")
    return Folder(
        file=_vocabulary(here),
        added=(*_decoder(config.get("added_tokens_decoder")), *_added(added)),
        named=dict(_named(roles)),
        family=None if kind.value is None else kind.string().removesuffix("Fast").removesuffix("Tokenizer"),
        prefixed=config.get("add_prefix_space").boolean(default=False),
    )


def render(
    parts: Parts,
    path: str | os.PathLike[str],
    like: str | os.PathLike[str] | None = None,
    new_id: beside.NewId | None = None,
) -> dict[str, bytes]:
    """The files to be written into a folder, which need not be there.

    Args:
        parts: the tokenizer.
        path: the folder.
        like: another folder, whose roles of tokens, chat templates and other settings are taken over.
        new_id: where the ids of that one went.

    Raises:
        FormatError: what `tokenizers` cannot do; files there that name other tokens.
        OSError: a file there that cannot be read.

    Warns:
        FormatWarning: what is not taken over, and why.
    """
    here = Path(path)
    config = document(here / CONFIG)
    known = {special.content: special.id for special in parts.specials}
    _check_names(here, config, known)
    others = beside.Beside() if like is None else beside.carried(like, here, known.keys(), new_id)
    for left in others.left:
        tell(FormatWarning, f"{os.fspath(like or path)}: {left}", "it is left out; the rest is taken over")
    ours: dict[str, object] = {"clean_up_tokenization_spaces": False, "tokenizer_class": "PreTrainedTokenizerFast"}
    theirs = {"added_tokens_decoder", "auto_map", "add_prefix_space", "add_bos_token", "add_eos_token", "backend"}
    kept = {key: value for key, value in {**others.config, **config.object()}.items() if key not in theirs}
    config_text = json_lines.dump({**kept, **ours}, errors="backslashreplace")  # what was read can be written
    own = dict(zip(WRITTEN, (huggingface_write.write_theirs(parts), config_text), strict=True))
    return {**others.files, **own}


def _check_names(here: Path, config: Field, known: Mapping[str, int]) -> None:
    """Whether the files that are there name special tokens of the tokenizer alone, which have these ids."""
    roles, added = (document(here / name) for name in (MAP, _ADDED))
    named = [(one.content, one.id) for one in _added(added)]
    for content, where in (*_named(config), *_named(roles), *((content, f"`{_ADDED}`") for content, _ in named)):
        if content not in known:
            raise FormatError(
                f"{where} is {shown(content)}, which is no special token of this tokenizer",
                "change or remove the file: `AutoTokenizer` would add the token; or save into another folder",
            )
    for content, id_ in named:
        if id_ != known[content]:
            raise FormatError(
                f"`{_ADDED}` says that {shown(content)} has the id {id_}, and it has {known[content]}",
                "change or remove the file, which need not be there; or save into another folder",
            )


def _vocabulary(here: Path) -> Path:
    found = [here / name for name in _FILES if (here / name).is_file()] or sorted(here.glob("*.tiktoken"))
    if not found:
        raise FormatError(
            f"there is no {', '.join(_FILES)} or *.tiktoken in the folder", "name the file of the tokenizer itself"
        )
    if found[0].suffix == ".tiktoken" and len(found) > 1:
        raise FormatError(
            f"there are {len(found)} rank files, `{found[0].name}` and `{found[1].name}` among them", "name one of them"
        )
    return found[0]


def _decoder(field: Field) -> Iterator[SpecialToken]:
    """`added_tokens_decoder`: id -> a token with its flags."""
    for key, item in () if field.value is None else field.entries():
        if not (key.isascii() and key.isdigit() and len(key) <= 10 and int(key) <= MAX_ID):  # noqa: PLR2004
            raise FormatError(f"`{field.path}` has the key {shown(key)}", f"its keys are ids, 0 to {MAX_ID}")
        yield added_tokens.read_one(Field({**item.object(), "id": int(key)}, item.path))


def _added(root: Field) -> Iterator[SpecialToken]:
    """`added_tokens.json`: text -> id."""
    for content, item in root.entries():
        if not content:
            raise FormatError(f"`{root.path}` has the empty text", "a token has a character or more")
        yield SpecialToken(content, item.integer(MAX_ID))


def _named(root: Field) -> Iterator[tuple[str, str]]:
    """The tokens that a role is given to, with their places."""
    items = [root.get(role) for role in ROLES]
    for key in LISTS:
        field = root.get(key)
        if isinstance(field.value, dict):
            items += [item for _, item in field.entries()]
        elif field.value is not None:
            items += field.items()
    for item in items:
        if isinstance(item.value, dict):
            yield item.get("content").string(), f"`{item.path}`"
        elif item.value is not None:
            yield item.string(), f"`{item.path}`"
