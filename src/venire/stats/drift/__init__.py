"""Prompt drift: what each slice of the outputs scores, and contrasts between variants on the same questions."""
