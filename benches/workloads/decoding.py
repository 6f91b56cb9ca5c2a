"""Decoding: ids of 7 KB documents to text, from lists and from arrays, one by one and as a batch.

A contestant whose documents do not come back as they were has no figure; nor does one that has no such call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benches.contest import Contestant
from benches.corpus import documents, parts
from benches.job import Job, Step
from benches.timing import repeated

PIECE = 1_000_000
DecodeAll = Callable[[], list[Any]]


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    [text] = parts(job.text, (1.0,))
    encoder = contestant.load(job.vocabulary, 1)
    texts = documents(text[:PIECE].decode("utf-8", "ignore").encode())
    lists = [list(encoder.one(text)) for text in texts]
    arrays = [np.asarray(ids, dtype=np.uint32) for ids in lists]
    yield _step("list", _each(encoder.decode_list, lists), texts)
    yield _step("array", _each(encoder.decode_array, arrays), texts)
    yield _step("batch", _whole(encoder.decode_batch, lists), texts)


def _each(decode: Callable[[Any], object] | None, inputs: list[Any]) -> DecodeAll | None:
    return None if decode is None else lambda: [decode(ids) for ids in inputs]


def _whole(decode: Callable[[list[list[int]]], Any] | None, lists: list[list[int]]) -> DecodeAll | None:
    return None if decode is None else lambda: list(decode(lists))


def _step(name: str, decode: DecodeAll | None, texts: list[str]) -> Step:
    if decode is None:
        return Step(name, error="has no such call")
    for i, (output, text) in enumerate(zip(decode(), texts, strict=True)):
        found = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
        if found != text:
            return Step(name, error=f"document {i} does not come back")
    return repeated(name, decode, sum(len(text.encode()) for text in texts), "bytes")
