"""Purging words, records and sessions from the memory files, and redacting secrets in them."""
