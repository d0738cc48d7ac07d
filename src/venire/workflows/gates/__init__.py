"""A gate's parts: its rules as they stand in a file, what was found for each, and the decision on each number."""
