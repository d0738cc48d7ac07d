"""A ledger in a PostgreSQL database: the store that many people and machines share."""
