"""The pretokens of a text and how often each occurs, by the `regex` library: what merges are judged on.

A contestant is judged on the documents that it made of the text: peers that read a file line by line, or are given it
in pieces, see the pattern end at each of these edges, and count a little differently.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from benches.contest import Training


def counted(asked: Training, documents: str) -> dict[bytes, int]:
    r"""The pretokens, in the order of their first appearance.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"low\n\nlow<s>er"), file.flush()
    ...     asked = Training(file.name, None, 300, r"\w+|\s+(?!\S)|\s+|\W", "", ("<s>",), 1)
    ...     counted(asked, "file"), counted(asked, "line")
    ({b'low': 2, b'\n': 2, b'er': 1}, {b'low': 2, b'\n': 2, b'er': 1})
    """
    import regex

    pattern = regex.compile(asked.pattern)
    specials = regex.compile("|".join(map(regex.escape, asked.specials))) if asked.specials else None
    words: Counter[str] = Counter()
    for document in _documents(asked, documents):
        for part in specials.split(document) if specials else (document,):
            words.update(pattern.findall(part))
    return {word.encode(): count for word, count in words.items()}


def _documents(asked: Training, documents: str) -> Iterable[str]:
    if asked.texts is not None:
        return asked.texts
    if documents == "piece":
        return asked.pieces()
    text = Path(asked.path).read_bytes().decode()
    if documents == "line":
        return io.StringIO(text, newline="\n")
    return (text,)
