"""Decoding: ids of 7 KB documents to text, from lists and from arrays, one by one and as a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from benches.contest import Contestant
from benches.corpus import documents, parts
from benches.job import Job, Step
from benches.timing import repeated, unavailable

PIECE = 1_000_000


def run(job: Job, contestant: Contestant) -> Iterator[Step]:
    [text] = parts(job.text, (1.0,))
    encoder = contestant.load(job.vocabulary, 1)
    texts = documents(text[:PIECE].decode("utf-8", "ignore").encode())
    size = sum(len(text.encode()) for text in texts)
    lists = [list(encoder.one(text)) for text in texts]
    arrays = [np.asarray(ids, dtype=np.uint32) for ids in lists]
    for name, decode, inputs in (
        ("list", encoder.decode_list, lists),
        ("array", encoder.decode_array, arrays),
        ("batch", encoder.decode_batch, None),
    ):
        if decode is None:
            yield unavailable(name, encoder)
            continue
        outputs = decode(lists) if inputs is None else [decode(ids) for ids in inputs]
        wrong = next((i for i, output in enumerate(outputs) if _text(output) != texts[i]), None)
        if wrong is not None:
            yield Step(name, error=f"document {wrong} does not come back")
            continue
        del outputs
        yield repeated(name, _loop(decode, lists if inputs is None else inputs, inputs is None), size, "bytes")


def _text(output: Any) -> str:
    return bytes(output).decode("utf-8") if isinstance(output, (bytes, bytearray)) else str(output)


def _loop(decode: Callable[[Any], object], inputs: Sequence[Any], whole: bool) -> Callable[[], None]:
    def each() -> None:
        for ids in inputs:
            decode(ids)

    return (lambda: (decode(inputs), None)[1]) if whole else each
