"""Memory that the machine has at hand, before each run.

A virtual machine may hand free memory back to its host, and gets it again page by page when it is touched: a large page
then takes 3.5 ms instead of 0.1, and whoever happens to touch it pays. So that nobody does, some memory is touched and
given back before each process starts; the host takes it only seconds later.
"""

from __future__ import annotations

import mmap

SIZE = 512 << 20


def touch(size: int) -> int:
    """Touches so many bytes of memory and gives them back; how many pages were touched.

    >>> touch(1 << 22) * mmap.PAGESIZE
    4194304
    """
    with mmap.mmap(-1, size) as memory:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        pages = range(0, size, mmap.PAGESIZE)
        for page in pages:
            memory[page] = 1
    return len(pages)
