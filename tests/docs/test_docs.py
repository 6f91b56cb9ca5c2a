"""The examples of the documentation run.

What stands after `>>>` in a `python` block of README.md or docs/ must print what the page says; a block without `>>>`
must at least be Python.

All blocks of a page run one after the other and share their names, in an empty folder that sees `testdata/`.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")) if page.exists())
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[tuple[int, str]]:
    """The `python` blocks of a page, each with the number of lines before it."""
    return [(text.count("\n", 0, found.start(1)), found[1]) for found in BLOCK.finditer(text)]


def failures(name: str, text: str) -> str:
    """What doctest has to say about a page; nothing if all is well."""
    said: list[str] = []
    names: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for line, block in blocks(text):
        if ">>> " not in block:
            compile(block, f"{name}, line {line + 1}", "exec")
            continue
        test = doctest.DocTestParser().get_doctest(block, names, name, name, line)
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    return "".join(said)


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
