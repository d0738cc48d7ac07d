"""What checking replies rests on: how they are checked, and the texts that they are held against."""
