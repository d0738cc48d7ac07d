"""Judges as instruments: the voir dire that they pass before they count, and the canaries that watch them after."""
