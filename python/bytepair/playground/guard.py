"""Who may send a request, how large it may be, and what a browser may do with the answer.

A page of somebody else's can send requests to this machine, and with a name of its own that leads here (DNS rebinding)
it could read the answers. So the `Host` must be a name that is ours: an address in numbers, which nobody can rebind,
`localhost`, or a name that was given. An `Origin`, which browsers add to what other pages ask for, must be that host.

The answer may run and load nothing but our own files, whatever a text has brought into it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "Guard", "is_ours"]

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_SAME = frozenset({"same-origin", "none"})


class Guard:
    """Refuses what comes from elsewhere, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], *, local: bool = True) -> None:
        """`hosts` are further names of this machine; `local`: only addresses of this machine itself are asked for."""
        self.app, self.hosts, self.local = app, frozenset(host.lower() for host in hosts), local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets here
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refused = self._refused(Headers(scope=scope))
        if refused is None:
            await self.app(scope, receive, guarded)
            return
        body = json.dumps({"error": refused, "hint": "open the address that `bytepair play` has shown"}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await guarded({"type": "http.response.start", "status": 403, "headers": headers})
        await guarded({"type": "http.response.body", "body": body})

    def _refused(self, headers: Headers) -> str | None:
        """Why a request is refused; None if it is not."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not is_ours(hosts[0], self.hosts, local=self.local):
            return "this host is not served here"
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{hosts[0].lower()}":
            return "requests of other pages are not answered"
        if headers.get("sec-fetch-site", "none") not in _SAME and headers.get("sec-fetch-mode") != "navigate":
            return "requests of other pages are not answered"
        return None


def is_ours(host: str, names: Iterable[str] = (), *, local: bool = True) -> bool:
    """Whether a `Host` can only mean this server.

    >>> [is_ours(host) for host in ("127.0.0.1:8765", "localhost", "[::1]:80", "10.0.0.1", "evil.example", "")]
    [True, True, True, False, False, False]
    >>> is_ours("10.0.0.1:80", local=False), is_ours("tea.example", local=False), is_ours("tea", ["tea"])
    (True, False, True)
    """
    try:
        parts = urlsplit(f"//{host}")
        name, port = parts.hostname, parts.port
    except ValueError:
        return False
    if name is None or "@" in host or parts.path or parts.query or parts.fragment or port == 0:
        return False
    if name == "localhost" or name in names:
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or not local
