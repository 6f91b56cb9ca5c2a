"""The tokenizers that a page can use, by name: nothing else can be reached from it, no path and no address.

Those that come with bytepair are trained when they are first asked for; published ones are listed where their file is
on this machine, and read (and their hash verified) when they are first asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from os.path import isfile  # unlike that of `Path`, false for what may not be looked at
from pathlib import Path
from typing import Final, Literal

from bytepair.errors import BytepairError
from bytepair.playground.fields import Request, RequestError, name
from bytepair.playground.limits import MOST_FOUND, MOST_TRAINED
from bytepair.tokenizer import Tokenizer
from bytepair.told import Told, gathered

__all__ = ["MINI", "MINI_PATTERN", "Shelf"]

Kind = Literal["made here", "file", "found", "trained"]

MINI: Final = "the cat sat on the mat. the cat ate the rat. then the rat ran to the hat."
"""A text that fits on a page, for the first lesson."""
MINI_PATTERN: Final = r" ?[A-Za-z]+| ?[0-9]| ?[^\sA-Za-z0-9]+|\s+"
_SPECIALS: Final = ("<|endoftext|>", "<|user|>", "<|assistant|>")


@dataclass(slots=True)
class _Item:
    """A tokenizer that is there, or can be made."""

    kind: Kind
    about: str
    make: Callable[[], Tokenizer]
    made: Tokenizer | None = None
    warned: Sequence[Told] = ()
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self) -> Tokenizer:
        with self.lock:
            if self.made is None:
                with gathered() as warned:
                    self.made = self.make()
                self.warned = warned
            return self.made


class Shelf:
    """Tokenizers by name. Safe to use from several threads."""

    def __init__(
        self, files: Mapping[str, Tokenizer] | None = None, warned: Mapping[str, Sequence[Told]] | None = None
    ) -> None:
        """`files` are tokenizers that were loaded before; `warned` is what was told of them then."""
        self._lock = threading.Lock()
        self._last: dict[str, int] = {}  # no name is given twice, or a link would lead to another tokenizer
        self._items: dict[str, _Item] = {
            key: _Item("file", f"{len(tok):,} tokens", partial(_same, tok), tok, (warned or {}).get(key, ()))
            for key, tok in (files or {}).items()
        }
        for key, about, make in (
            ("alice", "4,096 tokens, trained on Alice's Adventures in Wonderland", _alice),
            ("declaration", "8,192 tokens, trained on the Declaration of Human Rights in 75 languages", _declaration),
            ("cat", f"ten merges, trained on “{MINI[:22]}”", _cat),
            ("bytes", "256 bytes and no merge", _bytes),
        ):
            self._items.setdefault(key, _Item("made here", about, make))

    def of(self, request: Request, field: str = "tokenizer") -> Tokenizer:
        """The tokenizer that a request names; the first one where it names none."""
        return self.get(name(request, field) or next(iter(self._items)))

    def get(self, key: str) -> Tokenizer:
        """The tokenizer of a name."""
        return self._item(key).get()

    def about(self, request: Request) -> tuple[str, Sequence[Told]]:
        """A line about the tokenizer that a request names, and what was told when it was read or trained."""
        item = self._item(name(request, "tokenizer") or next(iter(self._items)))
        item.get()
        return item.about, item.warned

    def _item(self, key: str) -> _Item:
        _ = self._published if key not in self._items else None
        item = self._items.get(key)
        if item is None:
            raise RequestError(f"there is no tokenizer {key!r}", "GET /api/tokenizers lists all", 404)
        return item

    def add(self, tok: Tokenizer, about: str, called: str = "trained", warned: Sequence[Told] = ()) -> str:
        """Puts a tokenizer of this session on the shelf, under the name that is returned."""
        with self._lock:
            mine = [key for key, item in self._items.items() if item.kind == "trained"]
            if len(mine) >= MOST_TRAINED:
                del self._items[mine[0]]
            number = self._last.get(called, 0) + 1
            while f"{called}-{number}" in self._items:
                number += 1
            self._last[called] = number
            key = f"{called}-{number}"
            self._items[key] = _Item("trained", about, partial(_same, tok), tok, warned)
            return key

    def rows(self) -> Iterator[dict[str, str]]:
        """Name, kind and a line about each."""
        _ = self._published
        with self._lock:
            items = list(self._items.items())
        for key, item in items:
            yield {"name": key, "kind": item.kind, "about": item.about}

    @cached_property
    def _published(self) -> tuple[str, ...]:
        """The published ones whose file is here; they are put on the shelf when this is first asked for."""
        from bytepair.formats import names  # noqa: PLC0415 - not for the first page
        from bytepair.formats.published import ENCODINGS  # noqa: PLC0415
        from bytepair.getting import get  # noqa: PLC0415

        found = [key for key, encoding in ENCODINGS.items() if any(map(isfile, names.places(encoding.file)))]
        with suppress(OSError):  # a cache that may not be read has nothing for us
            found += names.models()[:MOST_FOUND]
        with self._lock:
            for key in found:
                self._items.setdefault(key, _Item("found", "published, found on this machine", partial(get, key)))
        return tuple(found)


def opened(content: Path) -> tuple[Tokenizer, list[Told]]:
    """A tokenizer from a file that was sent, and what was told of it."""
    from bytepair.tokenizer import load  # noqa: PLC0415 - its errors are about this file

    try:
        with gathered() as warned:
            tok = load(content)
    except BytepairError as error:
        raise RequestError(error.message.replace(f"{content}", "the file"), _hint(error)) from None
    return tok, [Told(what.replace(f"{content}", "the file"), hint) for what, hint in warned]


def _hint(error: BytepairError) -> str:
    """What to do about a file that needs a pattern, or the other file beside it, which cannot be said or sent here."""
    if "pattern=" in error.hint:
        return "start the playground with it: `bytepair play FILE --pattern cl100k`, or with another pattern"
    if "one of two files" in error.message:
        return "start the playground with it, where both lie: `bytepair play FILE`"
    return error.hint


def _same(tok: Tokenizer) -> Tokenizer:
    return tok


@cache
def _alice() -> Tokenizer:
    from bytepair.bundled import bundled_texts  # noqa: PLC0415 - made when it is first asked for
    from bytepair.training.train import train  # noqa: PLC0415

    return train(files=bundled_texts()["en"], vocab_size=4096, special_tokens=_SPECIALS, ties="first")


@cache
def _declaration() -> Tokenizer:
    from bytepair.tax.aligned import declaration  # noqa: PLC0415
    from bytepair.training.train import train  # noqa: PLC0415

    texts = [text for lines in declaration().lines.values() for text in lines]
    return train(texts=texts, vocab_size=8192, special_tokens=_SPECIALS, ties="first")


def _cat() -> Tokenizer:
    from bytepair.training.train import train  # noqa: PLC0415

    return train(texts=[MINI], num_merges=10, pattern=MINI_PATTERN, ties="first")


def _bytes() -> Tokenizer:
    from bytepair.training.train import train  # noqa: PLC0415

    return train(texts=[], num_merges=0)
