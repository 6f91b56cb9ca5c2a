"""The benchmark: bytepair and its peers, on the same text, in turns, each run in a process of its own.

`make bench` runs it. The parts, in the order in which a figure is made:

    corpus, vocabulary    what is read: texts and tokenizers, prepared once in the cache
    contestants/          one adapter per peer, each with its fastest documented settings
    workloads/            what is timed; a workload is a generator of steps
    worker                the process in which one contestant runs one workload
    driver                starts the workers in turns, round after round
    plan, training_plan   which contests there are
    reference, ranking    whose ids are right, who is how fast: medians of ratios, and nobody ranked with wrong ids
    replay, verdicts      of training: whether each merge was of a commonest pair, and which tie rule was followed
    rows, table           the targets row by row; what is printed
    record, quote         what is kept; what the README shows of it
"""
