"""Trainings that a page has asked for: one at a time, in a thread of its own, told of as it goes and stopped if wanted.

Files that were sent lie in a temporary folder, under numbers of our own and never under the names that came with them.
They go when the training that uses them ends, however it ends, or after a while if none begins; the folder goes with
the server.
"""

from __future__ import annotations

import itertools
import shutil
import threading
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, Literal

from bytepair.bundled import bundled_texts
from bytepair.errors import BytepairError
from bytepair.patterns import PATTERNS
from bytepair.playground import fields
from bytepair.playground.fields import Request, RequestError
from bytepair.playground.limits import MOST_FILES, MOST_SECONDS, MOST_UPLOAD, MOST_VOCABULARY
from bytepair.playground.shelf import Shelf
from bytepair.progress import Progress
from bytepair.render.visible import quoted

__all__ = ["Jobs"]

PREFIX: Final = "bytepair-play-"
"""What the names of temporary folders begin with."""
_FORGOTTEN: Final = 600.0
"""Seconds after which files that no training has used are removed."""
_LAST: Final = 12
"""Merges that the page shows while they come."""
_KEPT: Final = 16
"""Trainings that are remembered when they are over."""


class _StoppedError(Exception):
    """A training that shall not go on."""


@dataclass(slots=True)
class _Job:
    """One training, and how far it is."""

    state: Literal["running", "done", "cancelled", "failed"] = "running"
    progress: Progress | None = None
    last: list[dict[str, Any]] = field(default_factory=list)
    tokenizer: str = ""
    said: str = ""
    hint: str = ""
    started: float = field(default_factory=time.monotonic)
    stop: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True)
class _Sent:
    """A file that was sent."""

    path: Path
    size: int
    at: float


class Jobs:
    """The trainings of one server."""

    def __init__(self, shelf: Shelf) -> None:
        """Nothing is made before it is needed."""
        self._shelf, self._lock, self._numbers = shelf, threading.Lock(), itertools.count(1)
        self._jobs: dict[int, _Job] = {}
        self._sent: dict[int, _Sent] = {}
        self._folder: Path | None = None

    def folder(self) -> Path:
        """The temporary folder, which nobody else can read."""
        with self._lock:
            if self._folder is None:
                self._folder = Path(mkdtemp(prefix=PREFIX))
            return self._folder

    def close(self) -> None:
        """Stops what runs and removes every file."""
        with self._lock:
            jobs, folder, self._folder = list(self._jobs.values()), self._folder, None
        for job in jobs:
            job.stop.set()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def room(self) -> int:
        """How many bytes may still be sent."""
        with self._lock:
            now = time.monotonic()
            for number, sent in list(self._sent.items()):
                if now - sent.at > _FORGOTTEN:
                    sent.path.unlink(missing_ok=True)
                    del self._sent[number]
            if len(self._sent) >= MOST_FILES:
                raise RequestError(f"there are {MOST_FILES} files already", "train on them, or put them into one", 413)
            return MOST_UPLOAD - sum(sent.size for sent in self._sent.values())

    def place(self) -> Path:
        """A path for a file that is about to come."""
        return self.folder() / f"text-{next(self._numbers)}.txt"

    def came(self, path: Path, size: int) -> dict[str, Any]:
        """A file is there; its number is what a training names it by."""
        number = next(self._numbers)
        with self._lock:
            self._sent[number] = _Sent(path, size, time.monotonic())
        return {"file": number, "bytes": size}

    def start(self, _: Shelf, request: Request) -> dict[str, Any]:
        """Begins a training on `files` that were sent, on a `text`, or on the bundled text of a language, `corpus`."""
        size = fields.integer(request, "vocab_size", 4096, 256, MOST_VOCABULARY)
        pattern = fields.choice(request, "pattern", ("o200k", *PATTERNS, "none"))
        corpus = fields.choice(request, "corpus", ("", *bundled_texts()))
        numbers = list(dict.fromkeys(fields.integers(request, "files", most=MOST_FILES)))
        text = fields.text(request)
        with self._lock:
            if any(job.state == "running" for job in self._jobs.values()):
                raise RequestError("another training runs", "wait for it, or cancel it", 409)
            missing = [number for number in numbers if number not in self._sent]
            if missing:
                raise RequestError(f"there is no file {missing[0]}", "send it to /api/files first", 404)
            paths = [self._sent.pop(number).path for number in numbers]
            if not (paths or corpus or text):
                raise RequestError("there is no text to train on", "drop files, write a text, or choose one")
            number, job = next(self._numbers), _Job()
            self._jobs[number] = job
            for old in list(self._jobs)[:-_KEPT]:
                del self._jobs[old]
        given: dict[str, Any] = (
            {"files": paths} if paths else {"files": bundled_texts()[corpus]} if corpus else {"texts": [text]}
        )
        settings = {"vocab_size": size, "pattern": None if pattern == "none" else pattern, "errors": "replace", **given}
        threading.Thread(target=self._run, args=(job, settings, paths), daemon=True).start()
        return {"job": number}

    def told(self, number: int) -> dict[str, Any]:
        """How far a training is."""
        job = self._of(number)
        progress = job.progress
        found: dict[str, Any] = {"state": job.state, "tokenizer": job.tokenizer, "error": job.said, "hint": job.hint}
        found |= {"last": job.last[-_LAST:], "seconds": time.monotonic() - job.started}
        if progress is not None:
            found |= {"phase": progress.phase, "done": progress.done, "total": progress.total, "eta": progress.eta}
        return found

    def cancel(self, number: int) -> dict[str, Any]:
        """Asks a training to stop; it does within a merge, or a batch of text."""
        self._of(number).stop.set()
        return self.told(number)

    def _of(self, number: int) -> _Job:
        with self._lock:
            if number not in self._jobs:
                raise RequestError(f"there is no training {number}", "POST /api/train begins one", 404)
            return self._jobs[number]

    def _run(self, job: _Job, settings: dict[str, Any], paths: list[Path]) -> None:
        from bytepair.training.train import train  # noqa: PLC0415 - when it is first needed

        def told(progress: Progress) -> None:
            if job.stop.is_set() or time.monotonic() - job.started > MOST_SECONDS:
                raise _StoppedError
            job.progress = progress
            merge = progress.merge
            if merge is not None:
                parts = (merge.left, merge.right, merge.token)
                left, right, token = (quoted(part) for part in parts)
                job.last = [*job.last[-_LAST:], {"left": left, "right": right, "token": token, "count": merge.count}]

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a vocabulary that came out smaller is said below
                tok = train(**settings, progress=told)
            job.tokenizer = self._shelf.add(tok, f"{len(tok):,} tokens, trained in this session")
            if len(tok) < settings["vocab_size"]:
                job.said = f"the text is too short for {settings['vocab_size']:,} tokens: {len(tok):,} were made"
            job.state = "done"
        except _StoppedError:
            late = not job.stop.is_set()
            job.said = f"it took longer than {MOST_SECONDS} seconds" if late else "it was cancelled"
            job.state = "failed" if late else "cancelled"
        except (BytepairError, ValueError, OSError, MemoryError) as error:
            said = str(error) or type(error).__name__
            for path in paths:
                said = said.replace(f"`{path}`", "that was sent").replace(f"{path}", "a file that was sent")
            job.said, _, job.hint = said.partition("\nhint: ")
            job.state = "failed"
        finally:
            if job.state == "running":  # something that nobody has thought of
                job.said, job.state = "a defect in bytepair stopped it", "failed"
            for path in paths:
                path.unlink(missing_ok=True)
