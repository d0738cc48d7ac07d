"""What reports, comparisons and gates rest on, read from wherever it lies.

`from_source` takes whatever a user names and asks `from_ledger`, `from_table` or `from_check`. `completeness` holds
what was answered against what was planned; `primary_ratings` chooses the ratings that count.
"""
