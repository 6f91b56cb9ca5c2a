"""Contents of `tokenizer.json` files for the tests: some that stand for many, and any at all."""

from __future__ import annotations

import json
import warnings
from typing import Any

from hypothesis import strategies as st

from bytepair.errors import FormatWarning
from bytepair.formats import huggingface
from bytepair.parts import MARK, Parts, SpecialToken, TrainingRecord

TRAINING = TrainingRecord(
    ties="lowest",
    min_count=1,
    documents=2,
    bytes=100,
    pretokens=20,
    distinct=7,
    stopped="goal",
    counts=(2**63, 3),
    fired=(9, 3),
)
TOKENS = ((0, b"a"), (1, b"b"), (2, b" "), (3, b"ab"), (5, b" ab"))
PARTS = Parts(
    pattern=r"\s+$|\p{N}{1,3}+|\w+|[^\w]",
    tokens=TOKENS,
    merges=((0, 1), (2, 3)),
    specials=(
        SpecialToken("<|x|>", 9),
        SpecialToken("<|y z|>", 12, special=False, normalized=True, lstrip=True, single_word=True),
    ),
    training=TRAINING,
)
NATIVE = Parts(
    alphabet="characters",
    end_of_word="</w>",
    tokens=((0, MARK), (1, "é".encode()), (2, "é".encode() + MARK)),
    merges=((1, 0),),
    specials=(SpecialToken("</w>", 7),),
)
MINIMAL = {"a": 0, "b": 1, "ab": 2}
LEVEL = {"type": "ByteLevel", "trim_offsets": False}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<x>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
}


def render(parts: Parts) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return huggingface.render(parts)


def document(**changes: Any) -> dict[str, Any]:
    """A byte-level file as others write them; `model.vocab` and the like change by `model__vocab=`."""
    made: dict[str, Any] = json.loads(
        render(
            Parts(pattern=r"\p{L}+|\P{L}", tokens=TOKENS, merges=((0, 1), (2, 3)), specials=(SpecialToken("<x>", 6),))
        )
    )
    for place, value in changes.items():
        *outer, last = place.split("__")
        inner: Any = made
        for key in outer:
            inner = inner[int(key) if key.isdigit() else key]
        inner[last] = value
    return made


def parse(document: object) -> Parts:
    return huggingface.parse(json.dumps(document).encode())


@st.composite
def any_parts(draw: st.DrawFn) -> Parts:
    contents = draw(st.lists(st.binary(min_size=1, max_size=3), unique=True, max_size=8))
    ids = draw(st.lists(st.integers(0, 2**32 - 2), unique=True, min_size=len(contents), max_size=len(contents)))
    tokens = dict(zip(contents, ids, strict=True))
    merges = [(a, b) for x, a in tokens.items() for y, b in tokens.items() if x + y in tokens]
    texts = draw(st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=3))
    specials = [
        SpecialToken(text, draw(st.integers(0, 2**32 - 2)), *draw(st.tuples(*[st.booleans()] * 5))) for text in texts
    ]
    return Parts(
        pattern=draw(st.sampled_from([None, r"\p{L}+|\P{L}", r"\s+$|.", r"\bx", "(?i:ss)"])),
        tokens=tuple(sorted((id_, content) for content, id_ in tokens.items())),
        merges=tuple(draw(st.permutations(merges))),
        whole_first=draw(st.booleans()),
        specials=tuple(sorted(specials, key=lambda special: (special.id, special.content))),
    )
