"""The verbs in a terminal, one command a file."""
