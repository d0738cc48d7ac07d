"""Judges' replies as they are found in the wild: files, lines of JSON, replies inside other records."""
