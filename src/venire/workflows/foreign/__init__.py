"""What an import of other tools' results rests on: who judged what, on which scale."""
