"""``nanobot-memory eval``: what recall finds on labelled data."""
