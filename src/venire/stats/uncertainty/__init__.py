"""How sure a number is: intervals, the bootstrap, errors that allow for clusters, power, and corrections by people.

`clustered`, `clustered_share` and `clustered_difference` allow for outputs to one question that belong together.
"""
