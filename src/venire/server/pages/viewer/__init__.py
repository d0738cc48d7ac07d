"""The pages of outputs: lists with filters, one output, outputs side by side, and what changed between runs."""
