"""What an entry is: its text, score, group, and whether two say the same."""
