"""Outputs to look at: one in a list, one with everything that is known of it, and what is asked for of a list."""
