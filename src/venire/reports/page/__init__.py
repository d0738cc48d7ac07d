"""What the page carries beside its content: its style sheet."""
