"""Whether a judge passes a battery: exact bounds of rates, changes beyond retest noise, sizes by power, the decision.

The names to import are in `venire.stats`.
"""
