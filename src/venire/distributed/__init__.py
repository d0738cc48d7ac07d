"""The same run on many machines, on an existing engine."""
