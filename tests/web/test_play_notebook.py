"""In a notebook: what Jupyter puts into its page draws itself there, in the notebook's colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import bytepair as bp
from web.browser import Watched

TEXT = "the cat <b>sat</b> 🌱 مرحبا"
# What JupyterLab has around an output: its theme on the body, a cell of its own width, and its own ideas of tables.
PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th {{
  vertical-align: middle; padding: 0.5em; white-space: normal; border: none
}}
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon :is(td, th) {{ text-align: right }}
.jp-RenderedHTMLCommon table {{ table-layout: fixed; margin-left: auto; font-size: 12px }}
</style><body data-jp-theme-light="{light}">
<div class="jp-OutputArea-output jp-RenderedHTMLCommon jp-RenderedHTML" style="width: 700px">{output}</div></body>"""
ALIGNED = """[...document.querySelectorAll('.bytepair :is(td, th)')].map(cell => {
  const { textAlign, whiteSpace, verticalAlign } = getComputedStyle(cell)
  return [cell.classList.contains('right') ? 'right' : 'left', textAlign, whiteSpace, verticalAlign] })"""


@pytest.mark.parametrize("light", ["true", "false"])
def test_a_notebook_shows_tokenizers_and_traces(chrome: Browser, tmp_path: Path, light: str) -> None:
    tok = bp.train(texts=["the cat sat on the mat"], num_merges=8)
    context = chrome.new_context(offline=True)
    outputs: dict[str, Any] = {
        "tok": tok,
        "trace": tok.trace(TEXT),
        "tree": tok.explain("the")[0],
        "steps": tok.steps("the"),
    }
    for name, shown in outputs.items():
        path = tmp_path / f"{name}.html"
        path.write_text(PAGE.format(light=light, output=shown._repr_html_()), "utf-8")
        watched = Watched(context.new_page())
        page = watched.page
        page.goto(path.as_uri())
        assert watched.complaints == []
        assert watched.requests == [path.as_uri()]
        ink = page.evaluate("getComputedStyle(document.querySelector('.bytepair')).color")
        assert ink == ("rgb(27, 30, 36)" if light == "true" else "rgb(232, 234, 238)")
        assert page.evaluate("document.querySelector('.bytepair').scrollWidth <= 700")
        for wanted, aligned, spaces, place in page.evaluate(ALIGNED):
            assert aligned == wanted
            assert spaces in {"pre-wrap", "nowrap"}
            assert place == "top"
        if name == "trace":
            ids = page.eval_on_selector_all(".flow [data-id]", "all => all.map(one => Number(one.dataset.id))")
            assert ids == tok.encode(TEXT)
            assert page.locator("b").count() == 0
        elif name == "tok":
            assert "264 tokens" in page.inner_text(".bytepair")
        elif name == "tree":
            assert page.locator("svg.tree").count() == 1
    context.close()
