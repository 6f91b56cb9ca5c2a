"""The two tokenizers that byte pairs replaced: one token a word, and one token a character, with their failures.

Both are a table of known symbols. What is not in it becomes `<unk>`, or is dropped, and either way it cannot be
read back.

A word-level table must be large and still lacks most words: after "the dog barked", an unusual dog is unknown.

>>> table = learn("the dog barked at the dog".split(), min_count=2)
>>> table
{'<unk>': 0, 'the': 1, 'dog': 2}
>>> decode(encode("the unusual dog".split(), table), table, " ")
'the <unk> dog'

Dropping what is unknown is worse, because nothing shows it: words that stood apart become neighbours, and a model
learns that `the` is followed by `dog`, and that "not" was never there.

>>> decode(encode("the unusual dog".split(), table, "drop"), table, " ")
'the dog'
>>> decode(encode("the dog is not the dog".split(), table, "drop"), table, " ")
'the dog the dog'

A character-level table is small and knows every word of its alphabet, but texts become five times as long, and a
character that the alphabet lacks is as lost as a word was.

>>> letters = learn("the dog barked at the dog")
>>> decode(encode("bad dog", letters), letters), len(encode("bad dog", letters))
('bad dog', 7)
>>> decode(encode("dóg 🌱", letters), letters)
'd<unk>g <unk>'
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

UNKNOWN = "<unk>"


def learn(symbols: Iterable[str], min_count: int = 1) -> dict[str, int]:
    """Gives a number to every symbol that occurs often enough, the commonest first; `<unk>` has the number 0.

    Pass words (`text.split()`) for a word-level table, a string for a character-level one.

    >>> learn(["a", "rose", "is", "a", "rose"], min_count=2)
    {'<unk>': 0, 'a': 1, 'rose': 2}
    """
    common = [symbol for symbol, count in Counter(symbols).most_common() if count >= min_count and symbol != UNKNOWN]
    return {symbol: number for number, symbol in enumerate([UNKNOWN, *common])}


def encode(symbols: Iterable[str], table: Mapping[str, int], unknown: Literal["unk", "drop"] = "unk") -> list[int]:
    """The symbols' numbers; what is not in the table becomes `<unk>` or is dropped.

    >>> encode(["a", "red", "rose"], {"<unk>": 0, "a": 1, "rose": 2})
    [1, 0, 2]
    """
    return [table.get(symbol, 0) for symbol in symbols if unknown == "unk" or symbol in table]


def decode(ids: Iterable[int], table: Mapping[str, int], between: str = "") -> str:
    """The symbols of these numbers; words need a space between them.

    >>> decode([1, 0, 2], {"<unk>": 0, "a": 1, "rose": 2}, " ")
    'a <unk> rose'
    """
    symbols = {number: symbol for symbol, number in table.items()}
    return between.join(symbols[number] for number in ids)
