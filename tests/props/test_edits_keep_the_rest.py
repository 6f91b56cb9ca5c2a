"""Edited tokenizers against a plain oracle: what goes never comes out, and nothing else is lost.

The vocabularies are random, not trained: merges in any order, several that make one token, merges that no text
reaches, ids in any order and with gaps, rank files, with lookup of whole pretokens and without. There is no pattern,
so that each text is one pretoken and every token can be one.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

import bytepair as bp
import truncating
from bytepair import Parts, SpecialToken

LETTERS = "abc"
LONGEST = 13
SOME, MOST = 0.5, 0.7

pytestmark = pytest.mark.filterwarnings("ignore:training stopped:bytepair.TrainingWarning")


def plain_merges(parts: Parts) -> dict[tuple[bytes, bytes], int]:
    """The rank of each pair, by content."""
    contents = dict(parts.tokens)
    if parts.merges is not None:
        return {(contents[left], contents[right]): rank for rank, (left, right) in enumerate(parts.merges)}
    ranks = {content: id for id, content in parts.tokens}
    return {
        (content[:cut], content[cut:]): rank
        for content, rank in ranks.items()
        for cut in range(1, len(content))
        if content[:cut] in ranks and content[cut:] in ranks
    }


def plain_encode(parts: Parts, text: bytes, *, lookup: bool) -> tuple[list[bytes], set[bytes]]:
    """The tokens of a text, and all that were made on the way: again and again the lowest rank, the leftmost first."""
    tokens = {content for _, content in parts.tokens}
    if lookup and parts.whole_first and text in tokens:
        return [text], {text}
    ranks = plain_merges(parts)
    at = [text[place : place + 1] for place in range(len(text))]
    made = set(at)
    while ranked := [(ranks[pair], place) for place, pair in enumerate(itertools.pairwise(at)) if pair in ranks]:
        _, place = min(ranked)
        at[place : place + 2] = [at[place] + at[place + 1]]
        made.add(at[place])
    return at, made


def grown(rng: random.Random) -> list[str]:
    """Tokens over a few letters, most of them two others side by side; some that nothing leads to."""
    contents = list(LETTERS)
    for _ in range(rng.randrange(16)):
        contents.append(rng.choice(contents) + rng.choice(contents))
    contents += ["".join(rng.choices(LETTERS, k=rng.randrange(2, 6))) for _ in range(rng.randrange(3))]
    return list(dict.fromkeys(content for content in contents if len(content) < LONGEST))


def contents_of(tokens: Sequence[tuple[int, bytes]], pair: tuple[int, int]) -> bytes:
    """What a pair makes."""
    contents = dict(tokens)
    return contents[pair[0]] + contents[pair[1]]


def vocabulary(rng: random.Random) -> Parts:
    """Tokens with merges, as they grew or in any order, or as a rank file."""
    contents = grown(rng)
    if rng.random() < SOME:
        rng.shuffle(contents)
    ids = sorted(rng.sample(range(60), len(contents)))
    tokens = tuple((id, content.encode()) for id, content in zip(ids, contents, strict=True))
    specials = rng.choice([(), (SpecialToken("<s>", 70),), (SpecialToken("<t>", 61), SpecialToken("<s>", 65))])
    if rng.random() < SOME:
        return Parts(tokens=tokens, merges=None, whole_first=True, specials=specials)
    known = {content: id for id, content in tokens}
    merges = [
        (known[content[:cut]], known[content[cut:]])
        for content in known
        for cut in range(1, len(content))
        if content[:cut] in known and content[cut:] in known
    ]
    if rng.random() < SOME:
        rng.shuffle(merges)
    kept = rng.random()
    if kept < SOME:  # as in a training, one way to each token
        made = {contents_of(tokens, pair): pair for pair in merges}
        merges = [pair for pair in merges if pair in made.values()]
    elif kept < MOST:
        merges = [pair for pair in merges if rng.random() < MOST]
    return Parts(tokens=tokens, merges=tuple(merges), whole_first=rng.random() < SOME, specials=specials)


def texts_of(rng: random.Random, parts: Parts) -> list[bytes]:
    """Texts of letters, and of tokens side by side."""
    tokens = [content for _, content in parts.tokens]
    letters = ["".join(rng.choices(LETTERS, k=rng.randrange(14))).encode() for _ in range(2)]
    return [*letters, *(b"".join(rng.choices(tokens, k=rng.randrange(1, 4))) for _ in range(3))]


def some(count: int) -> Iterator[tuple[random.Random, Parts, list[bytes]]]:
    """Random vocabularies with texts; more where more is asked for."""
    for seed in range(count * (8 if "BYTEPAIR_SOAK" in os.environ else 1)):
        rng = random.Random(seed)
        parts = vocabulary(rng)
        yield rng, parts, texts_of(rng, parts)


def assert_map(edited: bp.Edited, gone: set[int]) -> None:
    """The map names the same tokens in both, in the same order, without gaps."""
    old, new = edited.old, edited.tokenizer
    kept = [id for id in old.vocabulary if id not in gone]
    assert [edited.old_to_new[id] for id in kept] == list(range(len(kept))) == list(new.vocabulary)
    assert set(edited.old_to_new.tolist()) - set(range(len(kept))) <= {-1}
    for id in kept:
        assert new.bytes_of(int(edited.old_to_new[id])) == old.bytes_of(id)
    assert set(edited.removed) == gone
    assert edited.added == ()


def assert_the_rest_is_kept(edited: bp.Edited, texts: Sequence[bytes]) -> None:
    """What was made before is made now; texts without a removed token on their way have the same tokens."""
    before, after = edited.old.parts, edited.tokenizer.parts
    removed = {edited.old.bytes_of(id) for id in edited.removed}
    looked_up = {edited.tokenizer.bytes_of(id) for id in edited.whole_only}
    for _, content in after.tokens:
        if plain_encode(before, content, lookup=False)[0] == [content]:
            by_merges = plain_encode(after, content, lookup=False)[0] == [content]
            assert by_merges != (content in looked_up)
            assert edited.tokenizer.encode(content) == [edited.tokenizer.id_of(content)]
    unmade = {token for _, token in before.tokens if plain_encode(before, token, lookup=False)[0] != [token]}
    for text in texts:
        ids = edited.tokenizer.encode(text)
        assert edited.tokenizer.decode_bytes(ids) == text
        tokens, made = plain_encode(before, text, lookup=True)
        if removed.isdisjoint(made) and (text not in unmade or before.whole_first == after.whole_first):
            assert [edited.tokenizer.bytes_of(id) for id in ids] == tokens
        assert [edited.tokenizer.bytes_of(id) for id in ids] == plain_encode(after, text, lookup=True)[0]


def test_what_is_removed_never_comes_out_and_the_rest_does() -> None:
    seen: Counter[str] = Counter()
    for rng, parts, texts in some(1500):
        tok = bp.Tokenizer.from_parts(parts)
        candidates = [id for id, content in parts.tokens if len(content) > 1] + [one.id for one in parts.specials]
        gone = set(rng.sample(candidates, min(rng.randrange(4), len(candidates))))
        edited = tok.without([tok.bytes_of(id) if id % 2 else id for id in gone])
        assert_map(edited, gone)
        assert_the_rest_is_kept(edited, texts)
        seen["looked up"] += bool(edited.whole_only)
        seen["looked up by a merge list"] += bool(edited.whole_only) and parts.merges is not None
        merges = {(tok.bytes_of(left), tok.bytes_of(right)) for left, right in tok.merges}
        new = edited.tokenizer
        seen["rewired"] += not merges.issuperset((new.bytes_of(one), new.bytes_of(two)) for one, two in new.merges)
    assert min(seen.values()) > 20, seen


def test_without_what_a_corpus_does_not_use_it_is_encoded_as_before() -> None:
    for _, parts, texts in some(400):
        tok = bp.Tokenizer.from_parts(parts)
        edited = tok.pruned(texts)
        assert_map(edited, set(edited.removed))
        assert_the_rest_is_kept(edited, texts)
        assert edited.whole_only == ()
        for text in texts:
            assert edited.tokenizer.encode(text) == edited.old_to_new[tok.encode(text)].tolist()
        needed = {id for text in texts for id in tok.encode(text)}
        for token in [tok.bytes_of(id) for id in needed]:
            made, on_the_way = plain_encode(parts, token, lookup=False)
            needed |= {tok.id_of(part) for part in on_the_way} if made == [token] else set()
        always = {id for id, content in parts.tokens if len(content) == 1} | {one.id for one in parts.specials}
        assert set(edited.removed) == set(tok.vocabulary) - needed - always


def test_pruning_to_a_size_keeps_that_many_and_loses_no_other() -> None:
    for rng, parts, texts in some(400):
        tok = bp.Tokenizer.from_parts(parts)
        keep = rng.randint(len(LETTERS) + len(parts.specials), len(tok) + 1)
        edited = tok.pruned(texts, keep)
        assert len(edited.tokenizer) == min(keep, len(tok))
        assert_map(edited, set(edited.removed))
        assert_the_rest_is_kept(edited, texts)
        assert edited.whole_only == ()


def test_the_first_merges_are_those_of_the_sweep() -> None:
    for rng, parts, texts in some(400):
        tok = bp.Tokenizer.from_parts(parts)
        longer = sum(len(content) > 1 for _, content in parts.tokens)
        merges = rng.randint(0, longer if parts.merges is None else len(parts.merges))
        edited = tok.truncated(merges)
        assert_map(edited, set(edited.removed))
        expected = truncating.truncated(tok, merges)
        specials = {one.content.encode() for one in parts.specials}
        assert {*edited.tokenizer.vocabulary.values()} == {*expected.vocabulary.values()} | specials
        for text in texts:
            ids = edited.tokenizer.encode(text)
            assert ids == edited.old_to_new[expected.encode(text)].tolist()
            assert edited.tokenizer.decode_bytes(ids) == text
        size = len(edited.tokenizer)
        assert len(tok.truncated(vocab_size=size).tokenizer) == size


def test_special_tokens_change_nothing_old() -> None:
    for _, parts, texts in some(200):
        tok = bp.Tokenizer.from_parts(parts)
        edited = tok.with_special_tokens(["<new>", "<other>"])
        assert [edited.old_to_new[id] for id in tok.vocabulary] == list(tok.vocabulary)
        assert edited.added == (tok.n_vocab, tok.n_vocab + 1)
        for text in texts:
            assert edited.tokenizer.encode(text) == tok.encode(text)
            assert (
                edited.tokenizer.encode(text + b"<new>", allowed_special={"<new>"}, unknown="skip")[-1] == tok.n_vocab
            )


def test_learned_tokens_change_nothing_old() -> None:
    for _, parts, texts in some(100):
        letters = [(byte + 100, bytes([byte])) for byte in range(256) if chr(byte) not in LETTERS]
        specials = tuple(replace(one, id=one.id + 400) for one in parts.specials)
        tok = bp.Tokenizer.from_parts(replace(parts, tokens=(*parts.tokens, *letters), specials=specials))
        edited = tok.extended(texts * 3, vocab_size=len(tok) + 1) if any(map(len, texts)) else tok.extended([], 0)
        assert [edited.old_to_new[id] for id in tok.vocabulary] == list(tok.vocabulary)
        assert edited.added in {(), (tok.n_vocab,)}
        assert all(edited.tokenizer.bytes_of(id) == token for id, token in tok.vocabulary.items())
        for text in [*texts, bytes(range(256))]:
            assert edited.tokenizer.decode_bytes(edited.tokenizer.encode(text)) == text
