"""More tokens learned from a corpus; old ids and merges stay, and come first.

A tokenizer that normalises merges what is left of a text then. Its ids say all of that (where tokens are bytes), so
the corpus is encoded and decoded, which normalises what lies between special tokens, and training goes on from the same
vocabulary without the normalizer; which is put back in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bytepair.editing.edited import Edited, edited
from bytepair.errors import TrainingError
from bytepair.integers import processors
from bytepair.normalizing import Decoder, Normalizer

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer
    from bytepair.training.balance import Balance

__all__ = ["extended"]

_READING = ("format", "text_field", "separator", "errors", "sample", "seed")
"""The settings of training that say how texts are read."""


def extended(tok: Tokenizer, settings: dict[str, Any]) -> Edited:
    """What `Tokenizer.extended` does; `settings` are those of `train`."""
    from bytepair.training.train import train  # noqa: PLC0415 - much is loaded for it

    if "base" in settings:
        raise TypeError("base is this tokenizer\nhint: leave `base` out")
    if not _is_readable(tok):
        return edited(tok, train(base=tok, **settings))
    base = type(tok).from_parts(replace(tok.parts, normalizer=Normalizer()))
    given = _normalised(_reader(tok, settings.get("special_tokens", ())), dict(settings))
    parts = replace(train(base=base, **given).parts, normalizer=tok.parts.normalizer)
    return edited(tok, type(tok).from_parts(parts))


def _is_readable(tok: Tokenizer) -> bool:
    """Whether a tokenizer normalises, and its ids say what the normalised text is."""
    engine = tok._engine  # noqa: SLF001 - for this package's own use
    return engine.normalises and engine.alphabet[0] == "bytes" and tok.parts.decoder == Decoder()


def _reader(tok: Tokenizer, specials: Sequence[str]) -> Tokenizer:
    """The tokenizer with the special tokens that it will have: they are boundaries in the text as it is."""
    new = [content for content in dict.fromkeys(specials) if content not in tok.special_tokens]
    return tok.with_special_tokens(new).tokenizer if new else tok


def _normalised(reader: Tokenizer, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings with normalised texts in place of what they say.

    Raises:
        TrainingError: counts, or sources that rows name.
        As `train`.
    """
    from bytepair.data.corpus import corpus  # noqa: PLC0415
    from bytepair.training import balance  # noqa: PLC0415

    for name, why in (("counts", "are of texts as they are"), ("source_field", "takes sources from rows")):
        if settings.pop(name, None) is not None:
            raise TrainingError(
                f"the tokenizer normalises texts, and {name} {why}", "give the texts or files themselves"
            )
    if isinstance(settings.get("balance"), balance.Balance):
        settings["balance"] = _turns(reader, settings["balance"])
    reading = {name: settings.pop(name) for name in _READING if name in settings}
    texts, files = settings.pop("texts", None), settings.pop("files", None)
    threads = processors(settings.get("threads"))

    def documents(**given: Any) -> Iterator[bytes]:  # noqa: ANN401
        for batch in corpus(**given, **reading).documents():
            ids, offsets = reader.encode_batch_to_numpy(batch.documents, threads=threads, allowed_special="all")
            yield from reader.decode_bytes_batch(ids, offsets=offsets, threads=threads)

    corpus(texts=texts, files=files, **reading)  # what is refused there is refused here
    name, value = ("files", files) if texts is None else ("texts", texts)
    if isinstance(value, Mapping):
        return {**settings, "texts": {source: documents(**{name: one}) for source, one in value.items()}}
    return {**settings, "texts": documents(**{name: value})}


def _turns(reader: Tokenizer, balance: Balance) -> Balance:
    """The same with normalised development texts: their lengths say whose turn it is."""

    def text(line: str) -> str:
        return reader.decode(reader.encode(line, allowed_special="all"))

    texts = {name: lines and [*map(text, lines)] for name, lines in balance.texts.items()}
    return replace(balance, development=texts)
