"""The application: the files of the page, the HTTP interface, and uploads, behind the guard.

Answers are worked out in threads, a few at a time, so that the page is served whatever the engine does; who does not
wait for an answer any more is not answered. What goes wrong is told in two lines; nothing of a text or a path is in it
but what the request itself has named.
"""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route

from bytepair.errors import BytepairError, UnknownSymbolError
from bytepair.playground.fields import RequestError
from bytepair.playground.guard import Guard
from bytepair.playground.limits import MOST_BODY, MOST_OPENED, MOST_STALLED, MOST_UNREAD, WAITING, WORKERS
from bytepair.playground.shelf import Shelf, opened
from bytepair.tokenizer import Tokenizer
from bytepair.told import Told

if TYPE_CHECKING:
    from bytepair.playground.uploads import Upload, Uploads

__all__ = ["application"]

_LOG: Final = logging.getLogger(__name__)
_KINDS: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def application(
    tokenizers: Mapping[str, Tokenizer] | None = None,
    warned: Mapping[str, Sequence[Told]] | None = None,
    *,
    hosts: Iterable[str] = (),
    local: bool = True,
) -> Starlette:
    """The playground with these tokenizers besides those that come with it.

    `warned` is what was told of them when they were read. `hosts` are names by which this machine may be asked; `local`
    refuses addresses that are not this machine's own.

    >>> len(application().routes) > 5
    True
    """
    served = _Served(Shelf(tokenizers, warned))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            served.close()

    routes = [
        Route("/", served.file),
        Route("/api", served.about),
        Route("/api/files", served.send_text, methods=["POST"]),
        Route("/api/files/{number:int}", served.drop_text, methods=["DELETE"]),
        Route("/api/tokenizers/file", served.send_tokenizer, methods=["POST"]),
        Route("/api/tokenizers/{name}/tokenizer.json", served.download),
        Route("/api/tokenizers", partial(served.answer, "tokenizers"), methods=["GET", "POST"]),
        Route("/api/train", served.train, methods=["POST"]),
        Route("/api/train/{job:int}", served.job, methods=["GET", "DELETE"]),
        Route("/api/{endpoint}", served.endpoint, methods=["POST"]),
        Route("/{path:path}", served.file),
    ]
    return Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(Guard, hosts=hosts, local=local)])


class _Served:
    """What the routes share."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._limiter: anyio.CapacityLimiter | None = None
        self._jobs: Any = None
        self._opened: Any = None

    @property
    def jobs(self) -> Any:  # noqa: ANN401 - its module is loaded when it is first needed
        if self._jobs is None:
            from bytepair.playground.jobs import Jobs  # noqa: PLC0415

            self._jobs = Jobs(self.shelf)
        return self._jobs

    @property
    def opened(self) -> Any:  # noqa: ANN401 - the same
        if self._opened is None:
            from bytepair.playground.uploads import Uploads  # noqa: PLC0415

            self._opened = Uploads(MOST_OPENED, WAITING, "start the playground with it: `bytepair play FILE`")
        return self._opened

    def close(self) -> None:
        for held in (self._jobs, self._opened):
            if held is not None:
                held.close()

    async def file(self, request: HttpRequest) -> Response:
        """A file of the page: one of those that are there, and no path."""
        found = _file(request.path_params.get("path", "") or "index.html")
        if found is None:
            return _json({"error": "there is no such page", "hint": "the playground is at /"}, 404)
        content, kind = found
        return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})

    async def about(self, _: HttpRequest) -> Response:
        """The page that says what /api answers."""
        from bytepair.playground.about import about_page  # noqa: PLC0415 - it loads all that answers

        return Response(about_page(), media_type="text/html")

    async def endpoint(self, request: HttpRequest) -> Response:
        return await self.answer(request.path_params["endpoint"], request)

    async def answer(self, name: str, request: HttpRequest) -> Response:
        """One answer of the list."""

        def work(body: bytes) -> dict[str, Any]:
            from bytepair.playground.endpoints import ENDPOINTS  # noqa: PLC0415 - what it loads is not for the first page

            found = next((one for one in ENDPOINTS if one.path == name), None)
            if found is None:
                raise RequestError("there is no such address", "GET /api says what there is", 404)
            return found.answer(self.shelf, _fields(body))

        return await self._told(request, work)

    async def train(self, request: HttpRequest) -> Response:
        jobs = self.jobs  # made here and not in a thread, or two could be made
        return await self._told(request, lambda body: jobs.start(_fields(body)))

    async def job(self, request: HttpRequest) -> Response:
        number = request.path_params["job"]
        wanted = self.jobs.cancel if request.method == "DELETE" else self.jobs.told
        return await self._told(request, lambda _: wanted(number))

    async def send_text(self, request: HttpRequest) -> Response:
        """A file to train on, as it is, in the body."""

        def came(upload: Upload) -> dict[str, Any]:
            uploads.keep(upload)
            return {"file": upload.number, "bytes": upload.size}

        uploads = self.jobs.uploads
        return await self._sent(request, uploads, came)

    async def drop_text(self, request: HttpRequest) -> Response:
        """A file that was sent is not needed any more."""
        self.jobs.uploads.drop_kept(request.path_params["number"])
        return _json({})

    async def send_tokenizer(self, request: HttpRequest) -> Response:
        """The file of a tokenizer, in the body, to be put on the shelf."""

        def came(upload: Upload) -> dict[str, Any]:
            tok, warned = opened(upload.path)
            about = f"{len(tok):,} tokens, from a file that was opened"
            return {"name": self.shelf.add(tok, about, "opened", warned)}

        return await self._sent(request, self.opened, came)

    async def download(self, request: HttpRequest) -> Response:
        """A tokenizer as a file."""

        def work() -> bytes:
            tok = self.shelf.get(request.path_params["name"])
            with tempfile.TemporaryDirectory(prefix="bytepair-play-") as folder:
                path = Path(folder) / "tokenizer.json"
                tok.save(path)
                return path.read_bytes()

        try:
            content = await self._in_thread(request, work)
        except Exception as error:  # noqa: BLE001 - this is where all of them end
            return _failed(error)
        return Response(
            content,
            media_type="application/json",
            headers={"Content-Disposition": 'attachment; filename="tokenizer.json"'},
        )

    async def _told(self, request: HttpRequest, work: Callable[[bytes], dict[str, Any]]) -> Response:
        """What `work` makes of the body, or what went wrong."""
        try:
            body = await _body(request)
            return _json(await self._in_thread(request, lambda: work(body)))
        except Exception as error:  # noqa: BLE001 - this is where all of them end
            return _failed(error)

    async def _sent(self, request: HttpRequest, uploads: Uploads, came: Callable[[Upload], dict[str, Any]]) -> Response:
        """The body as a file of ours; what comes of it is answered. It goes, unless it is kept."""
        upload: Upload | None = None
        try:
            upload = uploads.begin()
            await _received(request, uploads, upload)
            coming = upload
            return _json(await self._in_thread(request, lambda: came(coming)))
        except Exception as error:  # noqa: BLE001 - this is where all of them end
            return _failed(error)
        finally:
            if upload is not None and not upload.kept:
                uploads.drop(upload)

    async def _in_thread(self, request: HttpRequest, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        """`work` in a thread, when one is free and somebody still waits for it."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(WORKERS)
        if self._limiter.statistics().tasks_waiting >= WAITING:
            raise RequestError("there is too much to do", "try again in a moment", 503)
        async with self._limiter:
            if await request.is_disconnected():
                raise ClientDisconnect
            return await anyio.to_thread.run_sync(work)


async def _parts(request: HttpRequest) -> AsyncIterator[bytes]:
    """The body as it comes; one that comes no more is given up, and with it the room that was kept for it."""
    stream = request.stream()
    while True:
        try:
            with anyio.fail_after(MOST_STALLED):
                part = await anext(stream, None)
        except TimeoutError:
            raise RequestError(f"nothing came for {MOST_STALLED:g} seconds", "send it again", 408) from None
        if part is None:
            return
        yield part


async def _received(request: HttpRequest, uploads: Uploads, upload: Upload) -> None:
    """Writes the body to a file that is not there yet; what it will have is known to be there for it before."""
    stream = _parts(request)
    try:
        uploads.grown(upload, int(request.headers.get("content-length", 0)))
        size = 0
        with upload.path.open("xb") as out:
            async for part in stream:
                size += len(part)
                if size > upload.size:
                    uploads.grown(upload, size)
                out.write(part)
    except RequestError:
        await _unread(stream)
        raise


async def _unread(stream: AsyncIterator[bytes]) -> None:
    """Lets the rest of a body pass."""
    size = 0
    async for part in stream:
        size += len(part)
        if size > MOST_UNREAD:
            break


async def _body(request: HttpRequest) -> bytes:
    """The body, refused when it is too large."""
    parts: list[bytes] = []
    size = 0
    stream = _parts(request)
    async for part in stream:
        size += len(part)
        if size > MOST_BODY:
            await _unread(stream)
            raise RequestError(
                f"the request has more than {MOST_BODY:,} bytes",
                "take a part of the text; on the command line there is no limit: `bytepair count -f FILE`",
                413,
            )
        parts.append(part)
    if parts and parts != [b""]:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RequestError("the body is no JSON", "send it with `Content-Type: application/json`", 415)
    return b"".join(parts)


def _fields(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError("the body is no JSON", 'send an object such as {"text": "low"}') from None
    if not isinstance(found, dict):
        raise RequestError("the body is no JSON object", 'send an object such as {"text": "low"}')
    return found


def _json(found: dict[str, Any], status: int = 200) -> Response:
    """An answer; what is no text (lone surrogates) is written as an escape."""
    return Response(json.dumps(found, allow_nan=False), status, media_type="application/json")


def _failed(error: Exception) -> Response:
    """What went wrong, in two lines."""
    if isinstance(error, ClientDisconnect):
        return Response(status_code=499)
    what, hint, status = _said(error)
    return _json({"error": what, "hint": hint}, status)


def _said(error: Exception) -> tuple[str, str, int]:
    """What is wrong, what to do, and HTTP's status. A defect of ours is also told on stderr, with its traceback."""
    if isinstance(error, RequestError):
        return error.what, error.hint, error.status
    if isinstance(error, UnknownSymbolError):
        return error.message, "leave it out, or choose another tokenizer", 400
    if isinstance(error, OSError):
        said = (error.strerror or str(error)).lower()
        return f"a file could not be read or written: {said}", "look for room on the disk, and at who may read it", 500
    if isinstance(error, MemoryError):
        return "not enough memory", "give less text at once", 413
    what, separator, hint = str(error).partition("\nhint: ")
    if separator and isinstance(error, (BytepairError, ValueError, TypeError, LookupError)):
        return what, hint, 400
    _LOG.error("a request was not answered", exc_info=error)
    return f"a defect in bytepair: {type(error).__name__}", "please report it with what you did", 500


def _file(name: str) -> tuple[bytes, str] | None:
    """A file of the page by its name: those that are in the folder `static`, and the stylesheet of everything."""
    files = _files()
    found = files.get(name)
    return None if found is None else (found.read_bytes(), _KINDS[Path(name).suffix])


def _files() -> dict[str, Any]:
    static = resources.files("bytepair.playground").joinpath("static")
    views = static.joinpath("views")
    found = {one.name: one for one in static.iterdir() if Path(one.name).suffix in _KINDS}
    found |= {f"views/{one.name}": one for one in views.iterdir() if Path(one.name).suffix in _KINDS}
    found["tokens.css"] = resources.files("bytepair.render").joinpath("style.css")
    return found
