"""The published counts of an audit of real vocabularies, and texts that give tokens that were called unreachable."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import bytepair as bp
from implementations import DATA

FACTS = tomllib.loads((DATA / "published.toml").read_text("utf-8"))["audit"]
FindFile = Callable[[str], Path]


@functools.cache
def loaded(file: Path, pattern: str) -> bp.Tokenizer:
    return bp.load(file, pattern=pattern)


@functools.cache
def audited(file: Path, pattern: str) -> bp.Audit:
    return bp.audit(loaded(file, pattern))


@pytest.mark.parametrize("name", ["o200k", "cl100k"])
def test_published_counts(name: str, vocabulary_file: FindFile) -> None:
    found = audited(vocabulary_file(f"{name}_base"), name)
    counts = found.counts
    assert {
        "tokens": found.tokens,
        "partial_utf8": counts["partial_utf8"],
        "not_round_tripping_alone": found.not_round_tripping_alone,
        "single_bytes": counts["single_bytes"],
    } == FACTS[name]
    assert found.tokens == found.round_trip_alone + sum(
        counts[kind] for kind in ("partial_utf8", "invalid_utf8", "single_bytes", "needs_context", "unreachable")
    )


def test_all_twelve_are_produced(vocabulary_file: FindFile) -> None:
    """The context that is shown is encoded to the token, by tiktoken's rules too (`test_published_vocabularies`)."""
    file = vocabulary_file("o200k_base")
    found, tok = audited(file, "o200k"), loaded(file, "o200k")
    assert found.counts["unreachable"] == 0
    assert len(found["needs_context"].items) == FACTS["o200k"]["not_round_tripping_alone"]
    for item in found["needs_context"].items:
        assert item.id is not None
        assert item.context is not None
        assert tok.encode(item.token) != [item.id]
        assert item.id in tok.encode(item.context)
    known = {item.token for item in found["needs_context"].items}
    for text, token in FACTS["contexts"]:
        assert token.encode() in known
        assert tok.id_of(token) in tok.encode(text)


def test_tokens_that_their_pattern_cuts_are_found(vocabulary_file: FindFile) -> None:
    """Qwen's pattern keeps no mark with a letter, and so no text gives its Thai words."""
    found = audited(vocabulary_file("qwen"), "qwen2")
    words = {item.token.decode(): item for item in found["unreachable"].items}
    assert "ที่" in words
    assert "contexts" in words["ที่"].detail
    tok = loaded(vocabulary_file("qwen"), "qwen2")
    assert tok.id_of("ที่") not in tok.encode("ที่ ที่ไหน\nที่'ที่ 1ที่!")


def test_a_glitch_token_never_occurs(vocabulary_file: FindFile) -> None:
    fact = FACTS["glitch"]
    gpt2 = loaded(vocabulary_file("r50k_base"), "gpt2")
    cl100k = loaded(vocabulary_file("cl100k_base"), "cl100k")
    assert gpt2.encode(fact["token"]) == [fact["gpt2"]]
    assert cl100k.count(fact["token"]) == fact["cl100k_tokens"]
    book = (DATA / "texts" / "alice_body.txt").read_bytes()
    assert fact["gpt2"] in {item.id for item in bp.audit(gpt2, [book])["never_seen"].items}
    both = bp.audit(gpt2, [book + fact["token"].encode() * 50], model_texts=[book])
    first = both["glitch"].items[0]
    assert (first.id, first.token) == (fact["gpt2"], fact["token"].encode())


GUIDE = Path(__file__).parents[2] / "docs" / "guide"
SHOWN = re.compile(r"^```console\n\$ bytepair (?:audit|tax) -t \w+[=.].*?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(page: str) -> list[str]:
    """The outputs on a page, of commands on published tokenizers, line by line."""
    blocks: list[str] = SHOWN.findall((GUIDE / page).read_text("utf-8"))
    return [
        row for block in blocks for row in block.splitlines() if row != "..." and not row.startswith(("    --", "$ "))
    ]


def test_the_guide_shows_what_the_audit_says(vocabulary_file: FindFile) -> None:
    found = audited(vocabulary_file("o200k_base"), "o200k")
    rows = shown("audit.md")
    assert len(rows) == 11 + 12
    assert [row for row in rows if row not in f"{found}\n{found['needs_context']}".splitlines()] == []


def test_the_guide_shows_what_the_tax_says(vocabulary_file: FindFile) -> None:
    names = {"gpt2": "r50k_base", "cl100k": "cl100k_base", "o200k": "o200k_base"}
    tax = bp.language_tax({name: loaded(vocabulary_file(file), name) for name, file in names.items()})
    rows = shown("language-tax.md")
    assert len(rows) == 11 + 18
    assert [row for row in rows if row not in str(tax).splitlines()] == []
