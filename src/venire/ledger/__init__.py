"""Remember: the append-only, hash-linked record of everything that was asked, answered and decided."""
