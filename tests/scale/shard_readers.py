"""Shards as the programs that train on them read them, written from the published formats.

- nanoGPT: `prepare.py` and `train.py` map `train.bin` as an array of uint16; nothing else is in the file.
- llm.c (`dev/data/data_common.py`, `llmc/dataloader.h`) and modded-nanogpt: 256 int32, of which the first are a magic
  number, a version and the number of tokens; then the tokens.
- Megatron-LM (`megatron/core/datasets/indexed_dataset.py`): `.idx` with the sequences' lengths, pointers and the
  document indices; `.bin` with their tokens.
"""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import parquet as reader

Documents = list[list[int]]


def nanogpt(path: Path, dtype: Any = np.uint16) -> list[int]:
    """The stream of a file; one of nothing but empty documents has nothing that could be mapped."""
    if not path.stat().st_size:
        return []
    return list(map(int, np.memmap(path, dtype=dtype, mode="r")))


def llm_c(path: Path) -> list[int]:
    """The tokens behind a header."""
    content = path.read_bytes()
    magic, version, count = struct.unpack_from("<3i", content)
    assert content[12:1024] == bytes(1012)
    letter = {(20240520, 1): "H", (20240801, 7): "I"}[magic, version]
    assert len(content) == 1024 + count * struct.calcsize(letter)
    return list(struct.unpack_from(f"<{count}{letter}", content, 1024))


def npy(path: Path) -> list[int]:
    """A NumPy array."""
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    assert array.ndim == 1
    return [int(id) for id in array]


def megatron(prefix: Path) -> Documents:
    """The documents of an indexed dataset; each may be of several sequences."""
    index = prefix.with_suffix(".idx").read_bytes()
    assert index[:9] == b"MMIDIDX\x00\x00"
    version, code, sequences, documents = struct.unpack_from("<QBQQ", index, 9)
    assert version == 1
    letter = {1: "B", 2: "b", 3: "h", 4: "i", 5: "q", 8: "H"}[code]
    place = 9 + struct.calcsize("<QBQQ")
    lengths = struct.unpack_from(f"<{sequences}i", index, place)
    pointers = struct.unpack_from(f"<{sequences}q", index, place + 4 * sequences)
    indices = struct.unpack_from(f"<{documents}q", index, place + 12 * sequences)
    assert len(index) == place + 12 * sequences + 8 * documents
    # What IndexedDataset asserts of itself.
    assert len(lengths) == indices[-1]
    tokens = prefix.with_suffix(".bin").read_bytes()
    read = [
        list(struct.unpack_from(f"<{length}{letter}", tokens, pointer))
        for length, pointer in zip(lengths, pointers, strict=True)
    ]
    assert sum(map(len, read)) * struct.calcsize(letter) == len(tokens)
    return [[id for sequence in read[first:last] for id in sequence] for first, last in pairwise(indices)]


def parquet(path: Path) -> Documents:
    """The rows of a file."""
    rows: Documents = reader.read_table(path)["input_ids"].to_pylist()
    return rows


def boundaries(folder: Path, name: str) -> list[int]:
    """Where documents end, beside the formats that do not say it."""
    return [int(end) for end in np.load(folder / "documents" / f"{name}.npy", allow_pickle=False)]


def read(folder: Path) -> list[Documents]:
    """The documents of every shard of a folder, in the order of the files' names."""
    manifest = json.loads((folder / "manifest.json").read_text())
    kind, dtype = manifest["settings"]["format"], manifest["settings"]["dtype"]
    shards: list[Documents] = []
    for shard in (shard for item in manifest["items"] for shard in item["shards"]):
        name = shard["name"]
        if kind == "megatron":
            shards.append(megatron(folder / name))
            continue
        if kind == "parquet":
            shards.append(parquet(folder / f"{name}.parquet"))
            continue
        path = folder / f"{name}.{'npy' if kind == 'npy' else 'bin'}"
        stream = {"nanogpt": lambda path: nanogpt(path, dtype), "llm.c": llm_c, "npy": npy}[kind](path)
        ends = boundaries(folder, name)
        assert ends[0] == 0
        assert ends[-1] == len(stream)
        shards.append([stream[start:end] for start, end in pairwise(ends)])
    return shards
