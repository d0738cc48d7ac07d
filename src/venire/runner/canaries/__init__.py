"""Anchors in a run: which are judged, where they stand among the outputs, and the evidence that they give."""
