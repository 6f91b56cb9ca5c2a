"""`bytepair play`: what it says, where it listens, how it ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from cli.running import PROGRAM, Run
from huggingface_files import TEMPLATE, document


def test_it_serves_the_files_that_it_was_given_until_it_is_interrupted(trained: str) -> None:
    program = "import sys; from bytepair.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "play", f"mine={trained}", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.fullmatch(r"The playground is at (http://127\.0\.0\.1:\d+/) \(Ctrl-C ends it\)\n", said)
        assert found is not None, said
        with urllib.request.urlopen(f"{found[1]}api/tokenizers", timeout=60) as answer:  # noqa: S310 - our server
            rows = json.load(answer)["tokenizers"]
        assert [row["name"] for row in rows][:1] == ["mine"]
        assert {"alice", "declaration", "cat", "bytes"} <= {row["name"] for row in rows}
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, "", "")


def test_what_is_warned_of_is_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "warning.json"
    path.write_text(json.dumps(document(post_processor=TEMPLATE)), "utf-8")
    with subprocess.Popen([*PROGRAM, "play", path, "--port", "0", "--no-browser"], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = [process.stderr.readline().decode() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == b""
    assert [line.split(":")[0] for line in said] == ["warning", "hint", "The playground is at http"]


def test_a_port_that_is_taken(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("play", "--port", str(port), "--no-browser")
    assert done.code == 1
    assert f"nothing can be served at 127.0.0.1, port {port}" in done.err
    assert "--port" in done.err.splitlines()[1]


def test_a_file_of_rubbish_is_refused_before_anything_is_served(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rubbish.json"
    path.write_bytes(b"\0<script>")
    done = run("play", str(path), "--no-browser")
    assert done.code == 1
    assert done.err.startswith("error: ")
    assert "\nhint: " in done.err


def test_what_it_needs_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("bytepair.playground")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = run("play", "--no-browser")
    assert (done.code, done.err) == (2, "error: the playground needs uvicorn\nhint: pip install 'bytepair[play]'\n")
