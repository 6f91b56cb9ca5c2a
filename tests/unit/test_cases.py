"""The data cases of `testdata/`, answered by the reference and by the engine."""

from __future__ import annotations

from typing import Any

import pytest

from implementations import NAMES, PATTERNS, Engine, EngineSubject, Subject, cases, implementation, octets

by_both = pytest.mark.parametrize("name", NAMES)
SETTINGS = (
    "vocab_size",
    "num_merges",
    "ties",
    "min_count",
    "max_token_bytes",
    "special_tokens",
    "alphabet",
    "end_of_word",
    "end_of_word_joined",
    "pattern",
)


def each(name: str) -> pytest.MarkDecorator:
    """Runs a test with every case of a file."""
    return pytest.mark.parametrize("case", cases(name), ids=lambda case: case["id"])


def build(name: str, case: dict[str, Any]) -> Subject:
    """The tokenizer of a case."""
    tokens = {byte: bytes((byte,)) for byte in range(256)} if case.get("base") == "bytes" else {}
    tokens |= {number: octets(content) for number, content in case["tokens"]}
    options = ("pattern", "specials", "whole_first", "alphabet", "end_of_word", "end_of_word_joined")
    return implementation(name).build(
        tokens=tokens,
        merges=None if case["merges"] is None else [(left, right) for left, right in case["merges"]],
        **{option: case[option] for option in options if option in case},
    )


def allowed(case: dict[str, Any]) -> list[str]:
    """The special tokens that a case allows."""
    return list(case.get("allowed", ()))


@by_both
@each("train")
def test_train(name: str, case: dict[str, Any]) -> None:
    texts = [octets(text) for text in case["texts"]] if "texts" in case else None
    counts = {octets(pretoken): count for pretoken, count in case["counts"]} if "counts" in case else None
    settings = {setting: case[setting] for setting in SETTINGS if setting in case}
    if "raises" in case:
        with pytest.raises(ValueError, match=".*".join(case["raises"])):
            implementation(name).train(texts, counts=counts, **settings)
        return
    subject = implementation(name).train(texts, counts=counts, **settings)
    expected = [(octets(left), octets(right), *numbers) for left, right, *numbers in case["merges"]]
    assert subject.learned() == expected
    assert subject.stopped() == case["stopped"]
    assert subject.specials() == case.get("special_ids", {})
    assert max([*subject.contents(), *subject.specials().values()]) + 1 == case["n_vocab"]


@by_both
@each("encode")
def test_encode(name: str, case: dict[str, Any]) -> None:
    subject, text = build(name, case), octets(case["input"])
    if "raises" in case:
        with pytest.raises(ValueError, match=".*".join(case["raises"])):
            subject.encode(text)
        return
    ids = subject.encode(text, allowed(case), **({"unknown": case["unknown"]} if "unknown" in case else {}))
    assert ids == case["ids"]
    assert subject.decode_bytes(ids) == octets(case.get("decoded", case["input"]))


@by_both
@each("decode")
def test_decode(name: str, case: dict[str, Any]) -> None:
    options = {option: case[option] for option in ("unknown", "errors", "skip_special") if option in case}
    subject = build(name, case)
    if options and isinstance(subject, EngineSubject):
        if "raises" in case:
            with pytest.raises(ValueError, match=case["raises"][0]):
                subject.tokenizer.decode(case["ids"], **options)
        else:
            assert subject.tokenizer.decode(case["ids"], **options) == case["text"]
    elif not options and "raises" in case:
        with pytest.raises(KeyError, match=case["raises"][0]):
            subject.decode(case["ids"])
    elif not options:
        assert subject.decode(case["ids"]) == case["text"]


@by_both
@each("stream")
def test_stream(name: str, case: dict[str, Any]) -> None:
    assert build(name, case).stream(case["ids"]) == [*case["deltas"], case["flush"]]


@by_both
@each("split")
def test_split(name: str, case: dict[str, Any]) -> None:
    pattern = PATTERNS[case["preset"]] if "preset" in case else case["pattern"]
    subject = implementation(name).build(
        tokens={byte: bytes((byte,)) for byte in range(256)}, merges=[], pattern=pattern
    )
    pretokens = subject.split(octets(case["input"]))
    assert pretokens == [octets(pretoken) for pretoken in case["pretokens"]]
    assert b"".join(pretokens) == octets(case["input"])


def test_the_presets_of_the_engine_are_those_of_the_data() -> None:
    assert dict(Engine().bytepair.PATTERNS) == PATTERNS


@each("offsets")
def test_offsets_of_the_engine(case: dict[str, Any]) -> None:
    subject = build("engine", case)
    assert isinstance(subject, EngineSubject)
    trace = subject.tokenizer.trace(octets(case["input"]), allowed_special=allowed(case))
    assert list(trace.ids) == case["ids"]
    assert [list(span) for span in trace.byte_offsets] == case["bytes"]
    assert [list(span) for span in trace.char_offsets] == case["characters"]
    assert list(trace.partial) == case["partial"]


@each("offsets")
def test_the_offsets_are_those_of_the_references_tokens(case: dict[str, Any]) -> None:
    subject, text = build("reference", case), octets(case["input"])
    specials = {number: special.encode() for special, number in subject.specials().items()}
    assert subject.encode(text, allowed(case)) == case["ids"]
    for number, (start, end), (first, last) in zip(case["ids"], case["bytes"], case["characters"], strict=True):
        assert text[start:end] == (specials | subject.contents())[number]
        shown = text.decode("utf-8", "replace")[first:last].encode()
        assert text[start:end] in shown or "\N{REPLACEMENT CHARACTER}".encode() in shown


@each("limits")
def test_limits_of_the_engine(case: dict[str, Any]) -> None:
    subject = build("engine", case)
    assert isinstance(subject, EngineSubject)
    for limit, count, cut in case["rows"]:
        assert subject.tokenizer.count_up_to(case["input"], limit) == count
        assert subject.tokenizer.truncate(case["input"], limit) == cut


@each("limits")
def test_the_limits_follow_from_the_references_tokens(case: dict[str, Any]) -> None:
    subject = build("reference", case)
    ids = subject.encode(case["input"])
    for limit, count, cut in case["rows"]:
        assert count == (len(ids) if len(ids) <= limit else None)
        starts = (subject.decode_bytes(ids[:kept]) for kept in range(min(limit, len(ids)), -1, -1))
        whole = (start for start in starts if start.decode("utf-8", "ignore").encode() == start)
        assert next(start for start in whole if len(subject.encode(start)) <= limit) == cut.encode()
