"""What the test command does where there is no browser: it gets one, or says that it cannot, and goes on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from web import get_browser


def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], problems: list[str], code: int) -> str:
    left: Iterator[str] = iter(problems)
    monkeypatch.setattr(get_browser, "problem", lambda: next(left))
    monkeypatch.setattr(get_browser, "ways", lambda: iter([["first", "way"], ["second", "way"]]))

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        if command[0] == "first":
            raise FileNotFoundError(2, "No such file or directory", "first")
        return subprocess.CompletedProcess(command, code, "", "a\nError: no network\n}\n")

    monkeypatch.setattr(subprocess, "run", run)
    get_browser.get()
    assert next(left, None) is None
    return capsys.readouterr().err


def test_where_there_is_one_nothing_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(monkeypatch, capsys, [""], 0) == ""


def test_one_is_got(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said = told(monkeypatch, capsys, ["no Chromium was found", ""], 0)
    assert said.splitlines()[0] == "No Chromium was found: running `first way` for the tests in a browser"
    assert said.splitlines()[2] == "No Chromium was found: running `second way` for the tests in a browser"
    assert "NOT TESTED" not in said


def test_where_none_can_be_had_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(monkeypatch, capsys, ["no Chromium was found", "no Chromium was found"], 1)
    assert "It could not be run: [Errno 2] No such file or directory: 'first'" in said
    assert "It failed: Error: no network" in said
    assert "warning: NOT TESTED: whatever needs a browser, for no Chromium was found\nhint: " in said
