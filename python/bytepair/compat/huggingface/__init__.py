"""`transformers`' tokenizers: `from bytepair.compat.huggingface import AutoTokenizer` reads the same folders.

A tokenizer made here is called on text or texts and gives `input_ids`, `attention_mask` and `offset_mapping` as lists,
NumPy arrays or torch tensors, padded and truncated as the call says. Nothing is fetched: a name is looked for in the
cache of Hugging Face alone.
"""

from __future__ import annotations

from bytepair.compat.huggingface.batch import BatchEncoding
from bytepair.compat.huggingface.folder import AutoTokenizer
from bytepair.compat.huggingface.template import Template
from bytepair.compat.huggingface.tokenizer import HuggingFaceTokenizer

__all__ = ["AutoTokenizer", "BatchEncoding", "HuggingFaceTokenizer", "Template"]
