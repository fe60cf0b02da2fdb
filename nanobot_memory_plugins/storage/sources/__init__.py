"""The memory files as the index sees them: which there are, and what they contain."""
