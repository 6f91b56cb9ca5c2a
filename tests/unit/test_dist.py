"""What is published: its checks find faults, versions agree, and what to do without the compiled module is said."""

from __future__ import annotations

import importlib.util
import io
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

import bytepair as bp

ROOT = Path(__file__).resolve().parents[2]
WHEEL = "bytepair-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl"
SDIST = "bytepair-0.1.0.tar.gz"
INFO = "bytepair-0.1.0.dist-info"
METADATA = """Metadata-Version: 2.4
Name: bytepair
Version: 0.1.0
Summary: Tokenizers
Keywords: bpe
Author: The bytepair developers
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.11
Classifier: Typing :: Typed
Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM

# bytepair

Text.
"""


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_dist", ROOT / "scripts" / "check_dist.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def good_wheel() -> dict[str, str]:
    names = ("__init__.py", "_core.abi3.so", "_core.pyi", "py.typed", "reference/unicode.txt")
    return {f"bytepair/{name}": "" for name in names} | {
        f"{INFO}/METADATA": METADATA,
        f"{INFO}/WHEEL": "Tag: cp311-abi3-manylinux_2_28_x86_64\n",
        f"{INFO}/entry_points.txt": "",
        f"{INFO}/licenses/LICENSE": "",
        f"{INFO}/RECORD": "",
    }


def wheel(folder: Path, files: Mapping[str, str], name: str = WHEEL) -> Path:
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return folder / name


def sdist(folder: Path, files: Mapping[str, str]) -> Path:
    with tarfile.open(folder / SDIST, "w:gz") as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"bytepair-0.1.0/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return folder / SDIST


def test_a_good_wheel_and_a_good_sdist_are_right(checks: ModuleType, tmp_path: Path) -> None:
    assert checks.faults_of(wheel(tmp_path, good_wheel())) == []
    files = ("Cargo.lock", "Cargo.toml", "LICENSE", "README.md", "pyproject.toml", "crates/bytepair/tests/encode.rs")
    assert checks.faults_of(sdist(tmp_path, dict.fromkeys(files, "") | {"PKG-INFO": METADATA})) == []
    assert checks.main(["--look", str(tmp_path / WHEEL), str(tmp_path / SDIST)]) == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"bytepair/_core.abi3.so": None}, r"lacks bytepair/_core\.abi3\.so"),
        ({"bytepair/py.typed": None}, "lacks bytepair/py.typed"),
        ({f"{INFO}/licenses/LICENSE": None}, "LICENSE"),
        ({f"{INFO}/METADATA": None}, "its Name is None"),
        ({"bytepair/tests/test_a.py": ""}, "does not belong"),
        ({"bytepair/conftest.py": ""}, "does not belong"),
        ({"bytepair/__pycache__/a.cpython-311.pyc": ""}, "does not belong"),
        ({"bytepair/.cache/x": ""}, "does not belong"),
        ({"tests/test_a.py": ""}, "outside of the package"),
        ({f"{INFO}/WHEEL": "Tag: cp311-cp311-linux"}, "its tag"),
        ({f"{INFO}/METADATA": METADATA.replace("Version: 0.1.0", "Version: 0.2.0")}, "its Version is 0.2.0"),
        ({f"{INFO}/METADATA": METADATA.replace("MIT", "GPL")}, "License-Expression"),
        ({f"{INFO}/METADATA": METADATA.replace("text/markdown", "text/plain")}, "Markdown"),
        ({f"{INFO}/METADATA": METADATA.replace("# bytepair", "")}, "not the README"),
        ({f"{INFO}/METADATA": METADATA.replace("Typing", "X-Private", 1).replace("MIT", "None at all")}, "License"),
    ],
)
def test_what_is_wrong_with_a_wheel_is_found(
    changed: dict[str, str | None], said: str, checks: ModuleType, tmp_path: Path
) -> None:
    files = {path: content for path, content in (good_wheel() | changed).items() if content is not None}
    archive = wheel(tmp_path, files)
    assert re.search(said, "; ".join(checks.faults_of(archive)))
    assert checks.main(["--look", str(archive)]) == 1


def test_other_archives_are_refused(checks: ModuleType, tmp_path: Path) -> None:
    other = wheel(tmp_path, good_wheel(), "bytepair-0.1.0-cp312-cp312-linux_x86_64.whl")
    assert "neither that of a wheel" in checks.faults_of(other)[0]
    assert checks.faults_of(sdist(tmp_path, {"PKG-INFO": METADATA, "target/x": "", "a.pyc": ""}))[-2:] == [
        "bytepair-0.1.0/target/x does not belong in it",
        "bytepair-0.1.0/a.pyc does not belong in it",
    ]
    assert checks.main([]) == 1


def test_the_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    assert bp.__version__ == project["version"] == workspace["version"]
    assert project["license"] == workspace["license"] == "MIT"


USES = (
    "from bytepair import Tokenizer",
    "import bytepair; bytepair.train",
    "import bytepair.tokenizer",
)
SAID = "the compiled module of bytepair is missing: run `pip install .` in a clone of bytepair"


@pytest.fixture(scope="module")
def without_module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package that was copied and not built."""
    folder = tmp_path_factory.mktemp("copied")
    package = Path(bp.__file__).parent
    for file in package.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith("_core."):
            copied = folder / "bytepair" / file.relative_to(package)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.symlink_to(file)
    return folder


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program that sees the copied package first."""
    command = [sys.executable, "-B", "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {program}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("use", USES)
def test_without_the_compiled_module_one_line_says_what_to_do(use: str, without_module: Path) -> None:
    done = run(use, without_module)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"ImportError: {SAID}"


def test_the_command_line_says_it_too(without_module: Path) -> None:
    program = "from bytepair.cli.app import run; sys.exit(run(['count', '-t', 'tokenizer.json', 'x']))"
    done = run(program, without_module)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: {SAID}\nhint: install bytepair again: a part of it is missing\n"


def test_the_reference_needs_no_compiled_module(without_module: Path) -> None:
    done = run("import bytepair.reference; print(bytepair.__file__)", without_module)
    assert done.stdout.startswith(str(without_module)), done.stderr
