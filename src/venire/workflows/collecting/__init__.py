"""What collecting rests on: what is collected, and what was."""
