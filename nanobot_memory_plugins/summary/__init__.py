"""A summary of each session that has gone quiet."""
