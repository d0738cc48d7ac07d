"""The state of the court and its rules.

`court` is what the API and the pages ask. `state` counts the ledger in memory (`ledger_index`: samples, judgements and
runs; `compared`: pairs; `tally`, `tally_item`: votes), and `commits` writes.
`voting` casts what `vote_requests` ask for, `jury_room` and `ballot_order` show jurors what is next, `scores` tells how
votes age, and `curators` settle what is ambiguous. `judged` holds samples, reports and judgements, `progress` runs,
`chain` audits and proofs. What is shown of all this is in `views`, `vote_views` and `entry_views`.
"""
