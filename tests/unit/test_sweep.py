"""The sweep gives, for every size, what a tokenizer gives that really has only the first merges."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import Parts
from bytepair.measuring.figures import entropy, renyi_efficiency
from truncating import counts, truncated

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
TEXTS = Path(__file__).parents[2] / "testdata" / "texts"
RUSSIAN = (TEXTS / "ru_gogol_shinel.txt").read_text("utf-8")
CODE = Path(bp.__file__).with_name("trace.py").read_text("utf-8")
MIXED = "Жил-был кот. 猫が好き。 naïve café 12345\r\n\t  x = 1  👍🏽 العربية " * 7
FACTS = tomllib.loads((TEXTS.parent / "published.toml").read_text("utf-8"))
CORPORA = {"alice": [ALICE[:30_000]], "code": [CODE], "mixed": [MIXED, "aaaaaaaa aaaa a", ""]}


def check(tok: bp.Tokenizer, texts: list[str], sizes: list[int]) -> None:
    """All figures of these sizes are those of really truncated tokenizers."""
    swept, words = bp.sweep(tok, texts), words_of(tok, texts)
    for merges in sizes:
        check_size(swept, merges, truncated(tok, merges), texts, words)


def words_of(tok: bp.Tokenizer, texts: list[str]) -> list[str]:
    return [piece for text in texts for piece in tok.split(text) if any(letter.isalpha() for letter in piece)]


def check_size(swept: bp.Sweep, merges: int, cut: bp.Tokenizer, texts: list[str], words: list[str]) -> None:
    """All figures of this size are those of the truncated tokenizer."""
    wanted = counts(cut, texts)
    ids, found = swept.counts(merges)
    assert dict(zip(ids.tolist(), found.tolist(), strict=True)) == wanted, merges
    total = sum(wanted.values())
    at = swept.at(merges=merges)
    assert (at.tokens, at.tokens_in_use, at.vocab_size) == (total, len(wanted), len(cut))
    if total:
        assert at.bytes_per_token == sum(len(text.encode()) for text in texts) / total
        assert at.characters_per_token == sum(map(len, texts)) / total
    assert at.entropy == pytest.approx(entropy(list(wanted.values())), abs=1e-9, nan_ok=True)
    renyi = renyi_efficiency(list(wanted.values()))
    assert at.renyi_efficiency == pytest.approx(renyi, abs=1e-9, nan_ok=True)
    if words:
        assert at.single_token_words == sum(len(one) == 1 for one in cut.encode_batch(words)) / len(words)


def some(merges: int, number: int, seed: int) -> list[int]:
    chosen = random.Random(seed)
    return sorted({0, 1, merges, *(chosen.randint(0, merges) for _ in range(number - 3))})


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("pattern", ["o200k", "gpt2", None])
def test_trained_here(pattern: str | None, corpus: str) -> None:
    tok = bp.train(texts=[ALICE[30_000:90_000], MIXED], num_merges=900, pattern=pattern)
    texts = CORPORA[corpus] if pattern else [text[:5000] for text in CORPORA[corpus]]
    swept = bp.sweep(tok, texts)
    assert swept.merges == 900
    if pattern:
        check(tok, texts, some(900, 12, len(corpus)))
    else:
        for merges in some(900, 12, 1):
            assert swept.tokens()[merges] == sum(map(len, truncated(tok, merges).encode_batch(texts)))


PATTERN_OF = {"cl100k_base": "cl100k", "r50k_base": "gpt2", "o200k_base": "o200k", "qwen": "qwen2"}


PUBLISHED = ["cl100k_base", "r50k_base", "o200k_base", "llama3", "qwen"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published(name: str, vocabulary_file: Callable[[str], Path]) -> None:
    check_published(vocabulary_file(name), 4)


@pytest.mark.soak
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_at_many_sizes(name: str, vocabulary_file: Callable[[str], Path]) -> None:
    check_published(vocabulary_file(name), 20)


def check_published(path: Path, sizes: int) -> None:
    """So many sizes of a published vocabulary, on each corpus."""
    tok = bp.load(path) if path.suffix == ".json" else bp.load(path, pattern=PATTERN_OF[path.parent.name])
    corpora = [[text[:20_000] for text in texts] for texts in CORPORA.values()]
    swept = [(bp.sweep(tok, texts), texts, words_of(tok, texts)) for texts in corpora]
    for merges in some(swept[0][0].merges, sizes, len(path.name)):
        cut = truncated(tok, merges)
        for one, texts, words in swept:
            check_size(one, merges, cut, texts, words)


def test_the_running_maximum_is_needed(vocabulary_file: Callable[[str], Path]) -> None:
    """Charged to their own ranks, firings give wrong sizes for llama3, whose ranks do not rise within a pretoken."""
    tok = bp.load(vocabulary_file("llama3"))
    text = ALICE[:15_000]
    swept = bp.sweep(tok, [text])
    own = np.zeros(swept.merges + 1, dtype=np.int64)
    for word in tok.split(text):
        for step in tok.steps(word):
            own[step.rank + 1] += 1
    plain = len(text.encode()) - np.cumsum(own)
    wrong = np.flatnonzero(plain != swept.tokens())
    assert wrong.size > 100
    assert wrong[-1] < swept.merges  # the whole vocabulary is right in either way
    for merges in (wrong[0], wrong[len(wrong) // 2]):
        really = sum(counts(truncated(tok, int(merges)), [text]).values())
        assert swept.tokens()[merges] == really != plain[merges]


LETTERS = "abc"


@st.composite
def vocabularies(draw: st.DrawFn) -> Parts:
    """Merge lists in any order, also such as training never makes; or the rank file of the same tokens."""
    contents = [letter.encode() for letter in LETTERS]
    pairs: list[tuple[bytes, bytes]] = []
    for _ in range(draw(st.integers(0, 9))):
        left, right = draw(st.sampled_from(contents)), draw(st.sampled_from(contents))
        if (left, right) in pairs:
            continue
        pairs.append((left, right))
        if left + right not in contents:
            contents.append(left + right)
    if draw(st.booleans()):
        pairs = draw(st.permutations(pairs))
    unmade = draw(st.lists(st.text(LETTERS, min_size=2, max_size=6), max_size=2, unique=True))
    contents += [word.encode() for word in unmade if word.encode() not in contents]
    numbers = draw(st.permutations(range(3, len(contents))))
    ids = dict(zip(contents, [0, 1, 2, *numbers], strict=True))
    kind = draw(st.sampled_from(["merges", "lookup", "ranks"]))
    return Parts(
        pattern=r"\w+| ",
        tokens=(*((id, content) for content, id in ids.items()), (99, b" ")),
        merges=None if kind == "ranks" else tuple((ids[left], ids[right]) for left, right in pairs),
        whole_first=kind != "merges",
    )


@given(parts=vocabularies(), text=st.text(LETTERS + " ", max_size=40))
def test_any_vocabulary(parts: Parts, text: str) -> None:
    tok = bp.Tokenizer.from_parts(parts)
    swept = bp.sweep(tok, [text])
    check(tok, [text], list(range(swept.merges + 1)))


def test_characters() -> None:
    words = "low low lower lowest newest widest"
    for joined in (False, True):
        tok = bp.train(
            texts=[words], num_merges=8, alphabet="characters", end_of_word="</w>", end_of_word_joined=joined
        )
        swept = bp.sweep(tok, [words])
        for merges in range(9):
            assert swept.tokens()[merges] == len(truncated(tok, merges).encode(words))
    with pytest.raises(bp.UnknownSymbolError):
        bp.sweep(tok, ["xyz"])


def test_languages_add_up() -> None:
    tok = bp.train(texts=[ALICE[:20_000], MIXED], num_merges=300)
    parts = bp.sweep(tok, {"en": [ALICE[:5000]], "mixed": [MIXED]})
    whole = bp.sweep(tok, [ALICE[:5000], MIXED])
    assert parts.languages == ("en", "mixed")
    assert (parts.tokens("en") + parts.tokens("mixed") == whole.tokens()).all()
    for merges in (0, 100, 300):
        for one, other in zip(parts.counts(merges), whole.counts(merges), strict=True):
            np.testing.assert_array_equal(one, other)
    listed = bp.sweep(tok, [ALICE[:5000], MIXED], languages=["en", "mixed"])
    assert listed.rows() == parts.rows()
    with pytest.raises(KeyError, match="no text is in 'de'"):
        parts.curve("de")


def test_firings_are_those_of_training() -> None:
    """In training, the replacements at merge k are what the sweep finds on the same text."""
    text = ALICE[:40_000] + " aaaa aaaaaaa"
    tok = bp.train(texts=[text], num_merges=400)
    assert tok.training is not None
    assert tuple(-np.diff(bp.sweep(tok, [text]).tokens())) == tok.training.fired


def test_published_embedding_tables() -> None:
    tok = bp.train(texts=[ALICE, RUSSIAN], vocab_size=8192)
    swept = bp.sweep(tok, [ALICE[:1000]], width=FACTS["embedding"]["width"])
    published = FACTS["embedding"]["parameters"]
    assert [[row["vocab_size"], row["embedding"]] for row in swept.rows()] == published
    last = swept.at(8192)
    assert last.output_multiplications == last.tokens * 8192 * 384
    assert last.attention == 1
    assert last.embedding is not None
    assert last.untied == 2 * last.embedding


def test_published_bytes_per_token() -> None:
    """One stream, no pattern: on the book, and with the two lines of its publisher."""
    article = FACTS["alice"]["article"]
    for fact, text in (
        (FACTS["alice"], ALICE),
        (article, article["first_line"] + ALICE + article["last_line"]),
    ):
        swept = bp.sweep(bp.train(texts=[text], vocab_size=4096, pattern=None, ties="first"), [text])
        assert len(text.encode()) == fact["bytes"]
        per_token = {size: swept.at(size).bytes_per_token for size, _ in fact["bytes_per_token"]}
        assert [[size, round(value, 3)] for size, value in per_token.items()] == fact["bytes_per_token"]
        for small, large, gain in fact.get("gains", ()):
            assert per_token[large] - per_token[small] == pytest.approx(gain, abs=0.01)


def test_every_size_in_the_rows() -> None:
    tok = bp.train(texts=[ALICE[:9000]], num_merges=50)
    rows = bp.sweep(tok, [ALICE[:9000]], show="all").rows()
    assert [row["vocab_size"] for row in rows] == list(range(256, 307))
    assert [row["tokens"] for row in rows] == bp.sweep(tok, [ALICE[:9000]]).tokens().tolist()


def test_the_ceiling() -> None:
    swept = bp.sweep(bp.train(texts=["low low low"], num_merges=3), ["low low low"])
    assert swept.ceiling() == 11 / 3
    assert swept.at(merges=3).ceiling_share == 1
    assert "From 259 tokens on it is at 95%" in " ".join(str(swept).split())


def test_nothing() -> None:
    swept = bp.sweep(bp.train(texts=["low low"], num_merges=1), [])
    assert swept.tokens().tolist() == [0, 0]
    assert swept.rows()[0]["bytes_per_token"] is None
    assert swept.to_dict()["bytes_per_pretoken"] is None
    assert "Every vocabulary size" in swept._repr_html_()
    assert bp.sweep(bp.train(texts=[], vocab_size=256), ["abc"]).tokens().tolist() == [3]


@pytest.mark.parametrize(
    ("arguments", "problem", "message"),
    [
        ({}, TypeError, "got none of files and texts"),
        ({"texts": [], "files": []}, TypeError, "got both of files and texts"),
        ({"texts": "one"}, TypeError, "texts is one str"),
        ({"texts": ["a"], "languages": ["en", "de"]}, ValueError, r"more languages \(2\) than texts \(1\)"),
        ({"texts": ["a", "b"], "languages": ["en"]}, ValueError, r"fewer languages \(1\) than texts \(2\)"),
        ({"texts": ["a"], "languages": "en"}, TypeError, "languages is one str"),
        ({"texts": {"en": ["a"]}, "languages": ["en"]}, TypeError, "named twice"),
        ({"texts": ["a"], "width": 0}, ValueError, "width is 0"),
        ({"texts": ["a"], "threads": 0}, ValueError, "threads is 0"),
        ({"texts": ["a"], "alpha": 0}, ValueError, "alpha is 0"),
        ({"texts": ["a"], "show": [1]}, ValueError, "from 256 to 256"),
        ({"texts": ["a"], "show": "some"}, ValueError, "show is 'some'"),
    ],
)
def test_refusals(arguments: dict[str, object], problem: type[Exception], message: str) -> None:
    with pytest.raises(problem, match=message):
        bp.sweep(bp.train(texts=[], vocab_size=256), **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("judge", [bp.sweep, bp.gap_to_optimal, bp.oddities])
def test_no_tokenizer(judge: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="tok is of type `str`"):
        judge("tokenizer.json")


def test_sizes_that_are_none() -> None:
    swept = bp.sweep(bp.train(texts=["low low"], num_merges=2), ["low"])
    for size in (255, 259):
        with pytest.raises(ValueError, match="hint: it is an integer from 256 to 258"):
            swept.at(size)
    for merges in (-1, 3):
        with pytest.raises(ValueError, match="hint: it is an integer from 0 to 2"):
            swept.at(merges=merges)
    with pytest.raises(TypeError, match="exactly one"):
        swept.at()
