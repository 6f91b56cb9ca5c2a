"""Windows as a dataset of PyTorch's; only this module needs torch.

What a `DataLoader` needs is a length and items, so `Windows` would do. This makes tensors of int64, which embeddings
take, since torch can do little with uint16 and uint32; and copies, since what is mapped cannot be written to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from bytepair.shards.windows import Windows

__all__ = ["WindowDataset"]


class WindowDataset(torch.utils.data.Dataset):  # type: ignore[misc] # torch need not be there
    """A map-style dataset of windows."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows

    def __len__(self) -> int:
        return len(self.windows)

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.from_numpy(self.windows[index].astype(np.int64))
