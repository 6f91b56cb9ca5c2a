"""The JavaScript that draws charts (Vega, Vega-Lite, vega-embed), as `vl-convert-python` brings it."""

from __future__ import annotations

from functools import cache
from importlib import resources

__all__ = ["bundle", "scripts"]

_NOTICE = """/* Vega, Vega-Lite, vega-embed: Copyright University of Washington Interactive Data Lab, BSD 3-Clause.
   d3: Copyright Mike Bostock, ISC. lodash: Copyright OpenJS Foundation and contributors, MIT. Bundled by vl-convert. */
"""


@cache
def bundle() -> str:
    """The libraries as one script, which asks nothing of a network.

    Raises:
        ImportError: vl-convert-python is not installed.
    """
    try:
        import vl_convert  # noqa: PLC0415 - optional
    except ImportError as error:
        raise ImportError(
            f"vl-convert-python is needed for charts, and cannot be imported ({error})\n"
            "hint: pip install 'bytepair[report]'",
            name="vl_convert",
        ) from None
    libraries: str = vl_convert.javascript_bundle(snippet="window.vegaEmbed = vegaEmbed;")
    if "</script" in libraries.lower() or "<!--" in libraries:
        raise RuntimeError(
            "vl-convert-python gives a script that cannot stand in a page\nhint: install another version"
        )
    return f"{_NOTICE}{libraries}"


def scripts() -> tuple[str, str]:
    """What a page with charts runs: the libraries, and what draws the charts and moves the slider."""
    return bundle(), resources.files("bytepair.reporting").joinpath("page.js").read_text("utf-8")
