"""The playground: a local page in which any tokenizer can be seen at work, and the HTTP interface behind it.

`fields` and `errors` say what a request may hold, `guard` who may send one, `shelf` which tokenizers there are. The
answers are plain functions from a request to data, one file a noun; `endpoints` lists them, `app` serves them beside
the files in `static`. Everything that is drawn of tokens comes from `bytepair.render`.
"""

from __future__ import annotations

__all__: list[str] = []
