"""A ledger in one SQLite file: the store for one machine."""
