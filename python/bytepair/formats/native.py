"""The native kind of `tokenizer.json`: what `tokenizers` cannot do, held exactly, and refused by `tokenizers`.

The key `bytepair` at the top makes Hugging Face's library refuse the file. It holds the version, why the file is not
theirs, alphabet, mark and pattern as they are, `ranks` and the training record. `model` looks as usual, but its tokens
are spelled in the byte alphabet whatever they are made of: contents have a spelling each, the end-of-word mark too, so
that nothing can be confused. Special tokens stand in `added_tokens` alone, with the ids that they have.
"""

from __future__ import annotations

from typing import Literal, cast

from bytepair.errors import FormatError
from bytepair.formats import added_tokens, byte_alphabet, huggingface_read, record
from bytepair.formats.strict_json import Field, shown
from bytepair.parts import Parts

__all__ = ["read", "write"]


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
    contents = {key: byte_alphabet.read(key) for key in vocab}
    wrong = next((key for key, content in contents.items() if content is None), None)
    if wrong is not None:
        raise FormatError(f"`model.vocab` has {shown(wrong)} with a character that spells no byte", "it is damaged")
    ranks = own.get("ranks").boolean(default=False)
    merges = None if ranks else huggingface_read.read_merges(model.get("merges"), vocab)
    extra = record.read(own, 0 if merges is None else len(merges.pairs))
    mark = own.get("end_of_word")
    return Parts(
        alphabet=cast(Literal["bytes", "characters"], own.get("alphabet").one_of("bytes", "characters")),
        end_of_word=None if mark.value is None else mark.string(),
        end_of_word_joined=own.get("end_of_word_joined").boolean(default=False),
        pattern=extra.pattern,
        tokens=tuple(sorted((vocab[key], content) for key, content in contents.items() if content is not None)),
        merges=None if merges is None else merges.pairs,
        whole_first=model.get("ignore_merges").boolean(default=False),
        specials=tuple(added_tokens.read_one(item) for item in root.get("added_tokens").items()),
        training=extra.training,
    )


def write(parts: Parts, why: str) -> dict[str, object]:
    """The document; `why` says what `tokenizers` cannot do."""
    spelled = {id_: byte_alphabet.spell(content) for id_, content in sorted(parts.tokens)}
    extra = record.Extra(pattern=parts.pattern, ranks=parts.merges is None, training=parts.training)
    own: dict[str, object] = {
        "version": record.VERSION,
        "why": why,
        "alphabet": parts.alphabet,
        "end_of_word": parts.end_of_word,
        "end_of_word_joined": parts.end_of_word_joined,
    }
    return {
        "bytepair": own | record.render(extra),
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
