"""Asking where it matters: which asks of a jury are drawn, what follows from them, and when a cascade may stop."""
