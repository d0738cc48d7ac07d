"""Votes in many Parquet files: partitioned by inference on disk, worked on side by side, and summed up.

`reading` opens the shards and the workers; `scores`, `agreement`, `dawid_skene` and `reduction` are what can be asked.
"""
