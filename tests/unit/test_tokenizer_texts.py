"""Every entry point takes every kind of text alike: `str`, lone surrogates, bytes, bytearrays, memory views."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import bytepair as bp

pytestmark = pytest.mark.filterwarnings("ignore::bytepair.errors.TrainingWarning")

TOK = bp.train(texts=["low lower \ufffd"] * 2, num_merges=8)

ENTRIES: dict[str, Callable[[str | bytes], object]] = {
    "encode": TOK.encode,
    "encode_to_numpy": lambda text: TOK.encode_to_numpy(text).tolist(),
    "encode_batch": lambda text: TOK.encode_batch([text]),
    "encode_batch_to_numpy": lambda text: [array.tolist() for array in TOK.encode_batch_to_numpy([text])],
    "encode_parts": lambda text: TOK.encode_parts([text]),
    "count": TOK.count,
    "count_up_to": lambda text: TOK.count_up_to(text, 1000),
    "trace": TOK.trace,
    "explain": TOK.explain,
    "steps": lambda text: list(TOK.steps(text)),
    "train": lambda text: bp.train(texts=[text], num_merges=1),
    "train from counts": lambda text: bp.train(counts={text: 3}, num_merges=1),
}
# Those that give text back, so that str and bytes differ.
MIRRORS: dict[str, Callable[[str | bytes], object]] = {
    "split": TOK.split,
    "truncate": lambda text: TOK.truncate(text, 1000),
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("text", ["low lower", "é 漢字 🌱", "\x00", "a\ufffdb"])
def test_str_and_bytes_are_alike(entry: str, text: str) -> None:
    run = ENTRIES[entry]
    expected = run(text)
    assert run(text.encode()) == expected
    if entry != "train from counts":  # keys of a mapping are immutable
        assert run(bytearray(text.encode())) == expected  # type: ignore[arg-type]
        assert run(memoryview(text.encode())) == expected  # type: ignore[arg-type]
        assert run(memoryview(b"-".join(bytes([byte]) for byte in text.encode()))[::2]) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("entry", [*ENTRIES, *MIRRORS])
@pytest.mark.parametrize("lone", ["\ud83d", "\udc00", "a\udfffb", "\ud83d\ud83d"])  # noqa: PT014 - they differ
def test_lone_surrogates_become_replacement_characters(entry: str, lone: str) -> None:
    run = (ENTRIES | MIRRORS)[entry]
    repaired = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in lone)
    assert run(lone) == run(repaired)


def test_a_surrogate_pair_is_the_character_it_spells() -> None:
    assert TOK.encode("\ud83c\udf31") == TOK.encode("🌱")


def test_bytes_give_bytes_and_str_gives_str() -> None:
    assert TOK.split("low é") == ["low", " é"]
    assert TOK.split(b"low \xff") == [b"low", b" \xff"]
    assert TOK.truncate("low é", 1000) == "low é"
    assert TOK.truncate(b"low \xff", 1000) == b"low \xff"


@pytest.mark.parametrize("entry", [name for name in ENTRIES if name != "explain"])
@pytest.mark.parametrize("wrong", [None, 3, 1.5, ("low",), object()])
def test_what_is_no_text_is_refused(entry: str, wrong: object) -> None:
    with pytest.raises(TypeError, match="hint: "):
        ENTRIES[entry](wrong)  # type: ignore[arg-type]
