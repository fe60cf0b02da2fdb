"""``nanobot-memory eval``: measures recall on labelled data."""
