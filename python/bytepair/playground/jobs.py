"""Trainings that a page has asked for: one at a time, in a thread of its own, told of as it goes and stopped if wanted.

Files that were sent go when the training that uses them ends, however it ends, or after a while if none begins.
"""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from bytepair.bundled import bundled_texts
from bytepair.errors import BytepairError
from bytepair.patterns import PATTERNS
from bytepair.playground import fields
from bytepair.playground.fields import Request, RequestError
from bytepair.playground.limits import MOST_FILES, MOST_SECONDS, MOST_UPLOAD, MOST_VOCABULARY
from bytepair.playground.shelf import Shelf
from bytepair.playground.uploads import Uploads
from bytepair.progress import Progress
from bytepair.render.visible import quoted
from bytepair.told import Told, gathered

__all__ = ["Jobs"]

_LARGER: Final = "train on large files with `bytepair train FILE -o tokenizer.json`, and open that"
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
    warned: list[Told] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    stop: threading.Event = field(default_factory=threading.Event)


class Jobs:
    """The trainings of one server."""

    def __init__(self, shelf: Shelf) -> None:
        """Nothing is made before it is needed."""
        self._shelf, self._lock, self._numbers = shelf, threading.Lock(), itertools.count(1)
        self._jobs: dict[int, _Job] = {}
        self.uploads = Uploads(MOST_UPLOAD, MOST_FILES, _LARGER)

    def close(self) -> None:
        """Stops what runs and removes every file."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.stop.set()
        self.uploads.close()

    def start(self, request: Request) -> dict[str, Any]:
        """Begins a training on `files` that were sent, on a `text`, or on the bundled text of a language, `corpus`."""
        size = fields.integer(request, "vocab_size", 4096, 256, MOST_VOCABULARY)
        pattern = fields.choice(request, "pattern", ("o200k", *PATTERNS, "none"))
        corpus = fields.choice(request, "corpus", ("", *bundled_texts()))
        numbers = fields.integers(request, "files", most=MOST_FILES)
        text = fields.text(request)
        with self._lock:
            if any(job.state == "running" for job in self._jobs.values()):
                raise RequestError("another training runs", "wait for it, or cancel it", 409)
            if not (numbers or corpus or text):
                raise RequestError("there is no text to train on", "drop files, write a text, or choose one")
            paths = self.uploads.claim(numbers)
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
        found["warnings"] = [{"message": what, "hint": hint} for what, hint in job.warned]
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
            with gathered() as warned:
                tok = train(**settings, progress=told)
            job.warned = [Told(_without(what, paths), hint) for what, hint in warned]
            job.tokenizer = self._shelf.add(tok, f"{len(tok):,} tokens, trained in this session", warned=job.warned)
            job.state = "done"
        except _StoppedError:
            late = not job.stop.is_set()
            job.said = f"it took longer than {MOST_SECONDS} seconds" if late else "it was cancelled"
            job.state = "failed" if late else "cancelled"
        except (BytepairError, ValueError, OSError, MemoryError) as error:
            job.said, _, job.hint = _without(str(error) or type(error).__name__, paths).partition("\nhint: ")
            job.state = "failed"
        finally:
            if job.state == "running":  # something that nobody has thought of
                job.said, job.state = "a defect in bytepair stopped it", "failed"
            for path in paths:
                path.unlink(missing_ok=True)


def _without(said: str, paths: list[Path]) -> str:
    """Without the names that files have here."""
    for path in paths:
        said = said.replace(f"`{path}`", "that was sent").replace(f"{path}", "a file that was sent")
    return said
