"""What a text costs in each language, in tokens: `bytepair.language_tax`, and the aligned text that it uses.

`udhr.jsonl.xz` holds the 30 articles of the Universal Declaration of Human Rights in 75 languages, aligned, one
language a line: `{"lang", "name", "articles": [...]}`. Source: United Nations.
"""
