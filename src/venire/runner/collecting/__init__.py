"""Collecting outputs from targets, in the same loop and under the same promises as judging."""
