"""All parts together: text in, ids out, and back.

Special tokens (`<|endoftext|>`) are ids that no text can make by accident: they are text unless the caller allows
them. In training they are borders: nothing is learned from them or across them.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bytepair.reference import characters
from bytepair.reference.linked import Linked
from bytepair.reference.patterns import split
from bytepair.reference.training import BYTES, Barred, Segmentation, Training, Words, learn, unfinished
from bytepair.reference.vocabulary import Vocabulary, encode_pretoken, from_merges


@dataclass(frozen=True)
class Tokenizer:
    """A pattern, a vocabulary and special tokens.

    >>> tok = train(["low lower"], num_merges=2, pattern=None, special_tokens=["<|end|>"])
    >>> tok.encode("low<|end|>") == [257, *b"<|end|>"]
    True
    >>> tok.encode("low<|end|>", allowed_special=["<|end|>"]), tok.decode([257, 258])
    ([257, 258], 'low<|end|>')
    """

    vocabulary: Vocabulary
    pattern: str | None = None
    specials: Mapping[str, int] = field(default_factory=dict)
    alphabet: Literal["bytes", "characters"] = "bytes"
    end_of_word: str | None = None
    end_of_word_joined: bool = False
    training: Training | None = None

    def encode(
        self, text: str | bytes, allowed_special: Collection[str] = (), unknown: int | str = "raise"
    ) -> list[int]:
        """The ids of a text."""
        ids: list[int] = []
        for part, special in cut(to_bytes(text), allowed_special):
            if special:
                ids.append(self.specials[part.decode()])
            for pretoken in [] if special else self.symbols(part):
                ids += encode_pretoken(self.vocabulary, pretoken, unknown)
        return ids

    def symbols(self, text: bytes) -> list[list[bytes]]:
        """The pretokens of a text without special tokens, each as base symbols."""
        pretokens = split(self.pattern, text) if self.alphabet == "bytes" else characters.words(text)
        return [self.base_symbols(pretoken) for pretoken in pretokens]

    def base_symbols(self, pretoken: bytes) -> list[bytes]:
        """One pretoken as base symbols."""
        if self.alphabet == "bytes":
            return [bytes((byte,)) for byte in pretoken]
        marked = self.end_of_word is not None
        return characters.symbols(pretoken, marked=marked, joined=self.end_of_word_joined)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of these ids; KeyError for an id that no token has."""
        names = {number: name.encode() for name, number in self.specials.items()}
        content = b"".join(names.get(number) or self.vocabulary.tokens[number] for number in ids)
        return characters.text(content) if self.alphabet == "characters" else content

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these ids; bytes that are not UTF-8 show as U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", "replace")


def cut(text: bytes, names: Collection[str]) -> list[tuple[bytes, bool]]:
    """Cuts a text around its special tokens and says of each part whether it is one.

    Where two begin at one place, the longer is meant.

    >>> cut(b"ab<|x|>c", ["<|", "<|x|>"])
    [(b'ab', False), (b'<|x|>', True), (b'c', False)]
    """
    longest_first = sorted((name.encode() for name in names), key=len, reverse=True)
    parts = re.split(b"(" + b"|".join(map(re.escape, longest_first)) + b")", text) if names else [text]
    return [(part, place % 2 == 1) for place, part in enumerate(parts) if part]


def to_bytes(text: str | bytes) -> bytes:
    r"""UTF-8. Half of a surrogate pair alone is no character and becomes U+FFFD.

    >>> to_bytes("\ud83d") == "\ufffd".encode()
    True
    """
    if isinstance(text, bytes):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def stream(tokenizer: Tokenizer, ids: Iterable[int]) -> Iterator[str]:
    r"""What can be shown after each id, and at the end what is left: U+FFFD for an unfinished character.

    An unfinished character waits until it is whole; bytes that can start none come out at once as U+FFFD.

    >>> list(stream(Tokenizer(Vocabulary(BYTES, {})), "ď🌱".encode() + b"\xff\xe2"))
    ['', 'ď', '', '', '', '🌱', '\ufffd', '', '\ufffd']
    """
    waiting = b""
    for number in ids:
        waiting += tokenizer.decode_bytes([number])
        whole = len(waiting) - unfinished(waiting)
        yield waiting[:whole].decode("utf-8", "replace")
        waiting = waiting[whole:]
    yield waiting.decode("utf-8", "replace")


def train(
    texts: Iterable[str | bytes] = (),
    *,
    counts: Mapping[bytes, int] | None = None,
    pattern: str | None = None,
    vocab_size: int | None = None,
    special_tokens: Sequence[str] = (),
    alphabet: Literal["bytes", "characters"] = "bytes",
    end_of_word: str | None = None,
    end_of_word_joined: bool = False,
    base: Tokenizer | None = None,
    seed_tokens: Sequence[bytes] = (),
    corpus: Callable[[Words, Barred], Segmentation] = Linked,
    **settings: Any,
) -> Tokenizer:
    """Learns a tokenizer from texts or from a table of pretokens and their counts.

    Special tokens cut texts and pretokens; nothing is learned from them. `vocab_size` counts base symbols, tokens made
    by merges, and special tokens, which come last. A `base` (with a merge list) keeps its ids; symbols that it lacks
    and new tokens come after them. `seed_tokens` (parts of words) become tokens first. `settings` are those of `learn`.

    >>> tok = train(["the cat. the cat."], pattern=" ?[a-z]+", num_merges=3, ties="first")
    >>> tok.training.pairs()
    [(b't', b'h'), (b'th', b'e'), (b' ', b'c')]
    >>> more = train(["the cat"], base=tok, num_merges=1)
    >>> more.vocabulary.tokens[259], more.training.pairs()
    (b'at', [(b'a', b't')])
    """
    old = base or Tokenizer(Vocabulary({}, {}))
    specials = {**old.specials, **dict.fromkeys(special_tokens, 0)}
    untrained = Tokenizer(old.vocabulary, pattern, specials, alphabet, end_of_word, end_of_word_joined)
    table: Counter[tuple[bytes, ...]] = Counter()
    for text in texts:
        for part, special in cut(to_bytes(text), specials):
            table.update([] if special else map(tuple, untrained.symbols(part)))
    for pretoken, count in (counts or {}).items():
        for part in [part for part, special in cut(pretoken, specials) if not special]:
            table[tuple(untrained.base_symbols(part))] += count
    seeds = [tuple(replace(untrained, end_of_word=None).base_symbols(seed)) for seed in seed_tokens]
    own_mark = end_of_word is not None and not end_of_word_joined
    symbols = BYTES.values() if alphabet == "bytes" else characters.alphabet([*table, *seeds], own_mark=own_mark)
    first = max([*old.vocabulary.tokens, *old.specials.values()], default=-1) + 1
    lacking = dict(enumerate([symbol for symbol in symbols if symbol not in old.vocabulary.ids], first))
    start = replace(old.vocabulary, tokens={**old.vocabulary.tokens, **lacking})
    if vocab_size is not None and vocab_size < (least := len(start.tokens) + len(specials)):
        raise ValueError(f"vocab_size={vocab_size}, but symbols and special tokens are {least}\nhint: ask for more")
    known = [(pair, new) for pair, (_, new) in sorted(start.merges.items(), key=lambda merge: merge[1])]
    settings |= {"known": known, "first_id": first + len(lacking), "mark": end_of_word or ""}
    once = [(encode_pretoken(start, seed), 1) for seed in dict.fromkeys(seeds)]
    words = [(encode_pretoken(start, pretoken), count) for pretoken, count in table.items()]
    planted = learn(corpus, once, start.tokens, **settings | {"num_merges": None, "min_count": 1}).merges
    settings |= {"vocab_size": vocab_size and vocab_size - len(specials), "planted": planted}
    training = learn(corpus, words, start.tokens, **settings)
    merges = [pair for pair, _ in known] + [(merge.left, merge.right) for merge in training.merges]
    vocabulary = from_merges(training.tokens, merges, whole_first=start.whole_first)
    end = max([*training.tokens, *old.specials.values()], default=-1) + 1
    specials = {**old.specials, **{name: end + place for place, name in enumerate(list(specials)[len(old.specials) :])}}
    return replace(untrained, vocabulary=vocabulary, specials=specials, training=training)
