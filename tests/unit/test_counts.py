"""`PretokenCounts`: merging, weighing and pruning against plain dictionaries of fractions; what is refused."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import _core
from bytepair.counts.splitting import Splitting

Table = dict[str | None, dict[bytes, Fraction]]
"""By source, and in the order of first appearance: the exact counts."""

words = st.lists(st.sampled_from(["a", "b", "ab", "ba", "abc", "\xe9", "", "a b a"]), max_size=6)
corpora = st.dictionaries(st.sampled_from(["en", "de", "ru", "x y"]), words, max_size=3)
weights = st.sampled_from(
    [0, 1, 2, 0.1, 0.3, 1.5, Fraction(1, 3), Fraction(7, 2), Decimal("0.125"), np.float64(0.7), np.int64(3)]
)


def counted(texts: Any) -> bp.PretokenCounts:
    return bp.count_pretokens(texts=texts, pattern="gpt2")


def exact(counts: bp.PretokenCounts) -> Table:
    """What the counts say, as fractions, each source's alone."""
    names: tuple[str | None, ...] = counts.sources or (None,)
    return {name: {word: Fraction(count, counts.scale) for word, count in counts.items(name)} for name in names}


def order(counts: bp.PretokenCounts) -> list[bytes]:
    return [word for word, _ in counts.items()]


def check(counts: bp.PretokenCounts) -> None:
    """What holds of all counts: a row is the sum of its columns, and none is empty."""
    rows = dict(counts.items())
    assert len(rows) == len(counts)
    assert all(rows.values())
    assert counts.total == sum(rows.values())
    assert counts.total_bytes == sum(count * len(word) for word, count in rows.items())
    if counts.sources:
        sums = dict.fromkeys(rows, 0)
        for name in counts.sources:
            for word, count in counts.items(name):
                sums[word] += count
        assert sums == rows


def test_a_pattern_is_compiled_once_a_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, table = list[Splitting](), Splitting.table

    def spy(how: Splitting) -> _core.Counts:
        compiled.append(how)
        return table(how)

    monkeypatch.setattr(Splitting, "table", spy)
    counts = counted({f"source {number}": ["low lower"] for number in range(50)})
    assert (len(counts.sources), counts.total, len(compiled)) == (50, 100, 1)


def test_counts_are_read_by_many_at_once() -> None:
    """By threads, and by what a training calls."""
    counts, seen = counted({"en": ["low lower lowest"], "de": ["low"]}), list[object]()
    expected = list(counts.items()), counts.digest, len(counts), counts.longest(1)

    def read(_: object = None) -> None:
        seen.append((list(counts.items()), counts.digest, len(counts), counts.longest(1)))

    def job(_: int) -> Sequence[tuple[int, int]]:
        return bp.train(counts=counts, num_merges=5, pattern="gpt2", progress=read).merges

    with ThreadPoolExecutor(4) as pool:
        merges = list(pool.map(job, range(4)))
    assert [list(one) for one in merges] == [list(merges[0])] * 4
    assert seen
    assert seen == [expected] * len(seen)


def added(left: Table, right: Table) -> Table:
    table = {name: dict(column) for name, column in left.items()}
    for name, column in right.items():
        ours = table.setdefault(name, {})
        for word, count in column.items():
            ours[word] = ours.get(word, Fraction(0)) + count
    return table


def times(table: Table, weight: Any) -> Table:
    return {
        name: {word: count * Fraction(str(weight)) for word, count in column.items()} for name, column in table.items()
    }


# Algebra


@given(corpora, corpora)
def test_merging_adds_up_and_keeps_left_before_right(one: dict[str, list[str]], two: dict[str, list[str]]) -> None:
    left, right = (counted(texts) if texts else counted([]) for texts in (one, two))
    merged = left.merge(right)
    check(merged)
    if one or two:
        expected = added({k: v for k, v in exact(left).items() if k}, {k: v for k, v in exact(right).items() if k})
        assert exact(merged) == expected
        assert merged.sources == tuple(expected)
    assert order(merged) == list(dict.fromkeys(order(left) + order(right)))
    assert merged.documents == left.documents + right.documents


@given(st.lists(words, min_size=3, max_size=3))
def test_merging_is_associative(texts: list[list[str]]) -> None:
    a, b, c = map(counted, texts)
    one, two = a.merge(b).merge(c), a.merge(b.merge(c))
    assert list(one.items()) == list(two.items())
    assert (one.documents, one.total) == (two.documents, two.total)


@given(words, words)
def test_merging_the_halves_gives_the_whole(one: list[str], two: list[str]) -> None:
    assert list(counted(one).merge(counted(two)).items()) == list(counted(one + two).items())


@given(corpora.filter(bool), st.dictionaries(st.sampled_from(["en", "de", "ru", "x y"]), weights))
def test_weighing_is_exact(texts: dict[str, list[str]], given: dict[str, Any]) -> None:
    counts = counted(texts)
    given = {name: weight for name, weight in given.items() if name in texts}
    chosen = {name: Fraction(str(given.get(name, 1))) for name in texts}
    if not any(chosen.values()):
        with pytest.raises(bp.TrainingError, match="every source weighs 0"):
            counts.weigh(given)
        return
    weighed = counts.weigh(given)
    check(weighed)
    expected = {
        name: {word: count * chosen[str(name)] for word, count in column.items() if chosen[str(name)]}
        for name, column in exact(counts).items()
    }
    assert exact(weighed) == expected
    kept = {word for column in expected.values() for word in column}
    assert order(weighed) == [word for word in order(counts) if word in kept]


@given(words, words, weights.filter(bool), weights.filter(bool))
def test_weighing_and_merging_go_together(one: list[str], two: list[str], left: Any, right: Any) -> None:
    a, b = counted(one), counted(two)
    merged = a.weigh(left).merge(b.weigh(right))
    check(merged)
    assert exact(merged) == added(times(exact(a), left), times(exact(b), right))


@given(corpora.filter(bool), weights.filter(bool), st.integers(0, 5))
def test_pruning_drops_rare_rows_and_says_so(texts: dict[str, list[str]], weight: Any, below: int) -> None:
    counts = counted(texts).weigh(weight)
    pruned = counts.prune(below)
    check(pruned)
    before = {word: Fraction(count, counts.scale) for word, count in counts.items()}
    kept = {word: count for word, count in before.items() if count >= below}
    assert {word: Fraction(count, pruned.scale) for word, count in pruned.items()} == kept
    assert order(pruned) == list(kept)
    gone = [count for word, count in before.items() if word not in kept]
    assert (pruned.dropped.distinct, pruned.dropped.occurrences) == (len(gone), sum(gone))
    assert exact(pruned) == {
        name: {word: count for word, count in column.items() if word in kept} for name, column in exact(counts).items()
    }
    assert list(pruned.prune(below).items()) == list(pruned.items())
    assert pruned.prune(below).dropped == pruned.dropped


def test_nothing_changes_what_there_is() -> None:
    counts = counted({"en": ["low low"], "de": ["low"]})
    before = (list(counts.items()), exact(counts), counts.scale, counts.total)
    counts.merge(counts)
    counts.weigh({"en": 7})
    counts.prune(2)
    assert (list(counts.items()), exact(counts), counts.scale, counts.total) == before


def test_counts_are_equal_by_content_and_travel() -> None:
    texts = {"en": ["low lower"], "de": ["low"]}
    counts = counted(texts).weigh(0.3)
    travelled = pickle.loads(pickle.dumps(counts))  # noqa: S301 - our own
    for same in (travelled, copy.deepcopy(counts), counted(texts).weigh(0.3)):
        assert same == counts
        assert hash(same) == hash(counts)
        assert exact(same) == exact(counts)
        assert same.sources == counts.sources
    for other in (counted({"en": texts["en"], "ru": texts["de"]}), counted(texts), {"low": 2}, counted(["low"])):
        assert other != counts


def test_counts_of_another_unicode_are_warned_of() -> None:
    counts = counted(["low lower"])
    old = replace(counts, splitting=replace(counts.splitting, unicode="9.0.0"))
    with pytest.warns(bp.TrainingWarning, match=r"made with Unicode 9.0.0, .* by Unicode \d+") as told:
        bp.train(counts=old, num_merges=2)
    assert told[0].filename == __file__
    with pytest.raises(bp.TrainingError, match="the version of Unicode is"):
        counts.merge(old)


# What training makes of them


def trained(**settings: Any) -> bp.Tokenizer:
    return bp.train(num_merges=6, **settings)


@pytest.mark.parametrize("ties", ["lowest", "first", "huggingface", "greatest"])
def test_counts_train_as_their_texts_do(ties: Any) -> None:
    texts = ["newest low lower", "lowest newer", "zz zz yy"]
    tok = bp.train(texts=texts, num_merges=9, pattern="gpt2", ties=ties)
    again = bp.train(counts=counted(texts), num_merges=9, ties=ties)
    assert (again, again.training) == (tok, tok.training)
    halves = counted(texts[:1]).merge(counted(texts[1:]))
    assert bp.train(counts=halves, num_merges=9, ties=ties) == tok


def test_weights_are_as_good_as_repetition() -> None:
    texts = {"en": ["low lower lowest"], "de": ["niedrig niedriger"]}
    repeated = {"en": texts["en"] * 3, "de": texts["de"] * 10}
    tok = trained(texts=texts, pattern="gpt2", weights={"en": 0.3})
    assert tok == trained(texts=repeated, pattern="gpt2")
    assert tok == trained(counts=counted(texts), weights={"en": Decimal("0.3")})
    assert tok == trained(counts=counted(texts).weigh({"en": Fraction(3, 10)}))
    assert tok.training is not None
    assert tok.training.scale == 10


def test_first_follows_the_order_of_rows_even_where_a_source_weighs_nothing() -> None:
    counts = counted({"en": ["zz yy"], "de": ["yy", "zz"]})
    tok = bp.train(counts=counts, num_merges=1, ties="first", weights={"en": 0})
    assert tok.bytes_of(256) == b"zz"


def test_the_minimum_is_of_weighted_counts() -> None:
    texts = {"en": ["ab"] * 9, "de": ["cd"] * 4}
    with pytest.warns(bp.TrainingWarning, match="no pair occurs 3 times"):
        tok = bp.train(texts=texts, num_merges=5, weights={"en": 0.5, "de": 0.5}, min_count=3)
    assert [tok.bytes_of(id) for id in range(256, tok.n_vocab)] == [b"ab"]
    with pytest.warns(bp.TrainingWarning, match="no pair is left"):
        tok = bp.train(texts=texts, num_merges=5, weights={"en": 0.01, "de": 0.01})
    assert len(tok.merges) == 2


# What is refused


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"pattern": "o200k"}, "the pattern is gpt2 and o200k"),
        ({"special_tokens": ["<s>"]}, r"list of special tokens is \[\] and \['<s>'\]"),
        ({"pattern": None, "alphabet": "characters"}, "alphabet is 'bytes' and 'characters'"),
    ],
)
def test_counts_of_other_settings_are_not_merged(settings: dict[str, Any], words: str) -> None:
    other = bp.count_pretokens(texts=["low"], **{"pattern": "gpt2"} | settings)
    with pytest.raises(bp.TrainingError, match=f"cannot be merged: .*{words}"):
        counted(["low"]).merge(other)


def test_the_order_of_special_tokens_is_no_difference() -> None:
    one, two = (
        bp.count_pretokens(texts=["a<x>b"], pattern="gpt2", special_tokens=specials)
        for specials in (["<x>", "<y>"], ["<y>", "<x>"])
    )
    assert one.fingerprint == two.fingerprint
    assert one.merge(two).special_tokens == ("<x>", "<y>")


def test_named_and_unnamed_sources_are_not_merged() -> None:
    named, bare = counted({"en": ["low"]}), counted(["low"])
    for one, two in ((named, bare), (bare, named)):
        with pytest.raises(bp.TrainingError, match="one has named sources, the other has none"):
            one.merge(two)
    assert list(named.merge(counted([])).items("en")) == [(b"low", 1)]
    assert list(counted([]).merge(named).items("en")) == [(b"low", 1)]


@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        ({"fr": 1}, bp.TrainingError, "'fr', and no source is called so\nhint: the sources are en, de"),
        ({"en": -1}, bp.TrainingError, "weight of 'en' is -1"),
        ({"en": float("nan")}, bp.TrainingError, "is nan"),
        ({"en": float("inf")}, bp.TrainingError, "is inf"),
        ({"en": Decimal("1e999999999")}, bp.TrainingError, "take weights of few digits"),
        ({"en": "3"}, TypeError, "of type `str`"),
        ({"en": True}, TypeError, "of type `bool`"),
        ({"en": 0, "de": 0}, bp.TrainingError, "every source weighs 0"),
        (0, bp.TrainingError, "the weight is 0"),
        ("3", TypeError, "of type `str`"),
        ({"en": 2.0**70}, bp.TrainingError, r"2\^64"),
        ({"en": 1e-30}, bp.TrainingError, r"2\^64"),
        (2**64, bp.TrainingError, r"2\^64"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weight: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        counted({"en": ["low"], "de": ["low"]}).weigh(weight)


@pytest.mark.parametrize(
    "weight",
    [Fraction(1, 3**50), 1e-30, 10**5000, Fraction(1, 10**5000), Decimal("1e-300"), Decimal("1e-3000")],
    ids=["3^-50", "float", "integer", "fraction", "decimal", "small decimal"],
)
def test_weights_of_too_many_digits_are_refused_in_short(weight: Any) -> None:
    for call in (
        lambda: counted(["low"]).weigh(weight),
        lambda: counted({"en": ["low"], "de": ["low"]}).weigh({"en": weight}),
        lambda: trained(texts={"en": ["low"], "de": ["low"]}, weights={"en": weight}),
    ):
        with pytest.raises(
            bp.TrainingError,
            match=r"weight( of 'en')? is .{1,70}\nhint: counts are below 2\^64: take weights of few digits",
        ):
            call()


def test_a_scale_that_no_file_can_hold_is_refused() -> None:
    one, other = counted(["low"]).weigh(Fraction(1, 3**40)), counted(["low"]).weigh(Fraction(1, 2**40))
    message = r"the common denominator of the weights passes 2\^64 - 1\nhint: "
    with pytest.raises(bp.TrainingError, match=message):
        one.merge(other)
    with pytest.raises(bp.TrainingError, match=message):
        one.weigh(Fraction(1, 2**40))
    with pytest.raises(bp.TrainingError, match=message):
        trained(texts={"en": iter(()), "de": ["low"]}, weights={"en": Fraction(1, 3**40), "de": Fraction(1, 2**40)})
    assert counted({"en": [], "de": ["low"]}).weigh({"en": 10**30}) == counted({"en": [], "de": ["low"]})


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "longdouble", "int8"])
def test_numbers_of_numpy_are_weights(kind: str) -> None:
    numpy = pytest.importorskip("numpy")
    number = getattr(numpy, kind)("3" if kind == "int8" else "0.1")
    assert counted(["low"]).weigh(number) == counted(["low"]).weigh(3 if kind == "int8" else 0.1)


def test_the_empty_pretoken_is_one() -> None:
    with pytest.warns(bp.TrainingWarning, match="no pair is left"):
        assert bp.train(counts={"": 3}, num_merges=1).training.distinct == 1  # type: ignore[union-attr]


def test_weights_need_names() -> None:
    for call in (
        lambda: counted(["low"]).weigh({"en": 1}),
        lambda: trained(texts=["low"], weights={"en": 1}),
        lambda: trained(counts={"low": 3}, weights={"en": 1}),
    ):
        with pytest.raises(bp.TrainingError, match="the sources have no names\nhint: name them"):
            call()


def test_wrong_weights_are_found_before_anything_is_read() -> None:
    def texts() -> Iterator[str]:
        yield "low"
        pytest.fail("it was read")

    with pytest.raises(bp.TrainingError, match="'fr', and no source"):
        trained(texts={"en": texts()}, weights={"fr": 1})


def test_counts_past_64_bits_are_refused() -> None:
    big = counted({"en": ["low"], "de": ["low low"]}).weigh(2**61)
    with pytest.raises(bp.TrainingError, match=r"2\^64"):
        big.merge(big).merge(big).merge(big)
    with pytest.raises(bp.TrainingError, match=r"2\^64"):
        big.weigh(9)


def test_other_arguments_are_refused() -> None:
    counts = counted(["low"])
    with pytest.raises(TypeError, match="only PretokenCounts"):
        counts.merge({"low": 1})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="below is -1"):
        counts.prune(-1)
    with pytest.raises(bp.TrainingError, match="no source is called 'en'\nhint: the sources are no names"):
        list(counts.items("en"))


# What training refuses of counts


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pattern": "o200k"}, "pattern is o200k, but that of these counts is gpt2\nhint: leave pattern out"),
        ({"pattern": None}, "pattern is None, but"),
        ({"alphabet": "characters"}, "alphabet is 'characters'"),
    ],
)
def test_counts_say_how_text_is_cut(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(bp.TrainingError, match=message):
        trained(counts=counted(["low low"]), **settings)
    assert trained(counts=counted(["low lower lowest"]), pattern="gpt2").pattern == bp.PATTERNS["gpt2"]


def test_special_tokens_of_counts_stay_boundaries() -> None:
    counts = bp.count_pretokens(texts=["low<x>lower<y>lowest"], pattern="gpt2", special_tokens=["<x>", "<y>"])
    tok = bp.train(counts=counts, num_merges=2)
    assert tok.special_tokens == {"<x>": 258, "<y>": 259}
    turned = bp.train(counts=counts, num_merges=2, special_tokens=["<y>", "<x>"])
    assert turned.special_tokens == {"<y>": 258, "<x>": 259}
    with pytest.raises(bp.TrainingError, match="lacks '<y>', which was a boundary"):
        bp.train(counts=counts, num_merges=2, special_tokens=["<x>"])
    with pytest.warns(bp.TrainingWarning, match="made without the special token '<z>'"):
        more = bp.train(counts=counts, num_merges=2, special_tokens=["<x>", "<y>", "<z>"])
    assert more.special_tokens == {"<x>": 258, "<y>": 259, "<z>": 260}


def test_reading_is_over_where_counts_are_given() -> None:
    for name, value in (("text_field", "text"), ("errors", "bytes"), ("sample", 9), ("seed", 1), ("separator", "x")):
        with pytest.raises(TypeError, match=f"{name} says how texts are read, but counts are given"):
            trained(counts={"low": 1}, **{name: value})


def test_huge_pretokens_are_warned_of() -> None:
    text = "low " + "QUJD" * 25_000 + " lower"
    for call in (
        lambda: bp.count_pretokens(texts=[text]),
        lambda: bp.train(texts=[text], num_merges=3),
        lambda: bp.train(counts={text: 1}, num_merges=3),
    ):
        with pytest.warns(
            bp.TrainingWarning, match=r"huge pretokens: the longest has 100,0\d\d bytes.*QUJDQUJD"
        ) as told:
            call()
        assert len(told) == 1
        assert len(str(told[0].message)) < 400
        assert told[0].filename == __file__
    bp.count_pretokens(texts=["Q" * 100_000], pattern=None)


def test_many_sources_take_what_they_count() -> None:
    """Each source has a pretoken of its own and one of all: a cell for each row and source would be 32 MB."""
    texts = {f"s{number}": [f"the w{number}"] for number in range(2000)}
    counts = bp.count_pretokens(texts=texts, pattern=r"\w+|\s")
    assert len(counts) == 2002
    assert sum(column.rows.nbytes + column.counts.nbytes for column in counts.columns.values()) == 3 * 2000 * 12
    assert dict(counts.items("s7")) == {b"the": 1, b" ": 1, b"w7": 1}
    weighed = counts.weigh(dict.fromkeys(counts.sources, 0) | {"s7": 3})
    assert dict(weighed.items()) == dict(weighed.items("s7")) == {b"the": 3, b" ": 3, b"w7": 3}
    assert not dict(weighed.items("s8"))
    few = counts.prune(2)
    assert [dict(few.items(name)) for name in ("s0", "s1999")] == [{b"the": 1, b" ": 1}] * 2
    twice = counts.merge(counts)
    assert dict(twice.items("s1999")) == {b"the": 2, b" ": 2, b"w1999": 2}
    for one in (counts, weighed, few, twice):
        check(one)
