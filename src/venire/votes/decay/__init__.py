"""Scores of votes that age: the terms, the batches, the consensus, its interval, and every vote's weight.

`consensus` scores a table, `stream` goes on vote by vote, `sums` merges shards, `trail` shows what a score is made of.
"""
