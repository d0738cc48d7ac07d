"""Judged pairs: two models where they met, and how strengths changed from one set of pairs to another."""
