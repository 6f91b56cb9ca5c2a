"""The reference: its examples, and that its plain and its quick ways agree."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair import reference
from bytepair.reference import bytes_bpe, gage, patterns
from bytepair.reference.training import BYTES, Ties, learn
from bytepair.reference.vocabulary import merge_all
from implementations import PATTERNS, cases, octets

ROOM = Path(reference.__file__).parent
MODULES = [module.name for module in pkgutil.iter_modules([str(ROOM)])]
TIES: tuple[Ties, ...] = ("lowest", "first", "huggingface", "greatest")

runs = st.lists(st.sampled_from(["a", "b", "ab", "aaa", " ", "é", "日"]), max_size=30).map("".join)
texts = st.one_of(runs, st.text(max_size=30))
settings_ = st.fixed_dictionaries(
    {
        "num_merges": st.integers(0, 20),
        "ties": st.sampled_from(TIES),
        "min_count": st.integers(1, 3),
        "max_token_bytes": st.one_of(st.none(), st.integers(1, 6)),
        "pattern": st.sampled_from([None, r" ?\p{L}+|\s+", "[a-z]+"]),
    }
)
in_characters = st.fixed_dictionaries(
    {
        "num_merges": st.integers(0, 20),
        "ties": st.sampled_from(TIES),
        "alphabet": st.just("characters"),
        "end_of_word": st.sampled_from(["</w>", "a", None]),
    }
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name: str) -> None:
    module = importlib.import_module(f"bytepair.reference.{name}")
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_it_needs_nothing_but_python() -> None:
    # A package `bytepair` of the reference alone, without the compiled module and what else is beside it.
    script = (
        "import sys, types\n"
        "package = types.ModuleType('bytepair')\n"
        f"package.__path__ = [{str(ROOM.parent)!r}]\n"
        "sys.modules['bytepair'] = package\n"
        "sys.modules['bytepair._core'] = None\n"
        "from bytepair import reference\n"
        "tok = reference.train(['low lower'], num_merges=2)\n"
        "assert tok.decode(tok.encode('lowest')) == 'lowest'\n"
        "loaded = {name.split('.')[0] for name in sys.modules if not name.startswith('_')}\n"
        "assert loaded <= set(sys.stdlib_module_names) | {'bytepair'}, loaded - set(sys.stdlib_module_names)\n"
    )
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def code_lines(source: str) -> int:
    """Lines that are neither empty nor a comment nor a docstring."""
    documented: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documented.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(source.splitlines(), 1)
    return sum(1 for at, line in lines if at not in documented and line.strip() and not line.strip().startswith("#"))


def test_it_stays_under_700_lines_of_code() -> None:
    assert sum(code_lines(file.read_text("utf-8")) for file in ROOM.glob("*.py")) < 700


@given(st.binary(max_size=200), st.sampled_from([b"ab", b"\x00\x01", bytes(range(256))]))
def test_what_gage_compresses_expands_again(data: bytes, more: bytes) -> None:
    for text in (data, data * 3, data + more * 4):
        short, table = gage.compress(text)
        assert gage.expand(short, table) == text
        assert len(short) + 3 * len(table) <= len(text)


@given(st.lists(texts, max_size=4), settings_ | in_characters)
def test_counting_again_and_keeping_count_learn_the_same(corpus: list[str], settings: dict[str, object]) -> None:
    by_trainer = [
        reference.train(corpus, corpus=trainer, **settings)  # type: ignore[arg-type]
        for trainer in (reference.Linked, reference.Recounted)
    ]
    assert by_trainer[0].training == by_trainer[1].training


@given(texts, st.integers(0, 15))
def test_the_smallest_tokenizer_is_the_reference_without_a_pattern(text: str, num_merges: int) -> None:
    data = text.encode()
    tok = reference.train([data], num_merges=num_merges, ties="first")
    assert tok.training is not None
    small = bytes_bpe.train(data, num_merges)
    assert small == [((merge.left, merge.right), merge.count) for merge in tok.training.merges]
    merges = [pair for pair, _ in small]
    assert bytes_bpe.vocabulary(merges) == tok.vocabulary.tokens
    assert bytes_bpe.encode(data, merges) == tok.encode(data)


@given(st.lists(texts, min_size=1, max_size=4), settings_, texts)
def test_text_comes_back(corpus: list[str], settings: dict[str, object], text: str) -> None:
    tok = reference.train(corpus, **settings)  # type: ignore[arg-type]
    for data in (text.encode(), text.encode()[1:], text.encode() + b"\xff\xe2"):
        assert tok.decode_bytes(tok.encode(data)) == data


@given(st.lists(texts, min_size=1, max_size=4), settings_, texts)
def test_merging_by_rank_is_replaying_the_merges(corpus: list[str], settings: dict[str, object], text: str) -> None:
    tok = reference.train(corpus, **settings)  # type: ignore[arg-type]
    assert tok.training is not None
    merges = [(merge.left, merge.right) for merge in tok.training.merges]
    for pretoken in reference.split(tok.pattern, text.encode()):
        assert merge_all(tok.vocabulary, list(pretoken)) == bytes_bpe.encode(pretoken, merges)


@given(st.lists(texts, min_size=1, max_size=4), settings_, st.binary(max_size=20) | texts.map(str.encode))
def test_streamed_text_is_the_whole_text(corpus: list[str], settings: dict[str, object], data: bytes) -> None:
    tok = reference.train(corpus, **settings)  # type: ignore[arg-type]
    ids = tok.encode(data)
    parts = list(reference.stream(tok, ids))
    assert len(parts) == len(ids) + 1
    assert "".join(parts) == tok.decode(ids) == data.decode("utf-8", "replace")


@given(st.lists(texts, min_size=1, max_size=4), settings_)
def test_from_bytes_alone_no_two_merges_make_one_token(corpus: list[str], settings: dict[str, object]) -> None:
    training = reference.train(corpus, **settings).training  # type: ignore[arg-type]
    assert training is not None
    assert [merge.id for merge in training.merges] == list(range(256, 256 + len(training.merges)))


@pytest.mark.parametrize("corpus", [reference.Linked, reference.Recounted])
def test_a_merge_that_makes_the_bytes_of_a_token_takes_its_id(corpus: type[reference.Linked]) -> None:
    # `abc` is a token before training. `abcd` is learned from it first; then `ab c` makes `abc` once more, the pair
    # `abc d` comes back, and is merged at once and not listed again.
    alphabet = {0: b"a", 1: b"b", 2: b"c", 3: b"d", 4: b"abc"}
    words = [((4, 3), 9), ((0, 1, 2), 5), ((0, 1, 2, 3), 2), ((1, 2), 1)]
    training = learn(corpus, words, alphabet, num_merges=9)
    learned = [(merge.left, merge.right, merge.id, merge.count, merge.fired) for merge in training.merges]
    assert learned == [(4, 3, 5, 9, 9), (1, 2, 6, 8, 8), (0, 6, 4, 7, 7)]
    assert training.stopped == "no pairs"


@pytest.mark.parametrize("case", [c for c in cases("split") if "preset" in c], ids=lambda case: case["id"])
def test_a_pattern_in_brackets_cuts_alike(case: dict[str, str]) -> None:
    text = octets(case["input"])
    pattern = PATTERNS[case["preset"]]
    assert reference.split(f"(?:{pattern})", text) == reference.split(pattern, text)


@given(st.binary(max_size=20) | texts.map(str.encode), st.sampled_from(sorted(PATTERNS)))
def test_splits_lose_nothing(data: bytes, preset: str) -> None:
    pretokens = reference.split(PATTERNS[preset], data)
    assert b"".join(pretokens) == data
    assert b"" not in pretokens


@pytest.mark.parametrize(
    "pattern", [r"\p{Nonsense}", r"\b", r"[a", r"(?m)a$", r"(?P<name>a)", r"[a&", r"\Z", "a)", "(a"]
)
def test_what_the_translation_cannot_read_is_an_error(pattern: str) -> None:
    with pytest.raises((ValueError, re.error)):
        patterns.compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["[[:alpha:]]", "[^[:digit:]a]+", "[a&&[:^word:]]", "[][:space:]]"])
def test_a_class_with_a_posix_name_is_refused_and_not_read_as_its_letters(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"the reference cannot read '\[:"):
        patterns.compile_pattern(pattern)
    assert patterns.split("[:alph]+", b"lap:x") == [b"lap:", b"x"]


def test_halves_of_surrogate_pairs() -> None:
    tok = reference.Tokenizer(reference.Vocabulary(BYTES, {}))
    for text, shown in (("\ud83d", "\ufffd"), ("a\udc00b", "a\ufffdb"), ("\ud83d\ud83d", "\ufffd\ufffd")):
        assert tok.decode(tok.encode(text)) == shown
