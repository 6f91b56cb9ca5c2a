"""The native kind of `tokenizer.json`: what `tokenizers` cannot do, held exactly, and refused by `tokenizers`.

The key `bytepair` at the top makes Hugging Face's library refuse the file. It holds the version, why the file is not
theirs, alphabet, mark and pattern as they are, `ranks` and the training record. `model` looks as usual, but its tokens
are spelled in the byte alphabet whatever they are made of: contents have a spelling each, the end-of-word mark too, so
that nothing can be confused; of tokens with the same content, all but the first have a line break and their id behind
it. Special tokens stand in `added_tokens` alone, with the ids that they have.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final, Literal, cast, get_args

from bytepair.errors import FormatError
from bytepair.formats import added_tokens, byte_alphabet, huggingface_read, record
from bytepair.formats.strict_json import Field, shown
from bytepair.normalizing import Decoder, Kind, Normalizer, Step
from bytepair.parts import MAX_ID, Parts

__all__ = ["read", "write"]

_MOST: Final = 1 << 16


def read(root: Field) -> Parts:
    """The parts of a document that has `bytepair` at the top.

    Raises:
        FormatError: with the path and the value of what is damaged, or of a later version.
        BytepairError: the parts contradict each other.
    """
    own = root.get("bytepair")
    if (version := own.get("version")).value != record.VERSION:
        raise version.wrong(f"{record.VERSION}", "a later version of bytepair wrote the file: update bytepair")
    model = root.get("model")
    model.get("type").one_of("BPE")
    vocab = huggingface_read.read_vocab(model.get("vocab"))
    contents = {key: byte_alphabet.read(key.partition("\n")[0]) for key in vocab}
    wrong = next((key for key, content in contents.items() if content is None), None)
    if wrong is not None:
        raise FormatError(f"`model.vocab` has {shown(wrong)} with a character that spells no byte", "it is damaged")
    ranks = own.get("ranks").boolean(default=False)
    merges = None if ranks else _read_merges(model.get("merges"), vocab)
    extra = record.read(own, 0 if merges is None else len(merges))
    mark = own.get("end_of_word")
    return Parts(
        alphabet=cast(
            Literal["bytes", "characters", "unicode"], own.get("alphabet").one_of("bytes", "characters", "unicode")
        ),
        end_of_word=None if mark.value is None else mark.string(),
        end_of_word_joined=own.get("end_of_word_joined").boolean(default=False),
        pattern=extra.pattern,
        tokens=tuple(sorted((vocab[key], content) for key, content in contents.items() if content is not None)),
        merges=merges,
        whole_first=model.get("ignore_merges").boolean(default=False),
        specials=tuple(added_tokens.read_one(item) for item in root.get("added_tokens").items()),
        training=extra.training,
        **_read_around(own),
    )


def _read_merges(field: Field, vocab: dict[str, int]) -> tuple[tuple[int, int], ...]:
    """The merges; where some tokens have the same content, whether each makes a token is seen later."""
    if not any("\n" in key for key in vocab):
        return huggingface_read.read_merges(field, vocab).pairs
    pairs = []
    for item in field.items():
        halves = [half.string() for half in item.items()]
        if len(halves) != 2 or halves[0] not in vocab or halves[1] not in vocab:  # noqa: PLR2004
            raise item.wrong("two tokens of `model.vocab`")
        pairs.append((vocab[halves[0]], vocab[halves[1]]))
    return tuple(pairs)


def _read_around(own: Field) -> dict[str, Any]:
    """What is around the vocabulary, where there is anything."""
    made: dict[str, Any] = {"fuse_unknown": own.get("fuse_unknown").boolean(default=False)}
    if (unknown := own.get("unknown")).value is not None:
        made["unknown"] = unknown.integer(MAX_ID)
    if (post := own.get("post_processor")).value is not None:
        made["post_processor"] = post.string()
    if (normalizer := own.get("normalizer")).value is not None:
        before, after = (tuple(_read_step(item) for item in normalizer.get(key).items()) for key in ("before", "after"))
        made["normalizer"] = Normalizer(before, after, normalizer.get("plain").boolean(default=False))
    if (decoder := own.get("decoder")).value is not None:
        space = decoder.get("space")
        strip = decoder.get("strip").integer(_MOST)
        made["decoder"] = Decoder(None if space.value is None else space.string(), strip)
    return made


def _read_step(item: Field) -> Step:
    charsmap = item.get("charsmap").string()
    try:
        table = base64.b64decode(charsmap, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"`{item.path}.charsmap` is no base64 ({error})", "the file is damaged") from None
    texts = tuple(text.string() for text in item.get("texts").items())
    flags = tuple(flag.boolean(default=False) for flag in item.get("flags").items())
    return Step(cast(Kind, item.get("kind").one_of(*get_args(Kind))), texts, flags, table)


def _around(parts: Parts) -> dict[str, object]:
    """What is around the vocabulary; nothing where there is nothing."""
    made: dict[str, object] = {}
    if parts.unknown is not None:
        made["unknown"] = parts.unknown
    if parts.post_processor is not None:
        made["post_processor"] = parts.post_processor
    if parts.fuse_unknown:
        made["fuse_unknown"] = True
    if parts.normalizer:
        steps = parts.normalizer
        before, after = ([_step(step) for step in some] for some in (steps.before, steps.after))
        made["normalizer"] = {"before": before, "after": after, "plain": steps.plain}
    if parts.decoder != Decoder():
        made["decoder"] = {"space": parts.decoder.space, "strip": parts.decoder.strip}
    return made


def _step(step: Step) -> dict[str, object]:
    kind, texts, flags, table = step.plain()
    return {"kind": kind, "texts": texts, "flags": flags, "charsmap": base64.b64encode(table).decode()}


def write(parts: Parts, why: str) -> dict[str, object]:
    """The document; `why` says what `tokenizers` cannot do."""
    spelled: dict[int, str] = {}
    known: set[bytes] = set()
    for id_, content in sorted(parts.tokens):
        spelled[id_] = byte_alphabet.spell(content) + (f"\n{id_}" if content in known else "")
        known.add(content)
    extra = record.Extra(pattern=parts.pattern, ranks=parts.merges is None, training=parts.training)
    own: dict[str, object] = {
        "version": record.VERSION,
        "why": why,
        "alphabet": parts.alphabet,
        "end_of_word": parts.end_of_word,
        "end_of_word_joined": parts.end_of_word_joined,
    }
    return {
        "bytepair": own | _around(parts) | record.render(extra),
        "version": "1.0",
        "added_tokens": added_tokens.render(parts.specials),
        "model": {
            "type": "BPE",
            "ignore_merges": parts.whole_first,
            "vocab": {spelling: id_ for id_, spelling in spelled.items()},
            "merges": None
            if parts.merges is None
            else [[spelled[left], spelled[right]] for left, right in parts.merges],
        },
    }
