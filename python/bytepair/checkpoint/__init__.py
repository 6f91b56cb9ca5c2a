"""Work that was stopped, at any moment and in any way, and goes on: the directory in which it is saved.

`directory` is the directory as a whole, `counted` its file of counts, `learned` its file of merges, and `differences`
says what is different where somebody goes on with something else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bytepair.checkpoint.directory import Checkpoint

__all__ = ["opened"]


def opened(
    path: str | os.PathLike[str] | None, settings: Mapping[str, object], *, resume: bool
) -> AbstractContextManager[Checkpoint | None]:
    """The checkpoint, if one is asked for; see `Checkpoint`."""
    if path is not None:
        from bytepair.checkpoint.directory import Checkpoint  # noqa: PLC0415 - most trainings have none

        return Checkpoint(path, settings, resume=resume)
    if resume:
        raise TypeError('resume is True, but there is no checkpoint\nhint: name its directory: checkpoint="run1"')
    return nullcontext()
