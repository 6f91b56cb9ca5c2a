"""How much memory there is for this process: that of the machine, or less where a limit says so.

A limit of a control group (a container's, say) and one of the process (`ulimit -v`) count. What other processes take is
not known beforehand and does not count.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["amount", "limit"]

_GROUPS: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")


def limit() -> int | None:
    """The bytes; None where the system does not tell.

    >>> limit() is None or limit() > 1_000_000
    True
    """
    return min((*_of_machine(), *_of_groups(), *_of_process()), default=None)


def amount(size: int) -> str:
    """Bytes in words.

    >>> amount(1_230_000_000), amount(45_000_000)
    ('1.2 GB', '45 MB')
    """
    return f"{size / 10**9:,.1f} GB" if size >= 10**9 else f"{size / 10**6:,.0f} MB"


def _of_machine() -> Iterator[int]:
    with contextlib.suppress(AttributeError, OSError, ValueError):  # no such thing on Windows
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_groups() -> Iterator[int]:
    """The limits of the groups that the process is in, and of those that these are in."""
    with contextlib.suppress(OSError, ValueError):
        for line in _OWN.read_text().splitlines():
            _, kinds, name = line.split(":", 2)
            if kinds and "memory" not in kinds.split(","):
                continue
            file, root = ("memory.limit_in_bytes", _GROUPS / "memory") if kinds else ("memory.max", _GROUPS)
            place = root / name.lstrip("/")
            for folder in (place, *place.parents):
                if folder.is_relative_to(root):
                    yield from _number(folder / file)


def _number(file: Path) -> Iterator[int]:
    with contextlib.suppress(OSError, ValueError):  # it says "max" where there is none
        yield int(file.read_text())


def _of_process() -> Iterator[int]:
    with contextlib.suppress(ImportError, OSError, ValueError):  # not on Windows
        import resource  # noqa: PLC0415

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            yield soft
