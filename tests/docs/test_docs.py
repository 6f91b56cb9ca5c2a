"""The examples of the documentation run.

What stands after `>>>` in a `python` block of README.md or docs/ must print what the page says; a block without `>>>`
must be Python, and where a `text` block follows on the page, must print that.

All blocks of a page run one after the other and share their names, in an empty folder that sees `testdata/`.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")) if page.exists())
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[tuple[int, str, str | None]]:
    """The `python` blocks of a page, each with the number of lines before it, and the `text` block that follows it."""
    found = []
    for block in BLOCK.finditer(text):
        after = OUTPUT.search(text, block.end())
        output = after[2] if after is not None and after[1] == "text" else None
        found.append((text.count("\n", 0, block.start(1)), block[1], output))
    return found


def failures(name: str, text: str) -> str:
    """What doctest has to say about a page; nothing if all is well."""
    said: list[str] = []
    names: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for line, block, output in blocks(text):
        if ">>> " not in block:
            said += program(compile(block, f"{name}, line {line + 1}", "exec"), output)
            continue
        test = doctest.DocTestParser().get_doctest(block, names, name, name, line)
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    return "".join(said)


def program(code: types.CodeType, output: str | None) -> list[str]:
    """What is wrong with what a block without `>>>` prints; without an output on the page it is not run."""
    if output is None:
        return []
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {"__name__": "__main__"})  # noqa: S102 - our own page
    return [] if printed.getvalue() == output else [f"Expected:\n{output}Got:\n{printed.getvalue()}"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "testdata").symlink_to(ROOT / "testdata")
    monkeypatch.chdir(tmp_path)
    said = failures(page.name, page.read_text("utf-8"))
    assert not said, said


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_a_wrong_example_is_found() -> None:
    assert "Expected:\n    3\nGot:\n    2" in failures(
        "page", "text\n```python\n>>> a = 2\n```\n```python\n>>> a\n3\n```\n"
    )
    with pytest.raises(SyntaxError):
        failures("page", "```python\nthis is no Python\n```\n")
    program = "```python\nprint(1 + 1)\n```\nIt prints:\n```text\n{}\n```\n"
    assert not failures("page", program.format(2))
    assert failures("page", program.format(3)) == "Expected:\n3\nGot:\n2\n"


def test_the_vectors_of_the_fingerprint_are_computed() -> None:
    page = (ROOT / "docs" / "design" / "fingerprint.md").read_text("utf-8")
    [(_, _, output)] = blocks(page)
    assert output is not None
    assert len(output.split()) == 3
    for vector in output.split():
        assert failures("page", page.replace(vector, vector[::-1]))
