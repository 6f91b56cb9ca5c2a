"""Work that is more than one process does: items, an engine that maps a function over them, and results in files.

An engine (`engines`) is one method, `map`. What is mapped writes a file for each item, beside its name and then
renamed, so that an item is done or not, and work that was stopped goes on.
"""
