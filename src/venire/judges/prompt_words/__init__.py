"""The texts that only prompts of some protocols use."""
