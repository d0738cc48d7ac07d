"""Comparisons: of scores, of two versions of a judge, of all models pairwise, and what each says."""
