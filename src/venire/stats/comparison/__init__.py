"""Two or more models, variants or runs: paired tests, effect sizes, Bradley–Terry, Elo, and whose part a change is.

`score_difference` compares two sets of scores, `score_comparisons` all models with each other.
"""
