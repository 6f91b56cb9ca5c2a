"""Pretokens and how often each occurs: what training needs of a corpus.

`splitting` says how text becomes pretokens, `count` counts those of files and texts, and `pretoken_counts` is what
comes out: rows (`rows`), with a column (`columns`) for each source, to be weighed (`weights`) and kept in a file
(`file`). What a person gives in place of it is a `mapping`.
"""
