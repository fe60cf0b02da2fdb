"""The summary plugin: a summary of each session that has gone quiet."""
