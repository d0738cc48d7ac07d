"""Tests that may be looked at after every observation: betting e-processes."""
