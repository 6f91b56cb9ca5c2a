"""What is wrong with a vocabulary, found without a model: `bytepair.audit`.

Every id is decoded and encoded again. What does not come back is sorted by why, and before a token is called
unreachable a context is looked for in which it is produced. The rest looks at what the tokens hold, at how the pattern
bounds pretokens, and, where texts are given, at how often each token occurs.
"""
