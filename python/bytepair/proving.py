"""Whether two tokenizers give the same: shown on texts, not concluded from the files that they come from.

Texts are a mixed one (English prose, code points of every block of Unicode in several contexts, white space, digits,
code), every token of the first by itself, and what the caller adds. Where a format has no ids, the bytes of the tokens
are compared in place of them.

Cost: that of encoding the texts twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from bytepair.tokenizer import Tokenizer

__all__ = ["Difference", "Proof", "mixed_text", "prove"]

_AROUND = 12
_STEP = 7
_CONTEXTS = ("a{} ", " {}1\n", "'{}s", "{}{}  {}", "\t{}!")
_SPECIMENS = (
    "don't DON'T we'LL it\u2019s 3.14159 1,000,000 12345678 ½²³ ٠١٢٣٤ x_1=y2; if (a<=b) { return \"c\\n\"; }\r\n",
    "    indented\n\t\ttabs\n\n\n \u00a0\u2003\u3000wide  \v\f\x85 end   \n",
    "naïve café Straße İstanbul ǅ \u017f שלום مرحبا हिन्दी ไทย 中文字 かなカナ 한국어 e\u0301 \u200b\ufeff \x00\x1f",
    "🌱👨\u200d👩\u200d👧\u200d👦🇹🇷\U0001f44d\U0001f3fd",
)
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two tokenizers part."""

    text: bytes
    """The surroundings of the place."""
    ours: tuple[object, ...]
    """What the first gives there: ids, or the bytes of tokens."""
    theirs: tuple[object, ...]
    """What the second gives."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was compared, and the first difference."""

    texts: int
    bytes: int
    tokens: int
    difference: Difference | None


def prove(one: Tokenizer, other: Tokenizer, more: Iterable[bytes] = (), *, by_bytes: bool = False) -> Proof:
    """Encodes texts with both.

    Characters that either does not have are left out of the mixed text, and skipped in the others.

    Args:
        one: the first.
        other: the second.
        more: texts besides the mixed one and the tokens.
        by_bytes: compare the bytes of tokens, not their ids.

    >>> import bytepair as bp
    >>> tok = bp.train(texts=["low lower lowest"], num_merges=3)
    >>> prove(tok, tok).difference is None
    True
    >>> prove(tok, bp.train(texts=["low"], num_merges=1), [b"a low b"]).difference
    Difference(text=b' low', ours=(258,), theirs=(32, 256, 119))
    """
    texts = sizes = tokens = 0
    common = one.special_tokens.keys() & other.special_tokens.keys()
    for some in _texts(one, other, more):
        texts += len(some)
        sizes += sum(map(len, some))
        for allowed in [set[str](), common][: 1 + bool(common)]:
            batches = [tok.encode_batch(some, allowed_special=allowed, unknown="skip") for tok in (one, other)]
            tokens += sum(map(len, batches[0]))
            for first, second in zip(*batches, strict=True):
                if _bytes(one, first) != _bytes(other, second) if by_bytes else first != second:
                    return Proof(texts, sizes, tokens, _difference(one, other, first, second, by_bytes=by_bytes))
    return Proof(texts, sizes, tokens, None)


def mixed_text() -> str:
    """Prose, and every seventh code point in several contexts, always the same text."""
    prose = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
    points = [chr(point) for point in range(0, 0x20000, _STEP) if point not in _SURROGATES]
    contexts = (_CONTEXTS[at % len(_CONTEXTS)].replace("{}", sign) for at, sign in enumerate(points))
    return prose + "".join(_SPECIMENS) + "".join(contexts)


def _texts(one: Tokenizer, other: Tokenizer, more: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The texts, some at a time."""
    for text in more:
        yield [text]
    contents = [(mixed_text() + "".join(one.special_tokens)).encode(), *one.vocabulary.values()]
    if one.alphabet != "characters":
        yield contents
        return
    known = _characters(one) & _characters(other)
    mark = (one.end_of_word or "").encode()
    texts = (content.removesuffix(mark).decode() for content in contents)
    yield ["".join(sign for sign in text if sign.isspace() or sign in known).encode() for text in texts]


def _characters(tok: Tokenizer) -> set[str]:
    texts = (content.decode("utf-8", "replace") for content in tok.vocabulary.values())
    return {text for text in texts if len(text) == 1}


def _bytes(tok: Tokenizer, ids: list[int]) -> list[bytes]:
    return [tok.bytes_of(id_) for id_ in ids]


def _difference(one: Tokenizer, other: Tokenizer, first: list[int], second: list[int], *, by_bytes: bool) -> Difference:
    """The shortest run of tokens from the first difference on that covers the same bytes in both."""
    sides = _bytes(one, first), _bytes(other, second)
    shown: tuple[Sequence[object], Sequence[object]] = sides if by_bytes else (first, second)
    same = min(len(first), len(second))
    start = next((at for at in range(same) if shown[0][at] != shown[1][at]), same)
    ends = [start, start]
    covered = [0, 0]
    while True:
        side = 0 if covered[0] <= covered[1] else 1
        if ends[side] == len(sides[side]) or ends[side] - start == _AROUND:
            break
        covered[side] += len(sides[side][ends[side]])
        ends[side] += 1
        if covered[0] == covered[1]:
            break
    texts = [b"".join(side[start:end]) for side, end in zip(sides, ends, strict=True)]
    ours, theirs = (tuple(side[start:end]) for side, end in zip(shown, ends, strict=True))
    return Difference(max(texts, key=len), ours, theirs)
