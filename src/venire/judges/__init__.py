"""Ask: from a sample to a raw reply."""
