"""A gate's parts: its rules as they stand in a file, and the decision on each number."""
