"""Every part of the playground in a browser: click, type, slide, and see what the page says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

import bytepair as bp
import vocabularies
from bytepair.playground.shelf import MINI, MINI_PATTERN
from web.playing import Played, asked, served

RUSSIAN = "Жили-были старик со старухой. Была у них курочка."
# The merges of the small text, as they were published: left, right, times, tokens left.
MERGES = [
    ("a", "t", 8, 65),
    ("t", "h", 7, 58),
    ("th", "e", 7, 51),
    (" ", "the", 6, 45),
    (" ", "r", 3, 42),
    (" ", "c", 2, 40),
    (" c", "at", 2, 38),
    (" r", "at", 2, 36),
    (" ", "s", 1, 35),
    (" s", "at", 1, 34),
]


def test_read(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=bytes")
    page = played.page
    page.fill("#text", RUSSIAN)
    played.has("#read-counts", "88 tokens")
    played.has("#read-counts", "49 characters")
    assert page.locator("#read-drawn .partial").count() == 78
    page.check("input[value=pretokens]")
    played.has("#read-alternatives", "alternative")
    assert page.locator("#read-drawn .token").first.inner_text() == "Жили"
    page.check("input[value=ids]")
    played.has("#read-drawn", "208")
    page.check("input[value=bytes]")
    played.has("#read-drawn", "d0")
    page.fill("#context", "8")
    played.has("#read-drawn", "the context of 8 tokens ends here")
    played.has("#read-fit", "holds the first 4 characters of 49")
    played.done("read", tmp_path)


def test_a_token_that_is_pointed_at_and_gone_to(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=cat&text=the+cat")
    page = played.page
    played.has("#read-counts", "2 tokens")
    page.hover("#read-drawn .token >> nth=0")
    played.has("#card", "74 68 65")
    played.has("#card", "7 times")
    page.focus("#read-drawn")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    played.has("#card", "“ cat”")
    assert page.locator("#card svg.tree").count() == 1
    played.done("token", tmp_path)


def test_examples_and_special_tokens(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=alice")
    page = played.page
    for name in page.locator("#examples option").all_inner_texts()[1:]:
        page.select_option("#examples", label=name)
        played.has("#told", "token")
    played.has("#read-counts", "3 special")
    assert page.locator("#read-drawn .special").count() == 3
    page.uncheck("[data-key=special]")
    played.until("document.querySelectorAll('#read-drawn .special').length === 0")
    page.select_option("#tokenizer", "declaration")
    page.select_option("#examples", label="Arabic")
    played.until("document.querySelector('#read-drawn .row').dir === 'rtl'")
    page.select_option("#examples", label="Python")
    played.until("document.querySelectorAll('#read-drawn .row').length === 5")
    assert page.locator("#read-drawn .space").count() > 10
    played.done("examples", tmp_path)


def test_a_large_text_is_drawn_in_parts(chrome: Browser, place: str, tmp_path: Path) -> None:
    text = bp.bundled_texts()["en"].read_text("utf-8")[:100_000]
    tokens = asked(f"{place}/api/count", {"tokenizer": "alice", "text": text})[1]["count"]
    played = Played(chrome, place, "#read?tokenizer=alice")
    page = played.page
    played.write("#text", text)
    played.has("#read-counts", f"{tokens:,} tokens")
    drawn, more = page.evaluate(
        "[document.querySelectorAll('#read-drawn [data-id]').length, document.querySelector('#read-more').innerText]"
    )
    assert 1_500 <= drawn < 5_000
    assert more == f"and {tokens - drawn // 1_500 * 1_500:,} tokens more"
    page.locator("#unshared").wait_for()
    page.locator("#read-more").scroll_into_view_if_needed()
    played.until(f"document.querySelectorAll('#read-drawn [data-id]').length > {drawn}")
    page.evaluate("scrollTo(0, 0)")
    page.focus("#text")
    page.keyboard.press("Control+Home")
    page.keyboard.type("zq")
    played.until("document.querySelector('#read-counts').innerText.includes('100,002 characters')")
    played.done("large", tmp_path)


def test_side_by_side(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#beside?beside=bytes,cat&text=the+cat+sat")
    page = played.page
    played.has("#beside-sides", "11 tokens")
    played.has("#beside-sides", "×3.67 of the fewest")
    assert page.locator(".side").count() == 2
    page.get_by_label("Price of a million tokens of number 1").fill("2")
    played.has("#beside-sides", "0.000022 cost")
    page.click("text=One more")
    played.until("document.querySelectorAll('.side').length === 3")
    page.select_option("#beside-2", "alice")
    played.has(".side:nth-child(3)", "alice")
    assert page.locator(".side >> nth=0 >> .shade-1").count() > 0
    page.get_by_label("Take alice away").click()
    played.until("document.querySelectorAll('.side').length === 2")
    played.done("beside", tmp_path)


def test_learn(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#learn")
    page = played.page
    played.has("#learn-counts", "73 tokens in the text")
    for number, (left, right, times, tokens) in enumerate(MERGES, 1):
        page.click("#learn-next")
        played.has("#learn-counts", f"{number} merge")
        played.has("#learn-counts", f"{tokens} tokens in the text")
        row = page.locator("#learn-learned tbody tr").first.inner_text().split("\t")
        assert row == [str(number), str(times), f"'{left}' + '{right}' → '{left}{right}'"]
    made = bp.train(texts=[MINI], num_merges=10, pattern=MINI_PATTERN, ties="first")
    assert [tuple(map(made.bytes_of, pair)) for pair in made.merges] == [
        (left.encode(), right.encode()) for left, right, _, _ in MERGES
    ]
    page.click("#learn-back")
    played.has("#learn-counts", "9 merges")
    played.has("#learn-why", "the one that comes first is merged")
    page.click("#learn-first")
    played.has("#learn-why", "'a' + 't' stands 8 times, more often than any other pair")
    page.click("#learn-play")
    played.until("parseInt(document.querySelector('#learn-counts').innerText) >= 2")
    page.click("#learn-play")
    page.select_option("#learn-cut", "none")
    played.has("#learn-counts", "0 merges")
    page.select_option("#learn-alphabet", "characters")
    page.fill("#learn-text", "low lower lowest")
    played.has("#learn-why", "'l' + 'o' stands 3 times")
    assert "'</w>'" in page.inner_text("#learn-pairs")
    played.done("learn", tmp_path)


def test_tree(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#tree?tokenizer=cat")
    page = played.page
    played.has("#tree [data-note]:nth-of-type(2)", "' the': 1 token")
    words = page.locator("#tree-drawn svg g > text:not(.number)").all_text_contents()
    assert words == ["␣the", "␣", "the", "th", "e", "t", "h"]
    assert page.locator("#tree-drawn svg .number", has_text="rank").all_text_contents() == [
        "rank 3",
        "rank 2",
        "rank 1",
    ]
    page.fill("#tree-text", "cat")
    played.has("#tree", "'cat': 2 tokens")
    page.click("#tree-drawn summary >> nth=0")
    assert page.locator("#tree-drawn table").first.is_visible()
    played.done("tree", tmp_path)


def test_vocabulary(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#vocabulary?tokenizer=cat")
    page = played.page
    played.has("#at-said", "1 to 10 of 10 tokens")
    played.has("#vocabulary-rows", "'at'  = 'a' + 't'")
    page.focus("#at")
    page.keyboard.press("End")
    played.has("#at-said", "10 to 10 of 10")
    page.fill("#search", "at")
    played.has("#at-said", "of 4 tokens")
    page.fill("#search", "nowhere")
    played.has("#at-said", "no token is like that")
    page.fill("#search", "")
    page.select_option("#filter", "part")
    played.has("#at-said", "of 128 tokens")
    page.select_option("#filter", "space")
    played.has("#vocabulary-rows", "' the'")
    page.select_option("#filter", "longest")
    played.has("#vocabulary-rows tbody tr", "' the'")
    page.select_option("#filter", "unseen")
    played.has("#at-said", "tokens")
    page.select_option("#filter", "merged")
    played.has("#at-said", "1 to 10 of 10 tokens")
    page.click("#vocabulary-rows tbody tr >> nth=2")
    played.has("#card", "74 68 65")
    played.done("vocabulary", tmp_path)


def test_size(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#size?tokenizer=cat&text=the+cat+sat")
    page = played.page
    played.has("#size-said", "266")
    played.has("#size-counts", "3 tokens")
    page.focus("#merges")
    page.keyboard.press("Home")
    played.has("#size-counts", "11 tokens · 1.00 characters a token")
    played.has("#size-counts", "98,304 numbers in the embedding table")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    played.has("#size-said", "259")
    small = bp.train(texts=[MINI], num_merges=3, pattern=MINI_PATTERN, ties="first")
    played.has("#size-counts", f"{small.count('the cat sat')} tokens")
    assert page.locator("#size-curve .here").count() == 1
    assert "size=3" in page.evaluate("location.hash")
    played.done("size", tmp_path)


def test_tax(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#tax?tokenizer=bytes")
    page = played.page
    played.has("#tax-name", "Russian")
    assert page.locator("#tax-table tbody tr").count() == 75
    page.fill("#mine", "x" * 5000)
    played.has("#tax-table tbody tr.mine", "your text")
    page.click("#tax-table button >> text=Arabic")
    played.has("#tax-name", "Arabic")
    page.select_option("#tokenizer", "declaration")
    played.until("document.querySelector('#tax-drawn .row').dir === 'rtl'")
    page.select_option("#tokenizer", "bytes")
    page.select_option("#article", "0")
    found = bp.language_tax(bp.train(texts=[], vocab_size=256))
    tamil = next(cost for cost in found.costs if cost.language == "ta")
    played.has("#tax-table", "Tamil")
    played.has("#tax-table", f"{tamil.tokens + 29:,}")  # the thirty articles have line feeds between them here
    played.done("tax", tmp_path)


def test_zipf(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#zipf?tokenizer=alice")
    page = played.page
    played.has("#zipf-counts", "different ones")
    assert page.locator("#zipf-curve .curve").count() == 1
    played.has("#zipf-table", "By rank")
    page.select_option("#corpus", "")
    page.fill("#text", "low lower lowest low low")
    played.has("#zipf-counts", "tokens · ")
    played.until("document.querySelector('#zipf-counts').innerText.length < 60")
    page.fill("#text", "")
    played.has("#zipf-curve", "too little text")
    played.done("zipf", tmp_path)


def test_strawberry(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#letters?tokenizer=bytes")
    played.has("#letters-table", "it sees every letter")
    played.page.fill("#letters-text", "")
    played.until("document.querySelector('#letters-table').innerText === ''")
    played.done("letters", tmp_path)


def test_strawberry_under_cl100k(chrome: Browser, tmp_path: Path) -> None:
    try:
        path = vocabularies.path("cl100k_base")
    except vocabularies.UnavailableError as error:
        pytest.skip(str(error))
    tok = bp.load(path, pattern="cl100k")
    with served({"cl100k_base": tok}) as place:
        played = Played(chrome, place, "#letters")
        played.has("#letters-drawn", "berry")
        assert played.page.locator("#letters-drawn .token").all_inner_texts() == ["str", "aw", "berry"]
        played.has("#letters-table", "The model is given 3 numbers, not 10 letters: it sees none of them.")
        played.has("#letters-table", "r (3 times)")
        played.done("strawberry", tmp_path)


def test_questions(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#questions?tokenizer=bytes")
    played.has("#questions-list", "3 characters, 6 bytes, 6 tokens")
    played.has("#questions-list", "7 characters, 25 bytes, 25 tokens")
    played.page.select_option("#tokenizer", "declaration")
    played.has("#questions-list", "3 characters, 6 bytes, 2 tokens")
    played.done("questions", tmp_path)


def test_train(chrome: Browser, place: str, tmp_path: Path) -> None:
    text = tmp_path / "<b>corpus.txt"
    text.write_text("low lower lowest " * 300, "utf-8")
    played = Played(chrome, place, "#train")
    page = played.page
    page.set_input_files("#picked", [text, bp.bundled_texts()["ru"]])
    played.has("#files", "<b>corpus.txt, 5,100 bytes")
    page.fill("#train-size", "600")
    page.click("#train-start")
    played.has("#train-said", "is among the tokenizers")
    with page.expect_download() as download:
        page.click("#train-download")
    name = page.input_value("#tokenizer")
    tok = bp.load(download.value.path(), format="huggingface")
    assert tok == bp.train(files=[text, bp.bundled_texts()["ru"]], vocab_size=600)
    page.click("#train-use")
    page.fill("#text", "lowest")
    played.has("#read-counts", f"{tok.count('lowest')} token")
    assert name.startswith("trained-")
    played.done("train", tmp_path)


def test_nothing_is_lost_while_the_page_is_not_ready(chrome: Browser, place: str, tmp_path: Path) -> None:
    """What cannot be answered yet takes no key and no click; a file that was picked all the same is there later."""
    played = Played(chrome, place)
    page = played.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/views/train.js", hold)
    page.click("nav a[href='#train']")
    page.locator("#train").wait_for()
    page.set_input_files("#picked", bp.bundled_texts()["en"])
    while not held:
        page.wait_for_timeout(20)
    assert page.evaluate("[document.querySelector('#train').inert, document.querySelector('#files').innerText]") == [
        True,
        "",
    ]
    held.pop().continue_()
    played.has("#files", bp.bundled_texts()["en"].name)
    page.unroute("**/views/train.js")
    page.route("**/api/tokenizers", hold)
    page.reload()
    while not held:
        page.wait_for_timeout(20)
    goes = "(field) => { document.querySelector(field).focus(); return document.activeElement !== document.body }"
    assert [page.evaluate(goes, field) for field in ("#tokenizer", "#train-size")] == [False, False]
    held.pop().continue_()
    played.calm()
    page.fill("#train-size", "600")
    played.until("location.hash.includes('trainSize=600')")
    played.done("ready", tmp_path)


def test_a_training_is_cancelled(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#train?trainOn=ja&trainSize=65536")
    page = played.page
    text = tmp_path / "large.txt"
    text.write_bytes(b"".join(b"%x " % (number * 2654435761 % 2**60) for number in range(1_200_000)))
    page.set_input_files("#picked", text)
    page.click("#train-start")
    page.click("#train-cancel")
    played.has("#train-said", "The training was cancelled.")
    assert page.locator("#train-start").is_enabled()
    played.done("cancelled", tmp_path)


@pytest.mark.parametrize(
    ("width", "dark"), [(360, True), (1280, True), (360, False)], ids=["phone dark", "laptop dark", "phone"]
)
def test_every_view_fits(chrome: Browser, place: str, tmp_path: Path, width: int, dark: bool) -> None:
    played = Played(chrome, place, width=width, dark=dark)
    page = played.page
    names = [link.removeprefix("#") for link in page.eval_on_selector_all("nav a", "all => all.map(one => one.hash)")]
    assert len(names) == 11
    for view in names:
        played.go(view)
        assert page.locator("[data-view]:visible").get_attribute("id") == view
        assert page.get_attribute("nav a[aria-current]", "href") == f"#{view}"
        assert page.locator("#problem").is_hidden()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert played.pale() == [], view
        played.picture(f"{view}-{width}-{'dark' if dark else 'light'}", tmp_path)
    played.done(f"fits-{width}", tmp_path)


def test_a_pale_text_is_found(chrome: Browser, place: str) -> None:
    played = Played(chrome, place)
    assert played.pale() == []
    played.page.evaluate("document.querySelector('nav a').style.color = '#999999'")
    assert [said.split(": ")[1] for said in played.pale()] == [" Read"]
    played.page.context.close()


def test_a_view_is_shared_by_its_address(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=bytes")
    page = played.page
    page.fill("#text", "a & b = “c”")
    page.check("input[value=ids]")
    played.has("#read-counts", "11 characters")
    played.until("location.hash.includes('show=ids')")
    address = page.evaluate("location.hash")
    other = Played(chrome, place, address)
    other.has("#read-counts", "11 characters")
    assert other.page.input_value("#text") == "a & b = “c”"
    assert other.page.is_checked("input[value=ids]")
    other.page.click("nav >> text=Tree")
    other.has("#tree-drawn", "No merge made these")
    other.page.go_back()
    other.until("!document.querySelector('#read').hidden")
    other.done("shared", tmp_path)
    played.done("sharing", tmp_path)


def test_the_colours_are_chosen_and_kept(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place)
    page = played.page
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.click("#theme")
    page.click("#theme")
    assert page.get_attribute("#theme", "aria-label") == "Colours: dark"
    assert page.evaluate(ground) != "rgb(255, 255, 255)"
    page.reload()
    played.until("document.documentElement.dataset.theme === 'dark'")
    played.done("dark", tmp_path)


def test_the_keyboard_reaches_everything(chrome: Browser, place: str, tmp_path: Path) -> None:
    played = Played(chrome, place, "#read?tokenizer=cat&text=the+cat")
    page = played.page
    seen = []
    for _ in range(32):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate("document.activeElement.id || document.activeElement.hash || document.activeElement.name")
        )
    for wanted in (
        "#main",
        "tokenizer",
        "open",
        "theme",
        "#learn",
        "examples",
        "text",
        "show",
        "context",
        "copy",
        "read-drawn",
    ):
        assert any(wanted in one for one in seen), wanted
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, select, textarea, input:not([hidden]), [role=group]')].filter(node =>"
        " !node.labels?.length && !node.ariaLabel && !node.textContent.trim()).map(node => node.outerHTML)"
    )
    assert unnamed == []
    played.done("keyboard", tmp_path)


def test_the_first_paint_is_early(chrome: Browser, tmp_path: Path) -> None:
    """Never a timed test: nothing heavy is loaded and no request waits before the page is painted."""
    with served() as place:
        played = Played(chrome, place)
        first = json.loads(
            played.page.evaluate(
                "JSON.stringify(performance.getEntriesByType('resource').map(one => [one.name, one.transferSize]))"
            )
        )
        before = {name.removeprefix(place) for name, _ in first if "/api/" not in name}
        assert {"/tokens.css", "/page.css", "/main.js"} <= before
        assert sum(size for _, size in first) < 100_000
        played.done("first", tmp_path)
