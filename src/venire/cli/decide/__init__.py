"""The commands that decide: who is better, by how much, in which order, and whether a release may go out."""
