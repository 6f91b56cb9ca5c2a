"""Byte-pair encoding in plain Python: the executable specification of this package, to read and to compare with.

Read it in this order; each page is short, needs only those before it, and has a worked example for every function:

1. `gage`        where it began: compression by replacing pairs of bytes (1994)
2. `bytes_bpe`   the smallest tokenizer: byte pairs over one stream of bytes
3. `patterns`    cutting text into pretokens, which no merge crosses
4. `training`    learning merges from counted pretokens: ties, limits, counts; counting again after each merge
5. `linked`      the same without counting again
6. `vocabulary`  merge lists and rank files; encoding one pretoken
7. `characters`  characters in place of bytes, and the end-of-word mark
8. `tokenizer`   all of it together: special tokens, training, encoding, decoding, streaming
9. `pieces`      characters that fall back to bytes, and normalising
10. `balanced`   languages that take turns to choose merges
11. `simple`     what came before: a token a word, a token a character, and how they fail

Nothing here is fast, and nothing needs the compiled module.
"""

from bytepair.reference.linked import Linked
from bytepair.reference.patterns import split
from bytepair.reference.tokenizer import Tokenizer, stream, train
from bytepair.reference.training import Recounted
from bytepair.reference.vocabulary import Vocabulary, from_merges, from_ranks

__all__ = ["Linked", "Recounted", "Tokenizer", "Vocabulary", "from_merges", "from_ranks", "split", "stream", "train"]
