"""Produce outputs: the targets of a collection, the prompts that are put to them, and the crossing of both."""
