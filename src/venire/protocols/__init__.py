"""Rubrics as data: bundled protocols, and files that users write the same way."""
