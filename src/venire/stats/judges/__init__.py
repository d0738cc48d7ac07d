"""Judges as instruments: bias, severity, halo, retest, how they depend on each other, and what a new version changes.

`bias` holds what the measures of bias share; `many_facet` and `leniency` tell severity from what was judged.
"""
