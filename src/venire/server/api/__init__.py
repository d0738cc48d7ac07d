"""The API under /api/v1, one group of calls a file."""
