"""pyarrow, imported when it is first needed, and what is said where it is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, Protocol, TypeGuard

__all__ = ["ArrowArray", "ArrowStream", "arrow", "is_arrow"]


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
    try:
        return importlib.import_module(f"pyarrow{module}")
    except ImportError as error:
        message = f"{need} needs pyarrow, which cannot be imported ({error})\nhint: pip install 'bytepair[data]'"
        raise ImportError(message, name="pyarrow") from None


def is_arrow(texts: object) -> TypeGuard[ArrowArray | ArrowStream]:
    """Whether this is a column or a table of Arrow's, or of a library that can hand its columns on as such.

    >>> is_arrow(["low", "lower"])
    False
    """
    return not isinstance(texts, (type, ModuleType)) and any(
        hasattr(texts, name) for name in ("__arrow_c_stream__", "__arrow_c_array__")
    )
