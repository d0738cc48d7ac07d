"""First screens of what has no scores: verdicts alone, pairs, and votes alone."""
