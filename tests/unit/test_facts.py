"""Published figures, computed from the texts by the reference and by the engine (`testdata/published.toml`).

Each fact is a function of an implementation and a text, and gives the figures; the test compares them with the
published ones. The same functions on a changed text must give other figures, or they would test nothing.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Sequence
from typing import Any

import pytest

from implementations import DATA, NAMES, Implementation, Subject, implementation, octets

FACTS: dict[str, Any] = tomllib.loads((DATA / "published.toml").read_text("utf-8"))
ALICE = (DATA / "texts" / FACTS["alice"]["text"]).read_bytes()
TEXTS = ("alice_body.txt", "ru_gogol_shinel.txt", "tr_anayasa.txt")
BYTES = {byte: bytes((byte,)) for byte in range(256)}

by_both = pytest.mark.parametrize("name", NAMES)


def first_merges(subject: Subject, how_many: int) -> list[tuple[bytes, bytes, int]]:
    """Left, right, count."""
    return [(left, right, count) for left, right, _, count, _ in subject.learned()[:how_many]]


def bytes_per_token(subject: Subject, text: bytes, sizes: Sequence[int]) -> list[float]:
    """Rounded to three places; each replacement leaves one token less."""
    left = list(itertools.accumulate((-fired for *_, fired in subject.learned()), initial=len(text)))
    return [round(len(text) / left[size - 256], 3) for size in sizes]


def first_merges_only(how: Implementation, subject: Subject, size: int) -> Subject:
    """The tokenizer that training would have given with this smaller vocabulary."""
    contents = subject.contents()
    ids = {content: number for number, content in contents.items()}
    merges = [(ids[left], ids[right]) for left, right, *_ in subject.learned()[: size - 256]]
    return how.build(tokens={number: contents[number] for number in range(size)}, merges=merges)


def alice(name: str, text: bytes = ALICE) -> dict[str, Any]:
    """All that is published about Alice."""
    fact, how = FACTS["alice"], implementation(name)
    sizes = [size for size, _ in fact["bytes_per_token"]]
    subject = how.train([text], vocab_size=max(sizes), ties=fact["ties"])
    start, end = fact["same_lengths_from_to"]
    lengths: dict[int, list[int]] = {}
    for size in (start - 1, start, 512, end, end + 1):
        smaller = first_merges_only(how, subject, size)
        lengths[size] = []
        for sample, _ in fact["lengths_at_512"]:
            ids = smaller.encode(sample)
            assert smaller.decode(ids) == sample
            lengths[size].append(len(ids))
    return {
        "bytes": len(text),
        "merges": first_merges(subject, len(fact["merges"])),
        "bytes_per_token": bytes_per_token(subject, text, sizes),
        "lengths": lengths,
    }


def published_alice() -> dict[str, Any]:
    """What `alice` must give, but for the two sizes at which the lengths are others."""
    fact = FACTS["alice"]
    lengths = [length for _, length in fact["lengths_at_512"]]
    return {
        "bytes": fact["bytes"],
        "merges": [(octets(left), octets(right), count) for left, right, count in fact["merges"]],
        "bytes_per_token": [per_token for _, per_token in fact["bytes_per_token"]],
        "lengths": dict.fromkeys([fact["same_lengths_from_to"][0], 512, fact["same_lengths_from_to"][1]], lengths),
    }


@by_both
def test_alice(name: str) -> None:
    found, published = alice(name), published_alice()
    start, end = FACTS["alice"]["same_lengths_from_to"]
    outside = [found["lengths"].pop(size) for size in (start - 1, end + 1)]
    assert found == published
    assert published["lengths"][512] not in outside


@by_both
def test_a_changed_alice_gives_other_figures(name: str) -> None:
    found, published = alice(name, ALICE.replace(b"the", b"eht")), published_alice()
    for size in (FACTS["alice"]["same_lengths_from_to"][0] - 1, FACTS["alice"]["same_lengths_from_to"][1] + 1):
        del found["lengths"][size]
    assert found["bytes"] == published["bytes"]
    assert all(found[key] != published[key] for key in ("merges", "bytes_per_token", "lengths"))


def test_the_engine_encodes_alice_to_the_tokens_that_its_training_left() -> None:
    subject = implementation("engine").train([ALICE], vocab_size=2048, ties="first")
    ids = subject.encode(ALICE)
    assert round(len(ALICE) / len(ids), 3) == dict(FACTS["alice"]["bytes_per_token"])[2048]
    assert subject.decode_bytes(ids) == ALICE


def mini(name: str, text: str) -> list[tuple[bytes, bytes, int, int]]:
    """Left, right, seen, tokens left."""
    fact = FACTS["mini"]
    subject = implementation(name).train(
        [text], pattern=fact["pattern"], ties=fact["ties"], num_merges=len(fact["merges"])
    )
    tokens, rows = len(text), []
    for left, right, _, count, fired in subject.learned():
        tokens -= fired
        rows.append((left, right, count, tokens))
    return rows


@by_both
def test_the_mini_corpus(name: str) -> None:
    fact = FACTS["mini"]
    published = [(left.encode(), right.encode(), seen, tokens) for left, right, seen, tokens in fact["merges"]]
    assert len(fact["text"]) == fact["tokens_at_start"]
    assert mini(name, fact["text"]) == published
    assert mini(name, fact["text"].replace("rat", "tar")) != published


def written(text: str, mark: str) -> bytes:
    """A token as it is published, with its mark, as content."""
    return text.encode().replace(mark.encode(), b"\xff")


def character_subject(name: str, merges: Sequence[tuple[str, str]]) -> Subject:
    """A tokenizer of these merges in characters, the mark a symbol of its own."""
    fact = FACTS["character_bpe"]
    pairs = [(written(left, "<w>"), written(right, "<w>")) for left, right in merges]
    letters = sorted(set("".join(fact["encode"]) + "doghequtsn"))
    contents = [b"\xff", *(letter.encode() for letter in letters), *(left + right for left, right in pairs)]
    ids = {content: number for number, content in enumerate(contents)}
    return implementation(name).build(
        tokens=dict(enumerate(contents)),
        merges=[(ids[left], ids[right]) for left, right in pairs],
        alphabet="characters",
        end_of_word=fact["end_of_word"],
    )


def tokens_of_word(subject: Subject, word: str) -> list[bytes]:
    """The contents of a word's tokens."""
    return [subject.contents()[number] for number in subject.encode(word)]


@by_both
@pytest.mark.parametrize("word", FACTS["character_bpe"]["encode"])
def test_characters_with_a_mark_of_its_own(name: str, word: str) -> None:
    fact = FACTS["character_bpe"]
    subject = character_subject(name, fact["merges"])
    published = [written(token, "<w>") for token in fact["encode"][word]]
    assert tokens_of_word(subject, word) == published
    assert subject.decode(subject.encode(f"{word} {word}")) == f"{word} {word}"
    assert tokens_of_word(subject, word[::-1]) != published
    assert tokens_of_word(character_subject(name, []), word) != published


def joined(name: str, counts: dict[bytes, int]) -> tuple[list[str], str]:
    """The codes, and a text with `@@` after each token that does not end a word."""
    fact = FACTS["joined_mark"]
    mark = fact["end_of_word"]
    subject = implementation(name).train(
        counts=counts,
        alphabet="characters",
        end_of_word=mark,
        end_of_word_joined=True,
        ties=fact["ties"],
        min_count=fact["min_count"],
        num_merges=len(fact["codes"]),
    )
    pairs = [b" ".join((left, right)).replace(b"\xff", mark.encode()).decode() for left, right, *_ in subject.learned()]
    tokens = [subject.contents()[number] for number in subject.encode(fact["apply"][0])]
    return pairs, "".join((token + b"@@ ").replace(b"\xff@@", b"").decode() for token in tokens).strip()


@by_both
def test_characters_with_a_joined_mark(name: str) -> None:
    fact = FACTS["joined_mark"]
    counts = {word.encode(): count for word, count in fact["counts"].items()}
    assert joined(name, counts) == (fact["codes"], fact["apply"][1])
    codes, applied = joined(name, counts | {b"lowest": 9})
    assert codes != fact["codes"]
    assert applied != fact["apply"][1]


@by_both
def test_the_sizes_of_the_story_tokenizer(name: str) -> None:
    fact = FACTS["story"]
    texts = [(DATA / "texts" / text).read_bytes() for text in TEXTS]
    subject = implementation(name).train(
        texts, vocab_size=fact["vocab_size"], pattern=fact["pattern"].strip(), special_tokens=list(fact["specials"])
    )
    assert (len(subject.learned()), subject.specials()) == (fact["merges"], fact["specials"])


def lengths(name: str, training: bytes, text: str) -> tuple[int, int]:
    """The characters of a text, and its tokens after training on another."""
    pattern = FACTS["story"]["pattern"].strip()
    subject = implementation(name).train([training], num_merges=100, pattern=pattern)
    ids = subject.encode(text)
    assert subject.decode(ids) == text
    return len(text), len(ids)


@by_both
@pytest.mark.parametrize(("text", "characters", "tokens"), FACTS["story"]["bytes_only"])
def test_text_that_no_merge_fits_is_its_bytes(name: str, text: str, characters: int, tokens: int) -> None:
    english = ALICE.decode().encode("ascii", "ignore")[:20_000]
    assert lengths(name, english, text) == (characters, tokens)
    assert lengths(name, text.encode(), text) < (characters, tokens)
    assert lengths(name, english, text + "!") == (characters + 1, tokens + 1)


def splits(name: str, pattern: str, text: str) -> list[str]:
    """The pretokens of a text."""
    subject = implementation(name).build(tokens=BYTES, merges=[], pattern=pattern.strip())
    return [pretoken.decode() for pretoken in subject.split(text.encode())]


@by_both
@pytest.mark.parametrize(("text", "pretokens"), FACTS["cl100k"]["splits"])
def test_the_splits_of_cl100k(name: str, text: str, pretokens: list[str]) -> None:
    assert splits(name, FACTS["cl100k"]["pattern"], text) == pretokens
    assert splits(name, FACTS["story"]["pattern"], text) != pretokens
    # One more character in front moves a border.
    assert [len(part) for part in splits(name, FACTS["cl100k"]["pattern"], f"x{text}")] != [
        len(part) for part in pretokens
    ]
