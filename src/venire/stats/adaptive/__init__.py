"""Asking where it matters: which asks of a jury are drawn, what follows from them, and when a cascade may stop.

`jury_asks` holds what was asked and replied, `drawn_asks` draws the next asks, `estimate_rounds` says how many, and
`expected_replies` and `selected_mean` make the mean of what was drawn. `cascade` decides stage by stage.
"""
