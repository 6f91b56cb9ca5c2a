"""Dispatch, rank files, and writing whole or not at all."""

from __future__ import annotations

import base64
import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bytepair as bp
from bytepair import formats
from bytepair.errors import BytepairError, FormatError
from bytepair.formats import atomic, byte_alphabet, kinds, quickly, tiktoken
from bytepair.parts import Parts, SpecialToken

RANKS = b"YQ== 0\nYg== 1\nYWI= 2\n"


@given(st.binary())
def test_the_byte_alphabet_spells_and_reads_every_byte(content: bytes) -> None:
    spelled = byte_alphabet.spell(content)
    assert len(spelled) == len(content)
    assert spelled.isprintable()
    assert " " not in spelled
    assert byte_alphabet.read(spelled) == content


def test_a_format_is_recognised_by_content_and_chosen_by_extension(tmp_path: Path) -> None:
    parts = Parts(pattern=r"\w+", tokens=((0, b"a"), (1, b"b"), (2, b"ab")), merges=None, whole_first=True)
    for extension, format_ in ((".JSON", "huggingface"), (".tiktoken", "tiktoken")):
        path = tmp_path / f"x{extension}"
        assert len(formats.write(parts, path, allow_loss=True)) == (format_ == "tiktoken")
        moved = path.rename(tmp_path / "no_extension")
        if format_ == "tiktoken":
            assert formats.read(moved, pattern=r"\w+") == parts
        else:
            assert formats.read(moved) == parts
        with pytest.raises(FormatError, match="extension"):
            formats.write(parts, moved)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (gzip.compress(RANKS, mtime=0), "gzip"),
        (b"[1, 2]", "begins with"),
        (b"#version: 0.3\na b\n", "the version is"),
        (b"hello world\n", "begins with"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"\x00\x01", "begins with"),
        (b"{", "line 1, column 2"),
    ],
)
def test_what_is_no_known_format_is_named(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=said) as caught:
        formats.read(path)
    assert str(path) in str(caught.value)
    assert "\nhint: " in str(caught.value)


def test_missing_files_and_unknown_formats_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        formats.read(tmp_path / "missing")
    with pytest.raises(FormatError, match="zip"):
        formats.parse(RANKS, format="zip")  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="pattern"):
        formats.parse(b"{}", pattern="a")


# Rank files


def test_rank_files_are_read_and_written_byte_for_byte() -> None:
    parts = tiktoken.parse(RANKS, pattern=r"\w+", special_tokens={"<e>": 7})
    assert parts.merges is None
    assert parts.whole_first
    assert parts.specials == (SpecialToken("<e>", 7),)
    assert tiktoken.render(parts) == RANKS
    listed = tiktoken.parse(RANKS.replace(b"\n", b"\r\n") + b"\n", pattern=r"\w+", special_tokens=["<e>", "<f>"])
    assert [special.id for special in listed.specials] == [3, 4]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"YWI= 3\n" + RANKS, "line 4: the token b'ab' has the rank 2, and in line 1 the rank 3"),
        (RANKS + b"Yw== 2\n", "line 4: the rank 2 is that of line 3"),
        (RANKS + b"Y\n", "line 4: 'Y'"),
        (RANKS + b"Yw== -1\n", "line 4"),
        (RANKS + b"Yw== 99999999999\n", "line 4"),
        (RANKS + b"Yw== 4294967295\n", "line 4: the rank 4294967295 is above 4294967294"),
        (RANKS + b"Yw= 3\n", "line 4: 'Yw=' is not base64"),
        (RANKS + b"Y 3\n", "line 4: 'Y' is not base64"),
        (RANKS + b"Yw==  3\n", "line 4"),
        (RANKS + b" 3\n", "line 4"),
        (RANKS + b"Yw== 3 4\n", "line 4"),
        (RANKS + b"\xff\xfe 3\n", "line 4"),
        (RANKS + b"Yw== \xd9\xa3\n", "line 4"),
        (b"", "no token"),
    ],
)
def test_a_wrong_line_of_a_rank_file_is_named(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        tiktoken.parse(data, pattern="a")
    assert said in str(caught.value)


@pytest.mark.parametrize("format_", [None, "tiktoken"])
def test_a_byte_order_mark_before_ranks_is_named(format_: kinds.Format | None) -> None:
    with pytest.raises(FormatError, match="begins with a byte order mark") as caught:
        formats.parse(b"\xef\xbb\xbf" + RANKS, format=format_, pattern="a")
    assert "without one" in caught.value.hint


def test_a_rank_file_without_a_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern"):
        formats.parse(RANKS)


@pytest.mark.parametrize("specials", [{"<e>": -1}, {"<e>": 2**32 - 1}, {"<e>": True}, {"": 4}, "<e>", [b"x"]])
def test_wrong_special_tokens_are_refused(specials: object) -> None:
    with pytest.raises(FormatError, match="special"):
        tiktoken.parse(RANKS, pattern="a", special_tokens=specials)  # type: ignore[arg-type]


@given(st.binary(max_size=40), st.integers(0, len(RANKS)))
def test_no_content_of_a_rank_file_raises_anything_else(noise: bytes, at: int) -> None:
    try:
        tiktoken.parse(RANKS[:at] + noise + RANKS[at:], pattern="a")
    except FormatError as caught:
        error = caught
    else:
        return
    assert "\nhint: " in str(error)


SPECIALS: list[Any] = [
    None,
    [],
    ["<e>"],
    ("<e>", "<f>"),
    {"<e>": 3, "a": 0},
    {"<e>": 2},
    {"<e>": 2**32 - 2, "<f>": 7},
    {"<e>": 2**32 - 1},
    {"<e>": True},
    {"": 4},
    ["<e>", "<e>"],
    "<e>",
    [b"x"],
]


def loaded(data: bytes, specials: Any) -> str:
    """The fingerprint that Python's reading gives, or its error and the kind of it."""
    try:
        parts = formats.parse(data, pattern=r"\w+", special_tokens=specials)
        return bp.Tokenizer.from_parts(parts).fingerprint
    except BytepairError as error:
        return repr(error)


def check_the_engines_reading(data: bytes, specials: Any) -> bool:
    """What the engine reads by itself is what Python reads; whether it does."""
    try:
        core = quickly.tiktoken(data, r"\w+", specials)
        found = None if core is None else core.fingerprint
    except BytepairError as error:
        found = repr(error)
    assert found in {None, loaded(data, specials)}
    return found is not None


@given(
    st.sampled_from(
        [b"", b"\r\n", b"\n\n", b"IQ== 007\r\n", b"YWJj 4294967293\n", b"YWJj 4294967294\n", b"YWJj 4294967295\n"]
    )
    | st.text(alphabet="aQ/=0 1\r\n\x0b-", max_size=8).map(str.encode)
    | st.binary(max_size=8),
    st.integers(0, len(RANKS)),
    st.sampled_from(SPECIALS),
)
@example(b"YWJj 4294967294\n", 0, ["<e>"])
@example(b"YWJj 4294967293\n", 0, ["<e>", "<e>"])
def test_the_engine_reads_ranks_as_python_does(noise: bytes, at: int, specials: Any) -> None:
    check_the_engines_reading(RANKS[:at] + noise + RANKS[at:], specials)


@given(st.lists(st.binary(min_size=1), unique=True, min_size=1), st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
def test_the_engine_reads_ordinary_ranks_by_itself(contents: list[bytes], end: bytes) -> None:
    lines = [b"%s %d%s" % (base64.b64encode(content), rank, end) for rank, content in enumerate(contents)]
    assert check_the_engines_reading(b"".join(lines), None)
    assert check_the_engines_reading(b"".join(lines[::-1]).rstrip(), ["<e>", "<f>"])


UNUSUAL = (
    "|YQ==|YQ== |YQ==  0|YQ== 4294967295|YQ== 00000000000|YQ= 0|YQ 0|YR== 0|YWJ= 0|= 0| 0|Y-== 0|==== 0|\ufeffYg== 0"
)


@pytest.mark.parametrize("lines", [*UNUSUAL.split("|"), "YQ== 0\nYQ== 1", "YQ== 0\nYg== 0"])
def test_the_engine_leaves_what_is_unusual_to_python(lines: str) -> None:
    assert not check_the_engines_reading(f"{lines}\n".encode(), None)


def test_loading_reads_what_the_engine_leaves(tmp_path: Path) -> None:
    path = tmp_path / "ranks"
    path.write_bytes(b"YR== 0\n")
    assert bp.load(path, pattern=None).vocabulary[0] == b"a"
    path.write_bytes(b"YQ== 0\nYg==\n")
    with pytest.raises(FormatError, match=r"ranks: line 2: 'Yg==' is not a token and a rank"):
        bp.load(path, pattern=None)
    path.write_bytes(RANKS)
    with pytest.raises(FormatError, match=r"the format is 'zip'"):
        bp.load(path, pattern=None, format="zip")  # type: ignore[arg-type]
    with pytest.raises(bp.PatternError, match=r"ranks: "):
        bp.load(path, pattern="(")


def test_a_merge_list_is_written_as_ranks_only_where_both_mean_the_same() -> None:
    tokens = ((0, b"a"), (1, b"b"), (2, b"c"), (3, b"bc"), (4, b"ab"), (5, b"abc"))
    agreeing = Parts(tokens=tokens, merges=((1, 2), (0, 1), (0, 3)))
    assert tiktoken.render(agreeing).count(b"\n") == 6
    other_order = Parts(tokens=tokens[:5], merges=((0, 1), (1, 2)))
    no_merge = Parts(tokens=(*tokens[:3], (3, b"cc")), merges=())
    split_otherwise = Parts(tokens=tokens, merges=((1, 2), (0, 1), (4, 2)), whole_first=True)
    characters = Parts(alphabet="characters", tokens=((0, b"a"),), merges=())
    for parts, said in (
        (other_order, r"`ab` \(id 4\) is made by merges\[0\], and the token with the lower id 3 by merges\[1\]"),
        (no_merge, r"`cc` \(id 3\) is merged into"),
        (split_otherwise, r"`abc` \(id 5\) is merged into"),
        (characters, "characters"),
    ):
        with pytest.raises(FormatError, match=said):
            tiktoken.render(parts)


def test_a_message_that_quotes_a_token_stays_two_lines_and_short() -> None:
    for content in (b"\n\r\nhint: x\xe2\x80\xa8\0", b"a" * 100_000):
        parts = Parts(tokens=((0, b"\n"), (1, b"a"), (2, content)), merges=())
        with pytest.raises(FormatError) as caught:
            tiktoken.render(parts)
        assert len(str(caught.value).splitlines()) == 2
        assert len(str(caught.value)) < 1000
        assert "(id 2) is " in caught.value.message


def test_a_token_that_merging_does_not_reach_is_found_whole_in_both() -> None:
    tokens = ((0, b"a"), (1, b"b"), (2, b"bab"))
    assert tiktoken.render(Parts(tokens=tokens, merges=(), whole_first=True)).count(b"\n") == 3


@pytest.mark.parametrize("extension", ["json", "tiktoken"])
def test_the_highest_ids_are_read_back_and_higher_ones_not_written(extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{extension}"
    specials = {"<x>": 2**32 - 2}
    tok = bp.Tokenizer.from_parts(
        Parts(
            pattern=bp.PATTERNS["gpt2"],
            tokens=((2**31 - 1, b"a"), (2**31, b"b"), (2**32 - 3, b"ab")),
            merges=((2**31 - 1, 2**31),),
            whole_first=True,
            specials=tuple(SpecialToken(*item) for item in specials.items()),
        )
    )
    formats.write(tok.parts, path, allow_loss=True)
    options: dict[str, Any] = {"pattern": "gpt2", "special_tokens": specials} if extension == "tiktoken" else {}
    again = bp.load(path, **options)
    assert again.encode("ab<x>", allowed_special="all") == [2**32 - 3, 2**32 - 2]
    assert again.vocabulary == tok.vocabulary
    for wrong in (2**32 - 1, -1, True):
        with pytest.raises(FormatError, match=f"{wrong} is no id"):
            formats.write(Parts(tokens=((wrong, b"a"),), merges=()), path)
    assert bp.load(path, **options) == again


# Writing


def test_an_existing_file_keeps_its_permissions_and_a_link_stays_one(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(target)
    atomic.write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "target"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    atomic.write_bytes(tmp_path / "a", b"")
    (tmp_path / "b").write_bytes(b"")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic.write_bytes(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_a_directory_that_does_not_exist_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such directory.*missing"):
        atomic.write_bytes(tmp_path / "missing" / "file", b"")
    with pytest.raises(IsADirectoryError):
        atomic.write_bytes(tmp_path, b"")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_regular_file_is_written_to_and_not_replaced() -> None:
    before = Path(os.devnull).stat().st_mode
    atomic.write_bytes(os.devnull, b"data")
    assert Path(os.devnull).stat().st_mode == before
