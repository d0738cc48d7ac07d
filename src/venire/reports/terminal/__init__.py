"""What a person sees at a terminal: the report, the result of a check, and where lines of Chinese may end."""
