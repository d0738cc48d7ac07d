"""Show: results in, documents out."""
