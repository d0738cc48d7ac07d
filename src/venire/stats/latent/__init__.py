"""What is true behind disagreeing judges: Dawid–Skene (whole, and in steps over shards), MACE, the one-coin model.

`latent_class` is what they share; `judge_competence` fits all three and says how far they agree.
"""
