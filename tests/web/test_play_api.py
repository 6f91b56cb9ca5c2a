"""The HTTP interface: what it answers, whom it refuses, how much it takes, and what it leaves behind."""

from __future__ import annotations

import http.client
import json
import socket
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import bytepair as bp
from bytepair.playground import endpoints, jobs, limits
from bytepair.playground.endpoints import ENDPOINTS
from bytepair.playground.guard import HEADERS
from bytepair.render.visible import quoted
from web.playing import SECONDS, Waited, asked, served

RUSSIAN = "Жили-были старик со старухой. Была у них курочка."


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.path)
def test_every_example_is_answered_and_documented(place: str, endpoint: Any) -> None:
    status, found = asked(f"{place}/api/{endpoint.path}", endpoint.example)
    assert (status, "error" in found) == (200, False)
    with urllib.request.urlopen(f"{place}/api", timeout=SECONDS) as page:  # noqa: S310 - our server
        assert f"POST /api/{endpoint.path}<" in page.read().decode()
    assert set(endpoint.example) <= {*endpoint.fields, "tokenizer"}


def test_encode_decode_count_explain(place: str) -> None:
    tok = bp.train(texts=[], vocab_size=256)
    named = {"tokenizer": "bytes", "text": RUSSIAN}
    assert asked(f"{place}/api/encode", named) == (200, {"ids": tok.encode(RUSSIAN), "count": 88})
    assert asked(f"{place}/api/count", named) == (200, {"count": 88, "characters": 49, "bytes": 88})
    ids = list(RUSSIAN.encode())
    found = asked(f"{place}/api/decode", {"tokenizer": "bytes", "ids": ids})
    assert found == (200, {"text": RUSSIAN, "hex": RUSSIAN.encode().hex()})
    status, found = asked(f"{place}/api/explain", {"tokenizer": "cat", "text": " the"})
    assert status == 200
    [tree] = found["trees"]
    assert [(node["token"], node["rank"], node["depth"]) for node in tree] == [
        (" the", 3, 0),
        (" ", None, 1),
        ("the", 2, 1),
        ("th", 1, 2),
        ("t", None, 3),
        ("h", None, 3),
        ("e", None, 2),
    ]


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("encode", {"text": 1}, 400, "`text` is of the type `int`"),
        ("encode", {"tokenizer": "../../etc/passwd", "text": ""}, 404, "there is no tokenizer"),
        ("encode", {"tokenizer": "", "text": "x" * (limits.MOST_TEXT + 1)}, 413, "at most 1,048,576 are read here"),
        ("encode", b"x" * (limits.MOST_BODY + 1), 413, "more than 4,194,304 bytes"),
        ("encode", b"not json", 400, "the body is no JSON"),
        ("encode", b"[" * 100_000, 400, "the body is no JSON"),
        ("encode", b"[]", 400, "the body is no JSON object"),
        ("decode", {"tokenizer": "bytes", "ids": [256]}, 400, "no token has id 256"),
        ("decode", {"tokenizer": "bytes", "ids": [-1]}, 400, "which no token can have"),
        ("decode", {"tokenizer": "bytes", "ids": [2**80]}, 400, "which no token can have"),
        ("decode", {"tokenizer": "bytes", "ids": [True]}, 400, "`ids` is of the type `list`"),
        ("token", {"tokenizer": "bytes", "id": 10**30}, 400, "`id` is huge"),
        ("learn", {"text": "x" * 4001}, 413, "at most 4,000 are read here"),
        ("learn", {"text": "x", "cut": "(a+)+$"}, 400, "`cut` is none of its values"),
        ("train", {"files": [99]}, 404, "there is no file 99"),
        ("train", {}, 400, "there is no text to train on"),
        ("train", {"text": "low", "pattern": "(a+)+$"}, 400, "`pattern` is none of its values"),
        ("tax", {"language": "xx"}, 400, "no text is in 'xx'"),
        ("nothing", {}, 404, "there is no such address"),
    ],
)
def test_what_cannot_be_answered_is_said(place: str, path: str, body: Any, status: int, said: str) -> None:
    got, found = asked(f"{place}/api/{path}", body)
    assert got == status
    assert said in found["error"]
    assert found["hint"]


def test_a_defect_is_told_without_what_was_in_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> dict[str, Any]:
        raise RuntimeError("a secret")

    monkeypatch.setattr(endpoints, "ENDPOINTS", (endpoints.Endpoint("broken", broken, {}, {}),))
    with served() as place:
        status, found = asked(f"{place}/api/broken", {})
    assert (status, found["error"]) == (500, "a defect in bytepair: RuntimeError")
    assert "secret" not in json.dumps(found)
    assert "a secret" in caplog.text


def test_a_body_that_is_no_json_by_its_type(place: str) -> None:
    """What a form of another page could send without being asked about it first."""
    status, found = asked(f"{place}/api/encode", b'{"text": "low"}', headers={"Content-Type": "text/plain"})
    assert (status, found["error"]) == (415, "the body is no JSON")


def raw(place: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    """A request with these headers and no other."""
    address = urlsplit(place)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=SECONDS)
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return found


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1"}, 200),
        ({"Host": "localhost:8765"}, 200),
        ({"Host": "[::1]:1"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "user@127.0.0.1"}, 403),
        ({"Host": "10.0.0.1"}, 403),
        ({"Host": ""}, 403),
        ({"Host": "localhost", "Origin": "http://localhost"}, 200),
        ({"Host": "localhost", "Origin": "http://evil.example"}, 403),
        ({"Host": "localhost", "Origin": "null"}, 403),
        ({"Host": "localhost", "Origin": "https://localhost"}, 403),
        ({"Host": "localhost", "Origin": "http://localhost:9"}, 403),
        ({"Host": "localhost", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Host": "localhost", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
    ],
)
def test_foreign_hosts_and_origins_are_refused(place: str, headers: dict[str, str], status: int) -> None:
    got, answered, _ = raw(place, "/", headers)
    assert got == status
    assert {name: answered.get(name.lower()) for name in HEADERS} == HEADERS


def test_the_policy_allows_nothing_inline() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/%2e%2e/app.py",
        "/views/../../app.py",
        "/app.py",
        "/views/",
        "/etc/passwd",
        "//etc/passwd",
        "/static/main.js",
        "/%00",
    ],
)
def test_only_files_of_the_page_are_served(place: str, path: str) -> None:
    assert raw(place, path, {"Host": "localhost"})[0] == 404


def test_only_this_machine_is_served() -> None:
    with served() as place:
        port = urlsplit(place).port or 0
        own = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        # 127.0.0.2 leads to this machine too, wherever it has no other address, and is not the one that is served.
        for address in (own | {"127.0.0.2"}) - {"127.0.0.1"}:
            with pytest.raises(OSError), socket.create_connection((address, port), timeout=2):  # noqa: PT011 - any
                pass
        with socket.create_connection(("127.0.0.1", port), timeout=SECONDS):
            assert urlsplit(place).hostname == "127.0.0.1"


def trained(place: str, job: int) -> dict[str, Any]:
    """What a training has come to."""
    while True:
        found = asked(f"{place}/api/train/{job}")[1]
        if found["state"] != "running":
            assert isinstance(found, dict)
            return found
        time.sleep(0.02)


def test_train_cancel_and_clean_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with served() as place:
        sent = asked(f"{place}/api/files", b"low lower lowest " * 99)[1]
        assert sent["bytes"] == 17 * 99
        [folder] = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o077 == 0
        assert [path.name for path in folder.iterdir()] == ["file-1"]
        job = asked(f"{place}/api/train", {"files": [sent["file"]], "vocab_size": 262})[1]["job"]
        found = trained(place, job)
        assert (found["state"], found["tokenizer"]) == ("done", "trained-1")
        assert [merge["token"] for merge in found["last"][:2]] == ["'lo'", "'low'"]
        assert list(folder.iterdir()) == []
        # A text without an end in sight is stopped between two merges.
        body = b"".join(b"%x " % (number * 2654435761 % 2**60) for number in range(600_000))
        sent = asked(f"{place}/api/files", body)[1]
        job = asked(f"{place}/api/train", {"files": [sent["file"]], "vocab_size": 65_536})[1]["job"]
        assert asked(f"{place}/api/train", {"text": "low"})[0] == 409
        asked(f"{place}/api/train/{job}", method="DELETE")
        assert trained(place, job)["state"] == "cancelled"
        assert list(folder.iterdir()) == []
        # Damaged bytes are replaced; what is too short says so.
        job = asked(f"{place}/api/train", {"files": [asked(f"{place}/api/files", b"\xff\x00low" * 9)[1]["file"]]})[1][
            "job"
        ]
        found = trained(place, job)
        assert found["state"] == "done"
        assert "training stopped at" in found["warnings"][-1]["message"]
        asked(f"{place}/api/files", b"left behind")
        assert len(list(folder.iterdir())) == 1
    assert not folder.exists()


def test_an_upload_that_breaks_off_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with served() as place:
        address = urlsplit(place)
        head = b"POST /api/files HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        with socket.create_connection((address.hostname, address.port)) as connection:
            connection.sendall(head + b"low " * 10)
            files = Waited(lambda: [path for folder in tmp_path.iterdir() for path in folder.iterdir()])
            assert files.until(lambda found: len(found) == 1)
        assert files.until(lambda found: not found)
        assert asked(f"{place}/api/files", b"low")[0] == 200


def test_many_requests_at_once_are_answered_or_refused(place: str) -> None:
    """And none of them is lost or stops the others."""
    text = "the cat sat on the mat " * 300
    with ThreadPoolExecutor(80) as pool:
        request = {"tokenizer": "alice", "text": text}
        found = list(pool.map(lambda _: asked(f"{place}/api/read", request)[0], range(80)))
    assert set(found) <= {200, 503}
    assert found.count(200) >= limits.WORKERS
    assert asked(f"{place}/api/count", {"tokenizer": "bytes", "text": "low"})[0] == 200


def test_uploads_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_UPLOAD", 1000)
    with served() as place:
        assert asked(f"{place}/api/files", b"x" * 600)[0] == 200
        assert asked(f"{place}/api/files", b"x" * 600)[0] == 413
        assert asked(f"{place}/api/files", b"x" * 300)[0] == 200


def test_a_tokenizer_is_opened_and_rubbish_is_refused(place: str, tmp_path: Path) -> None:
    tok = bp.train(texts=["low lower lowest"], num_merges=5)
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    status, found = asked(f"{place}/api/tokenizers/file", path.read_bytes())
    assert status == 200
    assert asked(f"{place}/api/encode", {"tokenizer": found["name"], "text": "lowest"})[1]["ids"] == tok.encode(
        "lowest"
    )
    for rubbish in (
        b"",
        b"\0" * 5000,
        b"{}",
        b'{"model": {"type": "BPE", "vocab": 3}}',
        b"<script>alert(1)</script>",
        b"[" * 99_999,
    ):
        status, found = asked(f"{place}/api/tokenizers/file", rubbish)
        assert status == 400, rubbish[:20]
        assert found["hint"]
        assert "bytepair-play-" not in found["error"]


def test_many_trained_ones_push_out_the_oldest() -> None:
    with served() as place:
        for _ in range(limits.MOST_TRAINED + 2):
            job = asked(f"{place}/api/train", {"text": "low lower", "vocab_size": 257})[1]["job"]
            last = trained(place, job)["tokenizer"]
        rows = asked(f"{place}/api/tokenizers")[1]["tokenizers"]
        kept = [row["name"] for row in rows if row["kind"] == "trained"]
        assert len(kept) == limits.MOST_TRAINED
        assert last in kept


@pytest.mark.filterwarnings("ignore::bytepair.TrainingWarning")
@pytest.mark.parametrize(("alphabet", "mark"), [("bytes", None), ("characters", "</w>")])
@pytest.mark.parametrize("text", ["the cat sat on the mat. the cat ate", "aaaa aaa aa", "Росток 🌱 🌱", ""])
def test_lessons_are_trainings(place: str, text: str, alphabet: Any, mark: str | None) -> None:
    settings: dict[str, Any] = {"pattern": bp.PATTERNS["gpt2"]} if alphabet == "bytes" else {"end_of_word": mark}
    request = {"text": text, "alphabet": alphabet, "cut": "gpt2"}
    found = asked(f"{place}/api/learn", {**request, "merges": 400})[1]
    made = bp.train(texts=[text], num_merges=400, ties="first", alphabet=alphabet, **settings)
    assert found["merges"] == len(made.merges)
    assert found["next"] is None
    for merges, (left, right) in enumerate(made.merges):
        found = asked(f"{place}/api/learn", {**request, "merges": merges})[1]
        assert found["next"] == [quoted(made.bytes_of(id))[1:-1] for id in (left, right)]
        now = made.truncated(merges).tokenizer
        assert found["tokens"] == now.count(text)


def test_numbers_in_json_are_numbers(place: str) -> None:
    """An empty text gives no ratio, and NaN is no JSON."""
    for endpoint in ENDPOINTS:
        if "text" in endpoint.fields:
            status, found = asked(f"{place}/api/{endpoint.path}", {**endpoint.example, "text": ""})
            assert status == 200, endpoint.path
            json.dumps(found, allow_nan=False)
