"""Judge model outputs with juries you can audit."""
