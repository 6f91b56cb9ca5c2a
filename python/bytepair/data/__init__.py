"""Where text comes from: files, iterables and columns, in batches that fit in memory.

`corpus` takes what every call of the package that reads texts takes, and is iterated over: whole documents, rows of
Arrow columns, and parts of documents that are larger than a part. A document is a whole file, what lies between two
separators in it, one item of an iterable or one row of a column; nothing crosses its end.

>>> from bytepair import data
>>> texts = data.corpus(texts={"en": ["low", "lower"], "ru": ["niz"]})
>>> [(batch.source, batch.documents) for batch in texts]
[('en', ['low', 'lower']), ('ru', ['niz'])]
"""

from bytepair.data.batches import Batch, Documents, Part, Rows
from bytepair.data.characters import Errors
from bytepair.data.corpus import Corpus, corpus
from bytepair.data.formats import Layout
from bytepair.data.options import Reading
from bytepair.data.places import Files
from bytepair.data.sources import Texts

__all__ = ["Batch", "Corpus", "Documents", "Errors", "Files", "Layout", "Part", "Reading", "Rows", "Texts", "corpus"]
