"""Fetching a published file: only when asked, whole or not at all, and only with the published hash.

The file is read with a limit on its size, its hash is compared, and it is written beside its place and renamed.
"""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from pathlib import Path
from typing import Final

from bytepair.errors import UnavailableError
from bytepair.formats import atomic, names
from bytepair.formats.published import PublishedFile

__all__ = ["fetch"]

_SECONDS: Final = 60
"""How long a server may be silent."""


def fetch(file: PublishedFile, source: str | None = None) -> Path:
    """Writes a published file into bytepair's folder, unless it is there.

    Args:
        file: which.
        source: an address other than the published one, of a mirror for example.

    Returns:
        Where it is.

    Raises:
        UnavailableError: no address; no answer, or another content than the published one.
        OSError: it cannot be written.
    """
    target = names.home() / file.name
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == file.sha256:
        return target
    url = source or file.url
    if url is None:
        package = file.packages[0][0]
        raise UnavailableError(f"`{file.name}` is not published at an address", f"install the package {package}")
    if not url.startswith(("http://", "https://")):
        raise UnavailableError(
            f"`{url}` is no address of a server", f"it begins with https://; a file is copied to {target}"
        )
    content = _read(url)
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise UnavailableError(
            f"{url} gives {len(content)} bytes with the SHA-256 {found}, and `{file.name}` has {file.sha256}",
            "nothing was written; try again, or another address",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_bytes(target, content)
    return target


def _read(url: str) -> bytes:
    hint = "nothing was written; try again, or another address"
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310 - the caller has looked at the scheme
            content: bytes = answer.read(names.LARGEST + 1)
            wanted = answer.headers.get("Content-Length", "")
    except urllib.error.HTTPError as error:
        error.close()
        raise UnavailableError(f"{url} answers {error.code} {error.reason}", hint) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise UnavailableError(f"{url} cannot be read: {reason or type(error).__name__}", hint) from None
    if len(content) > names.LARGEST:
        raise UnavailableError(f"{url} gives more than {names.LARGEST} bytes", hint)
    if wanted.isdecimal() and len(content) < int(wanted):
        raise UnavailableError(f"{url} was cut short: {len(content)} of {wanted} bytes came", hint)
    return content
