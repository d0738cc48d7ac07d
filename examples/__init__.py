"""Examples that run offline."""
