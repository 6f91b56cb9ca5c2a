"""The one stylesheet, and what puts a fragment of HTML into a notebook or a page.

The stylesheet says nothing outside of `.bytepair`, so a fragment can stand in a page of somebody else's.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib import resources

__all__ = ["page", "standalone", "stylesheet"]


@cache
def stylesheet() -> str:
    """The stylesheet, to be served or written once a page.

    >>> stylesheet().count("light-dark(") > 20
    True
    """
    return resources.files("bytepair.render").joinpath("style.css").read_text("utf-8")


def standalone(fragment: str) -> str:
    """A fragment with its stylesheet, as notebooks want it.

    >>> standalone("<p>low</p>").startswith('<div class="bytepair"><style>')
    True
    """
    return f'<div class="bytepair"><style>{stylesheet()}</style>\n{fragment}\n</div>'


def page(title: str, body: str, *, head: str = "", language: str = "en") -> str:
    """A whole page: `body` is HTML, `title` is text; `head` is HTML that is put into the head.

    >>> page("<low>", "<p>low</p>").splitlines()[1:3]
    ['<html lang="en">', '<head>']
    """
    return f"""<!DOCTYPE html>
<html lang="{escape(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{stylesheet()}</style>
{head}
</head>
<body class="bytepair">
{body}
</body>
</html>
"""
