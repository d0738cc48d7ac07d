"""The state of the court and its rules: what the ledger holds, in memory; who votes when; what is written next."""
