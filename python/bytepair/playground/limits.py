"""How much one request may ask for: what keeps the page fluid, and a machine free of other people's work."""

from __future__ import annotations

from typing import Final

MOST_BODY: Final = 4 << 20
"""Bytes of a request, uploads excepted."""
MOST_TEXT: Final = 1 << 20
"""Bytes of a text that is read at once."""
MOST_TRACED: Final = 256 << 10
"""Bytes of a text that is cut to be drawn: each token of it takes some hundred bytes of memory."""
MOST_LESSON: Final = 4_000
"""Bytes of a text that merges are learned on, one by one."""
MOST_MERGES: Final = 400
"""Merges that are learned one by one."""
MOST_TREES: Final = 2_000
"""Bytes of a text whose merge trees are drawn."""
MOST_WORD: Final = 200
"""Bytes of a text whose letters are looked at."""
MOST_IDS: Final = 1 << 18
"""Ids that are decoded at once."""
MOST_UPLOAD: Final = 32 << 20
"""Bytes of all files that a tokenizer is trained on."""
MOST_OPENED: Final = 64 << 20
"""Bytes of the files of tokenizers that are opened at a time; the largest published ones have half of that."""
MOST_STALLED: Final = 60.0
"""Seconds for which a body may keep still that has begun to come."""
MOST_UNREAD: Final = 1 << 30
"""Bytes of a body that is refused and read on nevertheless: a browser hears the answer when it has sent everything."""
MOST_FILES: Final = 100
"""Files that a tokenizer is trained on."""
MOST_VOCABULARY: Final = 65_536
"""Tokens of a tokenizer that is trained here."""
MOST_TRAINED: Final = 8
"""Tokenizers of this session that are kept: the oldest goes."""
MOST_FOUND: Final = 50
"""Models of a cache that are listed."""
MOST_BESIDE: Final = 4
"""Tokenizers side by side."""
MOST_SECONDS: Final = 600
"""Seconds that a training may take."""
WORKERS: Final = 4
"""Requests that are worked on at a time."""
WAITING: Final = 32
"""Requests that may wait for that."""
DRAWN: Final = 1_500
"""Tokens that are drawn at once; more are asked for when they come into sight."""
ROWS: Final = 60
"""Tokens of a vocabulary that are shown at once."""
