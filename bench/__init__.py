"""Measured side by side, as ratios or in CPU time; never part of the test run."""
