"""What the compiled module does itself for `Tokenizer` looks and behaves as if it were written in Python."""

from __future__ import annotations

import doctest
import gc
import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import bytepair as bp
from bytepair import _core

BYTES = tuple((byte, bytes([byte])) for byte in range(256))


def sparse(*ids: int) -> bp.Tokenizer:
    """`aa` and so on have these ids."""
    tokens = tuple((id, bytes([97 + at]) * 2) for at, id in enumerate(ids))
    merges = tuple((97 + at, 97 + at) for at in range(len(ids)))
    return bp.Tokenizer.from_parts(bp.Parts(tokens=BYTES + tokens, merges=merges))


# Native methods


def test_the_examples_of_native_methods_run() -> None:
    failed, run = doctest.testmod(_core)
    assert failed == 0
    assert run >= 5


@pytest.mark.parametrize(("name", "more"), [("encode", ", dropout=None, seed=0"), ("count", "")])
def test_native_methods_say_what_they_take(name: str, more: str) -> None:
    method = getattr(bp.Tokenizer, name)
    said = f"(self, /, text, *, allowed_special=(), disallowed_special=(), unknown='raise'{more})"
    assert str(inspect.signature(method)) == said
    assert method.__doc__.startswith(("The ids of a text.", "How many ids"))
    with pytest.raises(TypeError, match="positional argument"):
        method(sparse(), "text", {"<|end|>"})
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        method(sparse(), "text", allowed={"<|end|>"})
    with pytest.raises(TypeError):
        method("text", "text")


class Loud(bp.Tokenizer):
    """Somebody's own."""

    __slots__ = ()

    def encode(self, text: Any, **options: Any) -> list[int]:
        """In capitals."""
        return super().encode(text.upper(), **options)


def test_subclasses_work() -> None:
    loud = Loud.from_parts(sparse(300).parts)
    assert type(loud) is Loud
    assert (loud.encode("ab"), loud.count("aa")) == ([65, 66], 1)
    again = pickle.loads(pickle.dumps(loud))  # noqa: S301 - our own
    assert (type(again), again.encode("ab")) == (Loud, [65, 66])


@pytest.mark.parametrize("make", [bp.Tokenizer, Loud, lambda: bp.Tokenizer.__new__(bp.Tokenizer)])
def test_calling_the_class_is_refused(make: Any) -> None:
    with pytest.raises(TypeError, match="not made by calling the class\nhint: use train, load"):
        make()
    with pytest.raises(TypeError):
        object.__new__(bp.Tokenizer)


# Lists


def test_lists_share_their_integers() -> None:
    tok, other = sparse(5_000), sparse(300, 5_000)
    first, second = tok.encode("aab"), other.encode_batch(["bbaa", "bb"])
    assert (first, second) == ([5_000, 98], [[5_000, 300], [5_000]])
    assert first[0] is second[0][0] is second[1][0]


def test_shared_integers_outlast_all_lists() -> None:
    ids = [257, 70_001, (1 << 18) - 1]
    lists = [sparse(*ids).encode("aabbccx" * 100) for _ in range(100)]
    assert lists == [[*ids, ord("x")] * 100] * 100
    del lists
    gc.collect()
    new = [object() for _ in range(10_000)]  # what was freed would be used again
    assert sparse(*ids).encode("aabbccx" * 100) == [*ids, ord("x")] * 100
    assert len(new) == 10_000


def test_lists_are_lists() -> None:
    tok = sparse(300)
    ids = tok.encode("aab")
    ids.append(7)
    ids[0] = 1 << 40
    ids += tok.encode("")
    ids.sort()
    assert ids == [7, 98, 1 << 40]
    assert tok.encode("aab") == [300, 98]
    assert tok.encode("") == tok.encode_batch([""])[0] == []
    assert gc.is_tracked(ids)


def test_ids_are_right_however_high() -> None:
    # The last two are beyond those whose integers are kept.
    ids = [300, (1 << 18) - 1, 1 << 18, (1 << 32) - 2]
    tok = sparse(*ids)
    text = "aabbccddx" * 70_000
    assert tok.encode(text) == tok.encode_to_numpy(text).tolist() == [*ids, ord("x")] * 70_000
    assert tok.encode("aabbccdd") == ids


def test_threads_that_make_integers_at_once_agree() -> None:
    tok = sparse(3_000)
    with ThreadPoolExecutor(8) as pool:
        lists = list(pool.map(tok.encode, ["aa" * 100] * 200))
    assert lists == [[3_000] * 100] * 200


def test_a_finalizer_may_encode_while_a_list_is_made() -> None:
    tok = sparse(300)
    inner = []

    class Cycle:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            inner.append(tok.encode("aab" * 7))

    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        outer = []
        for _ in range(200):
            Cycle()
            outer.append(tok.encode("baa" * 5))
    finally:
        gc.set_threshold(*before)
    assert outer == [[98, 300] * 5] * 200
    assert inner == [[300, 98] * 7] * len(inner)
    assert inner


# Arrays


def test_arrays_are_writable_and_their_own() -> None:
    tok = sparse(300)
    one, two = tok.encode_to_numpy("aab"), tok.encode_to_numpy("aab")
    ids, offsets = tok.encode_batch_to_numpy(["aa", "b", ""], threads=1)
    del tok
    gc.collect()
    one[:] = 7
    ids += 1
    offsets[0] = 9
    assert (one.tolist(), two.tolist()) == ([7, 7], [300, 98])
    assert (ids.tolist(), offsets.tolist()) == ([301, 99], [9, 1, 2, 2])
    assert two.flags.c_contiguous
    assert two.flags.aligned


@pytest.mark.parametrize("dtype", ["uint32", "uint16"])
def test_empty_arrays(dtype: Any) -> None:
    ids, offsets = sparse().encode_batch_to_numpy([], dtype=dtype)
    assert (ids.shape, ids.dtype, offsets.tolist()) == ((0,), np.dtype(dtype), [0])
    assert sparse().encode_to_numpy("", dtype=dtype).shape == (0,)


def test_an_id_is_never_cut() -> None:
    engine = sparse(1 << 16)._engine  # noqa: SLF001 - what Python asks for first is not all
    assert engine.encode_array("b", narrow=True).cast("H").tolist() == [98]
    for encode in (lambda: engine.encode_array("baa", narrow=True), lambda: engine.encode_batch_array(["aa"], 1, True)):
        with pytest.raises(ValueError, match="does not fit in uint16\nhint: "):
            encode()
