"""The report: one page about a tokenizer, for somebody who has never heard of any of its figures.

`results` measures, `charts` turns figures into specifications of charts (Vega-Lite), `sections` says what they mean,
`page` puts all of it into one file that asks nothing of a network, and `report` is the function that people call.
"""
