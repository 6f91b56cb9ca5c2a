"""Counts -> a tokenizer: `bytepair.train`.

`train` is the whole of it: `start` says what a training starts from, and `learn` makes the merges.
"""
