"""Files that are sent: the room that they share, what is said of them, and that none is left behind."""

from __future__ import annotations

import json
import re
import socket
import tempfile
import warnings
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

import bytepair as bp
from bytepair.playground import app, jobs, limits, uploads
from bytepair.playground.fields import RequestError
from bytepair.playground.uploads import Uploads
from huggingface_files import TEMPLATE, document
from web.playing import SECONDS, Played, Waited, asked, served

WARNED = '`post_processor` (TemplateProcessing) adds "<x>" to the ids of each text'


@pytest.fixture
def warning(tmp_path: Path) -> Path:
    """A tokenizer whose reader warns."""
    path = tmp_path / "warning.json"
    path.write_text(json.dumps(document(post_processor=TEMPLATE)), "utf-8")
    return path


def begun(place: str, path: str, size: int) -> socket.socket:
    """A request whose body has only begun."""
    address = urlsplit(place)
    connection = socket.create_connection((address.hostname, address.port))
    connection.sendall(f"POST /api/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\nlow ".encode())
    return connection


def test_two_uploads_at_once_share_the_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(jobs, "MOST_UPLOAD", 1000)
    with served() as place:
        with begun(place, "files", 600):
            assert Waited(lambda: [*tmp_path.rglob("file-*")]).until(bool)
            status, found = asked(f"{place}/api/files", b"x" * 600)
            assert (status, found["error"]) == (413, "all files together have more than 1,000 bytes")
            assert asked(f"{place}/api/files", b"x" * 400)[0] == 200
        # What broke off gives its room back.
        assert Waited(lambda: len([*tmp_path.rglob("file-*")])).until(lambda left: left == 1)
        assert asked(f"{place}/api/files", b"x" * 600)[0] == 200


def test_two_tokenizers_at_once_share_the_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(app, "MOST_OPENED", 50_000)
    bp.train(texts=["low"], num_merges=1).save(tmp_path / "tokenizer.json")
    content = (tmp_path / "tokenizer.json").read_bytes()
    path = "tokenizers/file"
    with served() as place:
        status, found = asked(f"{place}/api/{path}", b" " * 50_001)
        assert (status, found["error"]) == (413, "the file has more than 50,000 bytes")
        assert found["hint"] == "start the playground with it: `bytepair play FILE`"
        with begun(place, path, 50_000 - len(content) + 1):
            assert Waited(lambda: [*tmp_path.rglob("file-*")]).until(bool)
            status, found = asked(f"{place}/api/{path}", content)
            assert (status, found["error"]) == (413, "all files together have more than 50,000 bytes")
        assert Waited(lambda: [*tmp_path.rglob("file-*")]).until(lambda left: not left)
        assert asked(f"{place}/api/{path}", content) == (200, {"name": "opened-1"})
        assert [*tmp_path.rglob("file-*")] == []


def test_the_account_holds_whatever_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held = Uploads(100, 3, "send less")
    one, two = held.begin(), held.begin()
    held.grown(one, 60)
    with pytest.raises(RequestError, match="all files together have more than 100 bytes"):
        held.grown(two, 41)
    held.grown(two, 40)
    one.path.write_bytes(b"x" * 60)
    held.keep(one)
    with pytest.raises(RequestError, match="there is no file 2"):
        held.claim([one.number, two.number])  # the second is not whole yet, and the first stays
    assert held.claim([one.number, one.number]) == [one.path]
    held.drop(one)
    held.drop_kept(one.number)
    assert one.path.exists()  # it is the caller's
    held.grown(two, 100)
    held.drop_kept(two.number)
    with pytest.raises(RequestError, match="the file has more than 100 bytes"):
        held.grown(two, 101)
    three, _ = held.begin(), held.begin()
    with pytest.raises(RequestError, match="there are 3 files already"):
        held.begin()
    three.path.write_bytes(b"")
    held.keep(three)
    monkeypatch.setattr(uploads, "_FORGOTTEN", -1.0)
    held.begin()  # for which the one that was kept goes
    assert not three.path.exists()
    held.close()
    assert [*tmp_path.iterdir()] == []


def test_nothing_comes_after_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held = Uploads(100, 3, "send less")
    held.begin()
    held.close()
    with pytest.raises(RequestError, match="the playground ends"):
        held.begin()
    held.close()
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("path", ["files", "tokenizers/file", "encode"])
def test_a_body_that_stalls_is_given_up(path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And the room that was kept for it: here all that there is."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(app, "MOST_STALLED", 0.2)
    monkeypatch.setattr(jobs, "MOST_UPLOAD", 1000)
    with served() as place:
        with begun(place, path, 1000) as connection:
            connection.settimeout(SECONDS)
            answer = connection.recv(10_000).decode()
            assert answer.startswith("HTTP/1.1 408 ")
            while "hint" not in answer:
                answer += connection.recv(10_000).decode()
            assert '"error": "nothing came for 0.2 seconds", "hint": "send it again"' in answer
        assert asked(f"{place}/api/files", b"x" * 1000)[0] == 200
        assert len([*tmp_path.rglob("file-*")]) == 1


def test_a_file_that_was_sent_can_be_taken_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with served() as place:
        number = asked(f"{place}/api/files", b"low")[1]["file"]
        assert asked(f"{place}/api/files/{number}", method="DELETE") == (200, {})
        assert [*tmp_path.rglob("file-*")] == []
        assert asked(f"{place}/api/files/{number}", method="DELETE") == (200, {})
        assert asked(f"{place}/api/train", {"files": [number]})[0] == 404


def test_a_body_that_is_much_too_large_is_answered(place: str) -> None:
    """And not cut off, which a browser tells as a server that is gone."""
    status, found = asked(f"{place}/api/encode", b"x" * (5 * limits.MOST_BODY))
    assert (status, found["error"]) == (413, "the request has more than 4,194,304 bytes")
    status, found = asked(f"{place}/api/files", b"x" * (limits.MOST_UPLOAD + 9_000_000))
    assert (status, found["error"]) == (413, "the file has more than 33,554,432 bytes")


def test_warnings_of_a_file_are_in_the_answer_and_nowhere_else(place: str, warning: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        name = asked(f"{place}/api/tokenizers/file", warning.read_bytes())[1]["name"]
        _, found = asked(f"{place}/api/about", {"tokenizer": name})
    assert caught == []
    assert found["about"] == "6 tokens, from a file that was opened"
    [told] = found["warnings"]
    assert told["message"].startswith(WARNED)
    assert told["hint"]
    assert asked(f"{place}/api/about", {"tokenizer": "bytes"})[1]["warnings"] == []


@pytest.mark.parametrize(
    ("content", "what", "hint"),
    [
        (b"YQ== 0\nYg== 1\n", "the file: a rank file without a pattern", "`bytepair play FILE --pattern cl100k`"),
        (b'{"a": 0, "b": 1}', "the file: it is one of two files", "where both lie: `bytepair play FILE`"),
    ],
)
def test_what_a_file_lacks_is_said_in_the_words_of_the_page(place: str, content: bytes, what: str, hint: str) -> None:
    status, found = asked(f"{place}/api/tokenizers/file", content)
    assert status == 400
    assert found["error"].startswith(what)
    assert hint in found["hint"]


def test_warnings_of_a_training(place: str) -> None:
    job = asked(f"{place}/api/train", {"text": "low low", "vocab_size": 500})[1]["job"]
    ended = Waited(lambda: asked(f"{place}/api/train/{job}")[1])
    assert ended.until(lambda found: found["state"] != "running")
    [told] = ended.look()["warnings"]
    assert told["message"] == "training stopped at 259 tokens of 500: no pair is left"
    assert asked(f"{place}/api/about", {"tokenizer": ended.look()["tokenizer"]})[1]["warnings"] == [told]


def test_the_page_says_them(chrome: Browser, place: str, tmp_path: Path, warning: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=bytes")
    page = played.page
    played.has("#about", "bytes: 256 bytes and no merge")
    page.set_input_files("#opened", warning)
    played.has("#about .warning", WARNED)
    page.select_option("#tokenizer", "bytes")
    played.has("#about", "256 bytes")
    assert page.locator("#about .warning").count() == 0
    played.go("learn")
    assert page.locator("#about").is_hidden()
    played.done("warning", tmp_path)


def test_a_tokenizer_that_is_too_large_is_not_sent(chrome: Browser, place: str, tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(limits.MOST_OPENED + 1)
    played = Played(chrome, place)
    played.page.set_input_files("#opened", path)
    played.has(
        "#problem", "“large.json” has 67,108,865 bytes, and at most 67,108,864 are read here. Start the playground"
    )
    assert not [url for url in played.requests if url.endswith("/file")]
    played.done("too-large", tmp_path)


def test_a_training_that_does_not_begin_leaves_no_file(
    chrome: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "sent").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "sent"))
    with served() as place:
        played = Played(chrome, place, "#train?trainSize=1")
        page = played.page
        page.set_input_files("#picked", bp.bundled_texts()["en"])
        page.click("#train-start")
        played.has("#problem", "`vocab_size` is 1")
        played.until("!document.querySelector('#train-start').disabled")
        assert [*(tmp_path / "sent").rglob("file-*")] == []
        page.fill("#train-size", "300")
        page.click("#train-start")
        played.has("#train-said", "is among the tokenizers")
        page.context.close()


def test_the_page_and_the_server_have_the_same_limits() -> None:
    script = resources.files("bytepair.playground").joinpath("static", "page.js").read_text("utf-8")
    found = re.findall(r"^export const (MOST_\w+) = 2 \*\* (\d+)$", script, re.MULTILINE)
    assert {name: 2 ** int(power) for name, power in found} == {
        "MOST_OPENED": limits.MOST_OPENED,
        "MOST_UPLOAD": limits.MOST_UPLOAD,
    }
