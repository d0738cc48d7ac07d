"""What other evaluation tools wrote: one file a tool, each needing nothing of it. `recognise.py` finds the reader."""
