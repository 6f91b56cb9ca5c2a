"""The page at /api: what each address answers, from the same list that is served."""

from __future__ import annotations

import json
import re
from html import escape

from bytepair.playground.endpoints import ENDPOINTS, Endpoint
from bytepair.playground.limits import MOST_BODY, MOST_TEXT, MOST_TRACED

__all__ = ["about_page"]


def about_page() -> str:
    """The page.

    >>> "/api/encode" in about_page()
    True
    """
    stable = "".join(_section(one) for one in ENDPOINTS if one.stable)
    others = "".join(_section(one) for one in ENDPOINTS if not one.stable)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The HTTP interface of the playground</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/tokens.css">
<link rel="stylesheet" href="/page.css">
</head>
<body class="bytepair">
<main class="prose">
<h1>The HTTP interface</h1>
<p><a href="/">Back to the playground</a></p>
<p>A request is a JSON object in the body of a POST, with <code>Content-Type: application/json</code>; the answer is
one too. <code>tokenizer</code> is a name from <code>/api/tokenizers</code>; without it the first one is meant. An error
has <code>error</code> and <code>hint</code>, and a status from 400 on. A request has at most {MOST_BODY:,} bytes, a
text in it {MOST_TEXT:,}, one that is drawn {MOST_TRACED:,}. Requests of other pages and for other hosts are
refused.</p>
<h2>For programs</h2>
{stable}
<h2>For the page</h2>
<p>These change with the page; <code>html</code> in their answers is a fragment that is escaped already.</p>
{others}
</main>
</body>
</html>
"""


def _code(text: str) -> str:
    """Words in backquotes as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _section(one: Endpoint) -> str:
    fields = "".join(f"<dt><code>{escape(name)}</code></dt><dd>{_code(said)}</dd>" for name, said in one.fields.items())
    example = escape(json.dumps(one.example, ensure_ascii=False))
    path, kind = escape(one.path), "Content-Type: application/json"
    return (
        f'<section><h3 id="{path}">POST /api/{path}</h3><p>{_code(one.about)}</p>'
        f"{f'<dl>{fields}</dl>' if fields else ''}"
        f"<pre>curl -s 127.0.0.1:8765/api/{path} -H '{kind}' -d '{example}'</pre></section>"
    )
