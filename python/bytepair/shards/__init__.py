"""Shards: a corpus as ids in files, as training programs read them.

`write_shards` makes them (`writing`: the job; `job`: one item of it; `encoding`: text -> ids; `cutting`: ids -> files;
`formats` and the files beside it: how they lie there). `open_shards` reads them (`reading`, `windows`), `verify_shards`
checks them. What all of them share is the `manifest`.
"""
