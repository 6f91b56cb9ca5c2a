"""What every source file keeps to: how long it is, and where there may be unsafe code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 500
# Instructions of one kind of processor, and tables and their memory; in the binding, where Python's memory is read.
UNSAFE = {
    "crates/bytepair/src/decode/slots.rs",
    "crates/bytepair/src/encode/few/lanes.rs",
    "crates/bytepair/src/memory.rs",
    "crates/bytepair/src/split/simd/avx2.rs",
    "crates/bytepair/src/split/simd/avx512.rs",
    "crates/bytepair-python/src/arrow.rs",
    "crates/bytepair-python/src/characters.rs",
    "crates/bytepair-python/src/exact.rs",
    "crates/bytepair-python/src/numbers.rs",
}


def sources(*endings: str) -> Iterator[tuple[str, str]]:
    """The files of the project, by their paths in it."""
    for folder in ("benches", "crates", "python", "scripts", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in endings and "target" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def test_no_file_is_long() -> None:
    lengths = {name: content.count("\n") for name, content in sources(".rs", ".py", ".pyi", ".sh")}
    assert len(lengths) > 200
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_unsafe_code_stands_in_a_few_files_only() -> None:
    """That each block has its reason is a lint of clippy's, `undocumented_unsafe_blocks`."""
    code = {name: re.sub(r"//.*", "", content) for name, content in sources(".rs")}
    assert {name for name, lines in code.items() if re.search(r"\bunsafe\b", lines)} == UNSAFE
