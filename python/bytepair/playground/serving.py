"""The server: one process, one address, until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address

import uvicorn

from bytepair.playground.app import application
from bytepair.tokenizer import Tokenizer
from bytepair.told import Told

__all__ = ["Server", "address", "bound", "is_local", "serve"]


def bound(host: str, port: int) -> socket.socket:
    """A socket at this address, so that a port that is taken is known before anything is shown."""
    kind, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    found = socket.socket(kind, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(place)
    except OSError:
        found.close()
        raise
    return found


def address(host: str, port: int) -> str:
    """What to open.

    >>> address("127.0.0.1", 8765), address("::1", 80), address("0.0.0.0", 80)
    ('http://127.0.0.1:8765/', 'http://[::1]:80/', 'http://127.0.0.1:80/')
    """
    try:
        found = ip_address(host)
    except ValueError:
        return f"http://{host}:{port}/"
    if found.is_unspecified:
        return f"http://{'[::1]' if found.version == 6 else '127.0.0.1'}:{port}/"  # noqa: PLR2004
    return f"http://[{host}]:{port}/" if found.version == 6 else f"http://{host}:{port}/"  # noqa: PLR2004


def is_local(host: str) -> bool:
    """Whether only this machine can reach it.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def serve(
    tokenizers: Mapping[str, Tokenizer],
    host: str,
    listening: socket.socket,
    ready: Callable[[Server], object],
    warned: Mapping[str, Sequence[Told]] | None = None,
) -> None:
    """Serves until it is interrupted, or its `should_exit` is set; `ready` is called when it can be asked.

    `warned` is what was told of the tokenizers when they were read.
    """
    local = is_local(host)
    names = [] if local else [host, socket.gethostname()]
    app = application(tokenizers, warned, hosts=names, local=local)
    settings = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=30,
        use_colors=False,  # or it asks stdout, which may be closed
    )
    server = Server(settings, ready)
    server.run([listening])


class Server(uvicorn.Server):
    """uvicorn's, which says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[Server], object]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's; then it says so."""
        await super().startup(sockets)
        self._ready(self)
