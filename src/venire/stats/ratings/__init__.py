"""The table of ratings that statistics start from, and the scores that follow from it.

`table` is the door; `columns` and `frame` fill it; `matrix` is what measures of agreement take.
`panel_scores` and `rollup` combine judges, tests and dimensions; `pooling` refuses what must not be mixed.
"""
