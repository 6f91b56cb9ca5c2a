"""Characters that fall back to bytes, normalizers, decoders: the engine against the reference, and files of them."""

from __future__ import annotations

import json
import pickle
import random
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bytepair as bp
from bytepair import formats
from bytepair.errors import BytepairError, FormatError
from bytepair.normalizing import Decoder, Kind, Normalizer, Step
from bytepair.parts import MARK, Parts, SpecialToken
from bytepair.proving import prove
from bytepair.reference import Vocabulary, from_merges, pieces

sentencepiece_model_pb2 = pytest.importorskip("sentencepiece.sentencepiece_model_pb2")

SIGNS = "ab▁éж日 "
STEPS: list[tuple[Kind, tuple[str, ...]]] = [
    ("nfc", ()),
    ("nfd", ()),
    ("nfkc", ()),
    ("nfkd", ()),
    ("lowercase", ()),
    ("strip_accents", ()),
    ("replace", (" ", "▁")),
    ("replace", ("a", "")),
    ("prepend", ("▁",)),
    ("prepend_always", ("▁",)),
]


def made(draw: random.Random, *, falls_back: bool) -> Parts:
    """A random vocabulary."""
    contents = [sign.encode() for sign in SIGNS if draw.random() < 0.8]
    contents += [MARK + bytes((byte,)) for byte in range(256 * falls_back)]
    merges: list[tuple[int, int]] = []
    for _ in range(draw.randrange(30)):
        texts = [id_ for id_, content in enumerate(contents) if not content.startswith(MARK)]
        if not texts:
            break
        pair = draw.choice(texts), draw.choice(texts)
        joined = contents[pair[0]] + contents[pair[1]]
        if joined not in contents:
            contents.append(joined)
            merges.append(pair)
    return Parts(
        alphabet="unicode",
        tokens=tuple(enumerate(contents)),
        merges=tuple(merges),
        specials=(SpecialToken("<unk>", 5000),),
        unknown=5000,
        fuse_unknown=draw.random() < 0.5,
        decoder=Decoder("▁", draw.randrange(3)),
    )


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 2**32),
    st.booleans(),
    st.lists(st.sampled_from(STEPS), max_size=4),
    st.text(st.sampled_from(SIGNS + "AÉ́ⅣxΣ\n"), max_size=40),
)
@example(0, False, [("nfkc", ())] * 4, "Ⅳ")
def test_the_engine_does_what_the_reference_does(
    seed: int, falls_back: bool, steps: list[tuple[Kind, tuple[str, ...]]], text: str
) -> None:
    parts = made(random.Random(seed), falls_back=falls_back)
    normalizer = Normalizer(tuple(Step(kind, texts) for kind, texts in steps))
    tok = bp.Tokenizer.from_parts(Parts(**{**fields(parts), "normalizer": normalizer}))
    plain = pieces.normalise(text, [(kind, *texts) for kind, texts in steps])
    vocabulary: Vocabulary = from_merges(dict(parts.tokens), parts.merges or ())
    expected = pieces.encode(vocabulary, plain, 5000, fuse=parts.fuse_unknown)
    ids = tok.encode(text)
    assert ids == expected
    assert tok.decode_bytes(ids) == pieces.decode(dict(parts.tokens) | {5000: b"<unk>"}, ids, strip=parts.decoder.strip)
    stream = tok.stream_decoder()
    assert "".join(stream.feed(id_) for id_ in ids) + stream.flush() == tok.decode(ids)
    trace = tok.trace(text)
    assert list(trace.ids) == ids == [tree.id for tree in tok.explain(text)]
    assert all(0 <= start <= end <= len(text) for start, end in trace.char_offsets)
    assert pickle.loads(pickle.dumps(tok)).encode(text) == ids  # noqa: S301 - our own


def fields(parts: Parts) -> dict[str, Any]:
    return {name: getattr(parts, name) for name in Parts.__dataclass_fields__}


def llama(**more: Any) -> Parts:
    """A small vocabulary of the kind that Llama 2 has."""
    contents = [MARK + bytes((byte,)) for byte in range(256)] + [sign.encode() for sign in ("▁", "a", "b", "▁a", "ab")]
    ids = {content: id_ for id_, content in enumerate(contents, 3)}
    merges = ((ids["▁".encode()], ids[b"a"]), (ids[b"a"], ids[b"b"]))
    settings_: dict[str, Any] = {
        "alphabet": "unicode",
        "tokens": tuple((id_, content) for content, id_ in ids.items()),
        "merges": merges,
        "specials": tuple(SpecialToken(text, id_) for id_, text in enumerate(("<unk>", "<s>", "</s>"))),
        "unknown": 0,
        "fuse_unknown": True,
        "normalizer": Normalizer((Step("prepend", ("▁",)), Step("replace", (" ", "▁")))),
        "decoder": Decoder("▁", 1),
    }
    return Parts(**settings_ | more)


def test_a_model_of_llamas_kind() -> None:
    tok = bp.Tokenizer.from_parts(llama())
    ids = tok.encode("ab é a")
    assert [tok.bytes_of(id_) for id_ in ids] == ["▁a".encode(), b"b", "▁".encode(), b"\xc3", b"\xa9", "▁a".encode()]
    assert tok.decode(ids) == "ab é a"
    assert [token.char_offsets for token in tok.trace("ab é a")] == [(0, 1), (1, 2), (2, 3), (3, 4), (3, 4), (4, 6)]
    assert (tok.lossy, tok.count(""), tok.encode(""), tok.decode([])) == (True, 0, [], "")
    assert tok.encode("a<s>a", allowed_special=["<s>"])[1] == 1
    assert tok.truncate("ab é a", 3) == "ab "
    assert tok.split("ab a") == ["ab a"]
    assert tok.encode(b"\xff\x00") == [261 - 2, 258, 3] or tok.decode_bytes(tok.encode(b"\xff\x00")) == b"\xff\x00"
    assert tok.encode_batch(["ab", "a"]) == [tok.encode("ab"), tok.encode("a")]
    assert tok.fingerprint != bp.Tokenizer.from_parts(llama(normalizer=Normalizer())).fingerprint


def test_conversions_are_proved(tmp_path: Path) -> None:
    tok = bp.Tokenizer.from_parts(llama())
    tok.save(tmp_path / "small.model")
    assert prove(tok, bp.load(tmp_path / "small.model"), [b"\xff\x00"]).difference is None


def test_training_refuses_a_base_that_normalises() -> None:
    with pytest.raises(bp.TrainingError, match="fall back to bytes"):
        bp.train(texts=["ab"], base=bp.Tokenizer.from_parts(llama()), num_merges=1)
    tokens = tuple((byte, bytes((byte,))) for byte in range(256))
    base = bp.Tokenizer.from_parts(Parts(tokens=tokens, merges=(), normalizer=Normalizer((Step("nfc"),))))
    assert (base.encode("e\u0301"), base.lossy) == ([*"é".encode()], True)
    with pytest.raises(bp.TrainingError, match="normalises texts"):
        bp.train(texts=["ab"], base=base, num_merges=1)


def test_what_no_step_is_is_refused() -> None:
    with pytest.raises(bp.VocabularyError, match="no step"):
        Step("upper")  # type: ignore[arg-type]
    with pytest.raises(bp.VocabularyError, match="has 1 texts"):
        Step("replace", ("a",))
    with pytest.raises(bp.VocabularyError, match="empty text"):
        Step("replace", ("", "a"))
    with pytest.raises(bp.VocabularyError, match="charsmap"):
        bp.Tokenizer.from_parts(llama(normalizer=Normalizer((Step("precompiled", charsmap=b"xx"),))))
    with pytest.raises(bp.PatternError):
        bp.Tokenizer.from_parts(llama(normalizer=Normalizer((Step("replace_pattern", ("(", "")),))))
    with pytest.raises(bp.VocabularyError, match="unknown token"):
        Parts(tokens=((0, b"a"),), merges=(), unknown=0)


FORMS: list[tuple[str, Parts]] = [
    ("llama", llama()),
    ("metaspace", llama(normalizer=Normalizer((), (Step("replace", (" ", "▁")), Step("prepend_first", ("▁",)))))),
    ("split", llama(normalizer=Normalizer((), (Step("replace", (" ", "▁")),)), pattern="▁[^▁]*|[^▁]+")),
    ("forms", llama(normalizer=Normalizer((Step("nfkc"), Step("lowercase"), Step("strip", flags=(True, False)))))),
    ("regex", llama(normalizer=Normalizer((Step("replace_pattern", (r"\s+", " ")), Step("strip_accents"))))),
    ("spm", llama(normalizer=Normalizer((Step("sentencepiece", flags=(True, True, True, False)),)))),
    ("template", llama(post_processor='{"cls": ["<s>", 1], "sep": ["</s>", 2], "type": "BertProcessing"}')),
]


@pytest.mark.parametrize(("name", "parts"), FORMS)
def test_every_kind_is_read_as_it_was_written(name: str, parts: Parts, tmp_path: Path) -> None:
    tok = bp.Tokenizer.from_parts(parts)
    assert tok.parts == parts
    path = tmp_path / "tokenizer.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FormatWarning)
        tok.save(path)
        assert formats.read(path) == parts
        assert bp.load(path) == tok
    assert ("bytepair" in json.loads(path.read_text("utf-8"))) is (name == "spm")


def test_a_template_goes_when_its_tokens_have_other_ids(tmp_path: Path) -> None:
    post = json.dumps({"type": "BertProcessing", "sep": ["</s>", 2], "cls": ["<s>", 7000]})
    with pytest.warns(bp.FormatWarning, match='names "<s>" with the id 7000, and is not kept'):
        bp.Tokenizer.from_parts(llama(post_processor=post)).save(tmp_path / "tokenizer.json")


def test_a_model_is_a_fixed_point(tmp_path: Path) -> None:
    path = tmp_path / "small.model"
    for parts in (llama(), llama(normalizer=Normalizer((Step("sentencepiece", flags=(True, True, True, False)),)))):
        formats.write(parts, path)
        assert formats.read(path) == parts
    before = path.read_bytes()
    formats.write(formats.read(path), path)
    assert path.read_bytes() == before


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"pattern": "a"}, "the pattern"),
    ({"normalizer": Normalizer((Step("nfc"),))}, "the normalizer is: nfc"),
    ({"normalizer": Normalizer(), "decoder": Decoder()}, "the normalizer is: none"),
    ({"decoder": Decoder()}, "spaces are not decoded"),
    ({"whole_first": True}, "looked up first"),
    ({"unknown": None}, "no special token for what is unknown"),
    ({"specials": llama().specials[:2]}, "no token has the id 2"),
    ({"specials": (*llama().specials, SpecialToken("ab", 264))}, "spelled alike"),
    ({"specials": (*llama().specials, SpecialToken("x", 264, special=False))}, "in texts as they are"),
    ({"merges": llama().merges[1:]}, "no merges make the token"),  # type: ignore[index]
]


@pytest.mark.parametrize(("change", "said"), REFUSED)
def test_what_a_model_cannot_hold_is_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=said):
        formats.write(llama(**change), tmp_path / "x.model")
    assert not (tmp_path / "x.model").exists()


def proto(tmp_path: Path) -> Any:
    path = tmp_path / "small.model"
    formats.write(llama(), path)
    return sentencepiece_model_pb2.ModelProto.FromString(path.read_bytes())


def changed(model: Any, name: str) -> None:  # noqa: C901 - a table of changes
    match name:
        case "unigram":
            model.trainer_spec.model_type = 1
        case "no unknown":
            model.pieces[0].type = 1
        case "unused":
            model.pieces[-1].type = 5
        case "twice":
            model.pieces[-1].piece = "a"
        case "empty":
            model.pieces[-1].piece = ""
        case "nan":
            model.pieces[-1].score = float("nan")
        case "tied":
            model.pieces[-1].score = model.pieces[-2].score
        case "no byte":
            model.pieces[5].type = 1
        case "no character":
            model.pieces[-1].piece = "aж"
        case "suffix":
            model.trainer_spec.treat_whitespace_as_suffix = True
        case "charsmap":
            model.normalizer_spec.precompiled_charsmap = b"\xff\xff\xff\xff"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("unigram", "Unigram, and only BPE"),
        ("no unknown", "0 unknown pieces"),
        ("unused", "UNUSED"),
        ("twice", "as `pieces"),
        ("empty", "is empty"),
        ("nan", "is no number"),
        ("tied", "have one score"),
        ("no byte", "255 bytes are pieces"),
        ("no character", "which is no piece"),
        ("suffix", "treat_whitespace_as_suffix"),
        ("charsmap", "charsmap"),
    ],
)
def test_models_that_are_not_read_are_refused_by_name(name: str, said: str, tmp_path: Path) -> None:
    model = proto(tmp_path)
    changed(model, name)
    path = tmp_path / "changed.model"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(BytepairError, match=said) as caught:
        bp.load(path)
    assert str(path) in str(caught.value)
    assert str(caught.value).count("\n") == 1


def test_damaged_models_give_an_error_or_a_tokenizer(tmp_path: Path) -> None:
    data = proto(tmp_path).SerializeToString()
    draw = random.Random(7)
    path = tmp_path / "damaged.model"
    for _ in range(300):
        broken = bytearray(data)
        if draw.random() < 0.5:
            del broken[draw.randrange(len(data)) :]
        else:
            for _ in range(draw.randrange(1, 6)):
                broken[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(broken)
        try:
            bp.load(path, format="sentencepiece").encode("ab é")
        except BytepairError as error:
            assert str(error).count("\n") == 1  # noqa: PT017 - most are refused


def test_a_long_text_that_is_one_pretoken_takes_time_that_grows_with_it() -> None:
    tok = bp.Tokenizer.from_parts(llama())
    for unit in ("a", "ab ", "▁", "é"):
        assert tok.count(unit * 300_000) >= 150_000
