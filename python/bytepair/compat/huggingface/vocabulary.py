"""Tokens as text, and the roles that some of them have: what `transformers` calls conversions and special tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final, overload

from bytepair.errors import SpecialTokenError, UnknownTokenError
from bytepair.formats import byte_alphabet
from bytepair.formats.huggingface_write import model_size
from bytepair.parts import MARK
from bytepair.tokenizer import Tokenizer

__all__ = ["ROLES", "Roles", "Spelling"]

ROLES: Final = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class Spelling:
    """Tokens as `tokenizer.json` spells them."""

    _tok: Tokenizer
    _vocab_size: int | None = None

    @cached_property
    def _names(self) -> dict[int, str]:
        """Id -> spelling of every token, in the order of the ids."""
        added = {id: content for content, id in self._tok.special_tokens.items()}
        is_bytes = self._tok.alphabet == "bytes"
        names = {}
        for id, content in self._tok.vocabulary.items():
            plain = byte_alphabet.spell(content) if is_bytes else content.decode("utf-8", "replace")
            names[id] = added.get(id, plain)
        if self._tok.alphabet == "unicode":  # some tokens mean a byte
            meant = {id: content[1] for id, content in self._tok.parts.tokens if content.startswith(MARK)}
            names |= {id: f"<0x{byte:02X}>" for id, byte in meant.items()}
        return names

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: id for id, name in self._names.items()}

    def __len__(self) -> int:
        """How many tokens there are, added tokens included."""
        return len(self._tok)

    @property
    def vocab_size(self) -> int:
        """How many tokens the model of the `tokenizer.json` has, without those that are only added.

        A special token is among them where the file has it in `model.vocab`, too: in the file that was read, or else in
        the one that `Tokenizer.save` writes.
        """
        if self._vocab_size is None:
            self._vocab_size = model_size(self._tok.parts)
        return self._vocab_size

    def take_vocab_size(self, size: int) -> None:
        """Takes what the file that was read says."""
        self._vocab_size = size

    def get_vocab(self) -> dict[str, int]:
        """The id of every token by its spelling."""
        return dict(self._ids)

    def get_added_vocab(self) -> dict[str, int]:
        """The id of every added token by its text."""
        return self._tok.special_tokens

    @overload
    def convert_ids_to_tokens(self, ids: int, skip_special_tokens: bool = False) -> str | None: ...
    @overload
    def convert_ids_to_tokens(self, ids: Iterable[int], skip_special_tokens: bool = False) -> list[str | None]: ...
    def convert_ids_to_tokens(
        self,
        ids: int | Iterable[int],
        skip_special_tokens: bool = False,
    ) -> str | list[str | None] | None:
        """The spelling of an id, or of each; None for what is no id. What is left out are `all_special_tokens`."""
        if isinstance(ids, int):
            return self._names.get(ids)
        left_out = set(self._special_ids()) if skip_special_tokens else set()
        return [self._names.get(int(id)) for id in ids if int(id) not in left_out]

    def convert_tokens_to_ids(self, tokens: str | Iterable[str]) -> int | list[int | None] | None:
        """The id of a spelling, or of each; the id of `unk_token`, or None, for what is no token."""
        if isinstance(tokens, str):
            return self._ids.get(tokens, self._unknown())
        unknown = self._unknown()
        return [self._ids.get(token, unknown) for token in tokens]

    def _unknown(self) -> int | None:
        return None

    def _special_ids(self) -> list[int]:
        return []

    def convert_tokens_to_string(self, tokens: Iterable[str]) -> str:
        """The text of tokens that are spelled as `tokenizer.json` spells them."""
        names = list(tokens)
        ids = [self._ids.get(name) for name in names]
        if None not in ids:
            return self._tok.decode([id for id in ids if id is not None])
        contents = []
        for token, id in zip(names, ids, strict=True):
            spelled = byte_alphabet.read(token) if id is None else self._tok.bytes_of(id)
            contents.append(token.encode() if spelled is None else spelled)
        return b"".join(contents).decode("utf-8", "replace")


class Roles(Spelling):
    """The tokens that have a role."""

    bos_token: str | None
    eos_token: str | None
    unk_token: str | None
    sep_token: str | None
    pad_token: str | None
    cls_token: str | None
    mask_token: str | None
    extra_special_tokens: list[str]
    """Special tokens without a role."""
    _named: dict[str, str]
    """Those with a role that is none of the usual ones."""

    def _set_extra(self, extra: Iterable[str] | Mapping[str, str]) -> None:
        named = dict(extra) if isinstance(extra, Mapping) else {}
        others = [] if isinstance(extra, Mapping) else list(extra)
        for role, token in (*named.items(), *(("extra_special_tokens", token) for token in others)):
            self._id(role, token)
        self._named, self.extra_special_tokens = named, others

    def _set_roles(self, roles: Mapping[str, str | None]) -> None:
        for role in ROLES:
            setattr(self, role, None)
        for role, token in roles.items():
            if role not in ROLES:
                raise TypeError(f"{role!r} is no setting\nhint: the roles of tokens are {', '.join(ROLES)}")
            setattr(self, role, token)

    def __setattr__(self, name: str, value: object) -> None:
        """Sets an attribute; the token of a role must be one of the vocabulary.

        Raises:
            SpecialTokenError: it is not.
        """
        if name in ROLES and value is not None:
            self._id(name, value)
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        """`pad_token_id` and so on: the id of a role's token; and the token of a role that is not a usual one."""
        role, named = name.removesuffix("_id"), self.__dict__.get("_named", {})
        if name in named:
            return str(named[name])
        if role == name or role not in {*ROLES, *named}:
            raise AttributeError(f"a HuggingFaceTokenizer has no attribute `{name}`")
        token: str | None = getattr(self, role)
        return None if token is None else self._id(role, token)

    def _id(self, role: str, token: object) -> int:
        content = str(token)
        id = self._tok.special_tokens.get(content)
        if id is not None:
            return id
        try:
            return self._tok.id_of(content)
        except UnknownTokenError:
            raise SpecialTokenError(
                f"{role} is {content!r}, which is no token of this tokenizer",
                "train or load it with this special token, or name another",
            ) from None

    def _unknown(self) -> int | None:
        unknown: int | None = self.unk_token_id
        return unknown

    @property
    def special_tokens_map(self) -> dict[str, str]:
        """The roles that are given, and their tokens."""
        return {role: token for role in ROLES if (token := getattr(self, role)) is not None} | self._named

    @property
    def all_special_tokens(self) -> list[str]:
        """The tokens of the roles and those without one, each once."""
        return list(dict.fromkeys((*self.special_tokens_map.values(), *self.extra_special_tokens)))

    @property
    def all_special_ids(self) -> list[int]:
        """Their ids."""
        return [self._id("a special token", token) for token in self.all_special_tokens]

    def _special_ids(self) -> list[int]:
        return self.all_special_ids
