"""First screens of what has no scores: verdicts alone, and votes alone."""
