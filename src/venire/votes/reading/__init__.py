"""Votes from whatever users bring: which column is what, the values, duplicates, and what became of each row.

`source` opens a ledger or any table; `table` reads the votes of a table; `shards` reads many Parquet files.
"""
