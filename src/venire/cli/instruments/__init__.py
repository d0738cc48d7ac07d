"""The verbs about judges as instruments in a terminal, one command a file."""
