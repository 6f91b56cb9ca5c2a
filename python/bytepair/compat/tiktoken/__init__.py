"""tiktoken's interface: `from bytepair.compat import tiktoken` stands in for `import tiktoken`.

Its files are found on this machine, as `bytepair.get` finds them, and never fetched: `bytepair fetch cl100k_base` does
that. Errors are of this package's kinds, which are those of tiktoken too (`ValueError`, `KeyError`).
"""

from __future__ import annotations

from bytepair.compat.tiktoken.encoding import Encoding
from bytepair.compat.tiktoken.models import encoding_for_model, encoding_name_for_model
from bytepair.compat.tiktoken.registry import get_encoding, list_encoding_names

__all__ = ["Encoding", "encoding_for_model", "encoding_name_for_model", "get_encoding", "list_encoding_names"]
