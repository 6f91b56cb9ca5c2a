"""Files that we write, in Hugging Face's libraries: the same splits, the same ids, or a refusal.

Splits are compared with the engine's, ids with the reference's and the engine's. Code points on which the two Unicode
versions differ are counted, shown to be assigned in one version only, and left out of the comparison.
"""

from __future__ import annotations

import json
import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerFast

import bytepair as bp
from bytepair import formats, reference
from bytepair.formats import huggingface, oniguruma
from bytepair.parts import MARK, Parts, SpecialToken
from implementations import Reference

# The presets, and what they have not: full case folding, sets of sets, look-behind, repetitions that differ in dialect.
PATTERNS = dict(bp.PATTERNS) | {
    "folds": r"(?i:ss|st|ffi|k)|\p{L}|\s+$|[^\p{L}]+",
    "words": r"\w+|\W+",
    "differences": r"[\p{L}--\p{Lu}]+|[\w&&[^\d_]]+|[[:alpha:][:digit:]]+|(?s:.)",
    "behind": r"(?<=\p{Lu})\p{Ll}+|(?<![ab])c|.|\n",
    "nothing": r"a(?:$|b)?|c(?:^|(?!b)|b)??d|(?:(?m:^)|(?<=b)|[^b\s])?\s|(?s:.)",
    "exact": r"a{2}?|(?:ab){1,2}+|(?m:^a)|b(?m:$)|(?s:.)",
}
CATEGORIES = ("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "Pc", "Alphabetic", "White_Space", "Join_Control")
ALL = [*range(0xD800), *range(0xE000, 0x110000)]


def hugging_face_split(pattern: str, text: str) -> list[str]:
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(oniguruma.translate(pattern)), "isolated")
    return [piece for piece, _ in split.pre_tokenize_str(text)]


def our_split(pattern: str, text: str) -> list[str]:
    return splitter(pattern).split(text)


@cache
def splitter(pattern: str) -> bp.Tokenizer:
    return bp.Tokenizer.from_parts(Parts(pattern=pattern, tokens=((0, b"a"),), merges=()))


def in_oniguruma(name: str) -> set[int]:
    """The code points that one of their sets holds: each stands alone between two others that it surely lacks."""
    removed = tokenizers.pre_tokenizers.Split(tokenizers.Regex(rf"\p{{{name}}}"), "removed")
    kept: set[int] = set()
    for start in range(0, len(ALL), 4096):
        text = "".join(map(chr, ALL[start : start + 4096]))
        for piece, _ in removed.pre_tokenize_str(text):
            kept.update(map(ord, piece))
    return set(ALL) - kept


@cache
def memberships() -> tuple[dict[int, int], dict[int, int]]:
    """Of every code point, the sets that hold it, as bits: in their Unicode tables, and in ours."""
    text = "".join(f"\n{chr(code)}" for code in ALL)
    theirs, ours = dict.fromkeys(ALL, 0), dict.fromkeys(ALL, 0)
    for i, name in enumerate(CATEGORIES):
        for code in in_oniguruma(name):
            theirs[code] |= 1 << i
        for piece in our_split(rf"\n\p{{{name}}}|\n|[^\n]", text):
            if len(piece) > 1:
                ours[ord(piece[1])] |= 1 << i
    return theirs, ours


def test_every_code_point_is_in_the_same_sets_unless_one_version_lacks_it() -> None:
    theirs, ours = memberships()
    assigned = in_oniguruma("Assigned")
    differ = [code for code in ALL if theirs[code] != ours[code]]
    print(f"{len(differ)} code points differ")  # noqa: T201
    assert not assigned.intersection(differ)
    assert len(differ) < 30_000


@cache
def representatives() -> tuple[int, ...]:
    """Code points that stand for all: patterns see characters through these sets, and some by name (below U+0300)."""
    theirs, ours = memberships()
    alike: dict[int, list[int]] = defaultdict(list)
    for code in ALL:
        if theirs[code] == ours[code]:
            alike[ours[code]].append(code)
    numbers = random.Random(0)
    chosen = {*range(0x300), *range(0x2000, 0x2070), *(code for fold in "sſkK" for code in map(ord, fold))}
    for codes in alike.values():
        chosen.update(numbers.sample(codes, min(len(codes), 50)))
    return tuple(sorted(code for code in chosen if theirs[code] == ours[code]))


def contexts() -> Iterator[Callable[[str], str]]:
    yield lambda c: f"{c}a{c}1{c} {c}"
    yield lambda c: f" {c}{c}\n{c}'s{c}A"
    yield lambda c: f"'{c}ll'S{c}\r\n  {c}b"
    yield lambda c: f"1234{c}56\t{c}{c}{c}é"


@pytest.mark.parametrize("name", PATTERNS)
def test_splits_are_the_same_on_every_kind_of_code_point_in_context(name: str) -> None:
    check_in_context(name, representatives())


@pytest.mark.soak
@pytest.mark.parametrize("name", PATTERNS)
def test_splits_are_the_same_on_every_code_point_in_context(name: str) -> None:
    theirs, ours = memberships()
    codes = [code for code in ALL if theirs[code] == ours[code]]
    for start in range(0, len(codes), 10_000):
        check_in_context(name, codes[start : start + 10_000])


def check_in_context(name: str, codes: Sequence[int]) -> None:
    for context in contexts():
        text = "".join(context(chr(code)) for code in codes)
        theirs = hugging_face_split(PATTERNS[name], text)
        ours = our_split(PATTERNS[name], text)
        if theirs != ours:
            at = next((i for i, (a, b) in enumerate(zip(theirs, ours, strict=False)) if a != b), 0)
            pytest.fail(f"piece {at}: {theirs[at : at + 3]!r}, expected {ours[at : at + 3]!r}")


ALPHABET = (
    "aAbBcsSſtTkK\u212afFiIlLdDmMrReEvVßẞﬁﬀﬆéÉжЖ中文あ0123456789²Ⅷ٣ \t\n\r\v\f\x85\xa0\u2028\u3000"
    "'’.,;!?-_/\\|()[]{}^$*+#~&@\0\x1c\u200b\u200d\u0301😀"
)


@pytest.mark.parametrize("name", PATTERNS)
def test_splits_are_the_same_on_random_strings(name: str) -> None:
    numbers = random.Random(name)
    for _ in range(400):
        letters = numbers.sample(ALPHABET, numbers.randint(1, 12))
        text = "".join(numbers.choices(letters, k=numbers.randint(1, 40)))
        assert hugging_face_split(PATTERNS[name], text) == our_split(PATTERNS[name], text), text


LEAVES = [
    *[
        r"a",
        r"b",
        r"s",
        r"t",
        r"k",
        r".",
        r"\s",
        r"\S",
        r"\d",
        r"\p{L}",
        r"\P{L}",
        r"\p{N}",
        r"[ab]",
        r"[^a]",
        r"[^\s\p{L}]",
        r"[a-c]",
        r"\n",
        r"'",
        r"é",
        r"\.",
        r"1",
        r"[s\d]",
    ],
    " ",
]
NOTHING = ["^", "$", r"\z", r"\A"]
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?", "??", "{1,3}?", "*+", "++", "?+"]


def random_pattern(numbers: random.Random, depth: int) -> str:
    inner = partial(random_pattern, numbers, depth - 1)
    kind = numbers.random()
    if depth == 0 or kind < 0.45:
        return numbers.choice(LEAVES) + numbers.choice(["", "", "{1,3}+", *QUANTIFIERS])
    if kind < 0.6:
        return inner() + inner()
    if kind < 0.7:
        return f"(?:{inner()}|{inner()})"
    if kind < 0.84:
        return numbers.choice(["(?i:", "(?i:", "(?>", "(?=", "(?!", "(?<=", "(?<!"]) + inner() + ")"
    if kind < 0.92:
        return numbers.choice(NOTHING) if kind < 0.87 else branch_of_nothing(numbers, inner)
    return f"(?:{inner()})" + numbers.choice(["{1,3}+", *QUANTIFIERS])


def branch_of_nothing(numbers: random.Random, inner: Callable[[], str]) -> str:
    """Something repeated in which one branch matches no character: Oniguruma refuses it in some groups."""
    branches = [inner(), numbers.choice([*NOTHING, f"(?={inner()})", f"(?!{inner()})", "(?<=a)", "(?<!b)"])]
    numbers.shuffle(branches)
    return f"(?:{'|'.join(branches)})" + numbers.choice(["?", "??", "?+", "{1}", "{0,1}"])


@pytest.mark.parametrize("seed", range(4))
def test_splits_of_random_patterns_are_the_same(seed: int) -> None:
    numbers = random.Random(seed)
    compared = 0
    for _ in range(400):
        pattern = "|".join(random_pattern(numbers, 3) for _ in range(numbers.randint(1, 4)))
        try:
            oniguruma.translate(pattern)
        except oniguruma.UntranslatableError:
            continue
        compared += 1
        for _ in range(10):
            text = "".join(numbers.choices("aabbsstkKſABSé '1.2\n\t", k=numbers.randint(1, 14)))
            assert hugging_face_split(pattern, text) == our_split(pattern, text), (pattern, text)
    assert compared > 40


def test_published_strings_mean_the_same_to_oniguruma_and_are_not_changed() -> None:
    for name in ("o200k", "llama3", "qwen2", "story", "digits3r"):
        assert oniguruma.translate(PATTERNS[name]) == PATTERNS[name] == oniguruma.read(PATTERNS[name])


@pytest.mark.parametrize(
    "regex",
    [
        r"\p{N}{1,3}+|\P{N}+",
        r"\s+$|\S+|\s",
        r"^a|a|[^a]",
        r"\w+|\W",
        r"ba{2}?|(?m:.)",
        r"a(?i)b|c|(?m:.)",
        r"(?i:'s|'re|'ll)|.|\n",
        r"\p{^L}+|\p{L}",
        r"[^\p{L}&&[^\p{Lu}]]+|\p{L}",
        r"(?>a+)b|.|\n",
        r"\Aa|a\z|.|\n",
    ],
)
def test_what_a_file_says_is_read_as_oniguruma_means_it(regex: str) -> None:
    numbers = random.Random(regex)
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(regex), "isolated")
    ours = oniguruma.read(regex)
    for _ in range(800):
        text = "".join(numbers.choices("abcABC'slrvt1234567 \n\r\t²é_ſ", k=numbers.randint(1, 25)))
        assert [piece for piece, _ in split.pre_tokenize_str(text)] == our_split(ours, text), (ours, text)


# Ids


def trained(pattern: str | None, specials: tuple[str, ...] = (), merges: int = 120, **settings_: Any) -> Parts:
    """Something trained by the reference, as parts."""
    texts = [
        "the cat sat on the mat, 1234567 times; the Hat's 2024 было было 日本語 日本語 naïve it's ",
        "aaaa aaaaaa  \n\n\n",
    ]
    made = reference.train(texts, pattern=pattern, num_merges=merges, **settings_)
    assert made.training is not None
    tokens = dict(made.vocabulary.tokens)
    ids = {content: id_ for id_, content in tokens.items()}
    pairs = tuple((ids[left], ids[right]) for left, right in made.training.pairs())
    first = max(tokens) + 1
    return Parts(
        pattern=pattern,
        tokens=tuple(sorted(tokens.items())),
        merges=pairs,
        specials=tuple(SpecialToken(text, first + i) for i, text in enumerate(specials)),
        alphabet=settings_.get("alphabet", "bytes"),
        end_of_word=settings_.get("end_of_word"),
        end_of_word_joined=settings_.get("end_of_word_joined", False),
    )


def reference_ids(parts: Parts, text: str, unknown: str = "raise") -> list[int]:
    specials = {special.content: special.id for special in parts.specials}
    subject = Reference().build(
        tokens=dict(parts.tokens),
        merges=parts.merges,
        pattern=parts.pattern,
        specials=specials,
        whole_first=parts.whole_first,
        alphabet="characters" if parts.alphabet == "characters" else "bytes",
        end_of_word=parts.end_of_word,
        end_of_word_joined=parts.end_of_word_joined,
    )
    return subject.encode(text, set(specials), unknown)


def saved(parts: Parts, directory: Path) -> Path:
    path = directory / "tokenizer.json"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        formats.write(parts, path)
    assert formats.read(path) == parts
    return path


TEXTS = [
    "the cat's 1234567890123 mats\n\n  sat  ",
    "было 日本語 😀 naïve\r\n\t'LL IT'S ſ's",
    "a<|x|>b<|xy|> <|x|><|x|>",
    "0" * 50 + " " * 30 + "\n" * 7,
    "",
]


@pytest.mark.parametrize("pattern", [None, *(PATTERNS[name] for name in ("gpt2", "cl100k", "o200k", "digits3r"))])
def test_ids_are_the_same_in_tokenizers_and_transformers(pattern: str | None, tmp_path: Path) -> None:
    parts = trained(pattern, ("<|x|>", "<|xy|>"))
    path = saved(parts, tmp_path)
    theirs = tokenizers.Tokenizer.from_file(str(path))
    fast = PreTrainedTokenizerFast(tokenizer_file=str(path))
    auto = AutoTokenizer.from_pretrained(str(tmp_path))
    for text in TEXTS:
        ids = reference_ids(parts, text)
        assert theirs.encode(text).ids == ids
        assert fast(text)["input_ids"] == ids
        assert auto(text)["input_ids"] == ids
        assert theirs.decode(ids, skip_special_tokens=False) == text
        assert fast.decode(ids, clean_up_tokenization_spaces=False) == text


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k", "qwen2", "story", "digits3r", None])
def test_a_tokenizer_trained_here_gives_the_same_ids_there(pattern: str | None, tmp_path: Path) -> None:
    trained_here = bp.train(texts=TEXTS * 3, num_merges=50, pattern=pattern, special_tokens=["<|x|>", "<|xy|>"])
    path = tmp_path / "tokenizer.json"
    trained_here.save(path)
    again = bp.load(path)
    assert again == trained_here
    assert again.training == trained_here.training
    theirs = tokenizers.Tokenizer.from_file(str(path))
    fast = AutoTokenizer.from_pretrained(str(tmp_path))
    for text in [*TEXTS, "1234567890" * 30, "\u2028\x85 ſ'ſ K's \U0010ffff"]:
        ids = trained_here.encode(text, allowed_special="all")
        assert theirs.encode(text).ids == ids
        assert fast(text)["input_ids"] == ids


def test_special_tokens_keep_ids_that_leave_gaps(tmp_path: Path) -> None:
    parts = trained(PATTERNS["gpt2"])
    highest = parts.tokens[-1][0]
    specials = (
        SpecialToken("<|a|>", highest + 2),
        SpecialToken("<|b c|>", highest + 50, special=False, normalized=True),
    )
    parts = Parts(pattern=parts.pattern, tokens=parts.tokens, merges=parts.merges, specials=specials)
    theirs = tokenizers.Tokenizer.from_file(str(saved(parts, tmp_path)))
    text = "the<|a|> cat<|b c|><|a|>"
    assert theirs.encode(text).ids == reference_ids(parts, text)
    assert highest + 50 in theirs.encode(text).ids


def test_the_highest_ids_are_read_there_too(tmp_path: Path) -> None:
    highest = 2**32 - 2
    tokens = ((0, b"a"), (2**31, b"b"), (highest - 1, b"ab"))
    parts = Parts(pattern=r"\p{L}+", tokens=tokens, merges=((0, 2**31),), specials=(SpecialToken("<x>", highest),))
    theirs = tokenizers.Tokenizer.from_file(str(saved(parts, tmp_path)))
    assert theirs.encode("aab<x>b").ids == [0, highest - 1, highest, 2**31] == reference_ids(parts, "aab<x>b")
    assert theirs.decode([highest - 1, highest], skip_special_tokens=False) == "ab<x>"


def test_whole_pretokens_are_looked_up_first_only_where_the_parts_say_so(tmp_path: Path) -> None:
    tokens = (*((byte, bytes([byte])) for byte in range(256)), (256, b"abc"))
    for whole_first in (True, False):
        parts = Parts(pattern=r"\p{L}+|\P{L}", tokens=tokens, merges=(), whole_first=whole_first)
        theirs = tokenizers.Tokenizer.from_file(str(saved(parts, tmp_path)))
        for text in ("abc", "abc abcd abc"):
            assert theirs.encode(text).ids == reference_ids(parts, text)


@pytest.mark.parametrize("mark", ["</w>", "_", None])
def test_characters_with_a_joined_mark_or_none(mark: str | None, tmp_path: Path) -> None:
    parts = trained(None, ("<|x|>",), alphabet="characters", end_of_word=mark, end_of_word_joined=mark is not None)
    theirs = tokenizers.Tokenizer.from_file(str(saved(parts, tmp_path)))
    for text in ("the cat sat on the hat  \n", "mat<|x|> the", "было 日本語 a", "t h e"):
        assert theirs.encode(text).ids == reference_ids(parts, text, "skip")
    assert theirs.encode("thЖe чЖ the").ids == reference_ids(parts, "thЖe чЖ the", "skip")


UNKNOWN_THERE: dict[str, Callable[[], Parts]] = {
    "symbol of its own": lambda: trained(None, alphabet="characters", end_of_word="</w>"),
    "position 0": lambda: Parts(pattern=r"\b\w+\b|.", tokens=((0, b"a"),), merges=()),
    "spelled like a token": lambda: Parts(
        tokens=((0, b" "), (1, b"t"), (2, b" t")), merges=((0, 1),), specials=(SpecialToken("Ġt", 3),)
    ),
    "ordinary text": lambda: Parts(tokens=((0, b"a"),), merges=(), specials=(SpecialToken("b", 7),)),
    "ends like the end-of-word mark": lambda: Parts(
        alphabet="characters",
        end_of_word="x",
        end_of_word_joined=True,
        tokens=((0, b"x"), (1, b"x" + MARK)),
        merges=(),
    ),
    "passes over": lambda: Parts(
        alphabet="characters",
        end_of_word="</w>",
        end_of_word_joined=True,
        tokens=((0, b"x"), (1, b"x" + MARK)),
        merges=(),
        whole_first=True,
    ),
}


@pytest.mark.parametrize("why", UNKNOWN_THERE)
def test_what_tokenizers_cannot_do_it_refuses(why: str, tmp_path: Path) -> None:
    parts = UNKNOWN_THERE[why]()
    path = tmp_path / "tokenizer.json"
    with pytest.warns(bp.FormatWarning, match=why):
        formats.write(parts, path)
    with pytest.raises(Exception, match="line"):
        tokenizers.Tokenizer.from_file(str(path))
    assert formats.read(path) == parts


@st.composite
def rank_vocabularies(draw: st.DrawFn) -> Parts:
    """Rank files over one or two letters, where tokens overlap themselves most."""
    letters = draw(st.sampled_from(["a", "ab"]))
    longer = draw(st.lists(st.text(letters, min_size=2, max_size=9), max_size=12, unique=True))
    contents = [*letters, *longer]
    return Parts(
        tokens=tuple((i, content.encode()) for i, content in enumerate(contents)), merges=None, whole_first=True
    )


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rank_vocabularies(), st.data())
def test_rank_files_give_the_same_ids_as_merge_lists(parts: Parts, data: st.DataObject) -> None:
    letters = "".join(content.decode() for _, content in parts.tokens if len(content) == 1)
    theirs = tokenizers.Tokenizer.from_str(huggingface.render(parts).decode())
    for _ in range(5):
        text = data.draw(st.text(letters, max_size=40))
        assert theirs.encode(text).ids == reference_ids(parts, text)
    assert formats.parse(huggingface.render(parts)) == parts


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text("ab \0\n\x7f", min_size=1, max_size=4), min_size=1, max_size=12, unique=True),
    st.booleans(),
    st.data(),
)
def test_files_without_a_pre_tokenizer_give_the_same_ids(contents: list[str], whole: bool, data: st.DataObject) -> None:
    vocab = {content: i for i, content in enumerate(contents)}
    possible = [[a, b] for a in contents for b in contents if a + b in vocab]
    model = {"type": "BPE", "vocab": vocab, "merges": data.draw(st.permutations(possible)), "ignore_merges": whole}
    document = json.dumps({"version": "1.0", "model": model, "decoder": {"type": "Fuse"}})
    theirs = tokenizers.Tokenizer.from_str(document)
    parts = formats.parse(document.encode())
    again = tokenizers.Tokenizer.from_str(huggingface.render(parts).decode())
    ours = bp.Tokenizer.from_parts(parts)
    for _ in range(5):
        text = data.draw(st.text("aab \0\n\x7fxé😀", max_size=30))
        ids = theirs.encode(text).ids
        assert reference_ids(parts, text, "skip") == ids == again.encode(text).ids == ours.encode(text, unknown="skip")
        assert ours.decode(ids) == theirs.decode(ids)


def test_files_of_tokenizers_are_read(tmp_path: Path) -> None:
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300,
        show_progress=False,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    theirs.train_from_iterator(TEXTS * 3, trainer)
    theirs.save(str(tmp_path / "theirs.json"))
    parts = formats.read(tmp_path / "theirs.json")
    assert [(special.content, special.id) for special in parts.specials] == [("<s>", 0), ("</s>", 1)]
    ours = tokenizers.Tokenizer.from_file(str(saved(parts, tmp_path)))
    for text in [*TEXTS, "<s>the</s>"]:
        assert reference_ids(parts, text) == theirs.encode(text).ids == ours.encode(text).ids


def test_unknown_keys_in_model_are_passed_over_and_at_the_top_refused() -> None:
    document = json.loads(huggingface.render(trained(PATTERNS["cl100k"])))
    assert set(document["model"]["bytepair"]) == {"version", "pattern"}
    tokenizers.Tokenizer.from_str(json.dumps(document))
    with pytest.raises(Exception, match="line"):
        tokenizers.Tokenizer.from_str(json.dumps({"bytepair": {}} | document))
