"""Vocabularies that are made of others: tokens added, removed, renumbered; with the map from old ids to new ones.

The idea: an edit is data to data. `Tokenizer.parts` is changed and put together again, which checks everything once
more; `Edited` keeps what embedding rows need. Nothing here knows how text is encoded.
"""
