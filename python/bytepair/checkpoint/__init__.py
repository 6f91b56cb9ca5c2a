"""Work that was stopped, at any moment and in any way, and goes on: the directory in which it is saved.

`directory` is the directory as a whole, `counted` its file of counts, `learned` its file of merges, and `differences`
says what is different where somebody goes on with something else.
"""
