"""Commands that collect outputs."""
