"""The adaptive jury: which asks follow from which replies, round after round, and what they come to."""
