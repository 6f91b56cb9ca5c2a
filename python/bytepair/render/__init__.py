"""Drawing tokens, merge trees and steps.

The idea: first *what* is shown, as data (`spans`: spans, lines, tables, flows), then *how* (`plain` for pipes,
`terminal` for a person). The functions in `tokens`, `pretokens`, `merges`, `trees`, `steps` and `letters` turn what the
tokenizer returns into that data and know nothing of colours, widths or escape sequences; a further renderer draws the
same data.
"""
