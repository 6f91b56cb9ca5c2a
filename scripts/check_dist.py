"""Checks what `make wheel` built: `python scripts/check_dist.py dist/*`.

Of each archive: what is in it and what is not, and its metadata. Then it is installed into an environment of its own,
and the demo must run there, far from this clone. Only the standard library is needed, so that it also runs where
nothing else is installed; where `packaging` is there, it validates the metadata too.

    --look    only look into the archives, install nothing
"""

from __future__ import annotations

import email
import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable, Mapping
from email.message import Message
from pathlib import Path

WHEEL = re.compile(r"bytepair-(?P<version>[^-]+)-cp311-abi3-(?P<platform>\w+)\.whl")
SDIST = re.compile(r"bytepair-(?P<version>[^-]+)\.tar\.gz")
UNWANTED = re.compile(r"(^|/)(__pycache__|\.\w[^/]*|target|dist|\.venv)/|\.py[co]$|\.orig$|\.tiktoken$")
TESTS = re.compile(r"(^|/)(tests?|benches|testdata)/|(^|/)(test_[^/]*|conftest)\.py$")
NEEDED_IN_WHEEL = ("bytepair/__init__.py", "bytepair/_core.pyi", "bytepair/py.typed", "bytepair/reference/unicode.txt")
NEEDED_IN_SDIST = ("Cargo.lock", "Cargo.toml", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml")
USE = """
import bytepair as bp, pathlib, sys
assert pathlib.Path(bp.__file__).is_relative_to(sys.prefix), bp.__file__
tok = bp.load("tokenizer.json")
text = "Alice was beginning to get very tired 🌱 \\x00"
assert tok.decode(tok.encode(text)) == text and len(tok) > 1000
print(f"bytepair {bp.__version__} from {bp._core.__file__}")
"""


def main(arguments: list[str]) -> int:
    """Checks archives; the exit code says if all are right."""
    looks_only = "--look" in arguments
    archives = [Path(argument) for argument in arguments if argument != "--look"]
    wrong = 0
    for archive in archives:
        faults = faults_of(archive)
        if not faults and not looks_only:
            faults = installed(archive)
        print(
            f"{archive.name}: {'; '.join(faults) or ('looks right' if looks_only else 'installed, and the demo ran')}"
        )
        wrong += bool(faults)
    if not archives:
        print("error: no archives given\nhint: run `make wheel`, or name them: `dist/*`", file=sys.stderr)
    return int(bool(wrong) or not archives)


def faults_of(archive: Path) -> list[str]:
    """What is wrong with an archive, from the outside."""
    if match := WHEEL.fullmatch(archive.name):
        return _of_wheel(archive, match["version"], match["platform"])
    if match := SDIST.fullmatch(archive.name):
        return _of_sdist(archive, match["version"])
    return ["its name is neither that of a wheel for CPython 3.11 and later (cp311-abi3) nor that of an sdist"]


def _of_wheel(archive: Path, version: str, platform: str) -> list[str]:
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        info = f"bytepair-{version}.dist-info"
        metadata = opened.read(f"{info}/METADATA") if f"{info}/METADATA" in names else b""
        tags = opened.read(f"{info}/WHEEL").decode() if f"{info}/WHEEL" in names else ""
    module = "bytepair/_core.pyd" if platform.startswith("win") else "bytepair/_core.abi3.so"
    entries = (f"{info}/entry_points.txt", f"{info}/licenses/LICENSE", f"{info}/RECORD")
    faults = [f"it lacks {name}" for name in (*NEEDED_IN_WHEEL, module, *entries) if name not in names]
    faults += [f"{name} does not belong in it" for name in names if UNWANTED.search(name) or TESTS.search(name)]
    faults += [f"{name} is outside of the package" for name in names if not name.startswith(("bytepair/", f"{info}/"))]
    if "Tag: cp311-abi3-" not in tags:
        faults.append("its tag is not cp311-abi3")
    return faults + _of_metadata(metadata, version)


def _of_sdist(archive: Path, version: str) -> list[str]:
    root = f"bytepair-{version}/"
    with tarfile.open(archive) as opened:
        names = opened.getnames()
        described = opened.extractfile(f"{root}PKG-INFO") if f"{root}PKG-INFO" in names else None
        metadata = described.read() if described is not None else b""
    faults = [f"it lacks {name}" for name in NEEDED_IN_SDIST if root + name not in names]
    faults += [f"{name} does not belong in it" for name in names if UNWANTED.search(name)]
    return faults + _of_metadata(metadata, version)


def _of_metadata(metadata: bytes, version: str) -> list[str]:
    """What is wrong with the metadata, which an index would refuse or people would miss."""
    said = email.message_from_bytes(metadata)
    wanted: Mapping[str, str] = {
        "Name": "bytepair",
        "Version": version,
        "Requires-Python": ">=3.11",
        "License-Expression": "MIT",
        "License-File": "LICENSE",
    }
    faults = [f"its {field} is {said[field]}, not {value}" for field, value in wanted.items() if said[field] != value]
    if not (said["Description-Content-Type"] or "").startswith("text/markdown"):
        faults.append("its description is not said to be Markdown")
    if not _body(said).lstrip().startswith("# bytepair"):
        faults.append("its description is not the README")
    faults += [f"it lacks {field}" for field in ("Summary", "Author", "Keywords", "Classifier") if not said[field]]
    return faults + _by_packaging(metadata)


def _body(said: Message) -> str:
    body = said.get_payload(decode=True)
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else ""


def _by_packaging(metadata: bytes) -> list[str]:
    """What `packaging` finds, which is what an index does not accept."""
    if importlib.util.find_spec("packaging") is None:
        return []
    from packaging.metadata import Metadata  # noqa: PLC0415 - not everywhere there

    try:
        Metadata.from_email(metadata, validate=True)
    except ExceptionGroup as problems:
        return [str(problem) for problem in problems.exceptions]
    return []


def installed(archive: Path) -> list[str]:
    """What goes wrong when it is installed into a new environment, and used there."""
    with tempfile.TemporaryDirectory(prefix="bytepair-") as folder:
        environment = Path(folder, "environment")
        venv.create(environment, with_pip=True)
        programs = environment / ("Scripts" if os.name == "nt" else "bin")
        python = programs / ("python.exe" if os.name == "nt" else "python")
        empty = Path(folder, "empty")
        empty.mkdir()
        steps: Iterable[list[str]] = (
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(archive.resolve())],
            [str(programs / "bytepair"), "demo", "-o", "tokenizer.json"],
            [str(python), "-c", USE],
        )
        clean = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
        for step in steps:
            done = subprocess.run(step, cwd=empty, env=clean, capture_output=True, text=True, check=False)
            if done.returncode:
                return [f"`{' '.join(step[:4])}` failed: {(done.stderr or done.stdout).strip()[-800:]}"]
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
