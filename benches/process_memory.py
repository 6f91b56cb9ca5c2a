"""The memory of this process, in bytes: what it holds now, and the most that it held. Both read what Linux says."""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path


def resident() -> int:
    """What it holds now, after what is free has been given back to the system."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak() -> int:
    """The most that it held. `getrusage` would tell that of the process that started it, where that was more."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
