"""A tokenizer can be shared, copied, pickled and hashed, and cannot be changed."""

# ruff: noqa: S301 - the pickles are our own

from __future__ import annotations

import base64
import copy
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp

TEXT = "The tokenizer tokenizes tokens: 12 345, über Straßen, 漢字かな交じり文, 🌱🌿."


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(texts=[TEXT] * 2, vocab_size=300, special_tokens=["<|end|>"])


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_equal(tok: bp.Tokenizer, protocol: int) -> None:
    again = pickle.loads(pickle.dumps(tok, protocol))
    assert again == tok
    assert hash(again) == hash(tok)
    assert again.parts == tok.parts
    assert again.encode(TEXT) == tok.encode(TEXT)


def test_every_kind_of_tokenizer_can_be_pickled() -> None:
    ranks = (*((byte, bytes([byte])) for byte in range(256)), (300, b"ab"))
    kinds = [
        bp.Tokenizer.from_parts(bp.Parts(tokens=ranks, merges=None, whole_first=True, pattern="a+b+")),
        bp.Tokenizer.from_parts(bp.Parts(tokens=ranks, merges=((97, 98),), whole_first=True)),
        bp.train(texts=["low lower"], num_merges=2, alphabet="characters"),
        bp.train(texts=["low lower"], num_merges=2, alphabet="characters", end_of_word="</w>"),
        bp.train(texts=["low"], num_merges=2, alphabet="characters", end_of_word="_", end_of_word_joined=True),
    ]
    assert [pickle.loads(pickle.dumps(tok)).parts for tok in kinds] == [tok.parts for tok in kinds]
    assert len({tok.fingerprint for tok in kinds}) == len(kinds)


def test_a_cut_pickle_is_refused(tok: bp.Tokenizer) -> None:
    reduced: Any = tok.__reduce__()
    make, (cls, packed, *rest) = reduced
    ids, lengths, contents = packed[4]
    with pytest.raises(bp.VocabularyError, match="cut short"):
        make(cls, (*packed[:4], (ids, lengths, contents[:-1]), *packed[5:]), *rest)


def test_copies_are_the_same_object(tok: bp.Tokenizer) -> None:
    assert copy.copy(tok) is tok
    assert copy.deepcopy([tok])[0] is tok


def test_equality_is_by_what_ids_depend_on(tok: bp.Tokenizer) -> None:
    other = bp.train(texts=[TEXT] * 4, vocab_size=300, special_tokens=["<|end|>"])
    assert other.training != tok.training
    assert other == tok
    assert {other: 1}[tok] == 1
    assert tok != bp.train(texts=[TEXT] * 2, vocab_size=300, special_tokens=["<|eot|>"])
    assert tok != bp.train(texts=[TEXT] * 2, vocab_size=300, special_tokens=["<|end|>"], pattern="cl100k")
    assert tok != "tok"


def test_nothing_can_be_changed(tok: bp.Tokenizer) -> None:
    for name in ("pattern", "new", "_engine", "fingerprint"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(tok, name, 1)
        with pytest.raises(AttributeError, match="cannot be changed"):
            delattr(tok, name)
    assert not hasattr(tok, "__dict__")
    tok.special_tokens.clear()
    tok.parts.specials  # noqa: B018 - reading it must not change it either
    assert tok.special_tokens == {"<|end|>": 299}


def test_sixteen_threads_with_options_of_their_own(tok: bp.Tokenizer) -> None:
    rng = random.Random(1)
    jobs = [(TEXT[rng.randrange(20) :] + "<|end|>", rng.randrange(40), rng.random() < 0.5) for _ in range(4000)]

    def work(job: tuple[str, int, bool]) -> tuple[object, ...]:
        text, limit, allow = job
        allowed = {"<|end|>"} if allow else set[str]()
        ids = tok.encode(text, allowed_special=allowed)
        short = tok.truncate(text, limit, allowed_special=allowed)
        return ids, short, tok.count_up_to(text, limit, allowed_special=allowed), tok.decode(ids), tok.fingerprint

    serial = [work(job) for job in jobs]
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, jobs)) == serial


def test_a_fork_can_go_on(tok: bp.Tokenizer) -> None:
    expected = tok.encode_batch([TEXT * 1000] * 8, threads=4)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        same = tok.encode_batch([TEXT * 1000] * 8, threads=4) == expected
        os.write(writing, b"same" if same else b"other")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        assert answer.read() == b"same"
    os.waitpid(child, 0)


def test_a_spawned_process_gets_an_equal_one(tok: bp.Tokenizer) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(bp.Tokenizer.encode, (tok, TEXT)) == tok.encode(TEXT)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_importing_loads_nothing() -> None:
    heavy = "numpy click rich json typing re dataclasses bytepair._core bytepair.tokenizer"
    code = f"""
import sys
before = set(sys.modules)
import bytepair
print(sorted(name for name in {heavy!r}.split() if name in set(sys.modules) - before))
"""
    assert run(code).strip() == "[]"


def test_loading_a_rank_file_and_encoding_import_next_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ranks.tiktoken"
    path.write_bytes(b"".join(b"%s %d\n" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)))
    heavy = "numpy click rich json typing re enum dataclasses functools collections collections.abc inspect pathlib"
    code = f"""
import sys
before = set(sys.modules)
import bytepair as bp
tok = bp.load({str(path)!r}, pattern="cl100k", special_tokens={{"<end>": 256}})
assert tok.decode(tok.encode("low lower", allowed_special="all")) == "low lower"
assert tok.count("low") == len(tok) - 254
new = set(sys.modules) - before
print(sorted(new & set({heavy!r}.split())), sum(name.startswith("bytepair.") for name in new) < 15)
"""
    assert run(code).strip() == "[] True"


def test_training_and_encoding_need_no_numpy() -> None:
    code = """
import sys
import bytepair as bp
tok = bp.train(texts=["low lower"], num_merges=2)
tok.decode(tok.encode("low"))
print("numpy" in sys.modules, "click" in sys.modules, "json" in sys.modules)
"""
    assert run(code).strip() == "False False False"


def test_without_the_compiled_module_the_reference_works_and_the_rest_says_what_to_do() -> None:
    code = """
import sys
sys.modules["bytepair._core"] = None
import bytepair
from bytepair import reference
print(reference.train(["low low"], num_merges=1).encode("low"))
try:
    bytepair.train
except ImportError as problem:
    print(problem)
"""
    lines = run(code).strip().splitlines()
    assert lines[0] == "[256, 119]"
    assert len(lines) == 2
    assert "pip install" in lines[1]


def test_all_public_names_exist() -> None:
    assert set(bp.__all__) <= set(dir(bp))
    for name in bp.__all__:
        assert getattr(bp, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        bp.nothing  # noqa: B018
