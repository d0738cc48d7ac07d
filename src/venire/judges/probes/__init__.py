"""The battery of a voir dire as data, and the probes that are made of it by rule; no model has a hand in it."""
