"""Much text from some: copies in which here and there a letter is another one, so that new words come with each.

Real text brings new words at a falling rate (Heaps' law): in ten times as much text there are some four times as many
different words. A copy changes so many letters that this holds for all copies together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

LETTERS = (ord("a"), ord("z"))
GROWTH = 0.6
"""Different words grow as text to the power of this."""


def copies(text: bytes, distinct: int, size: int, seed: int = 0) -> Iterator[bytes]:
    """Copies of a text that has so many different words: the first as it is; `size` bytes in all, the last one cut."""
    rng = np.random.default_rng(seed)
    original = np.frombuffer(text, np.uint8)
    places = np.flatnonzero((original >= LETTERS[0]) & (original <= LETTERS[1]))
    number = 0
    while size > 0:
        copy = original.copy()
        wanted = round(distinct * ((number + 1) ** GROWTH - number**GROWTH)) if number else 0
        changed = rng.choice(places, min(wanted, len(places))) if len(places) else places
        copy[changed] = rng.integers(LETTERS[0], LETTERS[1] + 1, len(changed), dtype=np.uint8)
        yield copy[:size].tobytes()
        size -= len(copy)
        number += 1
