"""The line that is answered without click: as click would answer it, or not at all."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path

import pytest

from bytepair.cli import main, quick
from cli.running import Run

TEXT = "the cat sat on the mat, 12345 кот 猫\n".encode() + b"\xff<|endoftext|>"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, trained: str) -> dict[str, str]:
    """Paths by name: `json` and `ranks` are tokenizers, `warns` one that warns, `text`, `empty`, `long` texts."""
    folder = tmp_path_factory.mktemp("quick")
    contents = {
        "ranks": b"".join(b"%s %d\n" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)),
        "warns": Path(trained)
        .read_bytes()
        .replace(
            b'"post_processor": null',
            b'"post_processor": {"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<|user|>","type_id":0}},'
            b'{"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},'
            b'{"Sequence":{"id":"B","type_id":1}}],"special_tokens":{"<|user|>":{"id":"<|user|>","ids":[1001],'
            b'"tokens":["<|user|>"]}}}',
        ),
        "text": TEXT,
        "empty": b"",
        "long": TEXT * (2 * quick.PART // len(TEXT) + 3),
        "-": b"a file with the name of an option",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: str(folder / name) for name in contents} | {"json": trained, "none": str(folder / "none")}


@pytest.mark.parametrize(
    "line",
    [
        "count -t {json} -f {text}",
        "count --file {empty} --tokenizer {json}",
        "count -f {long} -t {json}",
        "count -t {ranks} --pattern cl100k -f {text}",
        "count -t {ranks} --pattern None -f {text}",
        "count -t {ranks} --pattern \\w+ -f {text}",
        "count -t {ranks} --pattern ( -f {text}",
        "count -t {ranks} -f {text}",
        "count -t {json} --pattern gpt2 -f {text}",
        "count -t {warns} -f {text}",
        "count -t {warns} -f {none}",
        "count -t {none} -f {text}",
        "count -t {json} -f {none}",
        "count -t {text} -f {text}",
        "count -t {json} -f /",
    ],
)
def test_as_with_click(line: str, files: dict[str, str], run: Run, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    arguments = line.format(**files).split(" ")
    code = quick.run(arguments)
    out, err = capsysbinary.readouterr()
    plain = run(*arguments)
    assert (code, out, err) == (plain.code, plain.stdout, plain.stderr)
    assert (b"warning: " in err) == ("{warns}" in line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "count",
        "--version",
        "encode -t {json} -f {text}",
        "count -t {json}",
        "count -f {text}",
        "count -t {json} -f {text} --json",
        "count -t {json} -f {text} more",
        "count -t {json} -f {text} -f {text}",
        "count -t {json} -t {json} -f {text}",
        "count -t {json} -f -",
        "count --tokenizer={json} -f {text}",
        "count -t {json} -f {text} --format huggingface",
        "count -t {json} -f {text} --allow-special all",
        "count -t {json} -- -f {text}",
    ],
)
def test_any_other_line_is_left_to_click(
    line: str, files: dict[str, str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert quick.run(line.format(**files).split()) is None
    assert capsysbinary.readouterr() == (b"", b"")


def test_completion_is_left_to_click(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_BYTEPAIR_COMPLETE", "bash_source")
    assert quick.run(["count", "-t", files["json"], "-f", files["text"]]) is None


def test_a_reader_that_went_away(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 0 and no word, as for every command."""

    def gone(*_: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(quick, "_count", gone)
    monkeypatch.setattr("bytepair.cli.output.abandon", lambda: None)
    assert main(["count", "-t", files["json"], "-f", files["text"]]) == 0


def test_click_is_not_imported(files: dict[str, str]) -> None:
    """Nor anything else that takes long."""
    code = "import sys; from bytepair.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    line = ["count", "-t", files["ranks"], "--pattern", "cl100k", "-f", files["text"]]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path}; {code}", *line],
        check=True,
        capture_output=True,
        text=True,
    )
    count, modules = done.stdout.splitlines()
    assert int(count) == len(TEXT)
    assert not {"click", "numpy", "json", "re", "typing", "dataclasses"}.intersection(modules.split())
