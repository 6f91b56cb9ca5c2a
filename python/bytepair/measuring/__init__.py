"""Judging tokenizers: what they do to a text, in figures, and what each figure counts.

`measure` compares tokenizers on a text, `sweep` shows every vocabulary size of one of them, `compare` finds where two
differ. The figures are NumPy's; text is split and encoded by the engine.
"""
