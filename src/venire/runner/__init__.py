"""Do the work once: tasks, limits, retries and budgets."""
