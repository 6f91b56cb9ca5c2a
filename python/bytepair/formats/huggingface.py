"""`tokenizer.json`, the file of Hugging Face's `tokenizers`: our own file format.

What the format has a place for stands there, so that `tokenizers` and `transformers` give the same ids; the pattern is
translated for their regular expressions (`oniguruma.py`). What it has no place for stands under `model.bytepair`, a key
that they pass over: the pattern as it was given (`pattern`), that the vocabulary is a rank file's (`ranks`), and the
training record (`training`). Ids never depend on it: on reading, the pattern there counts only if its translation is
the file's own regular expression, and `ranks` only if the file's merges are those that the ranks give.

What `tokenizers` cannot do at all (an end-of-word mark that is a symbol of its own, a pattern that has no translation,
a special token spelled like another token) is written under a key `bytepair` at the top, which makes `tokenizers`
refuse the file instead of giving other ids; a `FormatWarning` says why. It reads back here exactly.

Read are such files, and byte-level files of others: merges in both spellings (`"a b"` and `["a", "b"]`), added tokens,
`ignore_merges`, a pattern in `Split` or the one of GPT-2 inside `ByteLevel`; and files without a pre-tokenizer whose
tokens are all ASCII, for there the symbols are characters of the whole text, and these are bytes. What a vocabulary has
no symbol for, `tokenizers` leaves out in silence (`unk_token` is null); here that is `unknown="skip"`, and `encode`
raises `UnknownSymbolError` by itself. Everything else that would change ids is refused by its name. What does not
change the ids of `encode` is passed over and not kept: `post_processor` (if it adds BOS or a template, which `encode`
never does by itself, a `FormatWarning` names it), `dropout` (a `FormatWarning` too), the options of `ByteLevel` about
offsets.

Files are byte-equal for equal tokenizers with equal training records: sorted by id, no time, no path, no version.
"""

from __future__ import annotations

from bytepair.formats import huggingface_read, huggingface_write, native
from bytepair.formats.strict_json import Field, load
from bytepair.parts import Parts

__all__ = ["parse", "read", "render"]


def parse(data: bytes) -> Parts:
    """Reads the content of a `tokenizer.json`; errors and warnings as `read`."""
    return read(load(data))


def read(root: Field) -> Parts:
    """Reads the document of a `tokenizer.json`.

    Raises:
        FormatError: what is damaged, or is not read, with its path in the file and its value.
        BytepairError: tokens and options that contradict each other.

    Warns:
        FormatWarning: the file adds special tokens to the ids of each text, which `encode` here does not.
    """
    if "bytepair" in root.object():
        return native.read(root)
    return huggingface_read.read(root)


def render(parts: Parts) -> bytes:
    r"""Writes the content of a `tokenizer.json`.

    Warns:
        FormatWarning: `tokenizers` cannot do what these parts say, and will refuse the file.

    >>> parts = Parts(tokens=((0, b"a"), (1, b"b"), (2, b"ab")), merges=((0, 1),), pattern=r"\w+")
    >>> parse(render(parts)) == parts
    True
    """
    return huggingface_write.write(parts)
