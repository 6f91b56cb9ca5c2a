"""pyarrow, imported when it is first needed, and what is said where it is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, Protocol, TypeGuard

__all__ = ["ArrowArray", "ArrowStream", "arrow", "imported", "is_arrow"]


class ArrowArray(Protocol):
    """One array or batch that Arrow's PyCapsule interface hands on."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class ArrowStream(Protocol):
    """Several of them, one after the other: a chunked array, a table, a data frame, a reader."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def arrow(need: str, module: str = "") -> Any:  # noqa: ANN401 - pyarrow has no types
    """`pyarrow`, or a module of it, which is needed for what `need` says.

    Raises:
        ImportError: it is not installed.
    """
    return imported(f"pyarrow{module}", need, "'bytepair[data]'")


def imported(module: str, need: str, install: str | None = None) -> Any:  # noqa: ANN401
    """A module of a library that is not installed with this package; `install` is its name for pip, if it is another.

    >>> imported("nosuch.module", "this", "nosuch")
    Traceback (most recent call last):
        ...
    ImportError: this needs nosuch, which cannot be imported (No module named 'nosuch')
    hint: pip install nosuch

    Raises:
        ImportError: it cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise ImportError(
            f"{need} needs {name}, which cannot be imported ({error})\nhint: pip install {install or name}", name=name
        ) from None


def is_arrow(texts: object) -> TypeGuard[ArrowArray | ArrowStream]:
    """Whether this is a column or a table of Arrow's, or of a library that can hand its columns on as such.

    >>> is_arrow(["low", "lower"])
    False
    """
    return not isinstance(texts, (type, ModuleType)) and any(
        hasattr(texts, name) for name in ("__arrow_c_stream__", "__arrow_c_array__")
    )
