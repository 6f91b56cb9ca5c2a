"""Edited tokenizers against a plain oracle: what goes never comes out, and nothing else is lost.

The vocabularies are random, not trained: merges in any order, several that make one token, merges that no text
reaches, ids in any order and with gaps, rank files, with lookup of whole pretokens and without. There is no pattern, so that
each text is one pretoken and every token can be one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

import bytepair as bp
import truncating
from bytepair import Parts, SpecialToken

LETTERS = "abc"


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
    """The tokens of a text, and all that were made on the way: over and over the lowest rank, the leftmost of equals."""
    tokens = {content for _, content in parts.tokens}
    if lookup and parts.whole_first and text in tokens:
        return [text], {text}
    ranks = plain_merges(parts)
    at = [text[place : place + 1] for place in range(len(text))]
    made = set(at)
    while ranked := [(ranks[pair], place) for place, pair in enumerate(zip(at, at[1:], strict=False)) if pair in ranks]:
        _, place = min(ranked)
        at[place : place + 2] = [at[place] + at[place + 1]]
        made.add(at[place])
    return at, made


@st.composite
def vocabularies(draw: st.DrawFn) -> Parts:
    """Tokens over a few letters, with merges or as a rank file."""
    longer = draw(st.lists(st.text(LETTERS, min_size=2, max_size=6), max_size=14, unique=True))
    contents = draw(st.permutations([*LETTERS, *longer]))
    ids = sorted(draw(st.sets(st.integers(0, 60), min_size=len(contents), max_size=len(contents))))
    tokens = tuple((id, content.encode()) for id, content in zip(ids, contents, strict=True))
    specials = draw(st.sampled_from([(), (SpecialToken("<s>", 70),), (SpecialToken("<t>", 61), SpecialToken("<s>", 65))]))
    if draw(st.booleans()):
        return Parts(tokens=tokens, merges=None, whole_first=True, specials=specials)
    known = {content: id for id, content in tokens}
    possible = [
        (known[content[:cut]], known[content[cut:]])
        for content in known
        for cut in range(1, len(content))
        if content[:cut] in known and content[cut:] in known
    ]
    merges = draw(st.permutations(possible))[: draw(st.integers(0, len(possible)))]
    return Parts(tokens=tokens, merges=tuple(merges), whole_first=draw(st.booleans()), specials=specials)


TEXTS = st.lists(st.text(LETTERS, max_size=14).map(str.encode), min_size=1, max_size=5)


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


@settings(max_examples=400)
@given(vocabularies(), st.data(), TEXTS)
def test_what_is_removed_never_comes_out_and_the_rest_does(parts: Parts, data: st.DataObject, texts: list[bytes]) -> None:
    tok = bp.Tokenizer.from_parts(parts)
    candidates = [id for id, content in parts.tokens if len(content) > 1] + [one.id for one in parts.specials]
    gone = data.draw(st.sets(st.sampled_from(candidates))) if candidates else set()
    edited = tok.without([tok.bytes_of(id) if id % 2 else id for id in gone])
    assert_map(edited, gone)
    assert_the_rest_is_kept(edited, texts)


@settings(max_examples=200)
@given(vocabularies(), TEXTS)
def test_without_what_a_corpus_does_not_use_it_is_encoded_as_before(parts: Parts, texts: list[bytes]) -> None:
    tok = bp.Tokenizer.from_parts(parts)
    edited = tok.pruned(texts)
    assert_map(edited, set(edited.removed))
    assert_the_rest_is_kept(edited, texts)
    assert edited.whole_only == ()
    for text in texts:
        assert edited.tokenizer.encode(text) == edited.old_to_new[tok.encode(text)].tolist()
    used = {id for text in texts for id in tok.encode(text)}
    plain = [plain_encode(parts, tok.bytes_of(id), lookup=False) for id in used]
    on_the_way = {token for (made, way), id in zip(plain, used, strict=True) if made == [tok.bytes_of(id)] for token in way}
    needed = used | {tok.id_of(token) for token in on_the_way}
    always = {id for id, content in parts.tokens if len(content) == 1} | {one.id for one in parts.specials}
    assert set(edited.removed) == set(tok.vocabulary) - needed - always


@settings(max_examples=200)
@given(vocabularies(), TEXTS, st.data())
def test_pruning_to_a_size_keeps_that_many_and_loses_no_other(parts: Parts, texts: list[bytes], data: st.DataObject) -> None:
    tok = bp.Tokenizer.from_parts(parts)
    keep = data.draw(st.integers(len(LETTERS) + len(parts.specials), len(tok) + 1))
    edited = tok.pruned(texts, keep)
    assert len(edited.tokenizer) == min(keep, len(tok))
    assert_map(edited, set(edited.removed))
    assert_the_rest_is_kept(edited, texts)
    assert edited.whole_only == ()


@settings(max_examples=200)
@given(vocabularies(), TEXTS, st.data())
def test_the_first_merges_are_those_of_the_sweep(parts: Parts, texts: list[bytes], data: st.DataObject) -> None:
    tok = bp.Tokenizer.from_parts(parts)
    many = sum(len(content) > 1 for _, content in parts.tokens) if parts.merges is None else len(parts.merges)
    merges = data.draw(st.integers(0, many))
    edited = tok.truncated(merges)
    assert_map(edited, set(edited.removed))
    expected = truncating.truncated(tok, merges)
    assert {*edited.tokenizer.vocabulary.values()} == {*expected.vocabulary.values()} | {
        one.content.encode() for one in parts.specials
    }
    for text in texts:
        ids = edited.tokenizer.encode(text)
        assert ids == edited.old_to_new[expected.encode(text)].tolist()
        assert edited.tokenizer.decode_bytes(ids) == text
    size = len(edited.tokenizer)
    assert len(tok.truncated(vocab_size=size).tokenizer) == size


@settings(max_examples=100)
@given(vocabularies(), TEXTS)
def test_special_tokens_and_learned_ones_change_nothing_old(parts: Parts, texts: list[bytes]) -> None:
    tok = bp.Tokenizer.from_parts(replace(parts, pattern=None))
    edited = tok.with_special_tokens(["<new>", "<other>"])
    assert [edited.old_to_new[id] for id in tok.vocabulary] == list(tok.vocabulary)
    assert edited.added == (tok.n_vocab, tok.n_vocab + 1)
    for text in texts:
        assert edited.tokenizer.encode(text) == tok.encode(text)
        assert edited.tokenizer.encode(text + b"<new>", allowed_special={"<new>"}) == [*tok.encode(text), tok.n_vocab]
