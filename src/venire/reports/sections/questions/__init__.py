"""What is said of questions: which are hard, and which tell models apart."""
