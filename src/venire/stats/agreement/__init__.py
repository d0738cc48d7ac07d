"""How far raters agree: kappas, alpha, AC1 and AC2, ICC, correlations, and confusion with people's verdicts.

`chance_corrected` and `disagreement` are what the coefficients share; `alpha_sums` adds up shards.
"""
