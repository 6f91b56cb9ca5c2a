"""Names: where files are looked for, that their hashes are verified, and what a server can do wrong."""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from bytepair import getting
from bytepair.errors import FormatError, UnavailableError
from bytepair.formats import names
from bytepair.formats.published import ENCODINGS, Encoding, PublishedFile

CONTENT = b"YQ== 0\nYg== 1\nYWI= 2\n"
FILE = PublishedFile("small.tiktoken", hashlib.sha256(CONTENT).hexdigest(), "https://localhost/small.tiktoken")
SMALL = Encoding(FILE, "gpt2", {"<|end|>": 3})


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty folders for everything that is looked at, and no network."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "HF_HUB_CACHE", "HF_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("BYTEPAIR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    monkeypatch.setattr(getting, "ENCODINGS", {"small": SMALL})
    connect = socket.socket.connect

    def only_here(self: socket.socket, address: Any) -> None:
        assert address[0] == "127.0.0.1", f"{address} is not this machine"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_here)
    return tmp_path


def put(path: Path, content: bytes = CONTENT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_missing_file_is_one_clear_error_at_once(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getting, "ENCODINGS", ENCODINGS)
    monkeypatch.setattr(names, "places", lambda file: [elsewhere / "home" / file.name])
    began = time.process_time()
    for name in ENCODINGS:
        with pytest.raises(UnavailableError) as caught:
            bp.get(name)
        assert len(str(caught.value).splitlines()) == 2
        for word in (name, "offline", f"path {elsewhere / 'home'}", ENCODINGS[name].file.name):
            assert word in str(caught.value)
    assert time.process_time() - began < 1


def test_names_that_there_are_not() -> None:
    for name in ("cl100k", "", "a/b/c", "../x", "small.tiktoken"):
        with pytest.raises(ValueError, match="no published tokenizer is called"):
            bp.get(name)
    with pytest.raises(LookupError, match="no published tokenizer is called"):
        bp.fetch("nope")


@pytest.mark.parametrize("place", ["home", "TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "temporary", "package"])
def test_each_place_is_looked_at_and_its_content_verified(
    place: str, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = hashlib.sha1(b"https://localhost/small.tiktoken", usedforsecurity=False).hexdigest()
    path = elsewhere / "there" / key
    if place == "home":
        path = elsewhere / "home" / FILE.name
    elif place == "temporary":
        path = elsewhere / "temporary" / "data-gym-cache" / key
    elif place == "package":
        path = elsewhere / "site" / "small" / "small.tiktoken.gz"
        put(elsewhere / "site" / "small-1.0.dist-info" / "METADATA", b"Name: small\nVersion: 1.0\n")
        monkeypatch.syspath_prepend(elsewhere / "site")
        packaged = replace(FILE, packages=(("missing", "x"), ("small", "small/small.tiktoken.gz")))
        monkeypatch.setattr(getting, "ENCODINGS", {"small": replace(SMALL, file=packaged)})
    else:
        monkeypatch.setenv(place, str(elsewhere / "there"))
    packed = gzip.compress if place == "package" else bytes
    put(path, packed(CONTENT))
    tok = bp.get("small")
    assert (tok.encode("ab<|end|>", allowed_special="all"), tok.pattern) == ([2, 3], bp.PATTERNS["gpt2"])
    for wrong in (packed(CONTENT + b"\n"), b"", packed(CONTENT)[:9]):
        put(path, wrong)
        with pytest.raises(UnavailableError, match="has another content than the published one") as caught:
            bp.get("small")
        assert str(path) in str(caught.value)


def test_without_a_name_the_folder_is_the_platforms(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BYTEPAIR_HOME")
    assert names.home().name == "bytepair"
    monkeypatch.setenv("BYTEPAIR_HOME", str(elsewhere))
    assert names.home() == elsewhere


def test_a_model_in_the_cache_of_hugging_face(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnavailableError, match=r"`own/small` is not in Hugging Face's cache"):
        bp.get("own/small")
    tok = bp.train(texts=["low low"], num_merges=2)
    tok.save(elsewhere / "tokenizer.json")
    content = (elsewhere / "tokenizer.json").read_bytes()
    monkeypatch.setenv("HF_HOME", str(elsewhere / "hf"))
    repository, commit = elsewhere / "hf" / "hub" / "models--own--small", "0" * 40
    put(repository / "refs" / "main", commit.encode())
    by_git = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    for name in (by_git, hashlib.sha256(content).hexdigest()):
        blob, link = put(repository / "blobs" / name, content), repository / "snapshots" / commit / "tokenizer.json"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(blob)
        assert bp.get("own/small") == tok
        put(blob, content + b"\n")
        with pytest.raises(FormatError, match="its content is not that of the name"):
            bp.get("own/small")


# Fetching


class Server(http.server.BaseHTTPRequestHandler):
    """Answers by the path that is asked for."""

    def do_GET(self) -> None:
        what = self.path.strip("/")
        if what == "missing":
            self.send_error(404)
            return
        if what == "moved":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.end_headers()
            return
        self.send_response(200)
        content = CONTENT[:-1] + b"#" if what == "wrong" else CONTENT
        if what != "unsized":
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:7] if what == "short" else content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
        thread = threading.Thread(target=functools.partial(running.serve_forever, poll_interval=0.01))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.mark.parametrize("what", ["good", "moved", "unsized"])
def test_what_is_fetched_is_there(what: str, server: str, elsewhere: Path) -> None:
    path = bp.fetch("small", f"{server}/{what}")
    assert path == elsewhere / "home" / FILE.name
    assert [file.name for file in path.parent.iterdir()] == [FILE.name]
    assert bp.get("small").encode("ab") == [2]
    assert bp.fetch("small", f"{server}/missing") == path, "what is there is not fetched again"
    put(path, b"damaged")
    assert bp.fetch("small", f"{server}/{what}").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("missing", "answers 404 Not Found"),
        ("short", "cut short: 7 of 21 bytes"),
        ("wrong", "gives 21 bytes with the SHA-256"),
    ],
)
def test_what_is_not_the_file_is_not_written(what: str, said: str, server: str, elsewhere: Path) -> None:
    with pytest.raises(UnavailableError, match=said) as caught:
        bp.fetch("small", f"{server}/{what}")
    assert f"{server}/{what}" in str(caught.value)
    assert "nothing was written" in caught.value.hint
    assert not (elsewhere / "home").exists()


def test_no_server_and_no_address(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(UnavailableError, match=r"cannot be read: .*refused"):
        bp.fetch("small", f"http://127.0.0.1:{port}/")
    for url in ("file:///etc/hosts", "ftp://localhost/x", "small.tiktoken"):
        with pytest.raises(UnavailableError, match="no address of a server"):
            bp.fetch("small", url)
    with pytest.raises(UnavailableError, match="cannot be read"):
        bp.fetch("small", "http://[bad")
    packaged = replace(FILE, url=None, packages=(("bytepair-none", "x"),))
    monkeypatch.setattr(getting, "ENCODINGS", {"small": replace(SMALL, file=packaged)})
    with pytest.raises(UnavailableError, match=r"no.* at an address\nhint: install the package bytepair-none"):
        bp.fetch("small")
    assert not (elsewhere / "home").exists()


def test_get_fetches_only_when_told(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = replace(FILE, url=f"{server}/good")
    monkeypatch.setattr(getting, "ENCODINGS", {"small": replace(SMALL, file=here)})
    with pytest.raises(UnavailableError, match="stays offline"):
        bp.get("small")
    assert bp.get("small", download=True).encode("ab") == [2]
    assert bp.get("small").encode("ab") == [2]
