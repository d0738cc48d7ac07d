"""Tests that may be looked at after every observation: betting e-processes.

`bounded_mean` is for a mean of bounded differences, `betting_share` for a share; `anchor_stream`, `change_point` and
`contradiction_bets` watch a judge by its anchors.
"""
