"""`tokenizer.json`: what is read and written, what is refused and how, and that no content breaks the reader."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import bytepair as bp
from bytepair import formats
from bytepair.cli.app import run
from bytepair.errors import BytepairError, FormatError
from bytepair.formats import byte_alphabet, huggingface, json_lines
from bytepair.formats.huggingface_read import GPT2_PATTERN
from bytepair.parts import Parts, SpecialToken
from huggingface_files import (
    LEVEL,
    MINIMAL,
    NATIVE,
    PARTS,
    TEMPLATE,
    TOKENS,
    TRAINING,
    any_parts,
    document,
    parse,
    render,
)


@pytest.mark.parametrize(
    "parts",
    [
        PARTS,
        NATIVE,
        Parts(tokens=(), merges=()),
        Parts(tokens=TOKENS, merges=None, whole_first=True),
        Parts(tokens=TOKENS, merges=None, whole_first=True, pattern=r"\b.", training=None),
        Parts(tokens=TOKENS, merges=((0, 1), (2, 3)), whole_first=True),
        Parts(tokens=tuple((byte, bytes([byte])) for byte in range(256)), merges=(), pattern=GPT2_PATTERN),
        Parts(tokens=((0, b"a"),), merges=(), specials=(SpecialToken("a", 1), SpecialToken("<|é|>", 8))),
        Parts(alphabet="characters", tokens=((3, b"x"), (4, "日".encode())), merges=()),
    ],
)
def test_what_is_written_is_read_back(parts: Parts) -> None:
    data = render(parts)
    assert huggingface.parse(data) == parts
    assert render(huggingface.parse(data)) == data


@given(any_parts())
def test_any_parts_are_read_back(parts: Parts) -> None:
    assert huggingface.parse(render(parts)) == parts


def test_equal_parts_give_equal_bytes_and_the_file_is_readable() -> None:
    shuffled = Parts(
        pattern=PARTS.pattern,
        tokens=PARTS.tokens[::-1],
        merges=PARTS.merges,
        specials=PARTS.specials[::-1],
        training=TRAINING,
    )
    data = render(PARTS)
    assert render(shuffled) == data
    assert '"Ġab": 5' in data.decode()
    assert b'      ["a", "b"],\n' in data
    assert data.endswith(b"}\n")


def test_both_spellings_of_merges_are_read() -> None:
    pairs = parse(document())
    assert parse(document(model__merges=["a b", "Ġ ab"])) == pairs
    assert parse(document(model__merges=["a b", ["Ġ", "ab"]])) == pairs


@pytest.mark.parametrize("merges", [["a b"], [["a", "b"]]])
def test_a_minimal_file_has_the_characters_of_the_whole_text_for_symbols(merges: list[Any]) -> None:
    tok = bp.Tokenizer.from_parts(parse({"model": {"type": "BPE", "vocab": MINIMAL, "merges": merges}}))
    assert tok.pattern is None
    assert tok.encode("ab") == [2]
    assert tok.encode("aéab\n", unknown="skip") == [0, 2]
    with pytest.raises(bp.UnknownSymbolError):
        tok.encode("aéab")
    assert parse(json.loads(render(tok.parts))) == tok.parts


def test_a_merge_of_hashes_is_no_comment() -> None:
    vocab = {"#": 0, "##": 1, "###": 2, "a": 3}
    parts = parse({"model": {"type": "BPE", "vocab": vocab, "merges": ["# #", "## #"]}})
    assert bp.Tokenizer.from_parts(parts).encode("###a") == [2, 3]


def test_without_a_pre_tokenizer_symbols_are_characters() -> None:
    model = {"type": "BPE", "vocab": MINIMAL | {"é": 3}, "merges": ["a b"]}
    tok = bp.Tokenizer.from_parts(parse({"model": model}))
    assert (tok.alphabet, tok.encode("abé"), tok.lossy) == ("unicode", [2, 3], True)
    added = {"id": 3, "content": "é", "special": True}
    assert bp.Tokenizer.from_parts(parse({"model": model, "added_tokens": [added]})).special_tokens == {"é": 3}


def test_what_is_wrong_with_the_model_is_said_before_what_stands_around_it() -> None:
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}
    for around in ({}, {"pre_tokenizer": {"type": "Metaspace"}}, {"normalizer": {"type": "NFC"}}):
        with pytest.raises(FormatError, match=r'`model.merges\[0\]` .* "ab" is not in'):
            parse({"model": model} | around)


@pytest.mark.parametrize("kind", ["Unigram", "WordPiece", "WordLevel"])
def test_another_algorithm_is_refused_by_its_name_before_all_else(kind: str) -> None:
    for around in ({}, {"pre_tokenizer": {"type": "Metaspace"}}, {"normalizer": {"type": "NFC"}}):
        for vocab in ([["a", 0.0]], {"a": 0}):
            with pytest.raises(FormatError, match=f'`model.type` is "{kind}", and only BPE is read') as caught:
                parse({"model": {"type": kind, "vocab": vocab}} | around)
            assert "another algorithm" in caught.value.hint
    with pytest.raises(FormatError, match="`model` has no `type` and no `merges`") as caught:
        parse({"model": {"unk_id": 0, "vocab": [["a", 0.0]]}, "pre_tokenizer": {"type": "Metaspace"}})
    assert "another algorithm" in caught.value.hint


def test_gpt2s_own_pattern_is_that_of_byte_level_with_its_regex() -> None:
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    assert parse(document(pre_tokenizer=level)).pattern == GPT2_PATTERN
    assert parse(document(pre_tokenizer=level | {"use_regex": False})).pattern is None


def test_a_missing_type_and_empty_affixes_are_as_in_old_files() -> None:
    old = document(model__continuing_subword_prefix="", model__end_of_word_suffix="", model__dropout=0.0)
    del old["model"]["type"]
    assert parse(old) == parse(document())


def test_the_pattern_as_given_counts_only_if_the_file_says_its_translation() -> None:
    made = json.loads(render(PARTS))
    assert parse(made).pattern == PARTS.pattern
    made["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = r"\p{L}|\P{L}"
    assert parse(made).pattern == r"\p{L}|\P{L}"


def test_ranks_count_only_if_the_merges_are_theirs() -> None:
    made = json.loads(render(Parts(tokens=TOKENS, merges=None, whole_first=True)))
    assert parse(made).merges is None
    made["model"]["merges"].pop()
    assert parse(made).merges == ((0, 1),)


def test_a_later_version_under_model_is_passed_over_and_at_the_top_refused() -> None:
    made = json.loads(render(PARTS))
    made["model"]["bytepair"] = {"version": 2, "pattern": 7}
    assert parse(made).training is None
    native = json.loads(render(NATIVE))
    native["bytepair"]["version"] = 2
    with pytest.raises(FormatError, match="later version"):
        parse(native)


def test_added_tokens_of_the_vocabulary_are_no_tokens_unless_merges_need_them() -> None:
    made = document(model__vocab={"a": 0, "b": 1, "Ġ": 2, "ab": 3, "Ġab": 5, "<｜y｜>": 7, "<x>": 8}, added_tokens=[])
    for content, id_ in (("<x>", 8), ("<｜y｜>", 7), ("ab", 3)):
        made["added_tokens"].append({"id": id_, "content": content, "special": True})
    parts = parse(made)
    assert [id_ for id_, _ in parts.tokens] == [0, 1, 2, 3, 5]
    assert [special.id for special in parts.specials] == [8, 7, 3]


def test_a_post_processor_that_adds_nothing_is_passed_over() -> None:
    for post in (LEVEL, {"type": "TemplateProcessing", "single": []}, {"type": "Sequence", "processors": [LEVEL]}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert parse(document(post_processor=post)) == parse(document())


@pytest.mark.parametrize(
    ("post", "said"),
    [
        (TEMPLATE, '(TemplateProcessing) adds "<x>" to'),
        ({"type": "Sequence", "processors": [LEVEL, TEMPLATE, TEMPLATE]}, '(TemplateProcessing) adds "<x>" to'),
        ({"type": "BertProcessing", "cls": ["[C]", 1], "sep": ["[S]", 2]}, '(BertProcessing) adds "[C]", "[S]" to'),
        ({"type": "RobertaProcessing", "cls": ["<s>", 1], "sep": ["<s>", 1]}, '(RobertaProcessing) adds "<s>" to'),
        (
            {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": f"<{i}\n>"}} for i in range(9)]},
            '(TemplateProcessing) adds "<0\\n>", "<1\\n>", "<2\\n>" and 6 more to',
        ),
    ],
)
def test_special_tokens_that_a_post_processor_adds_are_warned_of(post: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document(post_processor=post)), "utf-8")
    with pytest.warns(bp.FormatWarning) as caught:
        tok = bp.load(path)
    (warning,) = caught
    what, hint = str(warning.message).split("\nhint: ")
    assert said in what
    assert "has the template, too" in hint
    assert warning.filename == __file__
    assert tok.encode("ab") == [3]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FormatWarning)
        tok.save(path)
    kept = post["type"] not in {"BertProcessing", "RobertaProcessing"}  # which name tokens that there are not
    assert json.loads(path.read_text("utf-8"))["post_processor"] == (post if kept else None)


def wordpiece() -> dict[str, Any]:
    return {"type": "WordPiece", "vocab": {}}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"normalizer": {"type": "BertNormalizer"}}, '`normalizer` is "BertNormalizer", which'),
    ({"truncation": {"max_length": 5}}, "`truncation`"),
    ({"padding": {"strategy": "Fixed"}}, "`padding`"),
    ({"extra": 1}, '"extra"'),
    ({"model__type": "Unigram"}, '`model.type` is "Unigram"'),
    ({"model__type": ["BPE"]}, "`model.type` is a list of 1 items, and should be a string"),
    ({"model": None}, "`model` is null"),
    ({"model__dropout": 1.1}, "`model.dropout` is 1.1, and should be a probability, 0 to 1"),
    ({"model__dropout": True}, "`model.dropout` is true, and should be a probability, 0 to 1"),
    ({"model__byte_fallback": True}, "`model.byte_fallback` is true"),
    ({"model__unk_token": "<unk>"}, '`model.unk_token` is "<unk>"'),
    ({"model__continuing_subword_prefix": "##"}, "`model.continuing_subword_prefix`"),
    ({"model__end_of_word_suffix": "</w>"}, '.behavior` is "Isolated", and only "Removed" is read'),
    ({"model__end_of_word_suffix": "</w>", "pre_tokenizer": LEVEL}, "`model.end_of_word_suffix`"),
    ({"model__vocab": []}, "`model.vocab` is a list of 0 items, and should be an object"),
    ({"model__vocab": {"a": -1}}, '`model.vocab["a"]` is -1'),
    (
        {"model__vocab": {"a": 2**32 - 1}},
        '`model.vocab["a"]` is 4294967295, and should be an integer from 0 to 4294967294',
    ),
    ({"model__vocab": {"a": 10**18}}, '`model.vocab["a"]` is 1000000000000000000'),
    ({"model__vocab": {"a": 1.0}}, '`model.vocab["a"]` is 1.0'),
    ({"model__vocab": {"a": True}}, '`model.vocab["a"]` is true'),
    ({"model__vocab": {"a": 1, "b": 1}}, 'the id 1 to "a" and to "b"'),
    ({"model__vocab": {"": 0}}, "the empty key"),
    ({"model__vocab": {"日": 0}, "model__merges": [], "added_tokens": []}, '"日" with a character that spells no byte'),
    ({"model__vocab": {"\ud800": 0}}, "surrogate"),
    ({"model__merges": {}}, "`model.merges` is an object"),
    ({"model__merges": [["a", "b"], ["a", "z"]]}, '`model.merges[1]` merges "a" and "z", and "z" is not in'),
    ({"model__merges": [["b", "a"]]}, '`model.merges[0]` merges "b" and "a", and "ba" is not in'),
    ({"model__merges": [["a", "b"], "a b"]}, '`model.merges[1]` merges "a" and "b", as `model.merges[0]` does'),
    ({"model__merges": ["a  b"]}, '`model.merges[0]` is "a  b"'),
    ({"model__merges": ["ab"]}, '`model.merges[0]` is "ab"'),
    ({"model__merges": [["a"]]}, "`model.merges[0]` is a list of 1 items"),
    ({"model__merges": [[0, 1]]}, "`model.merges[0]`"),
    ({"model__merges": [7]}, "`model.merges[0]` is 7"),
    ({"model__merges": [["a", "b"], {"Ġ": 0, "ab": 0}]}, "`model.merges[1]` is an object of 2 keys"),
    ({"pre_tokenizer": None}, '`decoder` is "ByteLevel" at this place, and tokens are made of characters'),
    ({"pre_tokenizer": {"type": "Metaspace"}}, "`pre_tokenizer.replacement` is null"),
    (
        {"pre_tokenizer": {"type": "BertPreTokenizer"}, "model__end_of_word_suffix": "</w>"},
        '`pre_tokenizer` is "BertPreTokenizer", and `model.end_of_word_suffix` is "</w>"',
    ),
    ({"pre_tokenizer": {"type": "BertPreTokenizer"}}, '`decoder` is "ByteLevel" at this place, and tokens are'),
    ({"pre_tokenizer__pretokenizers__1__add_prefix_space": True}, "each part gets a space"),
    ({"pre_tokenizer__pretokenizers__0__behavior": "Kept"}, '`pre_tokenizer.pretokenizers[0].behavior` is "Kept"'),
    (
        {
            "pre_tokenizer__pretokenizers__0__behavior": "MergedWithNext",
            "pre_tokenizer__pretokenizers__0__invert": True,
        },
        '`pre_tokenizer.pretokenizers[0].behavior` is "MergedWithNext", and `invert` is true',
    ),
    (
        {"pre_tokenizer__pretokenizers__0__pattern": {"String": ""}},
        '`pre_tokenizer.pretokenizers[0].pattern.String` is ""',
    ),
    ({"pre_tokenizer__pretokenizers__0__pattern": {"Regex": "[(?then)](?then)a"}}, "[(?then)](?then)a"),
    ({"pre_tokenizer__pretokenizers__0__pattern": {"Regex": r"\bx"}}, r'the regular expression "\\bx"'),
    (
        {"pre_tokenizer__pretokenizers__0__type": "Metaspace"},
        '`pre_tokenizer.pretokenizers[0]` is "Metaspace": it marks spaces',
    ),
    (
        {"pre_tokenizer__pretokenizers__0__type": "ByteLevel"},
        '`pre_tokenizer.pretokenizers[1]` is "ByteLevel": bytes are spelled once',
    ),
    ({"pre_tokenizer__pretokenizers__0__pattern": {"Regex": "\\p{" + "\n" * 3000 + "}"}}, "the property"),
    ({"decoder": wordpiece()}, '`decoder` is "WordPiece", and `pre_tokenizer` is ByteLevel'),
    ({"decoder": {"type": ["x"]}}, "`decoder.type` is a list of 1 items"),
    ({"decoder": {"type": {}}, "pre_tokenizer": {"type": "WhitespaceSplit"}}, "`decoder.type` is an object of 0 keys"),
    ({"decoder": {"type": []}, "pre_tokenizer": None}, "`decoder.type` is a list of 0 items"),
    ({"post_processor": wordpiece()}, "`post_processor.type`"),
    ({"post_processor": 7}, "`post_processor` is 7"),
    ({"post_processor": {"type": "TemplateProcessing"}}, "`post_processor.single` is null"),
    ({"post_processor": {"type": "BertProcessing", "cls": []}}, "`post_processor.cls` is a list of 0 items"),
    ({"post_processor": {"type": "Sequence", "processors": [{}]}}, "`post_processor.processors[0].type` is null"),
    ({"added_tokens": {}}, "`added_tokens` is an object"),
    ({"added_tokens": [{"id": 6, "content": ""}]}, "`added_tokens[0].content`"),
    ({"added_tokens": [{"id": 6, "content": "\udfff"}]}, "`added_tokens[0].content`"),
    ({"added_tokens": [{"id": "6", "content": "x"}]}, "`added_tokens[0].id`"),
    ({"added_tokens": [{"id": 9, "content": "<x>"}]}, "`added_tokens[0].id` is 9, but"),
    ({"added_tokens": [{"id": 6, "content": "<x>"}, {"id": 7, "content": "<x>"}]}, "`added_tokens[1].content`"),
    ({"model__bytepair": {"version": 1, "pattern": 7}}, "`model.bytepair.pattern` is 7"),
    ({"model__bytepair": 7}, "`model.bytepair` is 7"),
    ({"model__bytepair": {"version": 1, "training": {"ties": "x"}}}, "`model.bytepair.training.min_count` is null"),
]


@pytest.mark.parametrize(("changes", "said"), REFUSED)
def test_what_is_damaged_or_not_read_is_refused_by_name(changes: dict[str, Any], said: str) -> None:
    made = document(**{"model__vocab": {"a": 0, "b": 1, "Ġ": 2, "ab": 3, "Ġab": 5, "<x>": 6}} | changes)
    with pytest.raises(FormatError) as caught:
        parse(made)
    assert said in str(caught.value)
    assert str(caught.value).count("\n") == 1
    assert caught.value.hint


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1, "a": 2}', 'the key "a" stands twice'),
        (b'{"a": "\xff"}', "byte 7 (0xff) is not UTF-8"),
        (b'{"a": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"1" * 5000 + b"}", "a number is too long"),
        (b'{"a": 1,}', "line 1, column"),
        (b"{} {}", "line 1, column 4"),
        (b'{"a": "\x00"}', "line 1, column"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        (b"{}", "`model` is null"),
        (b'{"bytepair": 7}', "`bytepair` is 7"),
        (b'{"bytepair": {"version": 1}}', "`model` is null"),
        (b"7", "the document is 7"),
    ],
)
def test_what_is_no_json_object_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        huggingface.parse(data)
    assert said in str(caught.value)


def test_a_failed_read_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b'{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}}')
    made = document(model__vocab={"a": 0, "b": 1}, model__merges=["a b"], added_tokens=[])
    path.write_text(json.dumps(made), "utf-8")
    with pytest.raises(ValueError, match=r'tokenizer.json: `model.merges\[0\]` .* "ab" is not in'):
        formats.read(path)


def test_what_others_will_refuse_is_warned_of_in_two_lines(tmp_path: Path) -> None:
    with pytest.warns(bp.FormatWarning) as caught:
        bp.Tokenizer.from_parts(NATIVE).save(tmp_path / "tokenizer.json")
    (warning,) = caught
    what, hint = str(warning.message).split("\nhint: ")
    assert what == (
        "`tokenizers` will refuse this file: the end-of-word mark is a symbol of its own; there it is joined to the "
        "last character"
    )
    assert "save it again" in hint
    assert warning.filename == __file__


def test_the_command_line_tells_the_warning_in_its_own_form(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text"
    text.write_text("low low lower lowest " * 9)
    arguments = ["train", str(text), "--merges", "3", "--alphabet", "characters", "--end-of-word", "</w>"]
    assert run([*arguments, "-o", str(tmp_path / "tokenizer.json")]) == 0
    lines = capfd.readouterr().err.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("warning: `tokenizers` will refuse this file: "))
    assert lines[at + 1].startswith("hint: bytepair reads it exactly; ")


def test_what_the_engine_refuses_is_said_of_the_file(tmp_path: Path) -> None:
    large = tmp_path / "tokenizer.json"
    changed = {"pre_tokenizer__pretokenizers__0__pattern": {"Regex": "(?:a{1000}){1000}"}}
    large.write_text(json.dumps(document(**changed)), "utf-8")
    ranks = tmp_path / "ranks.tiktoken"
    ranks.write_bytes(b"YQ== 0\n")
    loads: list[tuple[type[BytepairError], Path, dict[str, Any]]] = [
        (bp.PatternError, large, {}),
        (bp.SpecialTokenError, ranks, {"pattern": "gpt2", "special_tokens": {"x": 0}}),
    ]
    for kind, path, options in loads:
        with pytest.raises(kind) as caught:
            bp.load(path, **options)
        assert caught.value.message.startswith(f"{path}: ")
        assert str(caught.value).count("\n") == 1
        assert isinstance(caught.value.__cause__, kind)


def test_merges_that_make_no_token_are_not_written() -> None:
    with pytest.raises(FormatError, match=r"merges\[0\]"):
        render(Parts(tokens=((0, b"a"),), merges=((0, 0),)))


def test_lists_of_pairs_are_written_as_any_other() -> None:
    for pairs in ([["a", '\n\u2028\0"'], ['], ["', "é"]], [["a", "b"], ["c"]], [["a", 1], ["b", "c"]], [["a", "b"], 7]):
        data = json_lines.dump({"pairs": pairs}).decode()
        assert json.loads(data) == {"pairs": pairs}
        assert data.split("\n") == ["{", '  "pairs": [', *own_lines(pairs), "  ]", "}", ""]


def own_lines(values: list[Any]) -> list[str]:
    lines = [f"    {json.dumps(value, ensure_ascii=False)}," for value in values]
    return [*lines[:-1], lines[-1].removesuffix(",")]


def test_the_byte_alphabet_is_gpt2s() -> None:
    assert byte_alphabet.spell(bytes(range(256))) == (
        "ĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠ!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
        "abcdefghijklmnopqrstuvwxyz{|}~ġĢģĤĥĦħĨĩĪīĬĭĮįİıĲĳĴĵĶķĸĹĺĻļĽľĿŀŁł¡¢£¤¥¦§¨©ª«¬Ń®¯°±²³´µ¶·¸¹º»¼½¾¿"
        "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    )
