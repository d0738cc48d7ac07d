"""Charts as SVG, drawn here: no script, no library, text as text so that every reader's fonts serve."""
