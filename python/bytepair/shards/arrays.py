"""What documents and windows are: sequences of arrays of ids, of which any one is had by its number."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, overload

if TYPE_CHECKING:
    from bytepair.shards.formats import Ids

__all__ = ["Arrays"]


class Arrays(Sequence["Ids"]):
    """A sequence of arrays, each of shape (ids,)."""

    _called: ClassVar[str]
    """What an item is called in an error."""

    @abstractmethod
    def _at(self, number: int) -> Ids:
        """The item of a number from 0 on, which is below the length."""

    @overload
    def __getitem__(self, index: int) -> Ids: ...
    @overload
    def __getitem__(self, index: slice) -> list[Ids]: ...
    def __getitem__(self, index: int | slice) -> Ids | list[Ids]:
        """An item, or several.

        Raises:
            IndexError: there is no such item.
        """
        if isinstance(index, slice):
            return [self._at(number) for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            hint = f"it is a number from 0 to {len(self) - 1:,}" if len(self) else "there is none"
            raise IndexError(f"{self._called} {index} of {len(self):,}\nhint: {hint}")
        return self._at(number)
